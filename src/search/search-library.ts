// The one search over everything that a user has: what the routes, the command, MCP and ask call.
import { Invalid, LecternError, TemporaryFailure } from '../errors.ts';
import type { Clock } from '../model/glossary.ts';
import {
  type SearchFacets,
  type SearchHit,
  type SearchQuery,
  type SearchSources,
  type SearchText,
  searchKinds,
} from '../model/search.ts';
import type { Store } from '../store/store.ts';
import { parseCursor, writeCursor } from './cursor.ts';
import { fuse } from './fuse.ts';
import { isSaidSo, loosenQuery } from './loosen-query.ts';
import { findText, type SearchResult, type Understood, understand } from './search-text.ts';
import { type ShownHit, showHits } from './show-hits.ts';
import { suggestQuery } from './suggest-query.ts';

export const searchModes = ['text', 'semantic', 'hybrid'] as const;
export type SearchMode = (typeof searchModes)[number];

/** Finds by meaning. The filters of a query are not its business: what it finds is filtered here. */
export interface MeaningSearch {
  /** From here on what was found is sure to speak of what was asked; absent where that is not known. */
  readonly sureScore?: number;
  /** Whether a question in this script can be understood. */
  canRead?(text: string): boolean;
  /** The nearest first. Fails with a LecternError when the model cannot be asked. */
  find(input: {
    readonly userId: number;
    readonly text: string;
    /** Without, a page that is there as several documents is found once. */
    readonly kinds?: readonly string[];
    readonly limit: number;
  }): Promise<readonly FoundByMeaning[]>;
  /** Where the passage of that key begins in its document; undefined when the document is another by now. */
  placeOf?(document: SearchText & { readonly kind: string }, chunkKey: string): number | undefined;
}

export interface FoundByMeaning {
  readonly kind: string;
  readonly refId: number;
  readonly score: number;
  /** Of the passage that is nearest. */
  readonly chunkKey?: string;
}

export interface LibraryDeps {
  readonly store: Pick<Store, 'forUser'>;
  readonly sources: SearchSources;
  readonly now: Clock;
  /** Where embeddings are off, there is none. */
  readonly meaning?: MeaningSearch | undefined;
}

export interface LibraryInput {
  readonly userId: number;
  readonly q: string;
  /** All kinds when absent. */
  readonly kinds?: readonly string[];
  readonly mode: SearchMode;
  readonly limit: number;
  /** As the page before gave it. */
  readonly cursor?: string;
  /** Where fewer have all of the words, what has some follows. By words alone: never, when absent; together with meaning: 1. */
  readonly enough?: number;
}

export interface LibraryResult {
  readonly hits: readonly ShownHit[];
  /** Of the first page alone. */
  readonly facets?: SearchFacets;
  readonly found: number;
  /** There are at least as many as `found` says, perhaps more. */
  readonly atLeast: boolean;
  readonly nextCursor?: string;
  /** The mode that served. */
  readonly mode: SearchMode;
  /** Why that is another than was asked for. */
  readonly notice?: string;
  /** What may have been meant, where nothing was found. */
  readonly suggestion?: string;
}

/** So many of each list are fused. */
const fusedDepth = 200;
/** Of what is near, where filters will leave out most of it. */
const filteredDepth = 1_000;
/** The first thirty that have all of the words go before what is only alike: 1.5 / (60 + 31) is still more than 1 / 61. */
const weights = { allWords: 1.5, meaning: 1, someWords: 0.25 };

interface Page {
  readonly hits: readonly SearchHit[];
  readonly facets?: SearchFacets;
  readonly found: number;
  readonly atLeast: boolean;
  readonly nextCursor?: string;
  /** Documents that are shown by their words, by kind and id; all of them where there is none. */
  readonly withAllWords?: ReadonlySet<string>;
}

