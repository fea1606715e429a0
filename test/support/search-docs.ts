// Documents to be found: a source that holds them in memory, and an indexer over it.
import type { TextFiles } from '../../src/items/item-search.ts';
import type { SearchQuery, SearchScope, SearchSource, SearchText } from '../../src/model/search.ts';
import { createIndexer, indexEverything } from '../../src/search/index-pending.ts';
import { resolveFilters } from '../../src/search/resolve-filters.ts';
import type { Store } from '../../src/store/store.ts';

/** A library without any. */
export const noFiles: TextFiles = { get: async () => undefined };

export class MemorySource implements SearchSource {
  readonly kind: string;
  readonly docs = new Map<number, SearchText>();
  /** What was asked for, one list for each time. */
  readonly reads: number[][] = [];

  constructor(kind: string) {
    this.kind = kind;
  }

  put(doc: Partial<SearchText> & { refId: number }): SearchText {
    const before = this.docs.get(doc.refId);
    const next = {
      userId: 1,
      title: '',
      text: '',
      url: '',
      urlKey: null,
      site: null,
      publishedAt: 0,
      ...before,
      ...doc,
    };
    this.docs.set(doc.refId, next);
    return next;
  }

  async read(refIds: readonly number[]) {
    this.reads.push([...refIds]);
    return refIds.flatMap((refId) => this.docs.get(refId) ?? []);
  }

  async list(after: number, limit: number) {
    const ids = [...this.docs.keys()].filter((id) => id > after).sort((a, b) => a - b);
    return ids.slice(0, limit);
  }
}

export function indexerOf(store: Store, sources: readonly SearchSource[], holder = 'test') {
  return createIndexer({ searchIndex: store.searchIndex, leases: store.leases, sources }, holder);
}

export async function indexAll(store: Store, ...sources: readonly SearchSource[]): Promise<void> {
  await indexEverything(indexerOf(store, sources));
}

/** A search for some kinds alone. */
export function ofKinds(kinds: readonly string[]): SearchScope {
  return resolveFilters({ filters: [], kinds, now: 0, feeds: [] });
}

/** The ids of all that a user finds, in rising order. */
export async function foundIds(store: Store, userId: number, query: SearchQuery, kinds?: readonly string[]) {
  const { hits } = await store
    .forUser(userId)
    .search.find(query, { order: 'rank', limit: 1_000, ...(kinds && { scope: ofKinds(kinds) }) });
  return hits.map((hit) => hit.refId).sort((a, b) => a - b);
}
