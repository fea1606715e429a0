// What was highlighted. A web page that was is a route to its item, which lives as long as the resource does.
import type { SavedUrl } from '../../model/bookmark.ts';
import type { Clock } from '../../model/glossary.ts';
import type { Writer } from '../database.ts';
import type { EnrichJobs } from '../pending-items.ts';
import { notePending } from '../search/pending.ts';
import { enqueueEnrichment } from './item-jobs.ts';
import { dropDeletedStar, lockItem, settleItem } from './item-routes.ts';
import { upsertItem } from './item-rows.ts';
import { type Owned, rowsOf } from './owned-rows.ts';

export type ResourceStore = ReturnType<typeof resourceStore>;

/** At its source it is known by `originalId`. */
export interface ResourceName {
  readonly source: string;
  readonly originalId: string;
}

export interface WebResource extends ResourceName {
  readonly saved: SavedUrl;
  readonly title: string;
}

export function resourceStore({ db, userId }: Owned, now: Clock) {
  return {
    /** The one that there is already, or a new one. What a person has deleted stays deleted, whatever a source says. */
    async addWeb<P>(resource: WebResource, jobs: EnrichJobs<P>): Promise<{ id: number; itemId: number }> {
      return db.write(async (trx) => {
        const at = now();
        const { source, originalId, saved, title } = resource;
        const fields = { title, titleFrom: 'entry', enrichment: 'pending', by: 'sync' } as const;
        const { id: itemId, was } = await upsertItem(db, trx, userId, saved, fields, at);
        if (was === 'deleted') await dropDeletedStar(trx, userId, itemId);
        if (was === 'new' || was === 'deleted')
          await enqueueEnrichment(db, trx, userId, jobs, [{ id: itemId, url: saved.url }], { at });
        const inserted = await rowsOf(trx, userId)
          .insert('resources', {
            item_id: itemId,
            source,
            original_id: originalId,
            type: 'web',
            title,
            created_at: at,
            updated_at: at,
          })
          .onConflict((conflict) =>
            conflict
              .columns(['user_id', 'source', 'original_id'])
              .where('deleted_at', 'is', null)
              .doNothing(),
          )
          .returning('id')
          .executeTakeFirst();
        // What is highlighted can be found.
        await notePending(trx, 'item', [itemId]);
        if (inserted) return { id: inserted.id, itemId };
        return { id: await moveTo(trx, resource, itemId, at), itemId };
      });
    },

    /** At its source it is gone. One that is not there is fine. */
    async remove({ source, originalId }: ResourceName): Promise<void> {
      await db.write(async (trx) => {
        const at = now();
        const found = await lockLive(trx, { source, originalId });
        if (!found) return;
        await rowsOf(trx, userId)
          .update('resources')
          .set({ deleted_at: at, updated_at: at })
          .where('id', '=', found.id)
          .where('deleted_at', 'is', null)
          .execute();
        if (found.item_id === null) return;
        await notePending(trx, 'item', [found.item_id]);
        await settleItem(trx, userId, found.item_id, at);
      });
    },
  };

  /** Its source may say that it is about another page now. */
  async function moveTo(trx: Writer, resource: WebResource, itemId: number, at: number): Promise<number> {
    const found = await lockLive(trx, resource);
    if (!found) throw new Error('a resource was removed while it was added');
    if (found.item_id === itemId) return found.id;
    await rowsOf(trx, userId)
      .update('resources')
      .set({ item_id: itemId, title: resource.title, updated_at: at })
      .where('id', '=', found.id)
      .execute();
    if (found.item_id !== null) {
      await notePending(trx, 'item', [found.item_id]);
      await settleItem(trx, userId, found.item_id, at);
    }
    return found.id;
  }

  /** With its item, so that nobody takes another route of that away at the same moment. */
  async function lockLive(trx: Writer, name: ResourceName) {
    for (;;) {
      const found = await findLive(trx, name);
      if (!found || found.item_id === null) return found;
      await lockItem(db, trx, userId, found.item_id);
      // It may have moved to another before we had the lock.
      if ((await findLive(trx, name))?.item_id === found.item_id) return found;
    }
  }

  async function findLive(trx: Writer, { source, originalId }: ResourceName) {
    return rowsOf(trx, userId)
      .select('resources')
      .select(['id', 'item_id'])
      .where('source', '=', source)
      .where('original_id', '=', originalId)
      .where('deleted_at', 'is', null)
      .executeTakeFirst();
  }
}
