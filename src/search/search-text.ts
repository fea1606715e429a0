// One search by words, from what a person wrote to a page of hits.
import { Invalid } from '../errors.ts';
import type { Clock, Millis } from '../model/glossary.ts';
import type { SearchCursor, SearchHit, SearchOrder, SearchQuery, SearchScope } from '../model/search.ts';
import type { Store } from '../store/store.ts';
import { parseCursor, writeCursor } from './cursor.ts';
import { parseQuery } from './parse-query.ts';
import { resolveFilters } from './resolve-filters.ts';

export interface TextDeps {
  readonly store: Pick<Store, 'forUser'>;
  readonly now: Clock;
}

export interface SearchInput {
  readonly userId: number;
  readonly q: string;
  /** All kinds when absent. */
  readonly kinds?: readonly string[];
  /** The best first, unless there are no words to rank by. */
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

export async function searchText(deps: TextDeps, input: SearchInput): Promise<SearchResult> {
  const cursor = input.cursor === undefined ? undefined : parseCursor(input.cursor);
  if (cursor && cursor.by !== 'rank') throw new Invalid('cursor: expected the cursor of the page before');
  return findText(deps, await understand(deps, { ...input, at: cursor?.at ?? deps.now() }), {
    ...input,
    ...(cursor && { after: cursor.after }),
  });
}

/** What was asked for, with its filters resolved for this user, at this time. */
export interface Understood {
  readonly userId: number;
  readonly query: SearchQuery;
  readonly scope: SearchScope;
  readonly at: Millis;
}

export async function understand(
  { store }: Pick<TextDeps, 'store'>,
  { userId, q, kinds, at }: Pick<SearchInput, 'userId' | 'q' | 'kinds'> & { readonly at: Millis },
): Promise<Understood> {
  const query = parseQuery(q);
  const { filters } = query;
  const namesFeeds = filters.some(({ name }) => name === 'feed');
  const feeds = namesFeeds ? await store.forUser(userId).search.feeds() : [];
  return { userId, query, at, scope: resolveFilters({ filters, kinds, now: at, feeds }) };
}

export async function findText(
  { store }: Pick<TextDeps, 'store'>,
  { userId, query, scope, at }: Understood,
  {
    order = 'rank',
    limit,
    after,
    withPages = false,
  }: {
    readonly order?: SearchOrder;
    readonly limit: number;
    readonly after?: SearchCursor;
    readonly withPages?: boolean;
  },
): Promise<SearchResult> {
  const { hits, found, atLeast, next } = await store.forUser(userId).search.find(query, {
    scope,
    at,
    order: query.all.length === 0 ? 'newest' : order,
    limit,
    withPages,
    ...(after && { after }),
  });
  const nextCursor = next && writeCursor({ by: 'rank', at, after: next });
  return { hits, found, atLeast, query, ...(nextCursor && { nextCursor }) };
}