export async function searchLibrary(deps: LibraryDeps, input: LibraryInput): Promise<LibraryResult> {
  const cursor = input.cursor === undefined ? undefined : parseCursor(input.cursor);
  const asked = await understand(deps, { ...input, at: cursor?.at ?? deps.now() });
  // A list by words goes on by words, though meaning may answer by now.
  const { mode, notice, found, failed }: Served =
    cursor?.by === 'rank' ? { mode: 'text' } : await servedBy(deps, input, asked);
  // A page of a list that was fused goes on in that list; when it can no longer be made, it ends.
  const isFused = found !== undefined || input.enough !== undefined;
  if (cursor?.by === 'place' && !isFused) {
    if (failed) throw new TemporaryFailure('Search by meaning did not answer; try again in a moment.');
    throw new Invalid('cursor: expected the cursor of the page before, of a search of the same mode');
  }
  const { withAllWords, ...page } = isFused
    ? await fusedPage(deps, input, asked, {
        mode,
        found: found ?? [],
        from: cursor?.by === 'place' ? cursor.from : undefined,
      })
    : await textPage(deps, input, asked, cursor?.by === 'rank' ? cursor.after : undefined);
  const { userId } = input;
  const { sureScore = Number.POSITIVE_INFINITY } = deps.meaning ?? {};
  const sure = new Set(
    found?.filter(({ score }) => score >= sureScore).map(({ kind, refId }) => `${kind} ${refId}`),
  );
  const passages = new Map(found?.map(({ kind, refId, chunkKey }) => [`${kind} ${refId}`, chunkKey]));
  const shown = await showHits(deps, {
    userId,
    hits: page.hits,
    query: asked.query,
    placeOf(kind, text) {
      const name = `${kind} ${text.refId}`;
      const chunkKey = withAllWords?.has(name) ? undefined : passages.get(name);
      return chunkKey === undefined ? undefined : deps.meaning?.placeOf?.({ ...text, kind }, chunkKey);
    },
  });
  const hits = shown.map((hit) =>
    sure.has(`${hit.kind} ${hit.text.refId}`) ? { ...hit, isAlike: true } : hit,
  );
  const isEmpty = page.found === 0 && cursor === undefined;
  const suggestion = isEmpty ? await suggestQuery(deps, asked) : undefined;
  return { ...page, hits, mode, ...(notice && { notice }), ...(suggestion && { suggestion }) };
}

interface Served {
  readonly mode: SearchMode;
  readonly notice?: string;
  /** It could be served by meaning at another time. */
  readonly failed?: boolean;
  /** What was found by meaning; undefined where words alone serve. */
  readonly found?: Awaited<ReturnType<MeaningSearch['find']>>;
}

async function servedBy(
  { meaning }: LibraryDeps,
  { mode, userId, kinds }: LibraryInput,
  { query }: Understood,
): Promise<Served> {
  if (mode === 'text') return { mode };
  if (query.all.length === 0)
    return {
      mode: 'text',
      ...(mode === 'semantic' && { notice: 'Filters alone have no meaning to look for.' }),
    };
  if (query.inTitle) return { mode: 'text', notice: 'Titles are searched by their words alone.' };
  if (!meaning)
    return { mode: 'text', notice: 'Search by meaning is off: this was found by its words alone.' };
  const text = query.all.map((group) => group.map((phrase) => phrase.text).join(' ')).join(' ');
  if (mode === 'semantic' && meaning.canRead?.(text) === false)
    return {
      mode: 'text',
      notice: 'Search by meaning does not know this script: this was found by its words alone.',
    };
  try {
    const near = isNarrowed(query) ? filteredDepth : fusedDepth;
    const scanned = scannedKinds(query, kinds);
    const found = await meaning.find({ userId, text, limit: near, ...(scanned && { kinds: scanned }) });
    return { mode, found };
  } catch (error) {
    // Also a question that the server of the model does not take.
    if (!(error instanceof LecternError)) throw error;
    return {
      mode: 'text',
      failed: true,
      notice: 'Search by meaning did not answer: this was found by its words alone.',
    };
  }
}

