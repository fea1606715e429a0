// Which entries are in a stream, as a statement that gives their ids. Each case is led by the index that leaves the fewest
// rows to look at; SQLite is told which.
import { type RawBuilder, sql } from 'kysely';
import { idList } from '../id-list.ts';
import { isOfLiveFeed } from '../reader/delete-feed.ts';
import type { StreamFilter } from './entry-stream.ts';
import type { Owned } from './owned-rows.ts';

/** With the group's id as the index has it. */
export type IdFilter = Omit<StreamFilter, 'groupId' | 'limit'> & { readonly groupId: number | undefined };

/** So many are gathered and sorted sooner than they are come by among all others. */
export const usualFew = 10_000;

/** Not in order: whoever asks says in which, and how many. */
export async function selectIds(
  owned: Owned,
  filter: IdFilter,
  fewEntries: number,
): Promise<RawBuilder<unknown>> {
  const { db, userId } = owned;
  const { feedId, groupId, unread, starred, exceptFeedIds = [] } = filter;
  const by = indexedBy(owned);
  const came = arrived(filter);
  const isUnread = sql`EXISTS (SELECT 1 FROM unread_entries u ${by('unread_entries_by_id')}
    WHERE u.user_id = ${userId} AND u.entry_id = e.id)`;
  const marked = unread === undefined ? sql`` : unread ? sql`AND ${isUnread}` : sql`AND NOT ${isUnread}`;
  const unstarred = (id: RawBuilder<unknown>) =>
    starred === false
      ? sql`AND NOT EXISTS (SELECT 1 FROM bookmarks b WHERE b.user_id + 0 = ${userId} AND b.entry_id = ${id}
          AND b.deleted_at IS NULL)`
      : sql``;
  const ofFeed = feedId === undefined ? sql`` : sql`AND e.feed_id = ${feedId}`;
  const ofGroup =
    groupId === undefined
      ? sql``
      : sql`AND e.feed_id IN (SELECT id FROM feeds WHERE user_id = ${userId} AND group_id = ${groupId})`;
  const others = exceptFeedIds.length === 0 ? sql`` : sql`AND e.feed_id NOT IN ${idList(db, exceptFeedIds)}`;
  const isLive = sql`${isOfLiveFeed(userId, 'e.feed_id')} ${others}`;

  if (starred) {
    // An entry whose address changed may have a star for each.
    return sql`SELECT DISTINCT e.id FROM bookmarks b CROSS JOIN entries e
      WHERE b.user_id = ${userId} AND b.deleted_at IS NULL AND e.id = b.entry_id AND ${isLive}
        ${beyond(filter, sql`e.id`)} ${came} ${marked} ${ofFeed} ${ofGroup}`;
  }
  if (unread && !isTimed(filter)) {
    return sql`SELECT e.entry_id AS id FROM unread_entries e ${by('unread_entries_by_id')}
      WHERE e.user_id = ${userId} AND ${isLive} ${beyond(filter, sql`e.entry_id`)} ${ofFeed}
        ${groupId === undefined ? sql`` : sql`AND e.group_id = ${groupId}`}
        ${unstarred(sql`e.entry_id`)}`;
  }
  const isFew = await areFew(owned, filter, fewEntries);
  const rest = sql`AND ${isLive} ${beyond(filter, sql`e.id`)} ${came} ${marked} ${unstarred(sql`e.id`)}`;
  if (isFew && !isTimed(filter)) {
    return sql`SELECT e.id FROM feeds f CROSS JOIN entries e ${by('entries_of_feed')}
      WHERE f.user_id = ${userId} AND f.deleted_at IS NULL AND e.feed_id = f.id
        ${feedId === undefined ? sql`` : sql`AND f.id = ${feedId}`}
        ${groupId === undefined ? sql`` : sql`AND f.group_id = ${groupId}`} ${rest}`;
  }
  if (unread && !isFew) {
    return sql`SELECT u.entry_id AS id FROM unread_entries u ${by('unread_entries_by_id')}
      CROSS JOIN entries e ${by('entries_in_order')}
      WHERE u.user_id = ${userId} AND e.user_id = ${userId} AND e.id = u.entry_id AND ${isLive}
        ${beyond(filter, sql`u.entry_id`)} ${came} ${unstarred(sql`u.entry_id`)} ${ofFeed} ${ofGroup}`;
  }
  const index = isFew ? 'entries_by_arrival' : 'entries_in_order';
  return sql`SELECT e.id FROM entries e ${by(index)} WHERE e.user_id = ${userId} ${ofFeed} ${ofGroup} ${rest}`;
}

/** Of those that came in a span of time, or else of those of a feed or a group. */
async function areFew(owned: Owned, filter: IdFilter, fewEntries: number): Promise<boolean> {
  const { db, userId } = owned;
  const { feedId, groupId } = filter;
  if (isTimed(filter)) {
    // It is one statement either way, and PostgreSQL finds the index by itself.
    if (db.engine === 'postgres' && !filter.unread) return false;
    const { rows } = await sql<{ n: number }>`
      SELECT count(*) AS n FROM (SELECT 1 AS one FROM entries e ${indexedBy(owned)('entries_by_arrival')}
        WHERE e.user_id = ${userId} ${arrived(filter)} LIMIT ${fewEntries + 1}) AS first_few`.execute(
      db.heavyRead,
    );
    return Number(rows[0]?.n ?? 0) <= fewEntries;
  }
  if (feedId === undefined && groupId === undefined) return false;
  const { rows } = await sql<{ n: number | null }>`
    SELECT sum(c.entries) AS n FROM feeds f JOIN feed_counts c ON c.feed_id = f.id WHERE f.user_id = ${userId}
      ${feedId === undefined ? sql`` : sql`AND f.id = ${feedId}`}
      ${groupId === undefined ? sql`` : sql`AND f.group_id = ${groupId}`}`.execute(db.read);
  return Number(rows[0]?.n ?? 0) <= fewEntries;
}

function isTimed({ arrivedFrom, arrivedBefore }: IdFilter): boolean {
  return arrivedFrom !== undefined || arrivedBefore !== undefined;
}

function arrived({ arrivedFrom, arrivedBefore }: IdFilter): RawBuilder<unknown> {
  return sql`${arrivedFrom === undefined ? sql`` : sql`AND e.created_at >= ${arrivedFrom}`}
    ${arrivedBefore === undefined ? sql`` : sql`AND e.created_at < ${arrivedBefore}`}`;
}

function beyond(
  { after, oldestFirst }: Pick<StreamFilter, 'after' | 'oldestFirst'>,
  id: RawBuilder<unknown>,
): RawBuilder<unknown> {
  if (after === undefined) return sql``;
  return oldestFirst ? sql`AND ${id} > ${after}` : sql`AND ${id} < ${after}`;
}

function indexedBy({ db }: Owned): (index: string) => RawBuilder<unknown> {
  return (index) => (db.engine === 'sqlite' ? sql`INDEXED BY ${sql.ref(index)}` : sql``);
}
