// Lets old entries of a feed go when it has more than it should keep. What is unread or bookmarked stays, and what goes
// leaves a tombstone, so that it does not return while the feed still has it.
import { sql } from 'kysely';
import type { Database, Writer } from '../database.ts';
import { idList } from '../id-list.ts';
import { notePending } from '../search/pending.ts';
import { addToCounts } from './unread.ts';

/** Few enough for one transaction; the rest goes with the next pulls, each of which looks on from where the last one was. */
const prunedAtOnce = 500;
const lookedAtAtOnce = 2_000;

interface PrunedFeed {
  readonly id: number;
  readonly userId: number;
  readonly keepEntries: number | null;
}

interface Place {
  readonly pub_date: number;
  readonly id: number;
}

const beginning: Place = { pub_date: Number.MIN_SAFE_INTEGER, id: 0 };

export async function pruneEntries(db: Database, trx: Writer, feed: PrunedFeed): Promise<number> {
  const end = await findOldestKept(trx, feed);
  if (!end) return 0;
  const { rows: places } = await sql<Place>`
    SELECT pruned_date AS pub_date, pruned_id AS id FROM feed_fetch_state WHERE feed_id = ${feed.id} AND pruned_id > 0`.execute(
    trx,
  );
  const { rows: seen } = await sql<Place & { guid: string; stays: number }>`
    SELECT e.id, e.guid, e.pub_date,
      CASE WHEN u.entry_id IS NOT NULL OR EXISTS (SELECT 1 FROM bookmarks b WHERE b.entry_id = e.id) THEN 1 ELSE 0 END AS stays
    FROM entries e LEFT JOIN unread_entries u ON u.user_id = e.user_id AND u.pub_date = e.pub_date AND u.entry_id = e.id
    WHERE e.feed_id = ${feed.id} AND (e.pub_date, e.id) > ${place(places[0] ?? beginning)}
      AND (e.pub_date, e.id) < ${place(end)}
    ORDER BY e.pub_date, e.id LIMIT ${lookedAtAtOnce}`.execute(trx);
  const gone = seen.filter(({ stays }) => stays === 0).slice(0, prunedAtOnce);
  const last = gone.length === prunedAtOnce ? gone.at(-1) : seen[lookedAtAtOnce - 1];
  await sql`UPDATE feed_fetch_state SET pruned_date = ${last?.pub_date ?? 0}, pruned_id = ${last?.id ?? 0}
    WHERE feed_id = ${feed.id}`.execute(trx);
  await letGo(db, trx, feed, gone);
  return gone.length;
}

/** Undefined when there are no more than should be kept. */
async function findOldestKept(trx: Writer, { id, keepEntries }: PrunedFeed): Promise<Place | undefined> {
  if (keepEntries === null) return undefined;
  const { rows: counts } = await sql<{ entries: number }>`
    SELECT entries FROM feed_counts WHERE feed_id = ${id}`.execute(trx);
  const tooMany = (counts[0]?.entries ?? 0) - keepEntries;
  if (tooMany <= 0) return undefined;
  // From the end that is nearer.
  const { rows } = await (tooMany < keepEntries
    ? sql<Place>`SELECT pub_date, id FROM entries WHERE feed_id = ${id}
        ORDER BY pub_date, id LIMIT 1 OFFSET ${tooMany}`
    : sql<Place>`SELECT pub_date, id FROM entries WHERE feed_id = ${id}
        ORDER BY pub_date DESC, id DESC LIMIT 1 OFFSET ${keepEntries - 1}`
  ).execute(trx);
  return rows[0];
}

async function letGo(
  db: Database,
  trx: Writer,
  feed: PrunedFeed,
  entries: readonly { readonly id: number; readonly guid: string }[],
): Promise<void> {
  if (entries.length === 0) return;
  const ids = entries.map(({ id }) => id);
  await trx
    .insertInto('entry_tombstones')
    .values(entries.map(({ guid }) => ({ feed_id: feed.id, guid, user_id: feed.userId })))
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  await sql`DELETE FROM entry_marks WHERE entry_id IN ${idList(db, ids)}`.execute(trx);
  await sql`DELETE FROM entry_texts WHERE entry_id IN ${idList(db, ids)}`.execute(trx);
  await sql`DELETE FROM entries WHERE id IN ${idList(db, ids)}`.execute(trx);
  await notePending(trx, 'entry', ids);
  await addToCounts(trx, { id: feed.id, user_id: feed.userId }, { unread: 0, entries: -ids.length });
}

const place = ({ pub_date, id }: Place) => sql`(${pub_date}, ${id})`;
