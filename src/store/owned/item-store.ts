import { sql } from 'kysely';
import { Invalid, NotFound } from '../../errors.ts';
import type { SavedUrl } from '../../model/bookmark.ts';
import type { Clock, Millis } from '../../model/glossary.ts';
import {
  type Item,
  type ItemChange,
  type ItemCounts,
  type ItemFilter,
  keepDeletedMs,
  type NewItem,
} from '../../model/item.ts';
import type { SiteIcon } from '../../model/site-icon.ts';
import type { Writer } from '../database.ts';
import { textList } from '../id-list.ts';
import type { EnrichJobs } from '../pending-items.ts';
import { noteItemFacts, notePending } from '../search/pending.ts';
import type { Row } from '../tables.ts';
import { requireCollection } from './collection-rows.ts';
import { type BulkChange, changeMany } from './item-bulk.ts';
import { countItems } from './item-counts.ts';
import { enqueueEnrichment, hasPage } from './item-jobs.ts';
import { pageOf } from './item-page.ts';
import { dropDeletedStar, dropItems, isInBin, restoreItems } from './item-routes.ts';
import { upsertItem } from './item-rows.ts';
import { getItem, selectItems, selectPage } from './item-select.ts';
import { addTags, replaceTags } from './item-tags.ts';
import { type Owned, rowsOf } from './owned-rows.ts';

export type ItemStore = ReturnType<typeof itemStore>;

/** When an item changed; of several in one millisecond the ids tell them apart. */
export interface ChangeMark {
  readonly id: number;
  readonly updatedAt: Millis;
}

export interface SavedItem {
  readonly item: Item;
  /** False for one that was there already. */
  readonly isNew: boolean;
}

