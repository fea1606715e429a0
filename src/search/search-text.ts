// One search, from what a person wrote to a page of hits: what the routes call.
import { Invalid } from '../errors.ts';
import type { SearchCursor, SearchHit, SearchOrder, SearchQuery } from '../model/search.ts';
import type { Store } from '../store/store.ts';
import { parseQuery } from './parse-query.ts';

export interface SearchInput {
  readonly userId: number;
  readonly q: string;
  /** All kinds when absent. */
  readonly kinds?: readonly string[];
  readonly order?: SearchOrder;
  readonly limit: number;
  /** As the page before gave it. */
  readonly cursor?: string;
}

export interface SearchResult {
  readonly hits: readonly SearchHit[];
  readonly found: number;
  /** There are at least as many as `found` says, perhaps more. */
  readonly atLeast: boolean;
  readonly nextCursor?: string;
  /** For cutSnippet. */
  readonly query: SearchQuery;
}

export async function searchText(
  { store }: { readonly store: Pick<Store, 'forUser'> },
  { userId, q, kinds, order = 'rank', limit, cursor }: SearchInput,
): Promise<SearchResult> {
  const query = parseQuery(q);
  const { hits, found, atLeast, next } = await store.forUser(userId).search.find(query, {
    order,
    limit,
    ...(kinds && { kinds }),
    ...(cursor !== undefined && { after: parseCursor(cursor) }),
  });
  return { hits, found, atLeast, query, ...(next && { nextCursor: writeCursor(next) }) };
}

export function writeCursor({ id, score }: SearchCursor): string {
  return Buffer.from(JSON.stringify([id, score])).toString('base64url');
}

export function parseCursor(cursor: string): SearchCursor {
  try {
    const [id, score, ...rest] = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as unknown[];
    if (Number.isSafeInteger(id) && Number.isFinite(score) && rest.length === 0)
      return { id: id as number, score: score as number };
  } catch {
    // Said below, as for any other text that is no cursor.
  }
  throw new Invalid('cursor: expected the cursor of the page before');
}
