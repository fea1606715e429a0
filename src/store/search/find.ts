// The reading side of search, as each engine does it.
import type { Millis } from '../../model/glossary.ts';
import type { SearchOptions, SearchQuery, SearchScope } from '../../model/search.ts';
import type { Database } from '../database.ts';
import type { Row } from '../tables.ts';
import { idsOfUser, minuteOf } from './doc-id.ts';

/** Only so many matches are ranked, the newest: a word in most documents would else take as long as there are documents. */
export const newestRanked = 2_000;
/** A word of the title counts as much as this many of the text. */
export const titleWeight = 10;
/** Of each kind of facet that has no end. */
export const mostFacets = 10;

export interface Find extends Omit<SearchOptions, 'scope'> {
  readonly userId: number;
  readonly query: SearchQuery;
  readonly scope: SearchScope;
}

export type FoundRow = Pick<Row<'search_docs'>, 'id' | 'kind' | 'ref_id' | 'url_key' | 'title'> & {
  /** The higher the better. */
  readonly score: number;
  /** Documents of one page share it, and the one with the lowest place is the one to show. */
  readonly page: number;
  readonly place: number;
  /** How many matches there are, counted up to `newestRanked`. */
  readonly matches: number;
  /** How many of those are left out, since another that is the same page is among them. */
  readonly copies: number;
};

export interface FacetRow {
  readonly facet: 'kind' | 'site' | 'tag' | 'feed' | 'lang' | 'year';
  readonly value: string;
  readonly label: string | null;
  readonly n: number;
}

type Reading = Pick<Database, 'heavyRead' | 'heavyRows'>;

/** Rows of other users are neither read nor counted. */
export interface FindRows {
  /** At most `limit` rows, in order. */
  readonly rows: (db: Reading, find: Find) => Promise<readonly FoundRow[]>;
  /** What the matches that are ranked can be narrowed by. */
  readonly facets: (
    db: Reading,
    find: Pick<Find, 'userId' | 'query' | 'scope'>,
  ) => Promise<readonly FacetRow[]>;
  /** What these documents can be narrowed by. */
  readonly facetsOf: (db: Reading, userId: number, docIds: readonly number[]) => Promise<readonly FacetRow[]>;
  /** Which of these documents of the user the query finds. */
  readonly allowed: (
    db: Reading,
    find: Pick<Find, 'userId' | 'query' | 'scope'>,
    docs: readonly DocName[],
  ) => Promise<readonly FoundRow[]>;
}

export interface DocName {
  readonly kind: string;
  readonly refId: number;
}

/** Where a crowded minute has sent its documents, at the furthest: see idsToTry. */
const furthestMinutes = 4 ** 6;

/** The ids among which documents of a scope are. Those of a date may be a little later than that: their dates are looked at, too. */
export function idsOfScope(userId: number, { from, before }: SearchScope): { from: number; to: number } {
  const ids = idsOfUser(userId);
  const idOf = (minute: number) => ids.from + minute * idsPerMinute;
  return {
    from: from === undefined ? ids.from : Math.min(ids.to, idOf(minuteOf(from))),
    to: before === undefined ? ids.to : Math.min(ids.to, idOf(minuteOf(before) + furthestMinutes)),
  };
}

const idsPerMinute = 2 ** 10;

/** The age of a document in minutes, in SQL, from its id and that of the time. Both engines divide whole numbers into whole ones. */
export function ageSql(id: string, idNow: string, greatest: 'max' | 'greatest'): string {
  // Within a minute ids are counted on: they are no older for it.
  return `${greatest}(0, (${idNow} - ${id} + ${idsPerMinute - 1}) / ${idsPerMinute})`;
}

/** The id that a document of that time would have. */
export function idAt(userId: number, at: Millis): number {
  return idsOfUser(userId).from + minuteOf(at) * idsPerMinute;
}

/** The end of the statement that counts. `newest` and `copies` come before it. */
export function facetsSql(engine: Database['engine'], userId: number): string {
  const isSqlite = engine === 'sqlite';
  const clamped = isSqlite
    ? 'max(-62135596800000, min(253402300799999, d.published_at))'
    : 'greatest(-62135596800000, least(253402300799999, d.published_at))';
  const year = isSqlite
    ? `strftime('%Y', ${clamped} / 1000, 'unixepoch')`
    : `to_char(to_timestamp(${clamped} / 1000) AT TIME ZONE 'UTC', 'YYYY')`;
  const eachTag = isSqlite ? 'json_each(tags)' : 'LATERAL json_array_elements_text(tags::json)';
  const counted = (facet: FacetRow['facet'], column: string, from = 'shown') =>
    `SELECT * FROM (SELECT '${facet}' AS facet, ${column} AS value, NULL AS label, count(*) AS n FROM ${from}
      WHERE ${column} IS NOT NULL GROUP BY ${column} ORDER BY count(*) DESC, ${column} LIMIT ${mostFacets}) AS ${facet}s`;
  return `, shown AS MATERIALIZED (
      SELECT d.kind, d.site, d.feed_id, d.lang, d.tags, ${year} AS year
      FROM newest AS n CROSS JOIN search_docs AS d WHERE d.id = n.id AND n.id NOT IN (SELECT id FROM copies)
    )
    ${counted('kind', 'kind')}
    UNION ALL ${counted('site', 'site')}
    UNION ALL ${counted('lang', 'lang')}
    UNION ALL ${counted('year', 'year').replace(`LIMIT ${mostFacets}`, '')}
    UNION ALL SELECT * FROM (SELECT 'tag' AS facet, t.value, NULL AS label, count(*) AS n
      FROM shown CROSS JOIN ${eachTag} AS t${isSqlite ? '' : '(value)'} WHERE tags IS NOT NULL
      GROUP BY t.value ORDER BY count(*) DESC, t.value${isSqlite ? '' : ' COLLATE "C"'} LIMIT ${mostFacets}) AS tags
    UNION ALL SELECT * FROM (SELECT 'feed' AS facet, CAST(f.id AS text) AS value, f.name AS label, count(*) AS n
      FROM shown JOIN feeds AS f ON f.id = shown.feed_id AND f.user_id = ${userId} AND f.deleted_at IS NULL
      GROUP BY f.id, f.name ORDER BY count(*) DESC, f.id LIMIT ${mostFacets}) AS feeds`;
}
