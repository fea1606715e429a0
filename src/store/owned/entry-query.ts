// Entries by any filter, in any order, and by how many were shown before: what the API of Miniflux lets an app ask. Our own
// lists do none of this, so that they stay ranges of an index; here a thread may have to look at all that there is.
import { type RawBuilder, sql } from 'kysely';
import type { Millis } from '../../model/glossary.ts';
import { idList, textList } from '../id-list.ts';
import { isOfLiveFeed } from '../reader/delete-feed.ts';
import type { EntryStore } from './entry-store.ts';
import { findGroupId, noneIfMissing } from './group-store.ts';
import type { Owned } from './owned-rows.ts';

export type EntryQueries = ReturnType<typeof entryQueries>;

export const entryOrders = [
  'id',
  'status',
  'changed_at',
  'published_at',
  'created_at',
  'category_title',
  'category_id',
  'title',
  'author',
] as const;
export type EntryOrder = (typeof entryOrders)[number];

export interface EntryConditions {
  readonly feedId?: number | undefined;
  /** As that user's API shows it: 1 is their default group. */
  readonly groupId?: number | undefined;
  readonly unread?: boolean | undefined;
  readonly starred?: boolean | undefined;
  /** Only some of these, such as a search has found. */
  readonly among?: readonly number[] | undefined;
  /** All of these. */
  readonly tags?: readonly string[] | undefined;
  /** None of these bounds is itself included. */
  readonly afterId?: number | undefined;
  readonly beforeId?: number | undefined;
  readonly publishedAfter?: Millis | undefined;
  readonly publishedBefore?: Millis | undefined;
  readonly changedAfter?: Millis | undefined;
  readonly changedBefore?: Millis | undefined;
}

export interface EntryQuery extends EntryConditions {
  readonly order: EntryOrder;
  readonly descending: boolean;
  readonly offset: number;
  readonly limit: number;
}

export function entryQueries(owned: Owned, entries: Pick<EntryStore, 'count'>) {
  const { db } = owned;

  return {
    /** The ids of a page, and how many there are in all. */
    async find(query: EntryQuery): Promise<{ ids: number[]; total: number }> {
      const groupId =
        query.groupId === undefined
          ? undefined
          : await findGroupId(owned.read, query.groupId).catch(noneIfMissing);
      if (groupId === null) return { ids: [], total: 0 };
      const found = select(owned, { ...query, groupId });
      const total = await count(query, found.rows);
      if (total <= query.offset) return { ids: [], total };
      const { rows } = await sql<{ id: number }>`${found.rows}
        ORDER BY ${found.order} LIMIT ${query.limit} OFFSET ${query.offset}`.execute(db.heavyRead);
      return { ids: rows.map(({ id }) => id), total };
    },
  };

  async function count(query: EntryQuery, rows: RawBuilder<unknown>): Promise<number> {
    if (isCounted(query)) return entries.count(query);
    const { rows: counted } = await sql<{ n: number }>`SELECT count(*) AS n FROM (${rows}) AS found`.execute(
      db.heavyRead,
    );
    return Number(counted[0]?.n ?? 0);
  }
}

/** Whether the counts that are kept of each feed say it. */
function isCounted({ order, descending, offset, limit, feedId, groupId, unread, ...rest }: EntryQuery) {
  return Object.values(rest).every((condition) => condition === undefined);
}

type Query = Omit<EntryQuery, 'groupId'> & { readonly groupId: number | undefined };

/** Where the rows come from, and what their columns are called there. */
interface Source {
  readonly from: RawBuilder<unknown>;
  /** The condition that all of them meet already. */
  readonly all?: 'unread' | 'starred';
  readonly id: RawBuilder<unknown>;
  readonly pubDate: RawBuilder<unknown>;
  readonly feedId: string;
}

function select(owned: Owned, query: Query): { rows: RawBuilder<unknown>; order: RawBuilder<unknown> } {
  const { userId } = owned;
  const source = sourceOf(owned, query);
  const { id, pubDate, feedId } = source;
  const given = <T>(value: T | undefined, condition: (value: T) => RawBuilder<unknown>) =>
    value === undefined ? sql`` : sql`AND ${condition(value)}`;
  const rows = sql`SELECT ${id} AS id ${source.from} AND ${isOfLiveFeed(userId, feedId)}
    ${given(query.feedId, (feed) => sql`${sql.ref(feedId)} = ${feed}`)}
    ${given(query.groupId, (group) => isOfGroup(userId, feedId, group))}
    ${source.all === 'unread' ? sql`` : given(query.unread, (unread) => is(unread, isUnread(owned, id)))}
    ${source.all === 'starred' ? sql`` : given(query.starred, (starred) => is(starred, isStarred(userId, id)))}
    ${given(query.among, (ids) => sql`${id} IN ${idList(owned.db, ids)}`)}
    ${given(query.tags, (tags) => hasTags(owned, tags))}
    ${given(query.afterId, (after) => sql`${id} > ${after}`)}
    ${given(query.beforeId, (before) => sql`${id} < ${before}`)}
    ${given(query.publishedAfter, (after) => sql`${pubDate} > ${after}`)}
    ${given(query.publishedBefore, (before) => sql`${pubDate} < ${before}`)}
    ${given(query.changedAfter, (after) => sql`e.updated_at > ${after}`)}
    ${given(query.changedBefore, (before) => sql`e.updated_at < ${before}`)}`;
  const direction = query.descending ? sql`DESC` : sql`ASC`;
  const keys = [...orderOf(owned, query.order, source), id];
  return { rows, order: sql.join(keys.map((key) => sql`${key} ${direction}`)) };
}

