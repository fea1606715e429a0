// Reads the page that an entry links to and keeps its text beside the entry, for everybody who follows the feed and wants
// that. A page that cannot be read is no failure of its feed, which has given what it had.
import { DoNotRetry, Later, LecternError, Upstream } from '../../errors.ts';
import { plainText } from '../../html/plain-text.ts';
import { type FetchPageDeps, fetchPage, type PageFailure, type PutOff } from '../../items/fetch-page.ts';
import type { PageProcess } from '../../items/page/page-process.ts';
import type { PageCopy } from '../../items/page/read-page.ts';
import type { JobFence } from '../../model/job.ts';
import type { FullTextStore } from '../../store/full-text-store.ts';
import { countWords, isClearlyLonger } from './full-text-policy.ts';

export interface FullTextDeps extends FetchPageDeps {
  readonly fullTexts: FullTextStore;
  readonly page: Pick<PageProcess, 'read'>;
}

export interface FullTextJob {
  readonly url: string;
  readonly proxy: string;
  readonly entryIds: readonly number[];
}

export interface FullTextContext {
  readonly fence: JobFence;
  readonly signal: AbortSignal;
  readonly isLastAttempt: boolean;
}

/** What a list of entries should not have to carry. */
const mostCharacters = 1024 * 1024;
const longestPauseMs = 24 * 3_600_000;

export async function fetchFullText(
  deps: FullTextDeps,
  job: FullTextJob,
  { fence, signal, isLastAttempt }: FullTextContext,
): Promise<void> {
  const { fullTexts } = deps;
  if (!(await fullTexts.isWanted(job.entryIds))) {
    if (await fullTexts.leave(fence)) return;
    throw new Later(0);
  }
  const found = await readPage(deps, job, signal);
  signal.throwIfAborted();
  if (found && 'kind' in found) {
    if (!found.isForGood && !isLastAttempt) throw upstream(found);
    return fullTexts.settle(fence, () => undefined);
  }
  const words = countWords(found?.text ?? '');
  await fullTexts.settle(fence, (content) =>
    found && isClearlyLonger(words, countWords(plainText(content))) ? found.html : undefined,
  );
}

/** Undefined for what has no text to read. */
async function readPage(
  deps: FullTextDeps,
  { url, proxy }: FullTextJob,
  signal: AbortSignal,
): Promise<PageCopy | PageFailure | undefined> {
  const page = await fetchPage(deps, { url, proxy: proxy || undefined, signal });
  if (page.kind === 'put-off') return putOff(page, deps.now());
  if (page.kind === 'failed') return page;
  const { mediaType } = page;
  if (mediaType === undefined || mediaType.startsWith('image/')) return undefined;
  try {
    const copy = await deps.page.read({ ...page, mediaType });
    return copy.html.length <= mostCharacters ? copy : undefined;
  } catch (error) {
    if (!(error instanceof LecternError)) throw error;
    const failure = { reason: 'protocol', status: undefined, retryAfterMs: undefined } as const;
    // A page that is too much for its reader stays so; a reader that has no time now may have it later.
    return { kind: 'failed', ...failure, isForGood: error instanceof DoNotRetry, sentence: error.message };
  }
}

/** One that only waits for its turn waits on; one that is refused has one attempt less. */
function putOff({ until, wasAsked, sentence }: PutOff, now: number): PageFailure {
  const waitMs = Math.min(longestPauseMs, Math.max(0, until - now));
  if (!wasAsked) throw new Later(waitMs);
  const failure = { reason: 'http-status', status: 429, isForGood: false } as const;
  return { kind: 'failed', ...failure, sentence, retryAfterMs: waitMs };
}

function upstream({ sentence, retryAfterMs }: PageFailure): Upstream {
  return new Upstream(sentence, retryAfterMs === undefined ? {} : { retryAfterMs });
}
