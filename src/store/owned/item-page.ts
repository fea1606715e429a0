// Which items stand on a page of a list: the end of a range of one index, whatever is asked for. What else is asked is
// tried on the items of that range, off the thread that serves HTTP.
import { type RawBuilder, sql } from 'kysely';
import type { ItemFilter } from '../../model/item.ts';
import { tree } from './collection-rows.ts';
import { isInBin } from './item-routes.ts';
import type { Owned } from './owned-rows.ts';

export interface ItemPage {
  /** The ids, each with the `at` it is ordered by. */
  readonly ids: RawBuilder<unknown>;
  readonly order: RawBuilder<unknown>;
  /** Nothing is left to be tried on each. */
  readonly isRange: boolean;
}

/** Of the indexes that a filter could be answered by, the one that will have the fewest items comes first. */
type Filtered = keyof Omit<ItemFilter, 'nested' | 'oldestFirst' | 'after' | 'limit'>;
const sources: readonly Filtered[] = [
  'deleted',
  'tags',
  'isDead',
  'enrichmentStatus',
  'collectionId',
  'isFavorite',
  'status',
];

export function pageOf({ db, userId }: Owned, filter: ItemFilter, now: number): ItemPage {
  const { after, oldestFirst, limit } = filter;
  const asked = askedFor(filter);
  const source = sources.find((name) => asked.includes(name) && hasIndex(filter, name));
  const direction = oldestFirst ? sql`ASC` : sql`DESC`;
  const at =
    source === 'deleted' ? sql`i.deleted_at` : source === 'tags' ? sql`t.created_at` : sql`i.created_at`;
  const beyond = oldestFirst ? sql`>` : sql`<`;
  const id = source === 'tags' ? sql`t.item_id` : sql`i.id`;
  const place = after ? sql`AND (${at}, ${id}) ${beyond} (${after.at}, ${after.id})` : sql``;
  const tried = asked.filter((name) => name !== source).map((name) => trial(userId, filter, name));
  const rest = sql`${place} ${sql.join(tried, sql` `)} ORDER BY ${at} ${direction}, ${id} ${direction} LIMIT ${limit}`;
  const select = sql`SELECT ${id} AS id, ${at} AS at`;
  const live = sql`i.user_id = ${userId} AND i.deleted_at IS NULL`;
  // SQLite is told by which index: left to itself it may read all that the user has, and sort it.
  const liveBy = (index: string) =>
    sql`FROM items i ${db.engine === 'sqlite' ? sql`INDEXED BY ${sql.raw(index)}` : sql``}
      WHERE i.user_id = ${userId} AND i.deleted_at IS NULL`;
  const inOrder = sql`ORDER BY page.at ${direction}, page.id ${direction}`;
  const merged = (parts: readonly RawBuilder<unknown>[]) =>
    sql`SELECT id, at FROM (${sql.join(
      parts.map((part) => sql`SELECT id, at FROM (${part}) AS part`),
      sql` UNION ALL `,
    )}) AS page ${inOrder} LIMIT ${limit}`;

  const ids = (): RawBuilder<unknown> => {
    switch (source) {
      case 'deleted':
        return sql`${select} FROM items i WHERE i.user_id = ${userId} AND ${isInBin(now)} ${rest}`;
      case 'tags': {
        const [first] = filter.tags ?? [];
        return sql`${select} FROM item_tags t CROSS JOIN items i
          WHERE t.user_id = ${userId} AND t.name = ${first} AND i.id = t.item_id AND ${live} ${rest}`;
      }
      case 'isDead':
        return sql`${select} FROM item_links l CROSS JOIN items i
          WHERE l.user_id = ${userId} AND l.state = 'dead' AND i.id = l.item_id AND ${live} ${rest}`;
      case 'enrichmentStatus': {
        const part = (status: RawBuilder<unknown>) =>
          sql`${select} ${liveBy('idx_user_enrichment_status')} AND i.enrichment_status ${status} ${rest}`;
        if (filter.enrichmentStatus !== 'pending') return part(sql`= ${filter.enrichmentStatus}`);
        return merged([part(sql`= 'pending'`), part(sql`IS NULL`)]);
      }
      case 'collectionId': {
        const items = liveBy('items_of_collection');
        const { collectionId } = filter;
        if (collectionId === null || collectionId === undefined)
          return sql`${select} ${items} AND i.collection_id IS NULL ${rest}`;
        if (!filter.nested) return sql`${select} ${items} AND i.collection_id = ${collectionId} ${rest}`;
        // The first of each collection are merged.
        return sql`WITH RECURSIVE ${tree(userId, collectionId)}
          SELECT page.id AS id, page.created_at AS at FROM tree CROSS JOIN items page WHERE page.user_id + 0 = ${userId}
            AND page.id IN (SELECT i.id ${items} AND i.collection_id = tree.id ${rest})
          ORDER BY page.created_at ${direction}, page.id ${direction} LIMIT ${limit}`;
      }
      case 'isFavorite':
        return sql`${select} ${liveBy('items_favorite')} AND i.is_favorite = 1 ${rest}`;
      case 'status':
        return sql`${select} ${liveBy('items_of_status')} AND i.status = ${filter.status} ${rest}`;
      default:
        return sql`${select} ${liveBy('items_of_user')} ${rest}`;
    }
  };
  return {
    ids: ids(),
    order: sql`page.at ${direction}, page.id ${direction}`,
    isRange: tried.length === 0 && source !== 'isDead' && !(source === 'collectionId' && filter.nested),
  };
}

