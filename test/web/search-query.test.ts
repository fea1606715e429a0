// The text of a query, the chips below it and what a facet adds, held against the parser of the server.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Invalid } from '../../src/errors.ts';
import type { SearchQuery } from '../../src/model/search.ts';
import { parseQuery } from '../../src/search/parse-query.ts';
import { readFilter } from '../../src/search/query-filters.ts';
import { canFilter, facetState, withFacet, withoutFacet } from '../../web/src/search/facet-filter.ts';
import { liveQuery, looserQueries } from '../../web/src/search/live-query.ts';
import {
  chipsOf,
  type Filter,
  filtersIn,
  filterText,
  hasFilter,
  sameFilter,
  toggledYear,
  withFilter,
  withoutChip,
  withoutFilter,
  wordsIn,
  yearIn,
} from '../../web/src/search/query-text.ts';

/** What the server makes of it; undefined where it refuses. */
function read(q: string): SearchQuery | undefined {
  try {
    return parseQuery(q);
  } catch (error) {
    if (error instanceof Invalid) return undefined;
    throw error;
  }
}

/** Without the order in which filters stand, and without those that are there twice: neither changes what is found. */
function meaningOf(q: string) {
  const query = read(q);
  if (!query) return undefined;
  const filters = query.filters.map(({ name, value, not }) => `${not ? '-' : ''}${name}:${value}`);
  return { ...query, filters: [...new Set(filters)].sort() };
}

const word = fc.constantFrom(
  'fox',
  'dog',
  '"old cat"',
  '-"lazy cat"',
  '-bird',
  'foxg*',
  'http://a.b/c',
  '日本',
  'tags:x',
  '-',
);
const filter = fc.oneof(
  fc.constantFrom(
    'tag:work',
    'TAG:Work',
    'tag:"long reads"',
    '-tag:"long reads"',
    'site:example.org',
    '-site:Example.ORG',
    'feed:12',
    'feed:"the slow page"',
    'kind:item',
    'kind:entry',
    'author:"ines h"',
    'lang:de',
    'after:2025',
    'before:2026',
    'after:7d',
    'is:unread',
    '-is:archived',
    'in:title',
    'tag:a OR tag:b',
    'tag:a OR tag:b OR tag:c',
  ),
);
const part = fc.oneof({ weight: 2, arbitrary: word }, { weight: 3, arbitrary: filter });
const text = fc
  .tuple(fc.array(part, { maxLength: 7 }), fc.constantFrom(' ', '  ', '\t'))
  .map(([parts, space]) => parts.join(space));
const anything = fc
  .array(
    fc.constantFrom(
      'tag:',
      'is:',
      'in:title',
      '-',
      '"',
      ' ',
      'a',
      'OR',
      ' OR ',
      'site:b.c',
      '*',
      ':',
      'Feed:"',
    ),
    {
      maxLength: 10,
    },
  )
  .map((parts) => parts.join(''));

describe('the filters of a query', () => {
  it.each<[text: string, filters: string[]]>([
    ['', []],
    ['fox', []],
    ['fox tag:work', ['tag:work']],
    ['-tag:"long reads" fox', ['-tag:"long reads"']],
    ['Tag:a TAG:b', ['tag:a', 'tag:b']],
    ['tag: fox is:', []],
    ['http://example.org tags:x', []],
    ['"tag:work" fox', []],
    ['in:title fox after:2026-03', ['in:title', 'after:2026-03']],
    ['fox tag:"long re', ['tag:"long re"']],
  ])('of %j are %j', (text, filters) => {
    expect(filtersIn(text).map(filterText)).toEqual(filters);
  });

  it('are those that the server reads, with the values that it reads', () => {
    fc.assert(
      fc.property(fc.oneof(text, anything), (q) => {
        const query = read(q);
        if (!query) return;
        const ours = filtersIn(q).map(({ name, value, not, or }) => ({
          ...readFilter(name, value, not),
          ...(or && { or }),
        }));
        expect(ours.filter(({ name }) => name !== 'in')).toEqual(query.filters);
        expect(ours.some(({ name }) => name === 'in')).toBe(query.inTitle);
      }),
    );
  });

  it('go one by one, and leave everything else as the server reads it', () => {
    fc.assert(
      fc.property(text, fc.nat(), (q, which) => {
        const query = meaningOf(q);
        const chips = chipsOf(q);
        const chip = chips[which % Math.max(1, chips.length)];
        if (!query || !chip) return;
        const left = withoutChip(q, chip);
        const gone = chip.filters
          .filter(({ name }) => name !== 'in')
          .map((one) => readFilter(one.name, one.value, one.not));
        const names = gone.map(({ name, value, not }) => `${not ? '-' : ''}${name}:${value}`);
        const expected = {
          ...query,
          inTitle: query.inTitle && !chip.filters.some(({ name }) => name === 'in'),
          // Written twice in different letters, it was one chip.
          filters: query.filters.filter(
            (one) => !names.some((name) => name.toLowerCase() === one.toLowerCase()),
          ),
        };
        if (expected.all.length === 0 && expected.filters.length === 0) return;
        expect(meaningOf(left)).toEqual(expected);
      }),
    );
  });

  it('come back: what was taken away and is added again asks for the same', () => {
    fc.assert(
      fc.property(text, fc.nat(), (q, which) => {
        const chips = chipsOf(q).filter(
          ({ filters: [one] }) => one && !hasFilter(q, { ...one, not: !one.not }),
        );
        const chip = chips[which % Math.max(1, chips.length)];
        // The same in other letters is one chip, and comes back once.
        const twice = filtersIn(q).some((one, n, all) =>
          all.some((other, m) => m < n && sameFilter(one, other)),
        );
        if (!meaningOf(q) || !chip || twice) return;
        const back = chip.filters.reduce(withFilter, withoutChip(q, chip));
        expect(meaningOf(back)).toEqual(meaningOf(q));
      }),
    );
  });

  it('can be added to whatever was typed so far', () => {
    const added: Filter = { name: 'tag', value: 'long reads', not: false };
    fc.assert(
      fc.property(anything, (q) => {
        const both = withFilter(q, added);
        expect(hasFilter(both, added), both).toBe(true);
        expect(hasFilter(withoutFilter(both, added), added)).toBe(false);
      }),
    );
    expect(withFilter('bread OR', added)).toBe('bread tag:"long reads"');
    expect(withFilter('"night tr', added)).toBe('"night tr" tag:"long reads"');
    expect(withFilter('fox -tag:"long reads"', added)).toBe('fox tag:"long reads"');
  });

  it('are left out of what is asked', () => {
    expect(wordsIn('is:unread where is the "night train" -site:a.b')).toBe('where is the "night train"');
  });

  it('wait while their value is typed', () => {
    for (const [typed, q] of [
      ['fox tag:wo', 'fox*'],
      ['fox is:', 'fox*'],
      ['tag:', ''],
      ['fox tag:"long re', 'fox*'],
      ['fox tag:"long reads"', 'fox tag:"long reads"'],
      ['fox tag:work ', 'fox tag:work'],
      ['tag:work fo', 'tag:work fo'],
    ] as const)
      expect(liveQuery(typed), typed).toBe(q);
  });

  it('stay where other words are tried, or are what is left out first', () => {
    expect(looserQueries('night train tag:work')).toEqual(['night train', 'night OR train tag:work']);
    fc.assert(
      fc.property(text, (q) => {
        if (!read(q)) return;
        for (const looser of looserQueries(q)) expect(read(looser), `${q} to ${looser}`).toBeDefined();
      }),
    );
  });
});

