// The resource of a page: one for each user and page, whichever source tells of it, and a route to the page's item.

import type { SavedUrl } from '../../../model/bookmark.ts';
import type { Millis } from '../../../model/glossary.ts';
import { webSource } from '../../../model/highlight.ts';
import type { Database, Reader, Writer } from '../../database.ts';
import { textList } from '../../id-list.ts';
import { letOthersIn } from '../../let-others-in.ts';
import type { EnrichJobs } from '../../pending-items.ts';
import { noteItemFacts } from '../../search/pending.ts';
import { enqueueEnrichment } from '../item-jobs.ts';
import { dropDeletedStar, lockItem, settleItem } from '../item-routes.ts';
import { insertItems, upsertItem } from '../item-rows.ts';
import { rowsOf } from '../owned-rows.ts';
import { liveRows } from './live-rows.ts';

/** A page that something was highlighted on. One that no item can be of, such as a file, has an address alone. */
export interface Page {
  readonly saved: SavedUrl;
  readonly isItem: boolean;
  readonly title: string;
}

export interface PageDeps<P> {
  readonly db: Database;
  readonly trx: Writer;
  readonly userId: number;
  readonly jobs: EnrichJobs<P>;
  readonly at: Millis;
  readonly hashTitle: (title: string) => string;
  /** A sync does not bring back what a person has deleted; a person who highlights does. */
  readonly by: 'sync' | 'person';
  /** Gets the items that are noted for search. */
  readonly notedItems?: Set<number>;
}

const pagesAtOnce = 200;

/** The ids of those that are there, by each key that a page may have been saved under. */
export async function findPages(
  db: Database,
  reader: Reader | Writer,
  userId: number,
  pages: readonly SavedUrl[],
): Promise<Map<string, number>> {
  const keys = pages.flatMap(({ key, olderKeys = [] }) => [key, ...olderKeys]);
  if (keys.length === 0) return new Map();
  const rows = await liveRows(reader, userId)
    .select('resources')
    .select(['id', 'original_id'])
    .where('source', '=', webSource)
    .where('original_id', 'in', textList(db, keys) as never)
    .execute();
  return new Map(rows.map(({ id, original_id }) => [original_id, id]));
}

export const pageIn = (found: ReadonlyMap<string, number>, { key, olderKeys = [] }: SavedUrl) =>
  [key, ...olderKeys].map((one) => found.get(one)).find((id) => id !== undefined);

/** The resource that there is, or a new one; with its item, as far as there can be one. */
export async function upsertPage<P>(deps: PageDeps<P>, page: Page): Promise<{ id: number; isNew: boolean }> {
  const { db, trx, userId } = deps;
  const itemId = page.isItem ? await upsertItemOf(deps, page) : null;
  const present = pageIn(await findPages(db, trx, userId, [page.saved]), page.saved);
  if (present !== undefined) return { id: present, isNew: false };
  const [id] = await insertPages(deps, [{ page, itemId }]);
  return { id: id as number, isNew: true };
}

/** Those of a sync. The resources that there are stay as they are; the others come many at a time. */
export async function upsertPages<P>(
  deps: PageDeps<P>,
  pages: readonly Page[],
): Promise<{ ids: number[]; created: number }> {
  const { db, trx, userId } = deps;
  const found = new Map<string, number>();
  for (const some of portions(pages)) {
    const saved = some.map((page) => page.saved);
    for (const [key, id] of await findPages(db, trx, userId, saved)) found.set(key, id);
    await letOthersIn();
  }
  // Two addresses in one snapshot may be the same page.
  const missing = new Map(
    pages.filter(({ saved }) => pageIn(found, saved) === undefined).map((page) => [page.saved.key, page]),
  );
  let created = 0;
  for (const some of portions([...missing.values()])) {
    const fresh: { page: Page; itemId: number | null }[] = [];
    const items = await insertNewItems(
      deps,
      some.filter(({ isItem }) => isItem),
    );
    for (const page of some)
      fresh.push({
        page,
        itemId: page.isItem ? (items.get(page.saved.key) ?? (await upsertItemOf(deps, page))) : null,
      });
    const ids = await insertPages(deps, fresh);
    for (const [n, { page }] of fresh.entries()) found.set(page.saved.key, ids[n] as number);
    created += ids.length;
    await letOthersIn();
  }
  await letOthersIn();
  return { ids: pages.map(({ saved }) => pageIn(found, saved) as number), created };
}

