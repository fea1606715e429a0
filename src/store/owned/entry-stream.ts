// Entries as reader apps ask for them: ids in the order in which they came, which is the order of the ids, and what came
// in a span of time, whatever date its feed gives it.
import { sql } from 'kysely';
import type { SourcedEntry } from '../../model/entry.ts';
import type { Millis } from '../../model/glossary.ts';
import { plannedOnce } from '../database.ts';
import { idList } from '../id-list.ts';
import { isOfLiveFeed } from '../reader/delete-feed.ts';
import { columnsOf, type EntryRow, toEntry } from './entry-rows.ts';
import type { EntryStore } from './entry-store.ts';
import { findGroupId, noneIfMissing } from './group-store.ts';
import type { Owned } from './owned-rows.ts';
import { selectIds, usualFew } from './stream-ids.ts';

export type EntryStream = ReturnType<typeof entryStream>;

export interface StreamScope {
  readonly feedId?: number | undefined;
  /** As that user's API shows it: 1 is their default group. */
  readonly groupId?: number | undefined;
}

export interface StreamFilter extends StreamScope {
  readonly unread?: boolean | undefined;
  readonly starred?: boolean | undefined;
  /** When it came, the first of these included and the other not. */
  readonly arrivedFrom?: Millis | undefined;
  readonly arrivedBefore?: Millis | undefined;
  /** Feeds whose entries are left out. */
  readonly exceptFeedIds?: readonly number[] | undefined;
  /** Where the page before ended, in whichever direction. */
  readonly after?: number | undefined;
  readonly oldestFirst?: boolean | undefined;
  readonly limit: number;
}

/** Marked one by one where a watermark would say too much; the next look takes the rest. */
const marksAtOnce = 500;

export function entryStream(
  owned: Owned,
  entries: Pick<EntryStore, 'mark' | 'markAllRead'>,
  { fewEntries = usualFew } = {},
) {
  const { db, userId } = owned;
  /** SQLite is kept from reading all of the user's entries to find these. */
  const isOwn = sql`${db.engine === 'sqlite' ? sql`e.user_id + 0` : sql`e.user_id`} = ${userId}`;
  /** Null for a group that is not there. */
  const groupIdOf = (id: number | undefined) =>
    id === undefined ? undefined : findGroupId(owned.read, id).catch(noneIfMissing);

  return {
    async ids(filter: StreamFilter): Promise<number[]> {
      const { ids } = await this.idText(filter);
      return ids === '' ? [] : ids.split(',').map(Number);
    },

    /**
     * The same as one text, with commas between them. Thousands of rows would take longer from thread to thread, and
     * to be written out again, than to be found.
     */
    async idText(filter: StreamFilter): Promise<{ ids: string; count: number }> {
      const groupId = await groupIdOf(filter.groupId);
      if (groupId === null) return { ids: '', count: 0 };
      const direction = filter.oldestFirst ? sql`ASC` : sql`DESC`;
      const page = sql`${await selectIds(owned, { ...filter, groupId }, fewEntries)} ORDER BY 1 ${direction} LIMIT ${filter.limit}`;
      // SQLite joins them in the order in which the page gives them; told the order, it would sort them once more.
      const joined =
        db.engine === 'sqlite'
          ? sql`group_concat(id, ',')`
          : sql`string_agg(id::text, ',' ORDER BY id ${direction})`;
      const { rows } = await sql<{ ids: string | null; n: number }>`
        SELECT ${joined} AS ids, count(*) AS n FROM (${page}) AS page`.execute(db.heavyRead);
      return { ids: rows[0]?.ids ?? '', count: Number(rows[0]?.n ?? 0) };
    },

    /** Those that are there, in the order of the ids. So many at once as may be read inline. */
    async getMany(ids: readonly number[]): Promise<SourcedEntry[]> {
      const { rows } = await sql<SourcedRow>`${sql.raw(plannedOnce)}
        SELECT ${columnsOf()}, f.name AS feed_name, f.site_url, g.name AS group_name FROM entries e
        JOIN feeds f ON f.id = e.feed_id AND f.deleted_at IS NULL JOIN groups g ON g.id = f.group_id
        LEFT JOIN unread_entries u ON u.user_id = ${userId} AND u.pub_date = e.pub_date AND u.entry_id = e.id
        WHERE ${isOwn} AND e.id IN ${idList(db, ids)}`.execute(db.read);
      const byId = new Map(rows.map((row) => [row.id, row]));
      return ids.flatMap((id) => {
        const row = byId.get(id);
        if (!row) return [];
        const { feed_name, site_url, group_name } = row;
        return [{ ...toEntry(row), feedName: feed_name, siteUrl: site_url, groupName: group_name }];
      });
    },

    /** When the newest unread entry of each feed came, of the feeds that have one. */
    async newestUnread(): Promise<Map<number, Millis>> {
      const { rows } = await sql<{ feed_id: number; at: number }>`
        SELECT u.feed_id, e.created_at AS at FROM
          (SELECT feed_id, max(entry_id) AS id FROM unread_entries WHERE user_id = ${userId} GROUP BY feed_id) AS u
        JOIN entries e ON e.id = u.id WHERE ${isOfLiveFeed(userId, 'e.feed_id')}`.execute(db.heavyRead);
      return new Map(rows.map((row) => [row.feed_id, row.at]));
    },

    /**
     * Reads what came up to that moment, the moment included. An app that was asked to mark all must not mark what its
     * person has not seen.
     */
    async markReadUntil({ until, ...scope }: StreamScope & { until: Millis }): Promise<void> {
      // Looked at first: whatever comes while we look is not meant.
      const [last] = await this.ids({ ...scope, limit: 1 });
      if (last === undefined) return;
      const later = { ...scope, unread: true, arrivedFrom: until + 1 };
      const [first] = await this.ids({ ...later, oldestFirst: true, limit: 1 });
      await entries.markAllRead({ ...scope, throughId: first === undefined ? last : first - 1 });
      if (first === undefined) return;
      // Imports bring entries that came before others but have later ids.
      for (;;) {
        const ids = await this.ids({ ...scope, unread: true, arrivedBefore: until + 1, limit: marksAtOnce });
        if (ids.length === 0) return;
        await entries.mark(ids, { read: true });
      }
    },

    /** The stars on entries that are there, by entry. */
    async starsOn(entryIds: readonly number[]): Promise<Map<number, number>> {
      const { rows } = await sql<{ id: number; entry_id: number }>`
        SELECT id, entry_id FROM bookmarks
        WHERE user_id = ${userId} AND deleted_at IS NULL AND entry_id IN ${idList(db, entryIds)}`.execute(
        db.read,
      );
      return new Map(rows.map((row) => [row.entry_id, row.id]));
    },
  };
}

type SourcedRow = EntryRow & {
  readonly feed_name: string;
  readonly site_url: string;
  readonly group_name: string;
};
