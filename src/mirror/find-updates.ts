// The page of the list at which the cursor stands. The list is sorted by update, the earliest first: whatever is edited moves to
// its end, and what is behind it moves up. So the place is looked for anew in every batch, near where it was.
import { type RawRaindrop, updatedMs } from './raindrop.ts';
import type { RaindropApi } from './raindrop-api.ts';

export interface Updates {
  /** At the cursor or behind it, the earliest first, each once. */
  readonly items: readonly RawRaindrop[];
  /** Nothing follows. */
  readonly isEnd: boolean;
  /** The last page that was looked at. */
  readonly place: number;
  readonly isPlaceFull: boolean;
  readonly count: number;
}

/** The API does not sort as it was asked to. */
export class Unsorted extends Error {}

interface Page {
  readonly items: readonly RawRaindrop[];
  readonly count: number;
  readonly isLast: boolean;
  /** When it was read, among the others. */
  readonly turn: number;
}

interface From {
  readonly cursorMs: number;
  /** Where it was the last time, and whether that page was full. */
  readonly place: number;
  readonly isPlaceFull: boolean;
  /** The place holds: what stands before it has the time of the cursor too, and was looked at. */
  readonly isSameTime: boolean;
}

/** Reads on until `isEnough` of what was found so far, or to the end. */
export async function findUpdates(
  api: Pick<RaindropApi, 'list'>,
  { cursorMs, place, isPlaceFull, isSameTime }: From,
  isEnough: (items: readonly RawRaindrop[]) => Promise<boolean>,
): Promise<Updates> {
  const pages = new Map<number, Page>();
  let turns = 0;
  const read = async (page: number): Promise<Page> => {
    const { items, count, isLast } = await api.list({ collection: 0, page, sort: 'lastUpdate' });
    if (items.some((item, n) => n > 0 && updatedMs(item) < updatedMs(items[n - 1] as RawRaindrop)))
      throw new Unsorted();
    const found = { items, count, isLast, turn: turns++ };
    pages.set(page, found);
    return found;
  };
  const at = async (page: number) => pages.get(page) ?? (await read(page));

  // The later page before the earlier: what moves up between the two is seen twice, not missed.
  if (isPlaceFull) await read(place + 1);
  const first = isSameTime ? place : await findPlace(at, place, cursorMs);
  let last = first;
  await at(first);
  for (;;) {
    const page = pages.get(last) as Page;
    const items = itemsOf(pages, first, last, cursorMs);
    const { isLast, count } = page;
    if (isLast || (await isEnough(items)))
      return { items, isEnd: isLast, place: last, isPlaceFull: !isLast, count };
    const next = pages.get(last + 1);
    if (!next || next.turn > page.turn) {
      await read(last + 1);
      await read(last);
    }
    last++;
  }
}

/** The first page that has something at the cursor or behind it; near `guess` in all likelihood. */
async function findPlace(
  at: (page: number) => Promise<Page>,
  guess: number,
  cursorMs: number,
): Promise<number> {
  const isBefore = async (page: number) => {
    const { items, isLast } = await at(page);
    const last = items.at(-1);
    // The last page has all that follows, whatever that is.
    return !isLast && last !== undefined && updatedMs(last) < cursorMs;
  };
  const isBehind = async (page: number) => {
    if (page === 0) return false;
    const [first] = (await at(page)).items;
    return first === undefined || updatedMs(first) >= cursorMs;
  };
  let low = guess;
  let high = guess;
  for (let step = 1; await isBehind(low); step *= 2) {
    high = low;
    low = Math.max(0, low - step);
  }
  for (let step = 1; await isBefore(high); step *= 2) {
    low = high + 1;
    high += step;
  }
  // Between a page that is not behind and one that is not before.
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (await isBefore(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}

function itemsOf(
  pages: ReadonlyMap<number, Page>,
  first: number,
  last: number,
  cursorMs: number,
): RawRaindrop[] {
  const byId = new Map<number, RawRaindrop>();
  for (let page = first; page <= last; page++)
    for (const item of pages.get(page)?.items ?? [])
      if (updatedMs(item) >= cursorMs) byId.set(item._id, item);
  return [...byId.values()].sort((a, b) => updatedMs(a) - updatedMs(b) || a._id - b._id);
}
