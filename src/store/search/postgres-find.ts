import { type RawBuilder, sql } from 'kysely';
import { idsOfUser } from './doc-id.ts';
import { type Find, type FindRows, type FoundRow, newestRanked, titleWeight } from './find.ts';
import { type PostgresQuery, postgresQuery } from './tsquery.ts';

/** For D, C, B and A, as ts_rank takes them: the text is D, the title A. */
const weights = sql.lit(`{${1 / titleWeight}, 0, 0, 1}`);
const dividedByLogOfLength = sql.lit(1);
const columns = sql`d.id, d.kind, d.ref_id, d.url_key, d.title, d.site, d.published_at`;

export const findInPostgres: FindRows = async (db, find) => {
  const query = postgresQuery(find.query, find.userId, find.kinds);
  const statement = find.order === 'rank' ? byRank(find, query) : byTime(find, query);
  return db.heavyRows(statement.compile(db.heavyRead));
};

/** Without kinds, each page is shown once. */
function copies({ kinds }: Find): RawBuilder<unknown> {
  if (kinds) return sql`copies AS (SELECT 0 AS id WHERE false)`;
  return sql`copies AS MATERIALIZED (
      SELECT id FROM (
        SELECT n.id, row_number() OVER (PARTITION BY t.page ORDER BY t.place) AS turn
        FROM newest AS n JOIN search_twins AS t ON t.doc_id = n.id
      ) AS twins WHERE turn > 1
    )`;
}

const counts = sql`(SELECT count(*) FROM newest) AS matches, (SELECT count(*) FROM copies) AS copies`;
const isShown = sql`id NOT IN (SELECT id FROM copies)`;

function byRank(find: Find, query: PostgresQuery): RawBuilder<FoundRow> {
  const { limit, after } = find;
  const page = after ? sql`AND (score, id) < (${after.score}::real, ${after.id}::bigint)` : sql``;
  return sql`
    WITH newest AS MATERIALIZED (
      SELECT t.doc_id AS id, t.terms FROM search_terms AS t WHERE ${matches(find, query)}
      ORDER BY t.doc_id DESC LIMIT ${sql.lit(newestRanked)}
    ), scored AS (
      SELECT id, ts_rank(${weights}::real[], terms, ${query.ranked}::tsquery, ${dividedByLogOfLength}) AS score
      FROM newest
    ), ${copies(find)}
    SELECT ${columns}, hits.score, ${counts}
    FROM (SELECT id, score FROM scored WHERE ${isShown} ${page} ORDER BY score DESC, id DESC LIMIT ${limit}) AS hits
    JOIN search_docs AS d ON d.id = hits.id
    ORDER BY hits.score DESC, hits.id DESC`;
}

function byTime(find: Find, query: PostgresQuery): RawBuilder<FoundRow> {
  const { limit, after } = find;
  const where = matches(find, query);
  const older = after ? sql`AND t.doc_id < ${after.id}` : sql``;
  return sql`
    WITH newest AS MATERIALIZED (
      SELECT t.doc_id AS id FROM search_terms AS t WHERE ${where} ORDER BY t.doc_id DESC LIMIT ${sql.lit(newestRanked)}
    ), ${copies(find)}
    SELECT ${columns}, 0::real AS score, ${counts}
    FROM (SELECT t.doc_id AS id FROM search_terms AS t
      WHERE ${where} ${older} AND t.doc_id NOT IN (SELECT id FROM copies)
      ORDER BY t.doc_id DESC LIMIT ${limit}) AS hits
    JOIN search_docs AS d ON d.id = hits.id
    ORDER BY hits.id DESC`;
}

function matches({ userId }: Find, { words, phrases, noPhrases }: PostgresQuery): RawBuilder<unknown> {
  const { from, to } = idsOfUser(userId);
  // A long document has its later phrases in further parts.
  const anywhere = (phrase: string) => sql`(t.terms @@ ${phrase}::tsquery OR EXISTS (
    SELECT 1 FROM search_terms AS p WHERE p.doc_id = t.doc_id AND p.part > 0 AND p.terms @@ ${phrase}::tsquery))`;
  return sql.join(
    [
      sql`t.part = 0 AND t.doc_id BETWEEN ${from} AND ${to} AND t.terms @@ ${words}::tsquery`,
      ...phrases.map(anywhere),
      ...noPhrases.map((phrase) => sql`NOT ${anywhere(phrase)}`),
    ],
    sql` AND `,
  );
}