export function itemStore(owned: Owned, now: Clock) {
  const { db, userId } = owned;

  return {
    /** One more than the page has, when there is one: so that whoever asks knows whether to ask on. */
    async list(filter: ItemFilter): Promise<Item[]> {
      const tags = await rarestFirst(owned, filter.tags ?? []);
      const { ids, order, isRange } = pageOf(owned, { ...filter, tags, limit: filter.limit + 1 }, now());
      return selectPage(db, isRange ? db.read : db.heavyRead, userId, ids, order);
    },

    get: (id: number): Promise<Item> => getItem(db, db.read, userId, id),

    /** Those that are there, in the order of the ids. */
    async getMany(ids: readonly number[]): Promise<Item[]> {
      const byId = new Map((await selectItems(db, db.read, userId, ids)).map((item) => [item.id, item]));
      return ids.flatMap((id) => byId.get(id) ?? []).filter(({ deletedAt }) => deletedAt === null);
    },

    /** Also one that is in the bin, and can be looked at there. */
    async getEvenDeleted(id: number): Promise<Item> {
      const [item] = await selectItems(db, db.read, userId, [id]);
      const isGone = item && item.deletedAt !== null && item.deletedAt <= now() - keepDeletedMs;
      if (!item || isGone) throw new NotFound('item');
      return item;
    },

    /** A save by hand; an item that is there already is given what it lacks, and stays what it is otherwise. */
    async save<P>(saved: SavedUrl, given: NewItem, jobs: EnrichJobs<P>): Promise<SavedItem> {
      return db.write(async (trx) => {
        const at = now();
        const { title, tags, ...rest } = given;
        if (rest.collectionId !== null) await requireCollection(db, rowsOf(trx, userId), rest.collectionId);
        const fields = {
          title,
          titleFrom: 'person',
          enrichment: 'pending',
          savedAt: at,
          given: rest,
        } as const;
        const { id, was } = await upsertItem(db, trx, userId, saved, fields, at);
        const isNew = was !== 'live';
        if (was === 'deleted') await dropDeletedStar(trx, userId, id);
        const tagged = await addTags(db, trx, userId, [id], tags);
        if (!isNew && tagged.length > 0) await touch(trx, id, at);
        if (isNew) await enqueueEnrichment(db, trx, userId, jobs, [{ id, url: saved.url }], { at });
        return { item: await getItem(db, trx, userId, id), isNew };
      });
    },

    async change(id: number, change: ItemChange): Promise<Item> {
      return db.write(async (trx) => {
        const at = now();
        const { title, excerpt, tags, collectionId, status, isFavorite } = change;
        // Before the item, as everybody locks the two.
        if (collectionId !== undefined && collectionId !== null)
          await requireCollection(db, rowsOf(trx, userId), collectionId);
        await lockLive(trx, id);
        await rowsOf(trx, userId)
          .update('items')
          .set({
            ...(title !== undefined && { title, title_from: title === '' ? '' : 'person' }),
            ...(excerpt !== undefined && { excerpt, excerpt_from: excerpt === '' ? '' : 'person' }),
            ...(status !== undefined && { status }),
            ...(isFavorite !== undefined && { is_favorite: isFavorite ? 1 : 0 }),
            ...(collectionId !== undefined && { collection_id: collectionId }),
            updated_at: at,
          })
          .where('id', '=', id)
          .execute();
        if (tags) await replaceTags(db, trx, userId, id, tags);
        if (status !== undefined) await noteItemFacts(trx, [id]);
        else if (title !== undefined || excerpt !== undefined) await notePending(trx, 'item', [id]);
        return getItem(db, trx, userId, id);
      });
    },

    /** The whole item, whatever the routes to it. */
    async delete(id: number): Promise<void> {
      await db.write(async (trx) => {
        await lockLive(trx, id);
        await dropItems(db, trx, userId, [id], now());
      });
    },

    /** One that is there stays as it is. */
    async restore<P>(id: number, jobs: EnrichJobs<P>): Promise<Item> {
      return db.write(async (trx) => {
        const at = now();
        const { rows } = await sql<{ deleted_at: number | null }>`
          SELECT deleted_at FROM items WHERE user_id + 0 = ${userId} AND id = ${id} AND (deleted_at IS NULL OR ${isInBin(at)})
          ${db.engine === 'postgres' ? sql`FOR UPDATE` : sql``}`.execute(trx);
        if (!rows[0]) throw new NotFound('item');
        const restored = rows[0].deleted_at === null ? [] : await restoreItems(db, trx, userId, [id], at);
        const pending = restored.filter(({ isPending }) => isPending);
        await enqueueEnrichment(db, trx, userId, jobs, pending, { at });
        return getItem(db, trx, userId, id);
      });
    },

    /** Back to pending, whatever was found before; what was found is kept until there is something better. */
    async enrich<P>(id: number, jobs: EnrichJobs<P>): Promise<Item> {
      return db.write(async (trx) => {
        const at = now();
        const item = await lockLive(trx, id);
        if (!hasPage(item)) throw new Invalid('url: this item has no page that could be fetched');
        await rowsOf(trx, userId)
          .update('items')
          .set({ enrichment_status: 'pending', enrichment_error: null, updated_at: at })
          .where('id', '=', id)
          .execute();
        await enqueueEnrichment(db, trx, userId, jobs, [item], { at, lane: 'interactive' });
        return getItem(db, trx, userId, id);
      });
    },

    /** Many at once, in one transaction. */
    bulk<P>(change: BulkChange, jobs: EnrichJobs<P>) {
      return changeMany(owned, now(), change, jobs);
    },

    counts: (): Promise<ItemCounts> => countItems(owned, now()),

    /** Those that changed after that, deleted ones too; the earliest first. */
    async changedSince(since: ChangeMark, limit: number): Promise<ChangeMark[]> {
      const { rows } = await sql<{ id: number; updated_at: number }>`
        SELECT id, updated_at FROM items
        WHERE user_id = ${userId} AND (updated_at, id) > (${since.updatedAt}, ${since.id})
        ORDER BY updated_at, id LIMIT ${limit}`.execute(db.heavyRead);
      return rows.map((row) => ({ id: row.id, updatedAt: row.updated_at }));
    },

    /** As they are now, deleted ones too; for those who watch. */
    look: (ids: readonly number[]): Promise<Item[]> => selectItems(db, db.heavyRead, userId, ids),

    /** The icon of its site. */
    async getIcon(id: number): Promise<SiteIcon> {
      const { rows } = await sql<SiteIcon>`
        SELECT s.type, s.etag, s.bytes FROM items i JOIN site_icons s ON s.origin = i.site_origin
        WHERE i.user_id + 0 = ${userId} AND i.id = ${id} AND i.purged_at IS NULL AND i.site_origin <> '' AND s.type <> ''`.execute(
        db.read,
      );
      if (!rows[0]) throw new NotFound('icon');
      return rows[0];
    },
  };

  async function lockLive(trx: Writer, id: number): Promise<Pick<Row<'items'>, 'id' | 'url'>> {
    const row = await rowsOf(trx, userId)
      .select('items')
      .select(['id', 'url'])
      .where('id', '=', id)
      .where('deleted_at', 'is', null)
      .$if(db.engine === 'postgres', (query) => query.forUpdate())
      .executeTakeFirst();
    if (!row) throw new NotFound('item');
    return row;
  }

  async function touch(trx: Writer, id: number, at: number): Promise<void> {
    await rowsOf(trx, userId).update('items').set({ updated_at: at }).where('id', '=', id).execute();
  }
}

/** Of several tags, the items of the rarest are the fewest to try the others on. */
async function rarestFirst({ db, userId }: Owned, tags: readonly string[]): Promise<readonly string[]> {
  if (tags.length < 2) return tags;
  const { rows } = await sql<{ name: string; n: number }>`
    SELECT name, count(*) AS n FROM item_tags WHERE user_id = ${userId} AND name IN ${textList(db, tags)}
    GROUP BY name`.execute(db.heavyRead);
  const counts = new Map(rows.map(({ name, n }) => [name, Number(n)]));
  return tags.toSorted((a, b) => (counts.get(a) ?? 0) - (counts.get(b) ?? 0));
}
