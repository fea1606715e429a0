// What the pages of highlights go by: colours of other programs, boundaries of other sources, addresses, room on the screen.
import { describe, expect, it } from 'vitest';
import { type Mark, markOf } from '../../web/src/highlights/marks.ts';
import { isNarrowed, listQuery, noFilters, parsePlace, placeHref } from '../../web/src/highlights/place.ts';
import { placeBeside } from '../../web/src/highlights/place-beside.ts';
import { targetOf } from '../../web/src/highlights/target-of.ts';

describe('the marker for a colour', () => {
  it.each<[string | null, Mark]>([
    [null, 'yellow'],
    ['', 'yellow'],
    ['pink', 'pink'],
    ['Orange', 'yellow'],
    ['violet', 'purple'],
    ['#ffeb3b', 'yellow'],
    ['#f00', 'pink'],
    ['#4caf50', 'green'],
    ['#2196f3cc', 'blue'],
    ['#9c27b0', 'purple'],
    ['#e91e63', 'pink'],
    ['#808080', 'yellow'],
    ['chartreuse', 'yellow'],
    ['javascript:alert(1)', 'yellow'],
  ])('%s is %s', (color, mark) => expect(markOf(color)).toBe(mark));
});

describe('what is known of where a highlight is', () => {
  const text = 'a passage';
  const boundary = { quote: { exact: text, prefix: 'so ', suffix: ' is' }, position: { start: 3, end: 12 } };

  it('is all of it for one that was made here', () => {
    expect(targetOf({ text, boundary, source: 'lectern' })).toEqual(boundary);
  });

  it('is without the offsets for one that was made elsewhere, which count in another document', () => {
    const target = targetOf({ text, boundary, source: 'hypothesis' });
    expect(target).toEqual({ quote: boundary.quote, position: undefined });
  });

  it.each([
    null,
    7,
    'a',
    [],
    {},
    { quote: 7 },
    { quote: { exact: 9 } },
    { groupID: 1, chunks: ['a passage'] },
  ])('is its text where its boundary is %j', (strange) => {
    const target = targetOf({ text, boundary: strange, source: 'light-desk' });
    expect(target.quote).toEqual({ exact: text, prefix: '', suffix: '' });
  });

  it.each([{ start: -1, end: 4 }, { start: 'a', end: 4 }, { start: 1.5, end: 4 }, null])(
    'leaves out a position that is none: %j',
    (position) => {
      const target = targetOf({ text, boundary: { ...boundary, position }, source: 'lectern' });
      expect(target.position).toBeUndefined();
    },
  );
});

describe('a place among the highlights', () => {
  it.each([
    '/highlights',
    '/highlights?view=deleted',
    '/highlights?view=sources',
    '/highlights?source=kindle&color=pink&resource=7&from=2026-03-01&to=2026-03-12',
    '/highlights?color=none',
  ])('has the address %s', (href) => {
    expect(placeHref(parsePlace(new URL(href, 'http://here.example').search))).toBe(href);
  });

  it.each([
    '?view=nonsense',
    '?resource=-7',
    '?resource=1e9',
    '?from=yesterday',
    '?to=2026-99-99',
    '?source=&color=',
  ])('leaves out what makes no sense: %s', (search) => {
    expect(parsePlace(search)).toEqual({ view: 'all', ...noFilters });
    expect(isNarrowed(parsePlace(search))).toBe(false);
  });

  it('asks for whole days, the last one too', () => {
    const { from, to } = listQuery(parsePlace('?from=2026-03-01&to=2026-03-01'));
    expect(Date.parse(String(to)) - Date.parse(String(from))).toBe(86_400_000);
  });
});

describe('something small beside a passage', () => {
  const within = { top: 50, bottom: 850, left: 300, right: 1_300 };
  const size = { width: 200, height: 40 };
  const passage = (top: number, left = 700) => ({ top, bottom: top + 30, left, right: left + 100 });

  it('stands above it, or below where a finger is in the way', () => {
    expect(placeBeside(passage(400), size, within, 'above')).toEqual({ left: 650, top: 352 });
    expect(placeBeside(passage(400), size, within, 'below')).toEqual({ left: 650, top: 438 });
  });

  it('stands on the other side where there is no room', () => {
    expect(placeBeside(passage(60), size, within, 'above').top).toBe(98);
    expect(placeBeside(passage(815), size, within, 'below').top).toBe(767);
  });

  it('stays where it can be seen', () => {
    expect(placeBeside(passage(400, 290), size, within, 'above').left).toBe(308);
    expect(placeBeside(passage(400, 1_280), size, within, 'above').left).toBe(1_092);
    expect(placeBeside({ ...passage(40), bottom: 900 }, size, within, 'below').top).toBeLessThanOrEqual(802);
  });
});
