// A raindrop as a route to the item of its page: what it brings, what it takes along, and what it leaves alone. What a
// person has said of an item holds against what Raindrop says.
import { sql } from 'kysely';
import type { Millis } from '../../../model/glossary.ts';
import type { KeptRaindrop } from '../../../model/raindrop.ts';
import type { Database, Writer } from '../../database.ts';
import { textList } from '../../id-list.ts';
import { notePending } from '../../search/pending.ts';
import type { Row } from '../../tables.ts';
import { dropDeletedStar, lockItem, settleItem } from '../item-routes.ts';
import { insertItems, upsertItem } from '../item-rows.ts';
import { addTags, removeTags } from '../item-tags.ts';
import { rowsOf } from '../owned-rows.ts';

export interface RouteDeps {
  readonly db: Database;
  readonly trx: Writer;
  readonly userId: number;
  readonly at: Millis;
  /** Ours, by the ids that Raindrop has for them. */
  readonly collections: ReadonlyMap<number, number>;
}

/** What was known of it before. */
export type RaindropBefore = Pick<
  Row<'raindrops'>,
  'id' | 'item_id' | 'tags' | 'is_important' | 'removed_at' | 'collection_id' | 'cover' | 'cover_at'
>;

/** The items of those that nobody has an item of yet, by the keys of their addresses. */
export async function insertNewItems(
  { db, trx, userId, at, collections }: RouteDeps,
  raindrops: readonly (KeptRaindrop & { readonly saved: NonNullable<KeptRaindrop['saved']> })[],
): Promise<ReadonlyMap<string, number>> {
  // Of two raindrops that are one page, the first brings the item.
  const byKey = new Map(raindrops.toReversed().map((raindrop) => [raindrop.saved.key, raindrop]));
  const ids = await insertItems(
    db,
    trx,
    userId,
    [...byKey.values()].map((raindrop) => ({
      saved: raindrop.saved,
      fields: {
        title: raindrop.item.title,
        titleFrom: 'raindrop',
        enrichment: 'succeeded',
        createdAt: raindrop.createdAt,
        extra: columnsOf(raindrop, collections),
      },
    })),
    at,
  );
  const tags = [...ids].flatMap(([key, itemId]) => {
    const { item, createdAt } = byKey.get(key) as KeptRaindrop;
    return item.tags.map((name) => ({ item_id: itemId, name, created_at: createdAt }));
  });
  for (let n = 0; n < tags.length; n += tagsAtOnce)
    await rowsOf(trx, userId)
      .insertMany('item_tags', tags.slice(n, n + tagsAtOnce))
      .execute();
  await notePending(trx, 'item', [...ids.values()]);
  return ids;
}

const tagsAtOnce = 500;

function columnsOf(
  { item, collectionId, isImportant, wordCount }: KeptRaindrop,
  collections: ReadonlyMap<number, number>,
) {
  return {
    excerpt: item.excerpt,
    excerpt_from: item.excerpt === '' ? ('' as const) : ('raindrop' as const),
    site_name: item.siteName,
    word_count: wordCount,
    collection_id: collections.get(collectionId) ?? null,
    is_favorite: isImportant ? (1 as const) : (0 as const),
  };
}

/** Brings the item along, or finds it. Returns its id; null for an address that no item can have. */
export async function routeToItem(
  deps: RouteDeps,
  raindrop: KeptRaindrop,
  before: RaindropBefore | undefined,
): Promise<number | null> {
  const { db, trx, userId, at } = deps;
  if (!raindrop.saved) return null;
  const fields = {
    title: raindrop.item.title,
    titleFrom: 'raindrop',
    enrichment: 'succeeded',
    by: 'sync',
    createdAt: raindrop.createdAt,
  } as const;
  const { id, was } = await upsertItem(db, trx, userId, raindrop.saved, fields, at);
  // What a person deleted stays so; the route is there for when they want it back.
  if (was === 'dropped') return id;
  if (was === 'deleted') await dropDeletedStar(trx, userId, id);
  await bring(deps, id, raindrop, before?.item_id === id ? before : undefined);
  return id;
}

