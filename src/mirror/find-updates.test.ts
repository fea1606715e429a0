import { expect, it } from 'vitest';
import { findUpdates } from './find-updates.ts';
import type { RawRaindrop } from './raindrop.ts';
import { perPage } from './raindrop-api.ts';

const at = (n: number) => new Date(n * 1_000).toISOString();
const raindrops = (count: number): RawRaindrop[] =>
  Array.from({ length: count }, (_, n) => ({ _id: n + 1, lastUpdate: at(n + 1) }));

/** A list that somebody changes after each look at it. */
function moving(all: RawRaindrop[], onAsked: (turn: number) => void) {
  let turn = 0;
  return {
    async list({ page }: { page: number }) {
      const items = all.slice(page * perPage, (page + 1) * perPage);
      const answer = { items, count: all.length, isLast: items.length < perPage };
      onAsked(turn++);
      return answer;
    },
  };
}
const from = { cursorMs: 0, place: 0, isPlaceFull: false, isSameTime: false };

it('what moves up while the next page is asked for is seen all the same', async () => {
  const all = raindrops(120);
  // The first one is edited after the first look: it goes to the end, and all others move up.
  const api = moving(all, (turn) => {
    if (turn === 0) all.push({ ...(all.shift() as RawRaindrop), lastUpdate: at(500) });
  });
  const { items } = await findUpdates(api, from, async (found) => found.length >= 70);
  const ids = items.map(({ _id }) => _id);
  for (let id = 2; id <= 100; id++) expect(ids).toContain(id);
});

it('the place of the cursor is found wherever it has gone, in few looks', async () => {
  for (const [cursor, place] of [
    [1_900, 0],
    [5, 39],
    [1_000, 39],
    [1_000, 3],
  ] as const) {
    let looks = 0;
    const api = moving(raindrops(1_990), () => void looks++);
    const { items, place: found } = await findUpdates(
      api,
      { ...from, cursorMs: cursor * 1_000, place },
      async () => true,
    );
    expect(items[0]?._id).toBe(cursor);
    expect(found).toBe(Math.floor((cursor - 1) / perPage));
    expect(looks).toBeLessThanOrEqual(14);
  }
});
