import { type RawBuilder, sql } from 'kysely';
import { idsOfUser } from './doc-id.ts';
import {
  ageSql,
  type FacetRow,
  type Find,
  type FindRows,
  type FoundRow,
  facetsSql,
  idAt,
  idsOfScope,
  newestRanked,
  titleWeight,
} from './find.ts';
import { freshnessSql } from './freshness.ts';
import { hasOneOfEach } from './state-flags.ts';
import { postgresQuery } from './tsquery.ts';

/** For D, C, B and A, as ts_rank takes them: the text is D, the title A. */
const weights = sql.lit(`{${1 / titleWeight}, 0, 0, 1}`);
const dividedByLogOfLength = sql.lit(1);
const columns = sql`d.id, d.kind, d.ref_id, d.url_key, d.title`;
const twin = sql`coalesce(t.page, d.id) AS page, coalesce(t.place, 0) AS place`;
const counts = sql`(SELECT count(*) FROM newest) AS matches, (SELECT count(*) FROM copies) AS copies`;
const isShown = sql`id NOT IN (SELECT id FROM copies)`;

type Matched = Pick<Find, 'userId' | 'query' | 'scope'>;

export const findInPostgres: FindRows = {
  async rows(db, find) {
    const statement = find.order === 'rank' ? byRank(find) : byTime(find);
    return db.heavyRows(statement.compile(db.heavyRead));
  },

  async facets(db, find) {
    const statement = sql<FacetRow>`
      WITH newest AS MATERIALIZED (
        SELECT t.doc_id AS id FROM search_terms AS t WHERE ${matches(find)}
        ORDER BY t.doc_id DESC LIMIT ${sql.lit(newestRanked)}
      ), ${copies(find)} ${sql.raw(facetsSql('postgres', find.userId))}`;
    return db.heavyRows(statement.compile(db.heavyRead));
  },

  async facetsOf(db, userId, docIds) {
    const { from, to } = idsOfUser(userId);
    const statement = sql<FacetRow>`
      WITH newest AS MATERIALIZED (
        SELECT value::bigint AS id FROM json_array_elements_text(${JSON.stringify(docIds)}::json)
        WHERE value::bigint BETWEEN ${from} AND ${to}
      ), copies AS (SELECT 0 AS id WHERE false) ${sql.raw(facetsSql('postgres', userId))}`;
    return db.heavyRows(statement.compile(db.heavyRead));
  },

  async allowed(db, { userId, query, scope }, docs) {
    const named = JSON.stringify(docs.map(({ kind, refId }) => [kind, refId]));
    // The terms first, as in every search: see swap() in generation.ts.
    const statement = sql<FoundRow>`
      WITH allowed AS (
        SELECT t.doc_id AS id FROM search_terms AS t WHERE t.doc_id IN (
          SELECT s.id FROM json_array_elements(${named}::json) AS n JOIN search_docs AS s
            ON s.kind = n ->> 0 AND s.ref_id = (n ->> 1)::bigint AND s.user_id = ${userId}
        ) AND ${matches({ userId, query, scope })})
      SELECT ${columns}, ${twin}, 0::float8 AS score, 0 AS matches, 0 AS copies
      FROM allowed JOIN search_docs AS d ON d.id = allowed.id LEFT JOIN search_twins AS t ON t.doc_id = d.id`;
    return db.heavyRows(statement.compile(db.heavyRead));
  },
};

/** Without kinds, each page is shown once. */
function copies({ scope }: Pick<Find, 'scope'>): RawBuilder<unknown> {
  if (scope.namesKinds) return sql`copies AS (SELECT 0 AS id WHERE false)`;
  return sql`copies AS MATERIALIZED (
      SELECT id FROM (
        SELECT n.id, row_number() OVER (PARTITION BY t.page ORDER BY t.place) AS turn
        FROM newest AS n JOIN search_twins AS t ON t.doc_id = n.id
      ) AS twins WHERE turn > 1
    )`;
}

