import fc from 'fast-check';
import { expect, it } from 'vitest';
import { watermarks } from './watermarks.ts';

it('leaves the fewest marks that any watermark leaves', () => {
  fc.assert(
    fc.property(
      fc.array(fc.record({ feed: fc.integer({ min: 1, max: 3 }), unread: fc.boolean() })),
      (items) => {
        const states = items.map(({ feed, unread }, n) => ({
          id: BigInt(n + 1),
          feedId: BigInt(feed),
          unread,
        }));
        const found = watermarks(states, (id) => id);
        for (const feed of [1n, 2n, 3n]) {
          const own = states.filter(({ feedId }) => feedId === feed);
          const marksWith = (at: bigint) => own.filter(({ id, unread }) => unread === id <= at).length;
          const fewest = Math.min(...[0n, ...own.map(({ id }) => id)].map(marksWith));
          expect(marksWith(found.get(feed) ?? 0n)).toBe(fewest);
        }
      },
    ),
  );
});

it('passes over items of feeds that are not there', () => {
  const states = [
    { id: 1n, feedId: undefined, unread: false },
    { id: 2n, feedId: 7n, unread: false },
  ];
  expect(watermarks(states, (id) => (id === 7n ? undefined : id))).toEqual(new Map());
});
