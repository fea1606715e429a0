import { type RawBuilder, sql } from 'kysely';
import { NotFound } from '../../errors.ts';
import type { Entry, EntryFilter } from '../../model/entry.ts';
import type { Writer } from '../database.ts';
import { idList } from '../id-list.ts';
import { letOthersIn } from '../let-others-in.ts';
import { isOfLiveFeed } from '../reader/delete-feed.ts';
import { settleFirst, settleUnread, type Unsettled } from '../reader/settle-unread.ts';
import { insertUnread, ofUser, removeUnread, takeTurn, unreadBy } from '../reader/unread.ts';
import { columnsOf, type EntryRow, toEntry } from './entry-rows.ts';
import { findGroupId, noneIfMissing } from './group-store.ts';
import type { Owned } from './owned-rows.ts';

export type EntryStore = ReturnType<typeof entryStore>;

/** Feeds whose watermark one transaction moves. */
const feedsAtOnce = 500;

export interface EntryScope {
  readonly feedId?: number | undefined;
  readonly groupId?: number | undefined;
  /** Only entries up to this one: those that the person has seen in the list. */
  readonly throughId?: number | undefined;
}

export function entryStore(owned: Owned) {
  const { db, userId } = owned;
  const isOwn = ofUser(userId);
  const isLive = isOfLiveFeed(userId, 'e.feed_id');
  const groupIdOf = (id: number | undefined) =>
    id === undefined ? undefined : findGroupId(owned.read, id).catch(noneIfMissing);

  return {
    /** Newest first, unless it says otherwise. One more than `limit` is not asked for: a full page means that there may be another. */
    async list(filter: EntryFilter): Promise<Entry[]> {
      const groupId = await groupIdOf(filter.groupId);
      if (groupId === null) return [];
      const page = pageOf(owned, { ...filter, groupId });
      // CROSS JOIN keeps SQLite to this order: left to itself it would read all entries to find those of the page.
      const { rows } = await sql<EntryRow>`
        WITH page AS MATERIALIZED (${page})
        SELECT ${columnsOf(filter)} FROM page CROSS JOIN entries e
        LEFT JOIN unread_entries u ON u.user_id = ${userId} AND u.pub_date = e.pub_date AND u.entry_id = e.id
        WHERE e.id = page.id AND e.user_id = ${userId}
        ORDER BY ${inOrder(filter, sql`e.pub_date`, sql`e.id`)}`.execute(
        isRange(filter) ? db.read : db.heavyRead,
      );
      return rows.map(toEntry);
    },

    /** How many there are, from the counts that are kept. */
    async count({
      feedId,
      groupId: group,
      unread,
    }: Pick<EntryFilter, 'feedId' | 'groupId' | 'unread'>): Promise<number> {
      const groupId = await groupIdOf(group);
      if (groupId === null) return 0;
      const { rows } = await sql<{ unread: number | null; entries: number | null }>`
        SELECT sum(c.unread) AS unread, sum(c.entries) AS entries FROM feed_counts c JOIN feeds f ON f.id = c.feed_id
        WHERE c.user_id = ${userId} ${feedId === undefined ? sql`` : sql`AND c.feed_id = ${feedId}`}
          ${groupId === undefined ? sql`` : sql`AND f.group_id = ${groupId}`}`.execute(db.read);
      const counts = { unread: Number(rows[0]?.unread ?? 0), entries: Number(rows[0]?.entries ?? 0) };
      return unread === undefined ? counts.entries : unread ? counts.unread : counts.entries - counts.unread;
    },

    async get(id: number): Promise<Entry> {
      const { rows } = await sql<EntryRow>`
        SELECT ${columnsOf()} FROM entries e
        LEFT JOIN unread_entries u ON u.user_id = ${userId} AND u.pub_date = e.pub_date AND u.entry_id = e.id
        WHERE e.user_id = ${userId} AND e.id = ${id} AND ${isLive}`.execute(db.read);
      if (!rows[0]) throw new NotFound('item');
      return toEntry(rows[0]);
    },

    /** Those that are there, in the order of the ids. */
    async getMany(ids: readonly number[]): Promise<Entry[]> {
      const { rows } = await sql<EntryRow>`
        SELECT ${columnsOf()} FROM entries e
        LEFT JOIN unread_entries u ON u.user_id = ${userId} AND u.pub_date = e.pub_date AND u.entry_id = e.id
        WHERE e.user_id + 0 = ${userId} AND e.id IN ${idList(db, ids)} AND ${isLive}`.execute(db.read);
      const byId = new Map(rows.map((row) => [row.id, toEntry(row)]));
      return ids.flatMap((id) => byId.get(id) ?? []);
    },

    /** Ids that are not there, or not this user's, are passed over: a client may know of entries that are gone. */
    async mark(ids: readonly number[], { read }: { read: boolean }): Promise<void> {
      await db.write(async (trx) => {
        await takeTurn(db, trx, userId);
        const changed = await (read ? removeUnread : insertUnread)(db, trx, userId, ids);
        // Also over a "mark all read" that is under way: its rows may be there still.
        const marked = read ? changed : ids;
        await sql`
          INSERT INTO entry_marks (entry_id, user_id, is_read)
          SELECT id, user_id, CAST(${read ? 1 : 0} AS integer) FROM entries
          WHERE ${isOwn} AND id IN ${idList(db, marked)}
          ON CONFLICT (entry_id) DO UPDATE SET is_read = excluded.is_read`.execute(trx);
      });
    },

    /** Moves the watermark of each feed: one durable row for a feed, however many entries it has. */
    async markAllRead({ feedId, groupId: group, throughId }: EntryScope = {}): Promise<void> {
      const groupId = await groupIdOf(group);
      if (groupId === null) return;
      const { rows: feeds } = await sql<{ id: number }>`
        SELECT f.id FROM feeds f JOIN feed_counts c ON c.feed_id = f.id AND c.unread > 0
        WHERE f.user_id = ${userId} ${feedId === undefined ? sql`` : sql`AND f.id = ${feedId}`}
          ${groupId === undefined ? sql`` : sql`AND f.group_id = ${groupId}`} ORDER BY f.id`.execute(db.read);
      const unsettled: Unsettled[] = [];
      for (let at = 0; at < feeds.length; at += feedsAtOnce) {
        await letOthersIn();
        const ids = feeds.slice(at, at + feedsAtOnce).map(({ id }) => id);
        unsettled.push(
          ...(await db.write(async (trx) => {
            await takeTurn(db, trx, userId);
            await readThrough(trx, ids, throughId);
            return settleFirst(db, trx, { userId, feedId, groupId }, ids);
          })),
        );
      }
      await settleUnread(db, unsettled);
    },
  };

  async function readThrough(trx: Writer, feedIds: readonly number[], throughId?: number): Promise<void> {
    // Whoever brings one of them entries is waited for, or waits: what comes later has a higher id than all there are.
    if (db.engine === 'postgres')
      await sql`SELECT id FROM feeds WHERE user_id = ${userId} AND id IN ${idList(db, feedIds)} ORDER BY id
        FOR NO KEY UPDATE`.execute(trx);
    const { rows } = await sql<{ last: number | null }>`SELECT max(id) AS last FROM entries`.execute(trx);
    const through = Math.min(rows[0]?.last ?? 0, throughId ?? Number.MAX_SAFE_INTEGER);
    await sql`UPDATE feeds SET read_through_id = ${through}
      WHERE user_id + 0 = ${userId} AND id IN ${idList(db, feedIds)} AND read_through_id < ${through}`.execute(
      trx,
    );
    await sql`DELETE FROM entry_marks WHERE user_id = ${userId} AND is_read = 0 AND entry_id <= ${through}
      AND EXISTS (SELECT 1 FROM entries e WHERE e.id = entry_marks.entry_id AND e.feed_id IN ${idList(db, feedIds)})`.execute(
      trx,
    );
  }
}