describe('chips', () => {
  it.each<[text: string, chips: string[]]>([
    ['fox', []],
    ['tag:a fox tag:b', ['tag:a', 'tag:b']],
    ['tag:a OR tag:b fox tag:c', ['tag:a', 'or tag:b', 'tag:c']],
    ['site:a.b fox site:c.d', ['site:a.b', 'or site:c.d']],
    ['is:unread is:bookmarked', ['is:unread', 'is:bookmarked']],
    ['-tag:a -tag:b', ['-tag:a', '-tag:b']],
    ['tag:a site:b.c tag:d', ['tag:a', 'tag:d', 'site:b.c']],
    ['after:2025 before:2026', ['2025']],
    ['after:2025 before:2027', ['after:2025', 'before:2027']],
    ['after:2025 before:2026 after:2024', ['after:2025', 'after:2024', 'before:2026']],
    ['tag:a Tag:A', ['tag:a']],
    ['in:title is:unread', ['in:title', 'is:unread']],
  ])('of %j are %j', (text, chips) => {
    const shown = chipsOf(text).map(
      ({ filters: [one], year, isOr }) => (isOr ? 'or ' : '') + (year ?? (one && filterText(one))),
    );
    expect(shown).toEqual(chips);
  });

  it('of a year go together', () => {
    const [chip] = chipsOf('fox after:2025 before:2026 tag:a');
    expect(chip && withoutChip('fox after:2025 before:2026 tag:a', chip)).toBe('fox tag:a');
  });
});

describe('a facet', () => {
  it.each(['work', 'long reads', 'c++', '日本', 'a:b', '-x', 'x*', 'OR', 'it’s', "d'été"])(
    'adds %j as the server reads it, and takes it away again',
    (value) => {
      const q = withFacet('fox', 'tag', value);
      expect(read(q)?.filters).toEqual([{ name: 'tag', value, not: false }]);
      expect(facetState(q, 'tag', value)).toBe('in');
      expect(withFacet(q, 'tag', value)).toBe('fox');
      const left = withoutFacet(q, 'tag', value);
      expect(read(left)?.filters).toEqual([{ name: 'tag', value, not: true }]);
      expect(facetState(left, 'tag', value)).toBe('out');
      expect(withoutFacet(left, 'tag', value)).toBe('fox');
      expect(withFacet(left, 'tag', value)).toBe(q);
    },
  );

  it('of a year is a range of dates, one at a time', () => {
    const q = withFacet('fox', 'year', '2025');
    expect(q).toBe('fox after:2025 before:2026');
    expect(yearIn(q)).toBe('2025');
    expect(withFacet(q, 'year', '2024')).toBe('fox after:2024 before:2025');
    expect(withFacet(q, 'year', '2025')).toBe('fox');
    expect(toggledYear('fox after:7d', '2025')).toBe(q);
    expect(withoutFacet(q, 'year', '2025')).toBe(q);
  });

  it('that no query can hold is not offered', () => {
    expect(canFilter('12" records')).toBe(false);
    expect(withFacet('fox', 'tag', '12" records')).toBe('fox');
  });
});
