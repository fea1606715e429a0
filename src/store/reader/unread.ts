// What is unread, kept as rows of its own, and the counts of each feed. Every function works inside the transaction
// that changes what it follows from, so that the two never differ.
import { type RawBuilder, sql } from 'kysely';
import type { Database, Writer } from '../database.ts';
import { idList, numberPairs } from '../id-list.ts';

/** A range of one index: all of a user, of a feed or of a group. */
export interface UnreadRange {
  readonly userId: number;
  readonly feedId?: number | undefined;
  readonly groupId?: number | undefined;
}

/** The table, for a statement about a range. SQLite is told by which index, or it would read all that the user has. */
export function unreadBy(
  db: Pick<Database, 'engine'>,
  { feedId, groupId }: Omit<UnreadRange, 'userId'>,
): RawBuilder<unknown> {
  if (db.engine === 'sqlite' && feedId !== undefined)
    return sql`unread_entries INDEXED BY unread_entries_of_feed`;
  if (db.engine === 'sqlite' && groupId !== undefined)
    return sql`unread_entries INDEXED BY unread_entries_of_group`;
  return sql`unread_entries`;
}

/**
 * First in every transaction that changes which entries of a user are read, or moves or removes them: such transactions
 * lock many of the same rows, each in the order of its own plan, and two at once would wait for each other. A pull only
 * adds rows, and takes no turn.
 */
export async function takeTurn(db: Pick<Database, 'engine'>, trx: Writer, userId: number): Promise<void> {
  if (db.engine === 'postgres')
    await sql`SELECT pg_advisory_xact_lock(hashtextextended(${`unread of ${userId}`}, 0))`.execute(trx);
}

/** New entries of one feed, all unread. */
export async function addNewEntries(
  trx: Writer,
  feed: { readonly id: number; readonly user_id: number; readonly group_id: number },
  entries: readonly { readonly id: number; readonly pub_date: number }[],
): Promise<void> {
  if (entries.length === 0) return;
  await trx
    .insertInto('unread_entries')
    .values(
      entries.map(({ id, pub_date }) => ({
        user_id: feed.user_id,
        pub_date,
        entry_id: id,
        feed_id: feed.id,
        group_id: feed.group_id,
      })),
    )
    .execute();
  await addToCounts(trx, feed, { unread: entries.length, entries: entries.length });
}

export async function addToCounts(
  trx: Writer,
  feed: { readonly id: number; readonly user_id: number },
  by: { readonly unread: number; readonly entries: number },
): Promise<void> {
  await sql`
    INSERT INTO feed_counts (feed_id, user_id, unread, entries)
    VALUES (${feed.id}, ${feed.user_id}, ${by.unread}, ${by.entries})
    ON CONFLICT (feed_id) DO UPDATE SET
      unread = feed_counts.unread + excluded.unread, entries = feed_counts.entries + excluded.entries`.execute(
    trx,
  );
}

/** A user's rows, found by another key: `+ 0` keeps SQLite from reading all that the user has. */
export function ofUser(userId: number): RawBuilder<boolean> {
  return sql<boolean>`user_id + 0 = ${userId}`;
}

/** Takes entries of one user out of the unread ones. Returns those that were among them. */
export async function removeUnread(
  db: Database,
  trx: Writer,
  userId: number,
  entryIds: readonly number[],
): Promise<number[]> {
  // The date is part of the key that the row is found by. The few entries come first, by themselves: PostgreSQL without
  // statistics would join the list with everything that is unread.
  const { rows } = await sql<{ entry_id: number; feed_id: number }>`
    WITH few AS MATERIALIZED (
      SELECT pub_date, id FROM entries WHERE ${ofUser(userId)} AND id IN ${idList(db, entryIds)})
    DELETE FROM unread_entries WHERE user_id = ${userId} AND (pub_date, entry_id) IN (SELECT pub_date, id FROM few)
    RETURNING entry_id, feed_id`.execute(trx);
  await addToUnread(db, trx, rows, -1);
  return rows.map((row) => row.entry_id);
}

/** Puts entries of one user among the unread ones. Returns those that were not there. */
export async function insertUnread(
  db: Database,
  trx: Writer,
  userId: number,
  entryIds: readonly number[],
): Promise<number[]> {
  // The group that is written here must be the feed's until we are done.
  if (db.engine === 'postgres')
    await sql`SELECT id FROM feeds WHERE id IN (SELECT feed_id FROM entries WHERE ${ofUser(userId)} AND id IN
      ${idList(db, entryIds)}) ORDER BY id FOR SHARE`.execute(trx);
  const { rows } = await sql<{ entry_id: number; feed_id: number }>`
    INSERT INTO unread_entries (user_id, pub_date, entry_id, feed_id, group_id)
    SELECT e.user_id, e.pub_date, e.id, e.feed_id, f.group_id FROM entries e JOIN feeds f ON f.id = e.feed_id
    WHERE e.user_id + 0 = ${userId} AND e.id IN ${idList(db, entryIds)}
    ON CONFLICT DO NOTHING
    RETURNING entry_id, feed_id`.execute(trx);
  await addToUnread(db, trx, rows, 1);
  return rows.map((row) => row.entry_id);
}

/** Counts rows that have come, or with -1 gone. One statement, however many feeds they are of. */
export async function addToUnread(
  db: Database,
  trx: Writer,
  rows: readonly { readonly feed_id: number }[],
  sign: 1 | -1,
): Promise<void> {
  if (rows.length === 0) return;
  const byFeed = new Map<number, number>();
  for (const { feed_id } of rows) byFeed.set(feed_id, (byFeed.get(feed_id) ?? 0) + sign);
  await sql`UPDATE feed_counts SET unread = feed_counts.unread + by.n
    FROM ${numberPairs(db, [...byFeed], ['feed_id', 'n'])} AS by WHERE feed_counts.feed_id = by.feed_id`.execute(
    trx,
  );
}

/** Makes everything here anew from the durable rows. */
export async function rebuildUnread(trx: Writer): Promise<void> {
  for (const statement of rebuildStatements) await sql.raw(statement).execute(trx);
}

/** The same as plain SQL: a reinflate ends by it. */
export const rebuildStatements: readonly string[] = [
  'DELETE FROM unread_entries',
  'DELETE FROM feed_counts',
  // Unread by what is durable: the mark, else the watermark.
  `INSERT INTO unread_entries (user_id, pub_date, entry_id, feed_id, group_id)
   SELECT e.user_id, e.pub_date, e.id, e.feed_id, f.group_id FROM feeds f JOIN entries e ON e.feed_id = f.id
   LEFT JOIN entry_marks m ON m.entry_id = e.id
   WHERE f.deleted_at IS NULL AND CASE WHEN m.is_read IS NULL THEN e.id > f.read_through_id ELSE m.is_read = 0 END`,
  `INSERT INTO feed_counts (feed_id, user_id, unread, entries)
   SELECT f.id, f.user_id,
     (SELECT count(*) FROM unread_entries u WHERE u.user_id = f.user_id AND u.feed_id = f.id),
     (SELECT count(*) FROM entries e WHERE e.feed_id = f.id)
   FROM feeds f WHERE f.deleted_at IS NULL`,
];
