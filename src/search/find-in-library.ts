// One way to search for those who are no search page: assistants and answers. What search becomes, it becomes here.
import type { SearchSources } from '../model/search.ts';
import type { Store } from '../store/store.ts';
import { searchText } from './search-text.ts';
import { type ShownHit, showHits } from './show-hits.ts';

export interface FindDeps {
  readonly store: Pick<Store, 'forUser'>;
  readonly sources: SearchSources;
}

export interface FindInput {
  readonly userId: number;
  /** In the language of the search box. */
  readonly q: string;
  /** All kinds when absent. */
  readonly kinds?: readonly string[];
  readonly limit: number;
  readonly cursor?: string;
}

export interface Found {
  readonly hits: readonly ShownHit[];
  readonly nextCursor?: string;
  /** What a person should know of how it was searched. */
  readonly notice?: string;
}

export async function findInLibrary({ store, sources }: FindDeps, input: FindInput): Promise<Found> {
  const { userId } = input;
  const { hits, query, nextCursor } = await searchText({ store }, input);
  const shown = await showHits({ sources }, { userId, hits, query });
  return { hits: shown, ...(nextCursor !== undefined && { nextCursor }) };
}
