import { type RawBuilder, sql } from 'kysely';
import type { Reader } from '../database.ts';
import { idsOfUser } from './doc-id.ts';
import { commonAbove, type Find, type FindRows, type FoundRow, newestRanked, titleWeight } from './find.ts';
import { type PostgresQuery, postgresQuery } from './tsquery.ts';

/** For D, C, B and A, as ts_rank takes them: the text is D, the title A. */
const weights = sql.lit(`{${1 / titleWeight}, 0, 0, 1}`);
const dividedByLogOfLength = 1;

export const findInPostgres: FindRows = async (reader, find) => {
  const query = postgresQuery(find.query, find.userId, find.kinds);
  const where = condition(find, query);
  const capped = find.order === 'rank' ? commonAbove : newestRanked;
  const { n } = await countUpTo(reader, where, capped + 1);
  const isCommon = n > capped;
  const found = isCommon && find.order === 'rank' ? newestRanked : Math.min(n, capped);
  const hits = find.order === 'rank' ? ranked(find, query, where, isCommon) : newest(find, where);
  const { rows } = await sql<FoundRow>`
    SELECT d.*, hits.score, ${found}::integer AS found, ${isCommon ? 1 : 0}::integer AS at_least
    FROM (${hits}) AS hits JOIN search_docs AS d ON d.id = hits.id AND d.user_id = ${find.userId}
    ORDER BY hits.score DESC, hits.id DESC`.execute(reader);
  return rows;
};

function condition({ userId }: Find, { words, phrases, noPhrases }: PostgresQuery): RawBuilder<unknown> {
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

async function countUpTo(reader: Reader, where: RawBuilder<unknown>, cap: number): Promise<{ n: number }> {
  const { rows } = await sql<{ n: number }>`
    SELECT count(*) AS n FROM (SELECT 1 FROM search_terms AS t WHERE ${where} LIMIT ${cap}) AS matching`.execute(
    reader,
  );
  return rows[0] ?? { n: 0 };
}

function ranked(
  { limit, after }: Find,
  { ranked }: PostgresQuery,
  where: RawBuilder<unknown>,
  isCommon: boolean,
): RawBuilder<unknown> {
  const newestOnly = isCommon ? sql`ORDER BY t.doc_id DESC LIMIT ${newestRanked}` : sql``;
  const page = after ? sql`WHERE (score, id) < (${after.score}::real, ${after.id}::bigint)` : sql``;
  return sql`
    SELECT id, score FROM (
      SELECT id, ts_rank(${weights}::real[], terms, ${ranked}::tsquery, ${dividedByLogOfLength}) AS score
      FROM (SELECT t.doc_id AS id, t.terms FROM search_terms AS t WHERE ${where} ${newestOnly}) AS matching
    ) AS scored ${page} ORDER BY score DESC, id DESC LIMIT ${limit}`;
}

function newest({ limit, after }: Find, where: RawBuilder<unknown>): RawBuilder<unknown> {
  const older = after ? sql`AND t.doc_id < ${after.id}` : sql``;
  return sql`
    SELECT t.doc_id AS id, 0::real AS score FROM search_terms AS t
    WHERE ${where} ${older} ORDER BY t.doc_id DESC LIMIT ${limit}`;
}
