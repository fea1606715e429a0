// Items as they are shown: the row, its tags, why it is there, and what is known of its site. One statement for a page.
import { type RawBuilder, sql } from 'kysely';
import { NotFound } from '../../errors.ts';
import type { Item, ItemOrigin } from '../../model/item.ts';
import type { Database, Reader, Writer } from '../database.ts';
import { idList } from '../id-list.ts';
import type { Row } from '../tables.ts';

/** `page` gives ids, and an `at` to put them in order by. */
export async function selectPage(
  db: Database,
  reader: Reader | Writer,
  userId: number,
  page: RawBuilder<unknown>,
  order: RawBuilder<unknown>,
): Promise<Item[]> {
  // CROSS JOIN keeps SQLite to this order: left to itself it may read all items to find those of the page.
  const { rows } = await sql<ItemRow>`
    WITH page AS MATERIALIZED (${page})
    SELECT ${columns(db, userId)} FROM page CROSS JOIN items i ${joined(userId)}
    WHERE i.id = page.id AND i.user_id = ${userId}
    ORDER BY ${order}`.execute(reader);
  return rows.map(toItem);
}

/** Those that are there, deleted ones too, in the order of their ids. */
export async function selectItems(
  db: Database,
  reader: Reader | Writer,
  userId: number,
  ids: readonly number[],
): Promise<Item[]> {
  if (ids.length === 0) return [];
  const { rows } = await sql<ItemRow>`
    SELECT ${columns(db, userId)} FROM items i ${joined(userId)}
    WHERE i.user_id + 0 = ${userId} AND i.id IN ${idList(db, ids)} ORDER BY i.id`.execute(reader);
  return rows.map(toItem);
}

/** One that is not deleted. */
export async function getItem(
  db: Database,
  reader: Reader | Writer,
  userId: number,
  id: number,
): Promise<Item> {
  const [item] = await selectItems(db, reader, userId, [id]);
  if (!item || item.deletedAt !== null) throw new NotFound('item');
  return item;
}

function columns(db: Pick<Database, 'engine'>, userId: number): RawBuilder<unknown> {
  const all = db.engine === 'sqlite' ? sql`json_group_array(t.name)` : sql`json_agg(t.name)::text`;
  return sql`i.id, i.url, i.url_key, i.title, i.excerpt, i.author, i.site_name, i.language, i.published_at, i.canonical_url,
    i.word_count, i.status, i.is_favorite, i.collection_id, i.snapshot_key, i.thumbnail_key, i.thumbnail_sha256,
    i.enrichment_status, i.enrichment_error, i.enriched_at, i.saved_at, i.created_at, i.updated_at, i.deleted_at,
    (SELECT ${all} FROM item_tags t WHERE t.user_id + 0 = ${userId} AND t.item_id = i.id) AS tags,
    b.id AS bookmark_id, octet_length(b.content) AS bookmark_bytes,
    CASE WHEN EXISTS (SELECT 1 FROM resources r
      WHERE r.user_id = ${userId} AND r.item_id = i.id AND r.deleted_at IS NULL) THEN 1 ELSE 0 END AS is_highlighted,
    (SELECT min(d.id) FROM raindrops d WHERE ${isRaindropOf(userId)}) AS raindrop_id,
    (SELECT min(d.id) FROM raindrops d WHERE ${isRaindropOf(userId)} AND d.cache_status = 'stored') AS copied_raindrop_id,
    CASE WHEN s.origin IS NULL THEN 0 ELSE 1 END AS has_icon,
    l.state AS link_state, l.checked_at AS link_checked_at, l.dead_since, l.sentence`;
}

/** Of item `i`. Two raindrops may be of one page; the one that has a copy is shown. */
function isRaindropOf(userId: number): RawBuilder<unknown> {
  return sql`d.user_id = ${userId} AND d.item_id = i.id AND d.removed_at IS NULL`;
}

/** A star is there as long as its item is, and deleted when its item is. */
function joined(userId: number): RawBuilder<unknown> {
  return sql`
    LEFT JOIN bookmarks b ON b.user_id = ${userId} AND b.item_id = i.id
    LEFT JOIN item_links l ON l.item_id = i.id AND l.user_id = ${userId}
    LEFT JOIN site_icons s ON s.origin = i.site_origin AND s.type <> ''`;
}

type ItemRow = Omit<Row<'items'>, 'user_id'> & {
  readonly tags: string | null;
  readonly bookmark_id: number | null;
  readonly bookmark_bytes: number | null;
  readonly is_highlighted: number;
  readonly raindrop_id: number | null;
  readonly copied_raindrop_id: number | null;
  readonly has_icon: number;
  readonly link_state: Row<'item_links'>['state'] | null;
  readonly link_checked_at: number | null;
  readonly dead_since: number | null;
  readonly sentence: string | null;
};

function toItem(row: ItemRow): Item {
  return {
    id: row.id,
    url: row.url,
    urlKey: row.url_key,
    title: row.title,
    excerpt: row.excerpt,
    author: row.author,
    siteName: row.site_name,
    language: row.language,
    publishedAt: row.published_at,
    canonicalUrl: row.canonical_url,
    wordCount: row.word_count,
    status: row.status,
    isFavorite: row.is_favorite === 1,
    collectionId: row.collection_id,
    tags: (JSON.parse(row.tags ?? '[]') as string[]).sort(),
    origins: originsOf(row),
    bookmarkId: row.bookmark_id,
    snapshotKey: row.snapshot_key,
    raindropId: row.copied_raindrop_id ?? row.raindrop_id,
    hasPermanentCopy: row.copied_raindrop_id !== null,
    thumbnailKey: row.thumbnail_key,
    thumbnailSha256: row.thumbnail_sha256,
    hasContent:
      row.snapshot_key !== null || Number(row.bookmark_bytes ?? 0) > 0 || row.copied_raindrop_id !== null,
    hasIcon: row.has_icon === 1,
    link: row.link_state
      ? {
          state: row.link_state,
          checkedAt: row.link_checked_at ?? 0,
          deadSince: row.dead_since,
          sentence: row.sentence ?? '',
        }
      : null,
    // Nobody has looked at one without a status yet.
    enrichmentStatus: row.enrichment_status ?? 'pending',
    enrichmentError: row.enrichment_error,
    enrichedAt: row.enriched_at,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    deletedAt: row.deleted_at,
  };
}

function originsOf(row: ItemRow): ItemOrigin[] {
  return [
    ...(row.saved_at === null ? [] : ['manual' as const]),
    ...(row.bookmark_id === null ? [] : ['bookmark' as const]),
    ...(row.is_highlighted === 1 ? ['highlight' as const] : []),
    ...(row.raindrop_id === null ? [] : ['raindrop' as const]),
  ];
}
