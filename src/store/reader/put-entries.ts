// Brings the entries of a document into a feed: new ones are added unread, changed ones are changed in place and stay
// as read as they were, and what was let go does not come back.
import { sql } from 'kysely';
import type { PublishedEntry } from '../../model/entry.ts';
import type { Database, Writer } from '../database.ts';
import { textList } from '../id-list.ts';
import { notePending } from '../search/pending.ts';
import { enqueueFullTexts } from './full-text-jobs.ts';
import { addNewEntries } from './unread.ts';

/** A trigger costs SQLite a savepoint for each statement, so rows go in by many; see decision 0006. */
const rowsPerStatement = 25;

export interface FeedOfEntries {
  readonly id: number;
  readonly userId: number;
  readonly groupId: number;
  readonly proxy: string;
  /** Whether the pages of its entries are read, too. */
  readonly fullText: boolean;
}

/** Returns the ids of all that are there now, in the order given. */
export async function putEntries(
  db: Database,
  trx: Writer,
  feed: FeedOfEntries,
  entries: readonly PublishedEntry[],
  at: number,
): Promise<number[]> {
  const guids = textList(
    db,
    entries.map(({ guid }) => guid),
  );
  const { rows: known } = await sql<{ id: number; guid: string; content_hash: string }>`
    SELECT id, guid, content_hash FROM entries WHERE feed_id = ${feed.id} AND guid IN ${guids}`.execute(trx);
  const { rows: gone } = await sql<{ guid: string }>`
    SELECT guid FROM entry_tombstones WHERE feed_id = ${feed.id} AND guid IN ${guids}`.execute(trx);
  const knownByGuid = new Map(known.map((row) => [row.guid, row]));
  const tombstones = new Set(gone.map(({ guid }) => guid));

  const fresh = entries.filter(({ guid }) => !knownByGuid.has(guid) && !tombstones.has(guid));
  const inserted = await insertEntries(trx, feed, fresh, at);
  if (feed.fullText) await enqueueFullTexts(db, trx, feed, inserted);
  const changed: number[] = [];
  for (const entry of entries) {
    const row = knownByGuid.get(entry.guid);
    if (!row || row.content_hash === entry.contentHash) continue;
    await changeEntry(trx, row.id, entry, at);
    changed.push(row.id);
  }
  await notePending(trx, 'entry', [...inserted.map(({ id }) => id), ...changed]);
  const ids = new Map([...known, ...inserted].map(({ guid, id }) => [guid, id]));
  return entries.flatMap(({ guid }) => ids.get(guid) ?? []);
}

async function insertEntries(
  trx: Writer,
  feed: FeedOfEntries,
  entries: readonly PublishedEntry[],
  at: number,
): Promise<{ id: number; guid: string; link: string }[]> {
  const inserted: { id: number; guid: string; link: string; pub_date: number }[] = [];
  for (let from = 0; from < entries.length; from += rowsPerStatement) {
    const rows = entries.slice(from, from + rowsPerStatement).map((entry) => ({
      user_id: feed.userId,
      feed_id: feed.id,
      guid: entry.guid,
      ...columnsOf(entry),
      pub_date: entry.pubDate,
      created_at: at,
      updated_at: at,
    }));
    inserted.push(
      ...(await trx
        .insertInto('entries')
        .values(rows)
        .onConflict((conflict) => conflict.columns(['feed_id', 'guid']).doNothing())
        .returning(['id', 'guid', 'link', 'pub_date'])
        .execute()),
    );
  }
  await addNewEntries(trx, { id: feed.id, user_id: feed.userId, group_id: feed.groupId }, inserted);
  return inserted;
}

/** The date stays: the lists are ordered by it, and a person has seen the entry there. */
async function changeEntry(trx: Writer, id: number, entry: PublishedEntry, at: number): Promise<void> {
  await trx
    .updateTable('entries')
    .set({ ...columnsOf(entry), updated_at: at })
    .where('id', '=', id)
    .execute();
}

function columnsOf(entry: PublishedEntry) {
  return {
    title: entry.title,
    link: entry.link,
    author: entry.author,
    content: entry.content,
    enclosures: JSON.stringify(entry.enclosures),
    categories: JSON.stringify(entry.categories),
    content_hash: entry.contentHash,
  };
}
