// Entries of an old database, with what was read of them. A portion is one transaction: what it changes of the watermark,
// the marks, the unread rows and the counts belongs together.
import { type RawBuilder, sql } from 'kysely';
import type { Millis } from '../../model/glossary.ts';
import type { Database, Reader, Writer } from '../database.ts';
import { idList } from '../id-list.ts';
import { addToCounts, removeUnread, takeTurn } from '../reader/unread.ts';
import { notePending } from '../search/pending.ts';
import type { MayKeep } from './reserve-ids.ts';

/** `gone`: it was let go here before, and stays so. `homeless`: its feed was deleted meanwhile. */
export type EntryPut = 'kept' | 'new' | 'present' | 'gone' | 'homeless';

export interface EntryToPut {
  readonly id: number | undefined;
  readonly feedId: number;
  readonly guid: string;
  /** Other guids by which a pull may have brought the same entry already. */
  readonly sameAs: readonly string[];
  readonly title: string;
  readonly link: string;
  readonly content: string;
  readonly contentHash: string;
  readonly pubDate: Millis;
  readonly createdAt: Millis;
  readonly isRead: boolean;
  /** Whether the watermark of its feed should reach it. */
  readonly isBelow: boolean;
}

interface Place {
  readonly userId: number;
  readonly mayKeep: MayKeep;
  readonly dryRun: boolean;
}

interface FeedRow {
  readonly id: number;
  readonly group_id: number;
  readonly read_through_id: number;
}

/** A trigger costs SQLite a savepoint for each statement, so rows go in by many. */
const rowsPerStatement = 25;

export async function putImportedEntries(
  db: Database,
  trx: Writer,
  place: Place,
  entries: readonly EntryToPut[],
): Promise<EntryPut[]> {
  const { userId, mayKeep, dryRun } = place;
  if (!dryRun) await takeTurn(db, trx, userId);
  const feeds = await lockFeeds(db, trx, place, [...new Set(entries.map(({ feedId }) => feedId))]);
  const known = await findPairs(db, trx, 'entries', entries.flatMap(pairsOf));
  const tombstones = await findPairs(db, trx, 'entry_tombstones', entries);
  const wanted = entries.flatMap(({ id }) => (id !== undefined && mayKeep('entries', id) ? [id] : []));
  const { rows: taken } = await sql<{ id: number }>`
    SELECT id FROM entries WHERE id IN ${idList(db, wanted)}`.execute(trx);
  const free = new Set(wanted);
  for (const { id } of taken) free.delete(id);

  const puts = entries.map((entry): EntryPut => {
    // In a dry run a feed that would be new has no row, and nothing is in it.
    if (!feeds.has(entry.feedId)) return dryRun ? keptOrNew(entry, free) : 'homeless';
    if (pairsOf(entry).some((pair) => known.has(pairOf(pair)))) return 'present';
    return tombstones.has(pairOf(entry)) ? 'gone' : keptOrNew(entry, free);
  });
  if (dryRun) return puts;
  const readThere = entries.flatMap((entry, index) =>
    entry.isRead && puts[index] === 'present'
      ? pairsOf(entry)
          .filter((pair) => known.has(pairOf(pair)))
          .slice(0, 1)
      : [],
  );
  await markRead(db, trx, userId, readThere);
  const fresh = entries.filter((_, index) => puts[index] === 'kept' || puts[index] === 'new');
  const ids = await insertEntries(trx, userId, fresh, free);
  const written = fresh.map((entry) => ({ entry, id: ids.get(pairOf(entry)) as number }));
  for (const [feedId, some] of Map.groupBy(written, ({ entry }) => entry.feedId))
    await settleFeed(trx, userId, feeds.get(feedId) as FeedRow, some);
  await notePending(
    trx,
    'entry',
    written.map(({ id }) => id),
  );
  return puts;
}

const keptOrNew = ({ id }: EntryToPut, free: ReadonlySet<number>) =>
  id !== undefined && free.has(id) ? 'kept' : 'new';

async function lockFeeds(
  db: Database,
  trx: Writer,
  { userId, dryRun }: Place,
  ids: readonly number[],
): Promise<Map<number, FeedRow>> {
  const lock = db.engine === 'postgres' && !dryRun ? sql`FOR UPDATE` : sql``;
  const { rows } = await sql<FeedRow>`
    SELECT id, group_id, read_through_id FROM feeds
    WHERE user_id + 0 = ${userId} AND id IN ${idList(db, ids)} AND deleted_at IS NULL ORDER BY id ${lock}`.execute(
    trx,
  );
  return new Map(rows.map((row) => [row.id, row]));
}

const pairOf = ({ feedId, guid }: { readonly feedId: number; readonly guid: string }) => `${feedId} ${guid}`;

const pairsOf = ({ feedId, guid, sameAs }: EntryToPut) =>
  [guid, ...sameAs].map((one) => ({ feedId, guid: one }));

/** Which of these a table has, each found by its key. */
async function findPairs(
  db: Database,
  reader: Reader | Writer,
  table: 'entries' | 'entry_tombstones',
  pairs: readonly { readonly feedId: number; readonly guid: string }[],
): Promise<Set<string>> {
  const { rows } = await sql<{ feedId: number; guid: string }>`
    SELECT t.feed_id AS "feedId", t.guid FROM ${pairList(db, pairs)} AS p
    CROSS JOIN ${sql.table(table)} t WHERE t.feed_id = p.feed_id AND t.guid = p.guid`.execute(reader);
  return new Set(rows.map(pairOf));
}

