// What a user finds. The ids of a user's documents are one range, and every statement names it.
import type {
  Facet,
  SearchFacets,
  SearchHit,
  SearchOptions,
  SearchPage,
  SearchQuery,
  SearchScope,
} from '../../model/search.ts';
import { idsOfUser } from '../search/doc-id.ts';
import { type DocName, type FacetRow, type FoundRow, newestRanked } from '../search/find.ts';
import { findInPostgres } from '../search/postgres-find.ts';
import { findInSqlite } from '../search/sqlite-find.ts';
import type { Owned } from './owned-rows.ts';

export type SearchStore = ReturnType<typeof searchStore>;

export function searchStore({ db, userId, read, heavyRead }: Owned) {
  const find = db.engine === 'sqlite' ? findInSqlite : findInPostgres;

  return {
    async find(query: SearchQuery, options: SearchOptions): Promise<SearchPage> {
      // One more than is shown says whether there is another page.
      const scope = scopeOf(query, options.scope);
      const rows = await find.rows(db, { ...options, limit: options.limit + 1, userId, query, scope });
      const shown = rows.slice(0, options.limit);
      const last = shown.at(-1);
      return {
        hits: shown.map(toHit),
        found: rows[0] ? rows[0].matches - rows[0].copies : 0,
        atLeast: rows[0]?.matches === newestRanked,
        ...(last && rows.length > shown.length && { next: { id: last.id, score: last.score } }),
      };
    },

    /** Counted over the matches that are ranked. */
    async facets(query: SearchQuery, scope: SearchScope): Promise<SearchFacets> {
      return toFacets(await find.facets(db, { userId, query, scope: scopeOf(query, scope) }));
    },

    /** Counted over these documents. */
    async facetsOf(docIds: readonly number[]): Promise<SearchFacets> {
      return toFacets(await find.facetsOf(db, userId, docIds));
    },

    /** Of these documents, those that the query finds. In no order. */
    async allowed(
      query: SearchQuery,
      scope: SearchScope,
      docs: readonly DocName[],
    ): Promise<readonly SearchHit[]> {
      if (docs.length === 0) return [];
      return (await find.allowed(db, { userId, query, scope }, docs)).map(toHit);
    },

    /** How words are spelt in the user's own documents. */
    async newestTitles(limit: number): Promise<string[]> {
      const { from, to } = idsOfUser(userId);
      const rows = await heavyRead
        .select('search_docs')
        .select('title')
        .where('id', '>=', from)
        .where('id', '<=', to)
        .orderBy('id', 'desc')
        .limit(limit)
        .execute();
      return rows.map(({ title }) => title);
    },

    /** For filters by the name of a feed. */
    feeds: (): Promise<{ id: number; name: string }[]> =>
      read.select('feeds').select(['id', 'name']).where('deleted_at', 'is', null).execute(),
  };
}

const everything: SearchScope = { all: [], none: [], namesKinds: false };

/** A filter that nobody resolved would let everything through. */
function scopeOf({ filters }: SearchQuery, scope: SearchScope | undefined): SearchScope {
  if (!scope && filters.length > 0) throw new Error('the filters of a query were not resolved');
  return scope ?? everything;
}

function toFacets(rows: readonly FacetRow[]): SearchFacets {
  const of = (facet: FacetRow['facet']): Facet[] =>
    rows
      .filter((row) => row.facet === facet)
      .map(({ value, label, n }) => ({ value, ...(label !== null && { label }), count: Number(n) }));
  return {
    kind: of('kind'),
    site: of('site'),
    tag: of('tag'),
    feed: of('feed'),
    lang: of('lang'),
    year: of('year'),
  };
}

function toHit(row: FoundRow): SearchHit {
  return {
    docId: row.id,
    kind: row.kind,
    refId: row.ref_id,
    title: row.title,
    urlKey: row.url_key,
    score: row.score,
    page: row.page,
    place: row.place,
  };
}