async function insertPages<P>(
  { trx, userId, at, hashTitle }: PageDeps<P>,
  pages: readonly { readonly page: Page; readonly itemId: number | null }[],
): Promise<number[]> {
  const rows = pages.map(({ page: { saved, title }, itemId }) => ({
    item_id: itemId,
    source: webSource,
    original_id: saved.key,
    type: 'website' as const,
    title,
    url: saved.url,
    content_hash: hashTitle(title),
    created_at: at,
    updated_at: at,
  }));
  const inserted = await rowsOf(trx, userId)
    .insertMany('resources', rows)
    .returning(['id', 'original_id'])
    .execute();
  const byKey = new Map(inserted.map(({ id, original_id }) => [original_id, id]));
  return pages.map(({ page }) => byKey.get(page.saved.key) as number);
}

/** The items of pages that nobody has saved by any rules; the others are looked at one by one. */
async function insertNewItems<P>(
  { db, trx, userId, jobs, at, notedItems }: PageDeps<P>,
  pages: readonly Page[],
): Promise<ReadonlyMap<string, number>> {
  if (pages.length === 0) return new Map();
  const ids = await insertItems(
    db,
    trx,
    userId,
    pages.map(({ saved, title }) => ({
      saved,
      fields: { title, titleFrom: 'entry', enrichment: 'pending' },
    })),
    at,
  );
  const urls = new Map(pages.map(({ saved }) => [saved.key, saved.url]));
  const items = [...ids].map(([key, id]) => ({ id, url: urls.get(key) as string }));
  await enqueueEnrichment(db, trx, userId, jobs, items, { at });
  await noteItemFacts(trx, [...ids.values()]);
  for (const id of ids.values()) notedItems?.add(id);
  return ids;
}

async function upsertItemOf<P>(
  { db, trx, userId, jobs, at, by, notedItems }: PageDeps<P>,
  { saved, title }: Page,
) {
  const fields = { title, titleFrom: 'entry', enrichment: 'pending', ...(by === 'sync' && { by }) } as const;
  const { id, was } = await upsertItem(db, trx, userId, saved, fields, at);
  if (was === 'deleted') await dropDeletedStar(trx, userId, id);
  if (was === 'new' || was === 'deleted')
    await enqueueEnrichment(db, trx, userId, jobs, [{ id, url: saved.url }], { at });
  // What is highlighted can be found.
  await noteItemFacts(trx, [id]);
  notedItems?.add(id);
  return id;
}

function* portions<T>(all: readonly T[]): Generator<readonly T[]> {
  for (let n = 0; n < all.length; n += pagesAtOnce) yield all.slice(n, n + pagesAtOnce);
}

/** Takes away the resource of a page on which a person has nothing left: then it is no route to the item any more. */
export async function dropBarePage(
  { db, trx, userId, at }: Pick<PageDeps<never>, 'db' | 'trx' | 'userId' | 'at'>,
  resourceId: number,
): Promise<void> {
  const rows = liveRows(trx, userId);
  const page = await rows
    .select('resources')
    .select(['id', 'item_id'])
    .where('id', '=', resourceId)
    .where('source', '=', webSource)
    .executeTakeFirst();
  if (!page) return;
  if (page.item_id !== null) await lockItem(db, trx, userId, page.item_id);
  for (const kind of ['annotations', 'notes'] as const) {
    const left = await rows
      .select(kind)
      .select('id')
      .where('resource_id', '=', resourceId)
      .limit(1)
      .execute();
    if (left.length > 0) return;
  }
  await rows
    .update('resources')
    .set({ deleted_at: at, deleted_by: 'person', updated_at: at })
    .where('id', '=', resourceId)
    .execute();
  await settlePage(trx, userId, page.item_id, at);
}

/** After its resource went. */
export async function settlePage(
  trx: Writer,
  userId: number,
  itemId: number | null,
  at: Millis,
): Promise<void> {
  if (itemId === null) return;
  await noteItemFacts(trx, [itemId]);
  await settleItem(trx, userId, itemId, at);
}