/** Whether some of what is near may be left out afterwards. */
function isNarrowed({ all, filters, none }: SearchQuery): boolean {
  return filters.length > 0 || none.length > 0 || all.some(isSaidSo);
}

/**
 * Of what kinds documents have to be. Where one of several that are the same page may be left out, each is wanted: the
 * filters say which of them is shown.
 */
function scannedKinds(query: SearchQuery, kinds: readonly string[] | undefined): string[] | undefined {
  if (!kinds && !isNarrowed(query)) return undefined;
  const named = query.filters.filter(({ name, not }) => name === 'kind' && !not).map(({ value }) => value);
  const isNamed = (some: readonly string[], kind: string) =>
    some.includes(kind) || (kind === 'item' && some.includes('raindrop'));
  return searchKinds.filter(
    (kind) => (!kinds || isNamed(kinds, kind)) && (named.length === 0 || isNamed(named, kind)),
  );
}

async function textPage(
  deps: LibraryDeps,
  { limit, cursor }: LibraryInput,
  asked: Understood,
  after: Parameters<typeof findText>[2]['after'],
): Promise<Page> {
  const { search } = deps.store.forUser(asked.userId);
  const [page, facets] = await Promise.all([
    findText(deps, asked, { limit, ...(after && { after }) }),
    cursor === undefined ? search.facets(asked.query, asked.scope) : undefined,
  ]);
  const { hits, found, atLeast, nextCursor } = page;
  return { hits, found, atLeast, ...(facets && { facets }), ...(nextCursor && { nextCursor }) };
}

async function fusedPage(
  deps: LibraryDeps,
  { limit, enough = 1 }: LibraryInput,
  asked: Understood,
  served: Required<Pick<Served, 'mode' | 'found'>> & { readonly from: number | undefined },
): Promise<Page> {
  const { search } = deps.store.forUser(asked.userId);
  const { query, scope, at } = asked;
  const [byWords, allowed] = await Promise.all([
    served.mode === 'semantic' ? undefined : findByWords(deps, asked, enough),
    search.allowed({ ...query, all: query.all.filter(isSaidSo) }, scope, served.found),
  ]);
  const named = new Map(allowed.map((hit) => [`${hit.kind} ${hit.refId}`, hit]));
  const byMeaning = served.found
    .flatMap(({ kind, refId }) => named.get(`${kind} ${refId}`) ?? [])
    .slice(0, fusedDepth);
  const all = fuse(
    [
      { items: byWords?.all.hits ?? [], weight: weights.allWords },
      { items: byMeaning, weight: weights.meaning },
      { items: byWords?.some?.hits ?? [], weight: weights.someWords },
    ],
    ({ page, docId }) => (scope.namesKinds ? docId : page),
    (hit, than) => hit.place < than.place,
  ).map(({ item }) => item);
  const from = served.from ?? 0;
  const next = from + limit;
  return {
    hits: all.slice(from, next),
    found: all.length,
    withAllWords: new Set(byWords?.all.hits.map(({ kind, refId }) => `${kind} ${refId}`)),
    atLeast: [byWords?.all, byWords?.some].some((list) => list?.atLeast || list?.nextCursor !== undefined),
    ...(served.from === undefined && { facets: await search.facetsOf(all.map(({ docId }) => docId)) }),
    ...(next < all.length && { nextCursor: writeCursor({ by: 'place', at, from: next }) }),
  };
}

/** What has all of the words, and where that is not enough, what has some of the telling ones. */
async function findByWords(
  deps: LibraryDeps,
  asked: Understood,
  enough: number,
): Promise<{ readonly all: SearchResult; readonly some: SearchResult | undefined }> {
  const how = { limit: fusedDepth, withPages: true };
  const all = await findText(deps, asked, how);
  const loose = all.hits.length < enough ? loosenQuery(asked.query) : undefined;
  return { all, some: loose && (await findText(deps, { ...asked, query: loose }, how)) };
}
