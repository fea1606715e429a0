// The indexer: takes what is pending, asks its source for the text, and puts it where it can be found. It may be
// ended at any point and started again, and of two that run one waits.
import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { LeaseLost } from '../errors.ts';
import type { SearchSource, SearchText } from '../model/search.ts';
import type { LeaseStore } from '../store/lease-store.ts';
import { letOthersIn } from '../store/let-others-in.ts';
import type { DocChange } from '../store/search/doc-plan.ts';
import type { SearchIndex } from '../store/search/search-index.ts';
import { docFacts } from './doc-facts.ts';
import { hasUnnoted, noteSome } from './note-everything.ts';
import { documentTerms, termsVersion } from './terms.ts';

export interface IndexDeps {
  readonly searchIndex: SearchIndex;
  readonly leases: LeaseStore;
  readonly sources: readonly SearchSource[];
  /** Whether something is under way in this process that people wait for more than for search. */
  readonly isBusy?: () => boolean;
  /** Nobody else waits for the index. */
  readonly alone?: boolean;
}

export const leaseName = 'search';
export const leaseTtlMs = 60_000;
export const docsAtOnce = 200;
const docsAlone = 500;
/** After this long the worker gets its turn back, so that a stop need not wait for a rebuild. */
const lookForMs = 2_000;
/** When others need the process too: one batch now and then, so that what is new can be found soon all the same. */
const lookBesideOthersMs = 100;
const besideOthersEveryMs = 5_000;
/** While another process holds the lease. */
const askAgainMs = 50;

export interface Indexer {
  /** Indexes what is pending, for some time. False when nothing is left, or another process is at it. */
  look(): Promise<boolean>;
  /** Whether anything is left, for this process or for another. */
  hasWork(): Promise<boolean>;
}

export function createIndexer(deps: IndexDeps, holder: string): Indexer {
  let lookedAt = Number.NEGATIVE_INFINITY;
  return {
    hasWork: () => hasWork(deps),

    async look() {
      if (deps.isBusy?.() && performance.now() - lookedAt < besideOthersEveryMs) return false;
      if (!(await hasWork(deps))) return false;
      lookedAt = performance.now();
      const lease = await deps.leases.acquire(leaseName, holder, leaseTtlMs);
      if (!lease) return false;
      try {
        const began = performance.now();
        const isOver = () => performance.now() - began > (deps.isBusy?.() ? lookBesideOthersMs : lookForMs);
        let worked = true;
        const failures: unknown[] = [];
        const failed = new Set<string>();
        while (worked && !isOver()) {
          worked = false;
          for (const source of deps.sources) {
            if (failed.has(source.kind)) continue;
            try {
              if (await indexSome(deps, source, lease)) worked = true;
            } catch (error) {
              if (error instanceof LeaseLost) return false;
              // One kind that cannot be read must not keep the others from being found.
              failed.add(source.kind);
              failures.push(error);
            }
          }
        }
        // Whoever is alone says when all of it is there.
        if (!worked && !deps.alone) await deps.searchIndex.settle();
        if (failures.length > 0) throw failures[0];
        return worked;
      } finally {
        await deps.leases.release(lease);
      }
    },
  };
}

/** For tests and commands: until nothing is left, also of what another process has in its hands. */
export async function indexEverything(indexer: Indexer): Promise<void> {
  for (;;) {
    while (await indexer.look());
    if (!(await indexer.hasWork())) return;
    await pause(askAgainMs);
  }
}

async function hasWork({ searchIndex, sources }: IndexDeps): Promise<boolean> {
  for (const source of sources) {
    if ((await searchIndex.pending(source.kind, 1)).length > 0 || (await hasUnnoted(searchIndex, source)))
      return true;
  }
  return false;
}

async function indexSome(
  { searchIndex, alone = false }: IndexDeps,
  source: SearchSource,
  lease: Parameters<SearchIndex['apply']>[0],
): Promise<boolean> {
  // The version is read before the text: a change in between leaves the document pending.
  const pending = await searchIndex.pending(source.kind, source.atOnce ?? (alone ? docsAlone : docsAtOnce));
  if (pending.length === 0) return noteSome(searchIndex, source, lease);
  const texts = await source.read(pending.map(({ refId }) => refId));
  const byRef = new Map(texts.map((text) => [text.refId, text]));
  const changes = pending.map((doc) => toChange(doc, byRef.get(doc.refId)));
  await letOthersIn();
  await searchIndex.apply(lease, source.kind, changes, { alone });
  return true;
}

export function toChange(
  pending: { refId: number; version: number },
  text: SearchText | undefined,
): DocChange {
  if (!text) return { ...pending, doc: undefined };
  const { userId, title, urlKey, site, publishedAt } = text;
  const facts = docFacts(text);
  const words = text.beside ? `${text.text}\n${text.beside}` : text.text;
  const doc = {
    ...facts,
    userId,
    title,
    urlKey,
    site,
    publishedAt,
    textSha256: sha256OfText(words, facts.marks),
    terms: () => documentTerms({ title, text: words }),
  };
  return { ...pending, doc };
}

/** Other rules for terms make another hash, so that every document is split anew; so do other marks, which stand among them. */
function sha256OfText(text: string, marks: readonly string[]): string {
  return createHash('sha256')
    .update(`terms ${termsVersion}\n${marks.join(' ')}\n`)
    .update(text)
    .digest('hex');
}
