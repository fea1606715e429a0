// One row of items for an address and a user, whatever the route by which it was saved. The address comes from
// items/save-url.ts; items/url-identity.ts alone says what is the same page.
import { sql } from 'kysely';
import type { SavedUrl } from '../../model/bookmark.ts';
import type { NewItem } from '../../model/item.ts';
import { siteOriginOf } from '../../model/site-icon.ts';
import type { Database, Writer } from '../database.ts';
import { textList } from '../id-list.ts';
import { notePending } from '../search/pending.ts';
import type { NewRow, Row } from '../tables.ts';
import { rowsOf } from './owned-rows.ts';

type TitleFrom = Exclude<Row<'items'>['title_from'], ''>;

export interface ItemFields {
  readonly title: string;
  readonly titleFrom: TitleFrom;
  /** A route that brings its content along needs no job to fetch it. */
  readonly enrichment: 'pending' | 'succeeded';
  /** For a save by hand or an import, which is a route without a row of its own. */
  readonly savedAt?: number;
  /** What a person gives along with it. */
  readonly given?: Omit<NewItem, 'title' | 'tags'>;
  /** A sync does not bring back what a person has deleted, and an import nothing that has gone since. */
  readonly by?: 'sync' | 'import';
  /** Of a new one, where that is not now. */
  readonly createdAt?: number;
  /** What it was read through. Then its site is asked nothing past that: it has no origin here. */
  readonly proxy?: string;
  /** What a new one has besides. */
  readonly extra?: Partial<Row<'items'>>;
}

export interface UpsertedItem {
  readonly id: number;
  /** What there was before. A deleted one begins anew: of its routes only the present one counts. One that was dropped stays so. */
  readonly was: 'new' | 'live' | 'deleted' | 'dropped';
}

/** Whose title holds. */
const precedence = { '': 0, entry: 1, page: 2, raindrop: 3, person: 4 };

/** Inserts or finds, and fills only what is empty. */
export async function upsertItem(
  db: Database,
  trx: Writer,
  userId: number,
  saved: SavedUrl,
  fields: ItemFields,
  at: number,
): Promise<UpsertedItem> {
  const found = await findItem(db, trx, userId, saved);
  if (!found) {
    const inserted = await insertItem(trx, userId, saved, fields, at);
    if (inserted !== undefined) {
      await notePending(trx, 'item', [inserted]);
      return { id: inserted, was: 'new' };
    }
  }
  // Somebody else has inserted it in between.
  const row = found ?? ((await findItem(db, trx, userId, saved)) as Found);
  const isGone = fields.by === 'import' ? row.deleted_at !== null : row.deleted_by === 'person';
  if (fields.by && isGone) return { id: row.id, was: 'dropped' };
  const changes = { ...changesTo(row, fields, at), ...originOf(row, saved, fields) };
  if (Object.keys(changes).length > 0) {
    const rows = rowsOf(trx, userId);
    await rows
      .update('items')
      .set({ ...changes, updated_at: at })
      .where('id', '=', row.id)
      .execute();
    // What is listed anew is listed by its tags in the same place.
    if (row.deleted_at !== null)
      await rows.update('item_tags').set({ created_at: at }).where('item_id', '=', row.id).execute();
    await notePending(trx, 'item', [row.id]);
  }
  return { id: row.id, was: row.deleted_at === null ? 'live' : 'deleted' };
}

const known = [
  'id',
  'title_from',
  'excerpt_from',
  'collection_id',
  'is_favorite',
  'site_origin',
  'saved_at',
  'deleted_at',
  'deleted_by',
  'purged_at',
] as const;
type Found = Pick<Row<'items'>, (typeof known)[number]>;

/** By the rules of today or of before; of two, the one that is not deleted. */
async function findItem(
  db: Database,
  trx: Writer,
  userId: number,
  { key, olderKeys = [] }: SavedUrl,
): Promise<Found | undefined> {
  return rowsOf(trx, userId)
    .select('items')
    .select(known)
    .where('url_key', 'in', [key, ...olderKeys])
    .orderBy(sql`CASE WHEN deleted_at IS NULL THEN 0 ELSE 1 END`)
    .orderBy('id')
    .limit(1)
    .$if(db.engine === 'postgres', (query) => query.forUpdate())
    .executeTakeFirst();
}

