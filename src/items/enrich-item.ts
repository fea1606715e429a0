// Finds out what a saved page is, from the pending item to its copy in the library. It may be run any number of times for
// one item: what it writes, it writes through the fence, and what it leaves half done, the next run sets right.
import { DoNotRetry, Later, LeaseLost, LecternError, Unavailable, Upstream } from '../errors.ts';
import type { Library } from '../library/library.ts';
import type { Log } from '../log.ts';
import { itemLimits } from '../model/item.ts';
import type { JobFence } from '../model/job.ts';
import { siteOriginOf } from '../model/site-icon.ts';
import type { Outbound } from '../outbound/outbound.ts';
import type {
  EnrichableItem,
  Enrichment,
  EnrichmentStore,
  ItemRef,
  NamedFiles,
} from '../store/enrichment-store.ts';
import { type EnrichJob, enrichKey, enrichKind } from './enrich-kind.ts';
import {
  type FetchedPage,
  type FetchPageDeps,
  fetchPage,
  type PageFailure,
  type PutOff,
} from './fetch-page.ts';
import { type FindThumbnailDeps, findThumbnail } from './find-thumbnail.ts';
import { findLeftFiles, keepCopy, nameWhatIsThere, type PageToKeep, removeUnnamed } from './keep-copy.ts';
import { chunksOf } from './page/chunks.ts';
import { chunkKey } from './page/cut-text.ts';
import type { PageFacts } from './page/page-facts.ts';
import type { PageProcess } from './page/page-process.ts';
import type { PageCopy } from './page/read-page.ts';

export interface EnrichDeps extends FetchPageDeps, FindThumbnailDeps {
  readonly outbound: Pick<Outbound, 'request' | 'stream'>;
  readonly enrichments: EnrichmentStore;
  readonly library: Pick<Library, 'files' | 'requireWriter'>;
  readonly page: Pick<PageProcess, 'read' | 'thumbnail'>;
  readonly log: Log;
}

export interface EnrichContext {
  readonly fence: JobFence;
  readonly signal: AbortSignal;
  readonly isLastAttempt: boolean;
}

interface ReadPage {
  readonly kind: 'read';
  readonly page: FetchedPage;
  /** Undefined for what there is no way to read, such as a film. */
  readonly copy: PageCopy | undefined;
}

/** A host that asks for pauses is given them for so long; after that it is a host that does not answer. */
const mostPatienceMs = 24 * 3_600_000;
const unexpected = 'The page could not be read, since something went wrong here.';
const { name } = enrichKind;

export async function enrichItem(deps: EnrichDeps, job: EnrichJob, context: EnrichContext): Promise<void> {
  const ref = { itemId: Number(job.itemId), userId: Number(job.userId) };
  const item = await deps.enrichments.find(ref);
  if (!item?.isWanted) return leave(deps, ref, context);
  const startedAt = deps.now();
  const log = deps.log.child({ item: ref.itemId, user: ref.userId, job: context.fence.id });
  const tell = (end: string) => log.info({ ms: deps.now() - startedAt }, `a saved page: ${end}`);
  log.debug('a saved page: enrichment started');
  try {
    const found = await readPage(deps, item, job, context.signal);
    if (found.kind === 'read') {
      tell(
        (await keep(deps, item, found, context)) ? 'enrichment succeeded' : 'nobody waits for it any more',
      );
    } else if (found.isForGood || context.isLastAttempt) {
      await fail(deps, item, context, { sentence: found.sentence });
      tell('enrichment failed');
    } else throw upstream(found);
  } catch (error) {
    if (context.isLastAttempt && !context.signal.aborted && isFailure(error)) {
      const sentence = error instanceof LecternError ? error.message : unexpected;
      await fail(deps, item, context, { sentence, dead: sentence });
      tell('enrichment failed');
    }
    throw error;
  }
}

