// The end of a feed. What its user sees is one transaction: it is gone, and bookmarks stay, without their source. A few
// entries go with it; many go after, in portions, while nobody sees them. The row of the feed stays until the last of
// them is gone, so that whoever comes after a crash, or after a reinflate, knows what is left to do.
import { type RawBuilder, sql } from 'kysely';
import type { Database, Reader, Writer } from '../database.ts';
import { idList } from '../id-list.ts';
import { letOthersIn } from '../let-others-in.ts';
import { notePending } from '../search/pending.ts';
import { takeTurn } from './unread.ts';

/** Entries, or tombstones, that one transaction takes away. */
export const sweptAtOnce = 500;

interface DeletedFeed {
  readonly id: number;
  readonly user_id: number;
}

/** In the transaction that has taken its turn and locked the row. */
export async function deleteFeed(db: Database, trx: Writer, feed: DeletedFeed, at: number): Promise<void> {
  const { id, user_id } = feed;
  const { rows: bookmarks } = await sql<{ id: number }>`
    UPDATE bookmarks SET entry_id = NULL, feed_id = NULL WHERE user_id + 0 = ${user_id} AND feed_id = ${id}
    RETURNING id`.execute(trx);
  await notePending(
    trx,
    'bookmark',
    bookmarks.map((bookmark) => bookmark.id),
  );
  await notePending(trx, 'feed', [id]);
  await sql`DELETE FROM feed_counts WHERE feed_id = ${id}`.execute(trx);
  await sql`DELETE FROM feed_fetch_state WHERE feed_id = ${id}`.execute(trx);
  // Its address is free for the same user to follow anew, and no pull is for it any more.
  await sql`UPDATE feeds SET deleted_at = ${at}, updated_at = ${at}, suspended = 1, link = ${`deleted:${id}`}
    WHERE id = ${id}`.execute(trx);
  await sweepPortion(db, trx, feed);
}

/** Takes away what is left of deleted feeds. */
export async function sweepDeletedFeeds(db: Database): Promise<void> {
  for (const feed of await findDeletedFeeds(db.read)) {
    for (let left = true; left; ) {
      await letOthersIn();
      left = await db.write(async (trx) => {
        await takeTurn(db, trx, feed.user_id);
        return (await isLeft(db, trx, feed)) && sweepPortion(db, trx, feed);
      });
    }
  }
}

/** Of entries, those that their user may see. There are hardly ever any others. */
export function isOfLiveFeed(userId: number, feedId = 'feed_id'): RawBuilder<boolean> {
  return sql<boolean>`${sql.ref(feedId)} NOT IN (
    SELECT id FROM feeds WHERE user_id = ${userId} AND deleted_at IS NOT NULL)`;
}

async function findDeletedFeeds(reader: Reader): Promise<DeletedFeed[]> {
  const { rows } = await sql<DeletedFeed>`
    SELECT id, user_id FROM feeds WHERE deleted_at IS NOT NULL ORDER BY user_id, id`.execute(reader);
  return rows;
}

/** Another may have taken the last portion; until we are done, nobody takes the next. */
async function isLeft(db: Database, trx: Writer, { id }: DeletedFeed): Promise<boolean> {
  const lock = db.engine === 'postgres' ? sql`FOR UPDATE` : sql``;
  const { rows } =
    await sql`SELECT id FROM feeds WHERE id = ${id} AND deleted_at IS NOT NULL ${lock}`.execute(trx);
  return rows.length > 0;
}

/** Whether something is left after it. */
async function sweepPortion(db: Database, trx: Writer, { id, user_id }: DeletedFeed): Promise<boolean> {
  const { rows: entries } = await sql<{ id: number }>`
    SELECT id FROM entries WHERE feed_id = ${id} ORDER BY pub_date DESC, id DESC LIMIT ${sweptAtOnce}`.execute(
    trx,
  );
  const ids = entries.map((entry) => entry.id);
  const portion = idList(db, ids);
  // The unread rows first: whoever marks one of them read holds it, and has left a mark when it is ours.
  await sql`WITH few AS MATERIALIZED (SELECT pub_date, id FROM entries WHERE id IN ${portion})
    DELETE FROM unread_entries WHERE user_id = ${user_id} AND (pub_date, entry_id) IN (SELECT pub_date, id FROM few)`.execute(
    trx,
  );
  await sql`DELETE FROM entry_marks WHERE entry_id IN ${portion}`.execute(trx);
  await sql`UPDATE bookmarks SET entry_id = NULL WHERE entry_id IN ${portion}`.execute(trx);
  await sql`DELETE FROM entry_texts WHERE entry_id IN ${portion}`.execute(trx);
  await sql`DELETE FROM entries WHERE id IN ${portion}`.execute(trx);
  await notePending(trx, 'entry', ids);
  if (ids.length === sweptAtOnce) return true;
  const { rows: tombstones } = await sql`
    DELETE FROM entry_tombstones WHERE feed_id = ${id} AND guid IN (
      SELECT guid FROM entry_tombstones WHERE feed_id = ${id} LIMIT ${sweptAtOnce}) RETURNING guid`.execute(
    trx,
  );
  if (tombstones.length === sweptAtOnce) return true;
  await sql`DELETE FROM feeds WHERE id = ${id}`.execute(trx);
  return false;
}
