// One change to many items, in one transaction: all of those that are there, or none.
import { type RawBuilder, sql } from 'kysely';
import type { BulkAction } from '../../model/item.ts';
import type { Database, Writer } from '../database.ts';
import { idList } from '../id-list.ts';
import type { EnrichJobs } from '../pending-items.ts';
import { noteItemFacts, notePending } from '../search/pending.ts';
import type { Row } from '../tables.ts';
import { requireCollection } from './collection-rows.ts';
import { enqueueEnrichment, hasPage, type JobItem } from './item-jobs.ts';
import { dropItems, isInBin, restoreItems, settleItems } from './item-routes.ts';
import { addTags, removeTags } from './item-tags.ts';
import { type Owned, rowsOf } from './owned-rows.ts';

export interface BulkChange {
  readonly ids: readonly number[];
  readonly action: BulkAction;
  /** For addTags and removeTags. */
  readonly tags: readonly string[];
  /** For move; null takes them out of theirs. */
  readonly collectionId: number | null;
}

export interface BulkResult {
  /** Items that were as asked already are not counted. */
  readonly changed: number;
  readonly notFound: readonly number[];
}

interface Work {
  readonly db: Database;
  readonly trx: Writer;
  readonly userId: number;
  readonly at: number;
  readonly change: BulkChange;
  readonly items: readonly JobItem[];
  readonly ids: readonly number[];
}

export async function changeMany<P>(
  { db, userId }: Owned,
  at: number,
  change: BulkChange,
  jobs: EnrichJobs<P>,
): Promise<BulkResult> {
  return db.write(async (trx) => {
    const asked = [...new Set(change.ids)];
    // Before the items, as everybody locks the two.
    if (change.action === 'move' && change.collectionId !== null)
      await requireCollection(db, rowsOf(trx, userId), change.collectionId);
    const isThere = change.action === 'restore' ? isInBin(at) : sql`deleted_at IS NULL`;
    // In the order of their ids, so that two of these at once cannot wait for each other.
    const { rows: items } = await sql<JobItem>`
      SELECT id, url FROM items WHERE user_id + 0 = ${userId} AND id IN ${idList(db, asked)} AND ${isThere}
      ORDER BY id ${db.engine === 'postgres' ? sql`FOR UPDATE` : sql``}`.execute(trx);
    const ids = items.map(({ id }) => id);
    const changed = await actions[change.action]({ db, trx, userId, at, change, items, ids }, jobs);
    const found = new Set(ids);
    return { changed, notFound: asked.filter((id) => !found.has(id)) };
  });
}

type Action = <P>(work: Work, jobs: EnrichJobs<P>) => Promise<number>;

const actions: Record<BulkAction, Action> = {
  archive: (work) => setStatus(work, 'archived'),
  unarchive: (work) => setStatus(work, 'unread'),
  favorite: (work) => set(work, sql`is_favorite = 1,`, sql`is_favorite = 0`),
  unfavorite: (work) => set(work, sql`is_favorite = 0,`, sql`is_favorite = 1`),
  addTags: async (work) =>
    touch(work, await addTags(work.db, work.trx, work.userId, work.ids, work.change.tags)),
  removeTags: async (work) =>
    touch(work, await removeTags(work.db, work.trx, work.userId, work.ids, work.change.tags)),

  move(work) {
    const { collectionId: to } = work.change;
    if (to === null) return set(work, sql`collection_id = NULL,`, sql`collection_id IS NOT NULL`);
    return set(work, sql`collection_id = ${to},`, sql`coalesce(collection_id, 0) <> ${to}`);
  },

  async delete({ db, trx, userId, at, ids }) {
    await dropItems(db, trx, userId, ids, at);
    return ids.length;
  },

  async restore({ db, trx, userId, at, ids }, jobs) {
    const restored = await restoreItems(db, trx, userId, ids, at);
    const pending = restored.filter(({ isPending }) => isPending);
    await enqueueEnrichment(db, trx, userId, jobs, pending, { at });
    return restored.length;
  },

  async enrich(work, jobs) {
    const { db, trx, userId, at, items } = work;
    const fetched = items.filter(hasPage);
    const ids = fetched.map(({ id }) => id);
    await set({ ...work, ids }, sql`enrichment_status = 'pending', enrichment_error = NULL,`, sql`TRUE`);
    await enqueueEnrichment(db, trx, userId, jobs, fetched, { at });
    return ids.length;
  },

  async unsave(work) {
    const { db, trx, userId, at, ids } = work;
    const changed = await set(work, sql`saved_at = NULL,`, sql`saved_at IS NOT NULL`);
    // A star alone is found as a bookmark.
    await notePending(trx, 'item', ids);
    await settleItems(db, trx, userId, ids, at);
    return changed;
  },
};

async function setStatus(work: Work, status: Row<'items'>['status']): Promise<number> {
  const changed = await changedBy(work, sql`status = ${status},`, sql`status <> ${status}`);
  await noteItemFacts(work.trx, changed);
  return changed.length;
}

/** `change` ends in a comma. Returns how many were not so yet. */
async function set(...args: Parameters<typeof changedBy>): Promise<number> {
  return (await changedBy(...args)).length;
}

async function changedBy(
  { db, trx, userId, at, ids }: Pick<Work, 'db' | 'trx' | 'userId' | 'at' | 'ids'>,
  change: RawBuilder<unknown>,
  isOtherwise: RawBuilder<unknown>,
): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`UPDATE items SET ${change} updated_at = ${at}
    WHERE user_id + 0 = ${userId} AND id IN ${idList(db, ids)} AND ${isOtherwise} RETURNING id`.execute(trx);
  return rows.map(({ id }) => id);
}

function touch(work: Work, ids: readonly number[]): Promise<number> {
  return set({ ...work, ids }, sql``, sql`TRUE`);
}
