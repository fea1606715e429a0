// What an import from an old database writes for one user, in transactions small enough for a server that runs meanwhile.
// In a dry run the same is looked up, and nothing written.
import { sql } from 'kysely';
import type { Clock } from '../../model/glossary.ts';
import type { Database, Writer } from '../database.ts';
import { letOthersIn } from '../let-others-in.ts';
import type { Owned } from '../owned/owned-rows.ts';
import { claimIds, type MayKeep, raiseCounters, type TableWithIds } from './reserve-ids.ts';
import {
  type BookmarkPut,
  type BookmarkToPut,
  type EntryFound,
  findEntries,
  putBookmark,
} from './write-bookmarks.ts';
import { type EntryPut, type EntryToPut, letGoOf, putImportedEntries } from './write-entries.ts';
import {
  type FeedToPut,
  type FinishedFeed,
  finishFeed,
  type GroupToPut,
  type Put,
  putFeed,
  putGroup,
} from './write-feeds.ts';

export type ImportStore = ReturnType<typeof importStore>;
export type Import = Awaited<ReturnType<ImportStore['begin']>>;

export interface ImportOptions {
  readonly dryRun: boolean;
  /** Into an index that was made for it. */
  readonly isFirst: boolean;
}

const rowsAtOnce = 50;

export function importStore({ db, userId }: Owned, now: Clock) {
  return {
    async begin(highest: Readonly<Record<TableWithIds, number>>, { dryRun, isFirst }: ImportOptions) {
      const mayKeep: MayKeep = await perform(db, dryRun, (trx) => claimIds(db, trx, highest, { dryRun }));
      if (!dryRun) await perform(db, dryRun, (trx) => raiseCounters(db, trx, highest));
      const place = { userId, mayKeep, dryRun };

      async function each<T, R>(rows: readonly T[], put: (trx: Writer, row: T) => Promise<R>): Promise<R[]> {
        const results: R[] = [];
        for (let from = 0; from < rows.length; from += rowsAtOnce) {
          const some = rows.slice(from, from + rowsAtOnce);
          results.push(
            ...(await perform(db, dryRun, async (trx) => {
              const done: R[] = [];
              for (const row of some) done.push(await put(trx, row));
              return done;
            })),
          );
        }
        return results;
      }

      return {
        /** All of them, in the order given. */
        putGroups: (groups: readonly GroupToPut[]): Promise<{ id: number; put: Put }[]> =>
          each(groups, (trx, group) => putGroup(trx, place, group, { isFirst })),

        putFeeds: (feeds: readonly FeedToPut[]): Promise<{ id: number; put: Put }[]> =>
          each(feeds, (trx, feed) => putFeed(trx, place, feed)),

        /** One transaction. No two with the same feed and guid. */
        putEntries: (entries: readonly EntryToPut[]): Promise<EntryPut[]> =>
          perform(db, dryRun, (trx) => putImportedEntries(db, trx, place, entries)),

        letGo: (pairs: readonly { feedId: number; guid: string }[]) =>
          each(pairs, (trx, pair) => letGoOf(trx, place, pair)),

        findEntries: (pairs: readonly { feedId: number; guid: string }[]): Promise<EntryFound[]> =>
          findEntries(db, userId, pairs),

        putBookmarks: (bookmarks: readonly BookmarkToPut[]): Promise<BookmarkPut[]> =>
          each(bookmarks, (trx, bookmark) => putBookmark(db, trx, { ...place, now: now() }, bookmark)),

        async finishFeeds(feeds: readonly FinishedFeed[]): Promise<void> {
          if (!dryRun) await each(feeds, finishFeed);
        },
      };
    },
  };
}

/** Two imports at once take turns, so that an id that was free is so until it is written. */
async function perform<T>(db: Database, dryRun: boolean, work: (trx: Writer) => Promise<T>): Promise<T> {
  await letOthersIn();
  if (dryRun) return work(db.read as Writer);
  return db.write(async (trx) => {
    if (db.engine === 'postgres')
      await sql`SELECT pg_advisory_xact_lock(hashtextextended('import', 0))`.execute(trx);
    return work(trx);
  });
}