/** Each further tag counts for itself. */
function askedFor(filter: ItemFilter): (Filtered | `tag ${string}`)[] {
  const names = (Object.keys(trials) as Filtered[]).filter((name) => {
    const value = filter[name];
    if (Array.isArray(value)) return value.length > 0;
    return value !== undefined && !(value === false && name !== 'isFavorite');
  });
  return [...names, ...(filter.tags ?? []).slice(1).map((tag) => `tag ${tag}` as const)];
}

function hasIndex({ isFavorite }: ItemFilter, name: Filtered): boolean {
  return name !== 'isFavorite' || isFavorite === true;
}

type Trial = (userId: number, filter: ItemFilter) => RawBuilder<unknown>;

// As a value, and not with EXISTS: PostgreSQL would make a join of that, and read all items that have the tag.
const hasTag = (userId: number, tag: string | undefined) =>
  sql`(SELECT 1 FROM item_tags o WHERE o.user_id + 0 = ${userId} AND o.item_id = i.id AND o.name = ${tag}) = 1`;

const trials: Record<Filtered, Trial> = {
  deleted: () => sql`TRUE`,
  tags: (userId, { tags }) => hasTag(userId, tags?.[0]),
  untagged: (userId) =>
    sql`NOT EXISTS (SELECT 1 FROM item_tags o WHERE o.user_id + 0 = ${userId} AND o.item_id = i.id)`,
  isDead: (userId) =>
    sql`EXISTS (SELECT 1 FROM item_links d WHERE d.user_id + 0 = ${userId} AND d.item_id = i.id AND d.state = 'dead')`,
  enrichmentStatus: (_, { enrichmentStatus }) =>
    sql`coalesce(i.enrichment_status, 'pending') = ${enrichmentStatus}`,
  collectionId: (userId, { collectionId, nested }) =>
    collectionId === null || collectionId === undefined
      ? sql`i.collection_id IS NULL`
      : nested
        ? sql`i.collection_id IN (WITH RECURSIVE ${tree(userId, collectionId)} SELECT id FROM tree)`
        : sql`i.collection_id = ${collectionId}`,
  isFavorite: (_, { isFavorite }) => sql`i.is_favorite = ${isFavorite ? 1 : 0}`,
  status: (_, { status }) => sql`i.status = ${status}`,
  origin: (userId, { origin }) =>
    origin === 'manual'
      ? sql`i.saved_at IS NOT NULL`
      : origin === 'bookmark'
        ? sql`EXISTS (SELECT 1 FROM bookmarks b WHERE b.user_id = ${userId} AND b.item_id = i.id)`
        : origin === 'raindrop'
          ? sql`EXISTS (SELECT 1 FROM raindrops d WHERE d.user_id = ${userId} AND d.item_id = i.id AND d.removed_at IS NULL)`
          : sql`EXISTS (SELECT 1 FROM resources r WHERE r.user_id = ${userId} AND r.item_id = i.id AND r.deleted_at IS NULL)`,
};

function trial(userId: number, filter: ItemFilter, name: Filtered | `tag ${string}`): RawBuilder<unknown> {
  const test = name.startsWith('tag ')
    ? hasTag(userId, name.slice(4))
    : trials[name as Filtered](userId, filter);
  return sql`AND ${test}`;
}
