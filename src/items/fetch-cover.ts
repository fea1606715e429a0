// The cover that Raindrop has for a page, as the picture of its item. That there is none to be had is no failure.
import { z } from 'zod';
import type { Library } from '../library/library.ts';
import type { JobFence } from '../model/job.ts';
import type { CoverRef, CoverStore } from '../store/cover-store.ts';
import { jobKind } from '../store/job-queue/job-kind.ts';
import { enrichKeys } from './enrich-kind.ts';
import { type FindThumbnailDeps, fetchImage } from './find-thumbnail.ts';

/** It has the key of an enrichment, so that no item has both at once: each would write the picture of the other. */
export const coverKind = jobKind({
  name: 'fetch-cover',
  schema: z.object({ raindropId: z.int(), itemId: z.int(), userId: z.int() }),
  lane: 'low',
  timeoutMs: 60_000,
  maxAttempts: 3,
  pool: 'pages',
});

/** There may be thousands, and nobody waits for one. */
const atOnce = 10;

export interface FetchCoverDeps extends Pick<FindThumbnailDeps, 'outbound' | 'page' | 'log'> {
  readonly covers: CoverStore;
  readonly library: Pick<Library, 'files' | 'requireWriter'>;
}

export async function scheduleCovers({ covers }: { readonly covers: CoverStore }): Promise<number> {
  return covers.enqueueDue(coverKind, (ref) => ref, { keys: enrichKeys, atOnce });
}

export async function fetchCover(
  { covers, library, outbound, page, log }: FetchCoverDeps,
  ref: CoverRef,
  { fence, signal }: { readonly fence: JobFence; readonly signal: AbortSignal },
): Promise<void> {
  const url = await covers.findUrl(ref);
  const bytes = url === undefined ? undefined : await fetchImage({ outbound }, { url }, signal);
  const thumbnail =
    bytes &&
    (await page.thumbnail(bytes).catch((err: unknown) => {
      log.warn({ err, item: ref.itemId }, 'no thumbnail could be made of a cover');
      return undefined;
    }));
  signal.throwIfAborted();
  if (!thumbnail) return covers.finish(fence, ref, undefined);
  await library.requireWriter();
  const { sha256 } = await library.files.put(`thumbnails/${ref.userId}/${ref.itemId}.jpg`, thumbnail);
  await covers.finish(fence, ref, sha256);
}