/** Led by the index that leaves the fewest rows to look at. */
function sourceOf({ db, userId }: Owned, query: Query): Source {
  const by = (index: string) => (db.engine === 'sqlite' ? sql`INDEXED BY ${sql.ref(index)}` : sql``);
  const ofEntry = { id: sql`e.id`, pubDate: sql`e.pub_date`, feedId: 'e.feed_id' };
  const { feedId, groupId, unread, starred, among } = query;
  // Few, and each found by its own id.
  if (among !== undefined) return { ...ofEntry, from: sql`FROM entries e WHERE e.user_id + 0 = ${userId}` };
  if (starred)
    return {
      ...ofEntry,
      all: 'starred',
      // An entry whose address changed may have a star for each.
      from: sql`FROM entries e WHERE e.user_id + 0 = ${userId} AND e.id IN (
        SELECT entry_id FROM bookmarks WHERE user_id = ${userId} AND deleted_at IS NULL)`,
    };
  if (unread) {
    const range =
      feedId !== undefined
        ? sql`${by('unread_entries_of_feed')} WHERE u.user_id = ${userId} AND u.feed_id = ${feedId}`
        : groupId !== undefined
          ? sql`${by('unread_entries_of_group')} WHERE u.user_id = ${userId} AND u.group_id = ${groupId}`
          : sql`${isById(query) ? by('unread_entries_by_id') : sql``} WHERE u.user_id = ${userId}`;
    return {
      all: 'unread',
      id: sql`u.entry_id`,
      pubDate: sql`u.pub_date`,
      feedId: 'u.feed_id',
      from: looksIntoEntries(query)
        ? sql`FROM (SELECT * FROM unread_entries u ${range}) AS u CROSS JOIN entries e WHERE e.id = u.entry_id`
        : sql`FROM unread_entries u ${range}`,
    };
  }
  if (feedId !== undefined)
    return {
      ...ofEntry,
      from: sql`FROM entries e ${by('entries_of_feed')} WHERE e.feed_id = ${feedId} AND e.user_id + 0 = ${userId}`,
    };
  if (groupId !== undefined)
    return {
      ...ofEntry,
      from: sql`FROM feeds f CROSS JOIN entries e ${by('entries_of_feed')}
        WHERE f.user_id = ${userId} AND f.group_id = ${groupId} AND e.feed_id = f.id`,
    };
  if (isById(query))
    return { ...ofEntry, from: sql`FROM entries e ${by('entries_in_order')} WHERE e.user_id = ${userId}` };
  return { ...ofEntry, from: sql`FROM entries e ${by('entries_of_user')} WHERE e.user_id = ${userId}` };
}

/** What came later has the higher id. */
function isById({ order }: Pick<Query, 'order'>): boolean {
  return order === 'id' || order === 'created_at';
}

/** Whether what is known of an unread entry beside its row is asked for. */
function looksIntoEntries({ order, tags, changedAfter, changedBefore }: Query): boolean {
  const asked = [tags, changedAfter, changedBefore].some((condition) => condition !== undefined);
  return asked || ['changed_at', 'title', 'author'].includes(order);
}

function orderOf(owned: Owned, order: EntryOrder, { id, pubDate, feedId }: Source): RawBuilder<unknown>[] {
  const ofGroup = (column: string) =>
    sql`(SELECT ${sql.ref(column)} FROM feeds f JOIN groups g ON g.id = f.group_id
      WHERE f.id = ${sql.ref(feedId)} AND f.user_id = ${owned.userId})`;
  switch (order) {
    case 'published_at':
      return [pubDate];
    case 'changed_at':
      return [sql`e.updated_at`];
    case 'status':
      return [sql`CASE WHEN ${isUnread(owned, id)} THEN 0 ELSE 1 END`];
    case 'title':
      return [sql`e.title`];
    case 'author':
      return [sql`e.author`];
    case 'category_title':
      return [ofGroup('g.name')];
    case 'category_id':
      return [ofGroup('g.id')];
    case 'created_at':
    case 'id':
      return [];
  }
}

function isUnread({ db, userId }: Owned, id: RawBuilder<unknown>): RawBuilder<boolean> {
  const by = db.engine === 'sqlite' ? sql`INDEXED BY unread_entries_by_id` : sql``;
  return sql<boolean>`EXISTS (SELECT 1 FROM unread_entries r ${by} WHERE r.user_id = ${userId} AND r.entry_id = ${id})`;
}

function isStarred(userId: number, id: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql<boolean>`EXISTS (SELECT 1 FROM bookmarks s
    WHERE s.user_id + 0 = ${userId} AND s.entry_id = ${id} AND s.deleted_at IS NULL)`;
}

function isOfGroup(userId: number, feedId: string, groupId: number): RawBuilder<boolean> {
  return sql<boolean>`${sql.ref(feedId)} IN (SELECT id FROM feeds WHERE user_id = ${userId} AND group_id = ${groupId})`;
}

function hasTags({ db }: Owned, tags: readonly string[]): RawBuilder<boolean> {
  const wanted = [...new Set(tags)];
  const ofEntry =
    db.engine === 'sqlite'
      ? sql`json_each(e.categories)`
      : sql`json_array_elements_text(e.categories::json) AS t(value)`;
  return sql<boolean>`(SELECT count(DISTINCT value) FROM ${ofEntry} WHERE value IN ${textList(db, wanted)}) = ${wanted.length}`;
}

function is(wanted: boolean, condition: RawBuilder<boolean>): RawBuilder<unknown> {
  return wanted ? condition : sql`NOT ${condition}`;
}
