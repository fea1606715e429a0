// Makes the index of search new while the old one answers. Every document is written into a second index; what changes
// meanwhile is noted for it by the indexer, which goes on with the first; when nothing is left, the second takes the place of
// the first. Ended in the middle, it leaves the first one as it is, and the next rebuild begins anew.
import { setTimeout as pause } from 'node:timers/promises';
import { Conflict, LeaseLost } from '../errors.ts';
import type { SearchSource } from '../model/search.ts';
import type { Lease, LeaseStore } from '../store/lease-store.ts';
import type { NextIndex, SearchIndex } from '../store/search/search-index.ts';
import { docsAtOnce, leaseName, leaseTtlMs, toChange } from './index-pending.ts';
import { everythingNoted } from './note-everything.ts';

export interface RebuildDeps {
  readonly searchIndex: SearchIndex;
  readonly leases: LeaseStore;
  readonly sources: readonly SearchSource[];
  /** How many documents have been written. */
  readonly onProgress?: (documents: number) => void;
}

const idsAtOnce = 1_000;
/** While the indexer is at work, which gives its lease back every two seconds. */
const askAgainMs = 50;

/** Throws Conflict when another is under way. */
export async function rebuildIndex(deps: RebuildDeps, holder: string): Promise<void> {
  const { searchIndex, leases } = deps;
  const lease = await leases.acquire('search-rebuild', holder, leaseTtlMs);
  if (!lease) throw new Conflict('the index of search is being rebuilt already');
  try {
    const next = await searchIndex.beginNext(lease);
    await writeEverything(deps, next, lease);
    await writeChanged(deps, next, lease);
    await takeOver(deps, next, lease, holder);
  } catch (error) {
    // Whoever has the lease now has begun anew already.
    if (!(error instanceof LeaseLost)) await searchIndex.dropNext(lease).catch(() => {});
    throw error;
  } finally {
    await leases.release(lease);
  }
}

async function writeEverything(deps: RebuildDeps, next: NextIndex, lease: Lease): Promise<void> {
  let written = 0;
  for (const source of deps.sources) {
    for (let after = 0; ; ) {
      const ids = await source.list(after, idsAtOnce);
      if (ids.length === 0) break;
      const atOnce = source.atOnce ?? docsAtOnce;
      for (let n = 0; n < ids.length; n += atOnce) {
        // No version: what was noted meanwhile stays noted.
        const some = ids.slice(n, n + atOnce).map((refId) => ({ refId, version: 0 }));
        await write(deps, next, source, lease, some);
        written += some.length;
        deps.onProgress?.(written);
      }
      after = ids.at(-1) as number;
    }
  }
}

/** What changed since the rebuild began, and was indexed in the first index. */
async function writeChanged(deps: RebuildDeps, next: NextIndex, lease: Lease): Promise<void> {
  for (const source of deps.sources) {
    for (;;) {
      const pending = await next.pending(source.kind, source.atOnce ?? docsAtOnce);
      if (pending.length === 0) break;
      await write(deps, next, source, lease, pending);
    }
  }
}

async function write(
  { leases }: RebuildDeps,
  next: NextIndex,
  source: SearchSource,
  lease: Lease,
  docs: readonly { refId: number; version: number }[],
): Promise<void> {
  if (!(await leases.renew(lease, leaseTtlMs))) throw new LeaseLost(lease.name);
  const texts = await source.read(docs.map(({ refId }) => refId));
  const byRef = new Map(texts.map((text) => [text.refId, text]));
  await next.apply(
    lease,
    source.kind,
    docs.map((doc) => toChange(doc, byRef.get(doc.refId))),
  );
}

/** Under the lease of the indexer, so that nothing more is noted for the second index. */
async function takeOver(deps: RebuildDeps, next: NextIndex, lease: Lease, holder: string): Promise<void> {
  const { searchIndex, leases, sources } = deps;
  await next.settle();
  let indexing: Lease | undefined;
  while (!indexing) {
    await writeChanged(deps, next, lease);
    indexing = await leases.acquire(leaseName, holder, leaseTtlMs);
    if (!indexing) await pause(askAgainMs);
  }
  try {
    const progress = new Map(sources.map(({ kind }) => [kind, everythingNoted()]));
    do await writeChanged(deps, next, lease);
    while (!(await searchIndex.takeNext([lease, indexing], progress)));
  } finally {
    await leases.release(indexing);
  }
}
