import { CompiledQuery } from 'kysely';
import { idsOfUser } from './doc-id.ts';
import { commonAbove, type FindRows, type FoundRow, newestRanked, titleWeight } from './find.ts';
import { fts5Query, quoted } from './fts5-query.ts';
import { noTerm } from './marks.ts';

// ?1 the words, ?2 and ?3 the ids of the user, ?4 how many, ?5 words and kinds, ?6 the kinds as JSON,
// ?7 and ?8 the score and the id of the last hit before.
//
// One statement, since each is a turn of the reader thread. MATCH takes the words or, in the branch that is not the
// one to take, a term that is nowhere: a condition beside it would not keep FTS5 from running the match.
const nowhere = `'${quoted(noTerm)}'`;
const matches = (words: string) => `search_terms MATCH ${words} AND rowid BETWEEN ?2 AND ?3`;
const score = `-bm25(search_terms, ${titleWeight}.0, 1.0, 0.0)`;
const counted = `counted AS MATERIALIZED (
  SELECT count(*) AS n FROM (SELECT 1 FROM search_terms WHERE ${matches('?1')} LIMIT ${commonAbove + 1})
)`;
const isCommon = `(SELECT n FROM counted) > ${commonAbove}`;
const isRare = `(SELECT n FROM counted) <= ${commonAbove}`;
const joined = (hits: string, order: string) => `
  SELECT d.*, hits.score, hits.found, hits.at_least
  FROM (${hits}) AS hits CROSS JOIN search_docs AS d ON d.id = hits.id
  ORDER BY ${order}`;

function byRank({ kinds, after }: { kinds: boolean; after: boolean }): string {
  const page = `${after ? 'WHERE score < ?7 OR (score = ?7 AND id < ?8)' : ''} ORDER BY score DESC, id DESC LIMIT ?4`;
  const rareRows = `SELECT rowid AS id, ${score} AS score FROM search_terms WHERE ${matches(`iif(${isRare}, ?1, ${nowhere})`)}`;
  // A mark in the match would make bm25 count its documents, which are many. Rare words have few: their rows are asked.
  const rare = kinds
    ? `SELECT rare.id, rare.score, count(*) OVER () AS found, 0 AS at_least
       FROM (${rareRows}) AS rare CROSS JOIN search_docs AS d ON d.id = rare.id
       WHERE d.kind IN (SELECT value FROM json_each(?6))`
    : `SELECT id, score, (SELECT n FROM counted) AS found, 0 AS at_least FROM (${rareRows})`;
  return `WITH ${counted},
    common AS MATERIALIZED (
      SELECT rowid AS id, ${score} AS score FROM search_terms
      WHERE ${matches(`iif(${isCommon}, ${kinds ? '?5' : '?1'}, ${nowhere})`)}
      ORDER BY rowid DESC LIMIT ${newestRanked + 1}
    )
    ${joined(
      `SELECT * FROM (SELECT * FROM (${rare}) ${page})
       UNION ALL
       SELECT * FROM (
         SELECT id, score, min(${newestRanked}, (SELECT count(*) FROM common)) AS found,
           (SELECT count(*) FROM common) > ${newestRanked} AS at_least
         FROM (SELECT * FROM common ORDER BY id DESC LIMIT ${newestRanked}) ${page}
       )`,
      'hits.score DESC, hits.id DESC',
    )}`;
}

function byTime({ kinds, after }: { kinds: boolean; after: boolean }): string {
  const words = kinds ? '?5' : '?1';
  const older = after ? 'AND rowid < ?8' : '';
  return `WITH counted AS MATERIALIZED (
      SELECT count(*) AS n FROM (SELECT 1 FROM search_terms WHERE ${matches(words)} LIMIT ${newestRanked + 1})
    )
    ${joined(
      `SELECT rowid AS id, 0.0 AS score, min(${newestRanked}, (SELECT n FROM counted)) AS found,
         (SELECT n FROM counted) > ${newestRanked} AS at_least
       FROM search_terms WHERE ${matches(words)} ${older} ORDER BY rowid DESC LIMIT ?4`,
      'hits.id DESC',
    )}`;
}

export const findInSqlite: FindRows = async (reader, { userId, query, kinds, order, limit, after }) => {
  const { from, to } = idsOfUser(userId);
  const shape = { kinds: kinds !== undefined, after: after !== undefined };
  const statement = order === 'rank' ? byRank(shape) : byTime(shape);
  const values = [
    fts5Query(query),
    from,
    to,
    limit,
    kinds ? fts5Query(query, kinds) : null,
    kinds ? JSON.stringify(kinds) : null,
    after?.score ?? null,
    after?.id ?? null,
  ];
  const { rows } = await reader.executeQuery<FoundRow>(
    CompiledQuery.raw(statement, usedOf(statement, values)),
  );
  return rows;
};

/** SQLite refuses more parameters than a statement names. */
function usedOf(statement: string, values: readonly unknown[]): unknown[] {
  const highest = values.findLastIndex((_, n) => statement.includes(`?${n + 1}`));
  return values.slice(0, highest + 1);
}
