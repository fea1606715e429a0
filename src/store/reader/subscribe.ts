// A new subscriber to an address that others follow starts with the entries that the feed last had, and without a
// request of its own.
import { sql } from 'kysely';
import type { Database, Writer } from '../database.ts';
import { idList, textList } from '../id-list.ts';
import { notePending } from '../search/pending.ts';
import { addNewEntries } from './unread.ts';

/** Of these links, those that somebody has fetched already. */
export async function findCopyable(
  db: Database,
  trx: Writer,
  links: readonly string[],
): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ link: string }>`
    SELECT f.link FROM feeds f JOIN feed_fetch_state s ON s.feed_id = f.id AND s.last_success_at > 0
    WHERE f.link IN ${textList(db, links)}`.execute(trx);
  return new Set(rows.map(({ link }) => link));
}

/** Returns how many entries it starts with. */
export async function copySubscription(
  db: Database,
  trx: Writer,
  { feedId, userId, groupId, now }: { feedId: number; userId: number; groupId: number; now: number },
): Promise<number> {
  const { rows } = await sql<{
    feed_id: number;
    document_entries: string;
    keep_entries: number | null;
    body_hash: string;
  }>`
    SELECT s.feed_id, s.document_entries, f.keep_entries, s.body_hash FROM feeds mine
    JOIN feeds f ON f.link = mine.link AND f.proxy = mine.proxy AND f.id <> mine.id
    JOIN feed_fetch_state s ON s.feed_id = f.id AND s.last_success_at > 0
    WHERE mine.id = ${feedId} ORDER BY s.last_success_at DESC LIMIT 1`.execute(trx);
  const [other] = rows;
  if (!other) return 0;
  const { rows: entries } = await sql<{ id: number; pub_date: number }>`
    INSERT INTO entries (user_id, feed_id, guid, title, link, author, content, enclosures, categories, pub_date,
                         created_at, updated_at, content_hash)
    SELECT ${userId}, ${feedId}, guid, title, link, author, content, enclosures, categories, pub_date,
           CAST(${now} AS bigint), CAST(${now} AS bigint), content_hash
    FROM entries WHERE feed_id = ${other.feed_id} AND id IN ${idList(db, JSON.parse(other.document_entries))}
    ORDER BY id RETURNING id, pub_date`.execute(trx);
  await addNewEntries(trx, { id: feedId, user_id: userId, group_id: groupId }, entries);
  await sql`UPDATE feeds SET description = coalesce((SELECT description FROM feeds WHERE id = ${other.feed_id}), '')
    WHERE id = ${feedId}`.execute(trx);
  const ids = entries.map(({ id }) => id);
  await notePending(trx, 'entry', ids);
  // Another user may keep less than the feed has: then the whole document has to come once more.
  if (other.keep_entries !== null || ids.length < JSON.parse(other.document_entries).length)
    return ids.length;
  // A pull may have come in between, with entries that were not copied: then its validators are not for us either.
  await sql`
    INSERT INTO feed_fetch_state (feed_id, etag, last_modified, validators_url, cache_control, expires_at, last_checked_at,
      next_check_at, last_http_status, retry_after_until, last_success_at, body_hash, document_entries, site_origin, updated_at)
    SELECT CAST(${feedId} AS bigint), etag, last_modified, validators_url, cache_control, expires_at, last_checked_at, next_check_at,
      last_http_status, retry_after_until, last_success_at, body_hash, ${JSON.stringify(ids)}, site_origin, CAST(${now} AS bigint)
    FROM feed_fetch_state WHERE feed_id = ${other.feed_id} AND body_hash = ${other.body_hash}`.execute(trx);
  return ids.length;
}