/** Of many pages those that nobody has an item of by any rules: the new ids, by the keys of today. */
export async function insertItems(
  db: Database,
  trx: Writer,
  userId: number,
  pages: readonly { readonly saved: SavedUrl; readonly fields: ItemFields }[],
  at: number,
): Promise<Map<string, number>> {
  const keys = pages.flatMap(({ saved: { key, olderKeys = [] } }) => [key, ...olderKeys]);
  const rows = rowsOf(trx, userId);
  const known = await rows
    .select('items')
    .select('url_key')
    .where('url_key', 'in', textList(db, keys) as never)
    .execute();
  const taken = new Set(known.map(({ url_key }) => url_key));
  const isNew = ({ key, olderKeys = [] }: SavedUrl) => ![key, ...olderKeys].some((one) => taken.has(one));
  const fresh = pages.filter(({ saved }) => isNew(saved));
  if (fresh.length === 0) return new Map();
  const inserted = await rows
    .insertMany(
      'items',
      fresh.map(({ saved, fields }) => toItem(saved, fields, at)),
    )
    .onConflict((conflict) => conflict.columns(['user_id', 'url_key']).doNothing())
    .returning(['id', 'url_key'])
    .execute();
  return new Map(inserted.map(({ id, url_key }) => [url_key, id]));
}

async function insertItem(
  trx: Writer,
  userId: number,
  saved: SavedUrl,
  fields: ItemFields,
  at: number,
): Promise<number | undefined> {
  const row = await rowsOf(trx, userId)
    .insert('items', toItem(saved, fields, at))
    .onConflict((conflict) => conflict.columns(['user_id', 'url_key']).doNothing())
    .returning('id')
    .executeTakeFirst();
  return row?.id;
}

function toItem(
  { url, key }: SavedUrl,
  { title, titleFrom, enrichment, savedAt, given, proxy = '', createdAt, extra }: ItemFields,
  at: number,
): Omit<NewRow<'items'>, 'user_id'> {
  return {
    url,
    url_key: key,
    title,
    title_from: title === '' ? '' : titleFrom,
    site_origin: siteOriginOf({ siteUrl: url, link: '', proxy }),
    enrichment_status: enrichment,
    saved_at: savedAt ?? null,
    created_at: createdAt ?? at,
    updated_at: at,
    ...extra,
    ...(given && {
      excerpt: given.excerpt,
      excerpt_from: given.excerpt === '' ? '' : 'person',
      collection_id: given.collectionId,
      is_favorite: given.isFavorite ? 1 : 0,
      status: given.status,
    }),
  };
}

/** What was only seen through a proxy until now, a person has given an address of themselves. */
function originOf(row: Found, { url }: SavedUrl, { savedAt }: ItemFields): Partial<Row<'items'>> {
  if (savedAt === undefined || row.site_origin !== '') return {};
  const origin = siteOriginOf({ siteUrl: url, link: '', proxy: '' });
  return origin === '' ? {} : { site_origin: origin };
}

function changesTo(row: Found, fields: ItemFields, at: number): Partial<Row<'items'>> {
  const { title, titleFrom, enrichment, savedAt, given } = fields;
  const isBetter = title !== '' && precedence[titleFrom] > precedence[row.title_from];
  const filled: Partial<Row<'items'>> = {
    ...(isBetter && { title, title_from: titleFrom }),
    ...(given?.excerpt &&
      row.excerpt_from !== 'person' && { excerpt: given.excerpt, excerpt_from: 'person' }),
    ...(given &&
      given.collectionId !== null &&
      row.collection_id === null && { collection_id: given.collectionId }),
    ...(given?.isFavorite && row.is_favorite === 0 && { is_favorite: 1 }),
  };
  if (row.deleted_at === null)
    return { ...filled, ...(savedAt !== undefined && row.saved_at === null && { saved_at: savedAt }) };
  return {
    ...filled,
    ...(given && { status: given.status }),
    // It may be long gone.
    ...(row.purged_at !== null && { collection_id: given?.collectionId ?? null }),
    saved_at: savedAt ?? null,
    created_at: at,
    deleted_at: null,
    deleted_by: '',
    purged_at: null,
    // What is left of it serves as well as what the route brings, unless it was let go.
    ...((enrichment === 'pending' || row.purged_at !== null) && {
      enrichment_status: enrichment,
      enrichment_error: null,
    }),
  };
}
