// What a user finds. The ids of a user's documents are one range, and every statement names it.
import type { SearchOptions, SearchPage, SearchQuery } from '../../model/search.ts';
import { type FoundRow, newestRanked } from '../search/find.ts';
import { findInPostgres } from '../search/postgres-find.ts';
import { findInSqlite } from '../search/sqlite-find.ts';
import type { Owned } from './owned-rows.ts';

export type SearchStore = ReturnType<typeof searchStore>;

export function searchStore({ db, userId }: Owned) {
  const findRows = db.engine === 'sqlite' ? findInSqlite : findInPostgres;

  return {
    async find(query: SearchQuery, options: SearchOptions): Promise<SearchPage> {
      // One more than is shown says whether there is another page.
      const rows = await findRows(db, { ...options, limit: options.limit + 1, userId, query });
      const shown = rows.slice(0, options.limit);
      const last = shown.at(-1);
      return {
        hits: shown.map(toHit),
        found: rows[0] ? rows[0].matches - rows[0].copies : 0,
        atLeast: rows[0]?.matches === newestRanked,
        ...(last && rows.length > shown.length && { next: { id: last.id, score: last.score } }),
      };
    },
  };
}

function toHit(row: FoundRow) {
  return {
    kind: row.kind,
    refId: row.ref_id,
    title: row.title,
    site: row.site,
    urlKey: row.url_key,
    publishedAt: row.published_at,
    score: row.score,
  };
}
