import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ListedText, nearDuplicates } from './near-duplicates.ts';

const story =
  'The volcano on the southern peninsula of Iceland began to erupt early on Monday, and the town nearby was evacuated within two hours, the authorities said.';
const other =
  'A bakery in Lyon has won the prize for the best baguette of the year, and its owner says that the secret is in the time the dough is given to rest.';
const hour = 3_600_000;

const entry = (id: number, more: Partial<ListedText> = {}): ListedText => ({
  id,
  feedId: id,
  title: 'Volcano erupts in Iceland',
  text: story,
  pubDate: 0,
  ...more,
});
const groups = (...list: ListedText[]) => Object.fromEntries(nearDuplicates(list));

describe('near-duplicates', () => {
  it('are entries of different feeds that say nearly the same', () => {
    expect(groups(entry(1), entry(2), entry(3, { text: other }))).toEqual({ 1: [2], 2: [1] });
    const edited = `${story.replace('early on Monday', 'on Monday')} Reuters reports.`;
    expect(groups(entry(1), entry(2, { text: edited, title: 'Volcano erupts in southern Iceland' }))).toEqual(
      {
        1: [2],
        2: [1],
      },
    );
    expect(groups(entry(3), entry(1), entry(2))).toEqual({ 1: [3, 2], 2: [3, 1], 3: [1, 2] });
  });

  it.each([
    ['the same title over another text', entry(2, { text: other })],
    ['the same title without a text', entry(2, { text: '' })],
    ['the same title over few words', entry(2, { text: 'Read more' })],
    ['the same words under another title', entry(2, { title: 'Baguette prize goes to Lyon' })],
    ['an entry of the same feed', entry(2, { feedId: 1 })],
    ['one of four days later', entry(2, { pubDate: 96 * hour })],
  ])('are not %s', (_what, second) => {
    expect(groups(entry(1), second)).toEqual({});
  });

  it('are told of both sides, never of oneself, and whatever the order', () => {
    const listed = fc.record({
      feedId: fc.nat(3),
      title: fc.constantFrom('One two three', 'One two four', 'Five'),
      text: fc.constantFrom(story, other, `${story} More.`, ''),
      pubDate: fc.integer({ min: 0, max: 100 * hour }),
    });
    fc.assert(
      fc.property(fc.array(listed, { maxLength: 20 }), (some) => {
        const list = some.map((one, id) => ({ ...one, id }));
        const found = nearDuplicates(list);
        for (const [id, others] of found) {
          expect(others).not.toContain(id);
          for (const one of others) {
            expect(found.get(one)).toContain(id);
            expect(list[one]?.feedId).not.toBe(list[id]?.feedId);
          }
        }
        const backwards = nearDuplicates(list.toReversed());
        for (const [id, others] of found) expect(backwards.get(id)?.toSorted()).toEqual(others.toSorted());
      }),
    );
  });
});