function byRank(find: Find): RawBuilder<FoundRow> {
  const { limit, after, userId, at = 0, query } = find;
  const page = after ? sql`AND (score, id) < (${after.score}::float8, ${after.id}::bigint)` : sql``;
  const fresh = sql.raw(
    freshnessSql(ageSql('id', String(idAt(userId, at)), 'greatest'), (number) => `${number}::float8`),
  );
  const { ranked } = postgresQuery(query, find.scope, userId);
  return sql`
    WITH newest AS MATERIALIZED (
      SELECT t.doc_id AS id, t.terms FROM search_terms AS t WHERE ${matches(find)}
      ORDER BY t.doc_id DESC LIMIT ${sql.lit(newestRanked)}
    ), scored AS (
      SELECT id, ts_rank(${weights}::real[], terms, ${ranked}::tsquery, ${dividedByLogOfLength})::float8 * ${fresh} AS score
      FROM newest
    ), ${copies(find)}
    SELECT ${columns}, ${twin}, hits.score, ${counts}
    FROM (SELECT id, score FROM scored WHERE ${isShown} ${page} ORDER BY score DESC, id DESC LIMIT ${limit}) AS hits
    JOIN search_docs AS d ON d.id = hits.id LEFT JOIN search_twins AS t ON t.doc_id = d.id
    ORDER BY hits.score DESC, hits.id DESC`;
}

function byTime(find: Find): RawBuilder<FoundRow> {
  const { limit, after } = find;
  const where = matches(find);
  const older = after ? sql`AND t.doc_id < ${after.id}` : sql``;
  return sql`
    WITH newest AS MATERIALIZED (
      SELECT t.doc_id AS id FROM search_terms AS t WHERE ${where} ORDER BY t.doc_id DESC LIMIT ${sql.lit(newestRanked)}
    ), ${copies(find)}
    SELECT ${columns}, ${twin}, 0::float8 AS score, ${counts}
    FROM (SELECT t.doc_id AS id FROM search_terms AS t
      WHERE ${where} ${older} AND t.doc_id NOT IN (SELECT id FROM copies)
      ORDER BY t.doc_id DESC LIMIT ${limit}) AS hits
    JOIN search_docs AS d ON d.id = hits.id LEFT JOIN search_twins AS t ON t.doc_id = d.id
    ORDER BY hits.id DESC`;
}

function matches({ userId, query, scope }: Matched): RawBuilder<unknown> {
  const { words, phrases, noPhrases } = postgresQuery(query, scope, userId);
  const { from, to } = idsOfScope(userId, scope);
  // A long document has its later phrases in further parts.
  const anywhere = (phrase: string) => sql`(t.terms @@ ${phrase}::tsquery OR EXISTS (
    SELECT 1 FROM search_terms AS p WHERE p.doc_id = t.doc_id AND p.part > 0 AND p.terms @@ ${phrase}::tsquery))`;
  return sql.join(
    [
      sql`t.part = 0 AND t.doc_id BETWEEN ${from} AND ${to}`,
      ...(words === '' ? [] : [sql`t.terms @@ ${words}::tsquery`]),
      ...phrases.map(anywhere),
      ...noPhrases.map((phrase) => sql`NOT ${anywhere(phrase)}`),
      ...besideTerms({ userId, scope }),
    ],
    sql` AND `,
  );
}

/** What the index of terms does not know: the exact time, and what is unread. */
function besideTerms({ userId, scope }: Pick<Find, 'userId' | 'scope'>): RawBuilder<unknown>[] {
  const { from, before, unread } = scope;
  const ofDoc: RawBuilder<unknown>[] = [];
  if (from !== undefined) ofDoc.push(sql`b.published_at >= ${from}`);
  if (before !== undefined) ofDoc.push(sql`b.published_at < ${before}`);
  if (unread) {
    const isUnread = sql`(b.kind = 'entry' AND EXISTS (SELECT 1 FROM unread_entries AS u
      WHERE u.user_id = ${userId} AND u.pub_date = b.published_at AND u.entry_id = b.ref_id))`;
    ofDoc.push(
      unread.wanted
        ? sql`((${sql.raw(hasOneOfEach('b', unread.orStates))}) OR ${isUnread})`
        : sql`NOT ${isUnread}`,
    );
  }
  if (ofDoc.length === 0) return [];
  return [
    sql`EXISTS (SELECT 1 FROM search_docs AS b WHERE b.id = t.doc_id AND ${sql.join(ofDoc, sql` AND `)})`,
  ];
}
