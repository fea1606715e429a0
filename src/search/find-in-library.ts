// One way to search for those who are no search page: assistants and answers. By meaning too, where that is on.
import { type LibraryDeps, searchLibrary } from './search-library.ts';
import type { ShownHit } from './show-hits.ts';

export type FindDeps = LibraryDeps;

export interface FindInput {
  readonly userId: number;
  /** In the language of the search box. */
  readonly q: string;
  /** All kinds when absent. */
  readonly kinds?: readonly string[];
  readonly limit: number;
  readonly cursor?: string;
  /** Where fewer have all of the words, what has some of them follows. */
  readonly enough?: number;
}

export interface Found {
  readonly hits: readonly ShownHit[];
  readonly nextCursor?: string;
  /** What a person should know of how it was searched. */
  readonly notice?: string;
}

export async function findInLibrary(deps: FindDeps, input: FindInput): Promise<Found> {
  const { hits, nextCursor, notice } = await searchLibrary(deps, {
    ...input,
    mode: deps.meaning ? 'hybrid' : 'text',
  });
  return { hits, ...(nextCursor !== undefined && { nextCursor }), ...(notice !== undefined && { notice }) };
}
