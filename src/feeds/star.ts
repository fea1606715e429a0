// Stars on many entries at once, as reader apps put them. A star is a bookmark.
import { NotFound } from '../errors.ts';
import { letOthersIn } from '../store/let-others-in.ts';
import type { UserRows } from '../store/store.ts';
import { bookmarkEntry } from './bookmark.ts';

type Rows = Pick<UserRows, 'entries' | 'feeds' | 'bookmarks' | 'stream'>;

/** Looked up by one statement. */
const entriesAtOnce = 500;

/** Entries that are gone, or were never this user's, are passed over: an app may know of them still. */
export async function starEntries(rows: Rows, entryIds: readonly number[]): Promise<void> {
  for (const some of portionsOf(entryIds)) {
    const starred = await rows.stream.starsOn(some);
    for (const id of some) {
      if (starred.has(id)) continue;
      await bookmarkEntry(rows, id).catch(passOver);
      await letOthersIn();
    }
  }
}

export async function unstarEntries(rows: Rows, entryIds: readonly number[]): Promise<void> {
  for (const some of portionsOf(entryIds)) {
    // An entry whose address changed may have another, from before.
    for (
      let stars = await rows.stream.starsOn(some);
      stars.size > 0;
      stars = await rows.stream.starsOn(some)
    ) {
      for (const id of stars.values()) {
        await rows.bookmarks.delete(id).catch(passOver);
        await letOthersIn();
      }
    }
  }
}

function portionsOf(ids: readonly number[]): (readonly number[])[] {
  const count = Math.ceil(ids.length / entriesAtOnce);
  return Array.from({ length: count }, (_, n) => ids.slice(n * entriesAtOnce, (n + 1) * entriesAtOnce));
}

function passOver(error: unknown): void {
  if (!(error instanceof NotFound)) throw error;
}