/** Whether the page is the end of a range of one index. */
function isRange({ groupId, unread, order }: EntryFilter): boolean {
  if (order === 'created_at') return false;
  return unread === true || (groupId === undefined && unread === undefined);
}

type Scope = Omit<EntryFilter, 'groupId'> & { readonly groupId: number | undefined };

/** The ids of a page. */
function pageOf(
  { db, userId }: Owned,
  { feedId, groupId, unread, before, order, oldestFirst, limit }: Scope,
): RawBuilder<unknown> {
  const source = unread ? unreadBy(db, { feedId, groupId }) : sql`entries`;
  const id = unread ? sql`entry_id` : sql`id`;
  const beyond = oldestFirst ? sql`>` : sql`<`;
  const after = before ? sql`AND (pub_date, ${id}) ${beyond} (${before.pubDate}, ${before.id})` : sql``;
  const isRead = sql`AND NOT EXISTS (SELECT 1 FROM unread_entries u
    WHERE u.user_id = entries.user_id AND u.pub_date = entries.pub_date AND u.entry_id = entries.id)`;
  const rest = sql`${after} ${unread === false ? isRead : sql``} ORDER BY ${inOrder({ order, oldestFirst }, sql`pub_date`, id)} LIMIT ${limit}`;
  const ofFeed = feedId === undefined ? sql`` : sql`AND feed_id = ${feedId}`;
  if (groupId === undefined || unread) {
    const ofGroup = groupId === undefined ? sql`` : sql`AND group_id = ${groupId}`;
    return sql`SELECT ${id} AS id FROM ${source} WHERE user_id = ${userId} AND ${isOfLiveFeed(userId)} ${ofFeed} ${ofGroup} ${rest}`;
  }
  // The entries do not know their group, so that moving a feed rewrites none: the first of each feed are merged.
  return sql`SELECT entries.id FROM feeds f, entries WHERE f.user_id = ${userId} AND f.deleted_at IS NULL AND f.group_id = ${groupId} ${
    feedId === undefined ? sql`` : sql`AND f.id = ${feedId}`
  } AND entries.id IN (SELECT id FROM entries WHERE user_id = ${userId} AND feed_id = f.id ${rest})
    ORDER BY ${inOrder({ order, oldestFirst }, sql`entries.pub_date`, sql`entries.id`)} LIMIT ${limit}`;
}

function inOrder(
  { order, oldestFirst }: Pick<EntryFilter, 'order' | 'oldestFirst'>,
  pubDate: RawBuilder<unknown>,
  id: RawBuilder<unknown>,
): RawBuilder<unknown> {
  const direction = oldestFirst ? sql`ASC` : sql`DESC`;
  return order === 'created_at' ? sql`${id} ${direction}` : sql`${pubDate} ${direction}, ${id} ${direction}`;
}
