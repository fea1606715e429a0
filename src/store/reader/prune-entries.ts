// Lets old entries of a feed go when it has more than it should keep. What is unread or bookmarked stays, and what goes
// leaves a tombstone, so that it does not return while the feed still has it.
import { sql } from 'kysely';
import type { Writer } from '../database.ts';
import { notePending } from '../search/pending.ts';
import { addToCounts } from './unread.ts';

/** Few enough for one transaction; the rest goes with the next pull. */
const atOnce = 500;

export async function pruneEntries(
  trx: Writer,
  feed: { readonly id: number; readonly userId: number; readonly keepEntries: number | null },
): Promise<number> {
  if (feed.keepEntries === null) return 0;
  const { rows } = await sql<{ id: number; guid: string }>`
    SELECT e.id, e.guid FROM (
      SELECT id, guid, user_id, pub_date FROM entries WHERE feed_id = ${feed.id}
      ORDER BY pub_date DESC, id DESC LIMIT 1000000 OFFSET ${feed.keepEntries}) AS e
    WHERE NOT EXISTS (SELECT 1 FROM unread_entries u
        WHERE u.user_id = e.user_id AND u.pub_date = e.pub_date AND u.entry_id = e.id)
      AND NOT EXISTS (SELECT 1 FROM bookmarks b WHERE b.entry_id = e.id)
    ORDER BY e.pub_date, e.id LIMIT ${atOnce}`.execute(trx);
  if (rows.length === 0) return 0;
  const ids = rows.map(({ id }) => id);
  await trx
    .insertInto('entry_tombstones')
    .values(rows.map(({ guid }) => ({ feed_id: feed.id, guid, user_id: feed.userId })))
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  await trx.deleteFrom('entry_marks').where('entry_id', 'in', ids).execute();
  await trx.deleteFrom('entries').where('id', 'in', ids).execute();
  await notePending(trx, 'entry', ids);
  await addToCounts(trx, { id: feed.id, user_id: feed.userId }, { unread: 0, entries: -ids.length });
  return ids.length;
}