/** What counts as an attempt. */
function isFailure(error: unknown): boolean {
  return !(error instanceof Later || error instanceof LeaseLost || error instanceof Unavailable);
}

async function readPage(
  deps: EnrichDeps,
  item: EnrichableItem,
  job: EnrichJob,
  signal: AbortSignal,
): Promise<ReadPage | PageFailure> {
  if (item.isHidden) return hidden;
  // Before the fetch: while the library does not answer, the page's host should not notice.
  await deps.library.requireWriter();
  // The item's own address, whatever the job says.
  const page = await fetchPage(deps, { url: item.url, proxy: item.proxy, signal });
  if (page.kind === 'put-off') return putOff(page, deps.now(), Date.parse(job.enqueuedAt));
  if (page.kind === 'failed') return page;
  if (page.mediaType === undefined) return { kind: 'read', page, copy: undefined };
  try {
    const { bytes, mediaType, charset, url } = page;
    return { kind: 'read', page, copy: await deps.page.read({ bytes, mediaType, charset, url }) };
  } catch (error) {
    if (!(error instanceof LecternError)) throw error;
    return unreadable(error);
  } finally {
    signal.throwIfAborted();
  }
}

/** Come back when the host will have us. Others who come first are no reason to give up, however many they are. */
function putOff({ until, wasAsked, sentence }: PutOff, now: number, enqueuedAt: number): PageFailure {
  const waitMs = Math.max(0, until - now);
  if (!wasAsked || now + waitMs - enqueuedAt <= mostPatienceMs) throw new Later(waitMs);
  const failure = { reason: 'http-status', status: 429, isForGood: false } as const;
  return { kind: 'failed', ...failure, sentence, retryAfterMs: waitMs };
}

function unreadable(error: LecternError): PageFailure {
  const isForGood = error instanceof DoNotRetry;
  const failure = { reason: 'protocol', status: undefined, retryAfterMs: undefined } as const;
  return { kind: 'failed', ...failure, isForGood, sentence: error.message };
}

/** To ask directly would give away what the proxy hides. A person who saves the page wants just that. */
const hidden: PageFailure = {
  kind: 'failed',
  isForGood: true,
  reason: 'proxy',
  status: undefined,
  sentence:
    'This page was only ever seen through the proxy of a feed that is gone. Save its address to have it read.',
  retryAfterMs: undefined,
};

function upstream({ sentence, retryAfterMs }: PageFailure): Upstream {
  return new Upstream(
    sentence,
    retryAfterMs === undefined ? {} : { retryAfterMs: Math.min(retryAfterMs, mostPatienceMs) },
  );
}

/** Files before the row that names them. False when nobody waits for it any more. */
async function keep(
  deps: EnrichDeps,
  item: EnrichableItem,
  { page, copy }: ReadPage,
  context: EnrichContext,
): Promise<boolean> {
  const { enrichments, library } = deps;
  const { fence, signal } = context;
  const fetchedAt = deps.now();
  const thumbnail = await findThumbnail(deps, { item, page, copy }, signal);
  signal.throwIfAborted();
  const facts = withinLimits(copy?.facts);
  const kept = copy && pageToKeep(item, page, { ...copy, facts }, fetchedAt);
  if (await enrichments.isStillOurs(fence, item)) {
    await library.requireWriter();
    try {
      const files = await keepCopy(library.files, item, { page: kept, thumbnail }, signal);
      signal.throwIfAborted();
      const siteOrigin = siteOriginOf({ siteUrl: page.url, link: item.url, proxy: '' });
      const found: Enrichment = { ...facts, siteOrigin, wordCount: kept?.wordCount, files };
      if (await enrichments.succeed(fence, item, found, name)) return true;
    } catch (error) {
      if (error instanceof LeaseLost) await makeGood(deps, item);
      throw error;
    }
  }
  await leave(deps, item, context);
  return false;
}