/** To stand in FROM. SQLite reads the first of a CROSS JOIN first. */
export function pairList(
  { engine }: Pick<Database, 'engine'>,
  pairs: readonly { readonly feedId: number; readonly guid: string }[],
): RawBuilder<unknown> {
  const list = JSON.stringify(pairs.map(({ feedId, guid }) => [feedId, guid]));
  return engine === 'sqlite'
    ? sql`(SELECT value ->> 0 AS feed_id, value ->> 1 AS guid FROM json_each(${list}))`
    : sql`(SELECT (value ->> 0)::bigint AS feed_id, value ->> 1 AS guid FROM json_array_elements(${list}::json))`;
}

/** What was read there is read here, unless somebody has said here that it is not. */
async function markRead(
  db: Database,
  trx: Writer,
  userId: number,
  pairs: readonly { readonly feedId: number; readonly guid: string }[],
): Promise<void> {
  if (pairs.length === 0) return;
  const { rows } = await sql<{ id: number }>`
    SELECT e.id FROM ${pairList(db, pairs)} AS p CROSS JOIN entries e
    WHERE e.feed_id = p.feed_id AND e.guid = p.guid
      AND NOT EXISTS (SELECT 1 FROM entry_marks m WHERE m.entry_id = e.id)`.execute(trx);
  const ids = rows.map(({ id }) => id);
  const marks = (await removeUnread(db, trx, userId, ids)).map((id) => ({
    entry_id: id,
    user_id: userId,
    is_read: 1 as const,
  }));
  if (marks.length > 0) await trx.insertInto('entry_marks').values(marks).execute();
}

/** By feed and guid. */
async function insertEntries(
  trx: Writer,
  userId: number,
  entries: readonly EntryToPut[],
  free: ReadonlySet<number>,
): Promise<Map<string, number>> {
  const ids = new Map<string, number>();
  // Rows of one statement have the same columns. Those that need an id get them in the order of their old ones.
  const parts = [
    entries.filter((entry) => keptOrNew(entry, free) === 'kept'),
    entries.filter((entry) => keptOrNew(entry, free) === 'new'),
  ];
  for (const [index, part] of parts.entries()) {
    for (let from = 0; from < part.length; from += rowsPerStatement) {
      const rows = part.slice(from, from + rowsPerStatement).map((entry) => ({
        ...(index === 0 && { id: entry.id as number }),
        user_id: userId,
        feed_id: entry.feedId,
        guid: entry.guid,
        title: entry.title,
        link: entry.link,
        author: '',
        content: entry.content,
        enclosures: '[]',
        categories: '[]',
        pub_date: entry.pubDate,
        created_at: entry.createdAt,
        updated_at: entry.createdAt,
        content_hash: entry.contentHash,
      }));
      const inserted = await trx
        .insertInto('entries')
        .values(rows)
        .returning(['id', 'feed_id', 'guid'])
        .execute();
      for (const { id, feed_id, guid } of inserted) ids.set(pairOf({ feedId: feed_id, guid }), id);
    }
  }
  return ids;
}

/** Reading state and counts of new entries of one feed. */
async function settleFeed(
  trx: Writer,
  userId: number,
  feed: FeedRow,
  written: readonly { readonly entry: EntryToPut; readonly id: number }[],
): Promise<void> {
  const unread = written.filter(({ entry }) => !entry.isRead);
  if (unread.length > 0)
    await trx
      .insertInto('unread_entries')
      .values(
        unread.map(({ entry, id }) => ({
          user_id: userId,
          pub_date: entry.pubDate,
          entry_id: id,
          feed_id: feed.id,
          group_id: feed.group_id,
        })),
      )
      .execute();
  const below = written.filter(({ entry }) => entry.isBelow).map(({ id }) => id);
  const watermark = Math.max(feed.read_through_id, ...below);
  if (watermark > feed.read_through_id) await raiseWatermark(trx, userId, feed, watermark);
  const marks = written
    .filter(({ entry, id }) => entry.isRead !== id <= watermark)
    .map(({ entry, id }) => ({
      entry_id: id,
      user_id: userId,
      is_read: entry.isRead ? (1 as const) : (0 as const),
    }));
  if (marks.length > 0)
    await trx
      .insertInto('entry_marks')
      .values(marks)
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  await addToCounts(
    trx,
    { id: feed.id, user_id: userId },
    { unread: unread.length, entries: written.length },
  );
}

/** What is unread below the new watermark, from whomever, stays so by a mark of its own. */
async function raiseWatermark(
  trx: Writer,
  userId: number,
  { id, read_through_id: before }: FeedRow,
  watermark: number,
): Promise<void> {
  await sql`INSERT INTO entry_marks (entry_id, user_id, is_read)
    SELECT entry_id, user_id, 0 FROM unread_entries
    WHERE user_id = ${userId} AND feed_id = ${id} AND entry_id > ${before} AND entry_id <= ${watermark}
    ON CONFLICT (entry_id) DO NOTHING`.execute(trx);
  await sql`UPDATE feeds SET read_through_id = ${watermark} WHERE id = ${id}`.execute(trx);
}

/**
 * An entry that a pull would bring once more, under a guid of our own making, is let go of under that one. Last of all: what
 * the old database itself has under that guid has come by then.
 */
export async function letGoOf(
  trx: Writer,
  { userId, dryRun }: Place,
  { feedId, guid }: { readonly feedId: number; readonly guid: string },
): Promise<void> {
  if (dryRun) return;
  await sql`INSERT INTO entry_tombstones (feed_id, guid, user_id)
    SELECT id, ${guid}, user_id FROM feeds WHERE user_id + 0 = ${userId} AND id = ${feedId}
    ON CONFLICT DO NOTHING`.execute(trx);
}