async function bring(
  deps: RouteDeps,
  itemId: number,
  raindrop: KeptRaindrop,
  before: RaindropBefore | undefined,
): Promise<void> {
  const { db, trx, userId, at, collections } = deps;
  const rows = rowsOf(trx, userId);
  const item = await rows
    .select('items')
    .select(['title_from', 'excerpt_from', 'site_name', 'word_count', 'collection_id', 'is_favorite'])
    .where('id', '=', itemId)
    .executeTakeFirstOrThrow();
  const brought = columnsOf(raindrop, collections);
  const wasIn = before && collections.get(before.collection_id);
  const isTheirs = (from: string) =>
    from === '' || from === 'raindrop' || from === 'entry' || from === 'page';
  await rows
    .update('items')
    .set({
      ...(isTheirs(item.title_from) &&
        raindrop.item.title !== '' && { title: raindrop.item.title, title_from: 'raindrop' as const }),
      ...(isTheirs(item.excerpt_from) &&
        (brought.excerpt !== '' || item.excerpt_from === 'raindrop') && {
          excerpt: brought.excerpt,
          excerpt_from: brought.excerpt_from,
        }),
      ...((item.site_name === '' || before) && { site_name: brought.site_name }),
      ...((item.word_count === 0 || before) && { word_count: brought.word_count }),
      // Where a person has put it, it stays.
      ...((item.collection_id === null || item.collection_id === wasIn) && {
        collection_id: brought.collection_id,
      }),
      ...(raindrop.isImportant && before?.is_important !== 1 && { is_favorite: 1 as const }),
      updated_at: at,
    })
    .where('id', '=', itemId)
    .execute();
  if (before) await dropTags(deps, before, itemId, raindrop.item.tags);
  await addTags(db, trx, userId, [itemId], await within(db, trx, userId, itemId, raindrop.item.tags));
  await notePending(trx, 'item', [itemId]);
}

/** Those that a raindrop had and has no more, unless another raindrop of the page has them. */
async function dropTags(
  { db, trx, userId }: RouteDeps,
  { id, tags }: RaindropBefore,
  itemId: number,
  kept: readonly string[],
): Promise<void> {
  const gone = (JSON.parse(tags) as string[]).filter((name) => !kept.includes(name));
  if (gone.length === 0) return;
  const others = await rowsOf(trx, userId)
    .select('raindrops')
    .select('tags')
    .where('item_id', '=', itemId)
    .where('id', '<>', id)
    .where('removed_at', 'is', null)
    .execute();
  const elsewhere = new Set(others.flatMap((other) => JSON.parse(other.tags) as string[]));
  const names = gone.filter((name) => !elsewhere.has(name));
  if (names.length > 0) await removeTags(db, trx, userId, [itemId], names);
}

/** No more than an item may have, with those that it has. */
async function within(
  db: Database,
  trx: Writer,
  userId: number,
  itemId: number,
  names: readonly string[],
): Promise<readonly string[]> {
  const { rows } = await sql<{ n: number }>`
    SELECT count(*) AS n FROM item_tags WHERE user_id + 0 = ${userId} AND item_id = ${itemId}
      AND name NOT IN ${textList(db, names)}`.execute(trx);
  return names.slice(0, Math.max(0, mostTags - Number(rows[0]?.n ?? 0)));
}

const mostTags = 50;

/** After the raindrop went, or leads elsewhere. */
export async function leaveItem(deps: RouteDeps, before: RaindropBefore): Promise<void> {
  const { db, trx, userId, at } = deps;
  if (before.item_id === null) return;
  await lockItem(db, trx, userId, before.item_id);
  await dropTags(deps, before, before.item_id, []);
  await notePending(trx, 'item', [before.item_id]);
  await settleItem(trx, userId, before.item_id, at);
}
