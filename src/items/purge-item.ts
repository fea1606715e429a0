// Lets go of what a deleted item had, long after it could be had back: see store/item-purge.ts for the order.
import { Later } from '../errors.ts';
import type { Files } from '../library/files/files.ts';
import type { Library } from '../library/library.ts';
import type { Millis } from '../model/glossary.ts';
import type { JobFence } from '../model/job.ts';
import type { ItemPurge } from '../store/item-purge.ts';
import { jobKind } from '../store/job-queue/job-kind.ts';
import { enrichKeys, enrichKind } from './enrich-kind.ts';
import { enrichJobOf } from './enrich-pending.ts';

/**
 * It has the key and the payload of an enrichment, so that no item has both at once: one would write the files that the
 * other deletes. Who saves a page while it is purged finds it pending, and soon with a job.
 */
export const purgeKind = jobKind({ name: 'purge-item', schema: enrichKind.schema, lane: 'low' });

const untilWrittenMs = 15_000;

export interface PurgeDeps {
  readonly itemPurge: ItemPurge;
  readonly library: { readonly files: Pick<Files, 'delete' | 'listAll'> } & Pick<Library, 'requireWriter'>;
}

export async function schedulePurges({ itemPurge }: Pick<PurgeDeps, 'itemPurge'>, at: Millis): Promise<void> {
  await itemPurge.enqueueDue({ kind: purgeKind, keys: enrichKeys, payloadOf: enrichJobOf }, at);
}

export async function purgeItem(
  { itemPurge, library }: PurgeDeps,
  { itemId, userId }: { readonly itemId: string; readonly userId: string },
  { fence, signal }: { readonly fence: JobFence; readonly signal: AbortSignal },
): Promise<void> {
  const id = Number(itemId);
  const found = await itemPurge.look(id);
  if (found === 'unwritten') throw new Later(untilWrittenMs);
  if (found === 'ready') {
    const { files } = library;
    await library.requireWriter();
    const keys: string[] = [];
    for await (const { key } of files.listAll(`items/${id}/`)) keys.push(key);
    for (const key of [...keys, `thumbnails/${userId}/${id}.jpg`]) {
      signal.throwIfAborted();
      // Whoever slept meanwhile must not delete what has been saved anew since.
      await itemPurge.requireHeld(fence);
      await files.delete(key);
    }
  }
  await itemPurge.finish(fence, id, { keys: enrichKeys });
}