/** Undefined when there is nothing to read in it: a copy of before is worth more than an empty one. */
function pageToKeep(
  { itemId, url }: EnrichableItem,
  page: FetchedPage,
  { facts, html, text, wordCount }: Omit<PageCopy, 'facts'> & { facts: KeptFacts },
  fetchedAt: number,
): PageToKeep | undefined {
  if (html === '' && text === '') return undefined;
  const mediaType = page.mediaType ?? '';
  const chunks = chunksOf(text, { key: (index) => chunkKey(`it-${itemId}`, index) });
  return { url, finalUrl: page.url, mediaType, fetchedAt, facts, html, text, wordCount, chunks };
}

/** Ends a job that is for nobody, and takes back what it, or one before it, has left in the library. */
async function leave(deps: EnrichDeps, ref: ItemRef, { fence }: EnrichContext): Promise<void> {
  const { enrichments, library } = deps;
  const item = await enrichments.find(ref);
  let files: NamedFiles | undefined;
  if (item && !(await enrichments.isStillOurs(fence, ref))) {
    await library.requireWriter();
    if (item.files.snapshot) files = await findLeftFiles(library.files, item);
    else await removeUnnamed(library.files, item);
  }
  await enrichments.leave(fence, ref, files);
}

/** A worker that stood still among its files, and went on when another had done its job, has written over that one's. */
async function makeGood({ enrichments, library }: EnrichDeps, ref: ItemRef): Promise<void> {
  const item = await enrichments.find(ref);
  if (!item?.files.snapshot && !item?.files.thumbnail) return;
  const names = { before: item.files, after: await nameWhatIsThere(library.files, item) };
  await enrichments.rename(item, { ...names, uniqueKey: enrichKey(item.itemId) });
}

async function fail(
  deps: EnrichDeps,
  item: EnrichableItem,
  { fence }: EnrichContext,
  failure: { sentence: string; dead?: string },
): Promise<void> {
  const files = await whatIsLeft(deps, item, fence).catch((err) => {
    if (!isFailure(err)) throw err;
    // An item that cannot say that it has failed would be worse.
    deps.log.warn({ err, item: item.itemId }, 'what the library has of a saved page could not be settled');
    return undefined;
  });
  await deps.enrichments.fail(fence, item, { ...failure, files, name });
}

/** A copy that an attempt before has left whole is kept; parts of one are not. */
async function whatIsLeft(
  { enrichments, library }: EnrichDeps,
  item: EnrichableItem,
  fence: JobFence,
): Promise<NamedFiles | undefined> {
  const left = await findLeftFiles(library.files, item);
  if (!left && (await enrichments.isStillOurs(fence, item))) {
    await library.requireWriter();
    await removeUnnamed(library.files, item);
  }
  return left;
}

type KeptFacts = PageToKeep['facts'];

const longestName = 200;
const longestLanguage = 35;
/** What every engine and a Date can take. */
const latestDate = 8.64e15;

function withinLimits(facts: PageFacts | undefined): KeptFacts {
  const { title = '', excerpt = '', author = '', siteName = '', language = '' } = facts ?? {};
  const publishedAt = facts?.publishedAt ?? null;
  const canonical = URL.parse(facts?.canonicalUrl ?? '');
  const isWeb = canonical !== null && /^https?:$/.test(canonical.protocol);
  return {
    title: cut(title, itemLimits.title),
    excerpt: cut(excerpt, itemLimits.excerpt),
    author: cut(author, longestName),
    siteName: cut(siteName, longestName),
    language: cut(language, longestLanguage),
    publishedAt: publishedAt !== null && Math.abs(publishedAt) <= latestDate ? Math.trunc(publishedAt) : null,
    canonicalUrl: isWeb && canonical.href.length <= itemLimits.url ? canonical.href : '',
  };
}

function cut(text: string, most: number): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length <= most
    ? line
    : line
        .slice(0, most)
        .replace(/[\ud800-\udbff]$/, '')
        .trimEnd();
}
