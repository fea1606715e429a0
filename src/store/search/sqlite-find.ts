import { CompiledQuery } from 'kysely';
import { idsOfUser } from './doc-id.ts';
import { type FindRows, type FoundRow, newestRanked, titleWeight } from './find.ts';
import { fts5Query } from './fts5-query.ts';

// ?1 the words and kinds, ?2 and ?3 the ids of the user, ?4 how many, ?5 and ?6 the id and the score of the last hit
// before. One statement, since each is a turn of the reader thread; rows are joined to the few hits that are shown.
const matches = 'search_terms MATCH ?1 AND rowid BETWEEN ?2 AND ?3';
const columns = 'd.id, d.kind, d.ref_id, d.url_key, d.title, d.site, d.published_at';

const byRank = (after: boolean) => `
  WITH newest AS MATERIALIZED (
    SELECT rowid AS id, -bm25(search_terms, ${titleWeight}.0, 1.0, 0.0) AS score
    FROM search_terms WHERE ${matches} ORDER BY rowid DESC LIMIT ${newestRanked}
  )
  SELECT ${columns}, hits.score, (SELECT count(*) FROM newest) AS found
  FROM (
    SELECT id, score FROM newest ${after ? 'WHERE score < ?6 OR (score = ?6 AND id < ?5)' : ''}
    ORDER BY score DESC, id DESC LIMIT ?4
  ) AS hits CROSS JOIN search_docs AS d ON d.id = hits.id
  ORDER BY hits.score DESC, hits.id DESC`;

const byTime = (after: boolean) => `
  SELECT ${columns}, 0.0 AS score,
    (SELECT count(*) FROM (SELECT 1 FROM search_terms WHERE ${matches} LIMIT ${newestRanked})) AS found
  FROM (
    SELECT rowid AS id FROM search_terms WHERE ${matches} ${after ? 'AND rowid < ?5' : ''}
    ORDER BY rowid DESC LIMIT ?4
  ) AS hits CROSS JOIN search_docs AS d ON d.id = hits.id
  ORDER BY hits.id DESC`;

const statements = {
  rank: { first: byRank(false), next: byRank(true) },
  newest: { first: byTime(false), next: byTime(true) },
};

export const findInSqlite: FindRows = async (reader, { userId, query, kinds, order, limit, after }) => {
  const { from, to } = idsOfUser(userId);
  const values: unknown[] = [fts5Query(query, kinds), from, to, limit];
  if (after) values.push(after.id);
  if (after && order === 'rank') values.push(after.score);
  const statement = statements[order][after ? 'next' : 'first'];
  return (await reader.executeQuery<FoundRow>(CompiledQuery.raw(statement, values))).rows;
};
