// The cover that Raindrop has for a page, as the picture of its item. That there is none to be had is no failure.
import { z } from 'zod';
import { Later, Upstream } from '../errors.ts';
import type { Library } from '../library/library.ts';
import type { Clock } from '../model/glossary.ts';
import type { JobFence } from '../model/job.ts';
import type { CoverRef, CoverStore } from '../store/cover-store.ts';
import { jobKind } from '../store/job-queue/job-kind.ts';
import { enrichKeys } from './enrich-kind.ts';
import { type FindThumbnailDeps, imageRequest } from './find-thumbnail.ts';

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
const inQueue = 10;

export interface FetchCoverDeps extends Pick<FindThumbnailDeps, 'outbound' | 'page' | 'log'> {
  readonly covers: CoverStore;
  readonly now: Clock;
  readonly library: Pick<Library, 'files' | 'requireWriter'>;
}

export async function scheduleCovers({ covers }: { readonly covers: CoverStore }): Promise<number> {
  return covers.enqueueDue(coverKind, (ref) => ref, { keys: enrichKeys, inQueue });
}

export async function fetchCover(
  deps: FetchCoverDeps,
  ref: CoverRef,
  context: { readonly fence: JobFence; readonly signal: AbortSignal; readonly isLastAttempt: boolean },
): Promise<void> {
  const { covers, library, page, log } = deps;
  const { fence, signal } = context;
  const url = await covers.findUrl(ref);
  const bytes = url === undefined ? undefined : await fetchImage(deps, url, context);
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

const longestPauseMs = 24 * 3_600_000;
/** Answers that will be the same the next time. */
const isForGood = (status: number | undefined) => status !== undefined && status >= 400 && status < 500;

/** Undefined when there is none to be had. Throws for what may be better the next time. */
async function fetchImage(
  { outbound, now }: FetchCoverDeps,
  url: string,
  { signal, isLastAttempt }: { readonly signal: AbortSignal; readonly isLastAttempt: boolean },
): Promise<Uint8Array | undefined> {
  const outcome = await outbound.request(imageRequest(url, signal));
  signal.throwIfAborted();
  if (outcome.kind === 'body') return outcome.bytes;
  if (outcome.kind === 'rate-limited')
    throw new Later(Math.min(longestPauseMs, Math.max(0, outcome.retryAt - now())));
  if (outcome.kind !== 'failed' || isLastAttempt) return undefined;
  if (isForGood(outcome.status) || outcome.reason === 'media-type' || outcome.reason === 'too-large')
    return undefined;
  throw new Upstream(outcome.sentence);
}
