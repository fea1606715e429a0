import { CompiledQuery } from 'kysely';
import { idsOfUser } from './doc-id.ts';
import { type FindRows, type FoundRow, newestRanked, titleWeight } from './find.ts';
import { fts5Query } from './fts5-query.ts';

// ?1 the words and kinds, ?2 and ?3 the ids of the user, ?4 how many, ?5 and ?6 the id and the score of the last hit
// before. One statement, since each is a turn of the reader thread; rows are joined to the few hits that are shown.
const matches = 'search_terms MATCH ?1 AND rowid BETWEEN ?2 AND ?3';
const columns = 'd.id, d.kind, d.ref_id, d.url_key, d.title, d.site, d.published_at';

interface Shape {
  readonly after: boolean;
  /** Whether each page is shown once. */
  readonly once: boolean;
}

const copies = `, copies AS MATERIALIZED (
    SELECT id FROM (
      SELECT n.id, row_number() OVER (PARTITION BY t.page ORDER BY t.place) AS turn
      FROM newest AS n CROSS JOIN search_twins AS t ON t.doc_id = n.id
    ) WHERE turn > 1
  )`;
const counts = (once: boolean) =>
  `(SELECT count(*) FROM newest) AS matches, ${once ? '(SELECT count(*) FROM copies)' : '0'} AS copies`;

function where(...conditions: readonly (string | false)[]): string {
  const wanted = conditions.filter((condition) => condition !== false);
  return wanted.length === 0 ? '' : `WHERE ${wanted.join(' AND ')}`;
}

const byRank = ({ after, once }: Shape) => `
  WITH newest AS MATERIALIZED (
    SELECT rowid AS id, -bm25(search_terms, ${titleWeight}.0, 1.0, 0.0) AS score
    FROM search_terms WHERE ${matches} ORDER BY rowid DESC LIMIT ${newestRanked}
  )${once ? copies : ''}
  SELECT ${columns}, hits.score, ${counts(once)}
  FROM (
    SELECT id, score FROM newest
    ${where(once && 'id NOT IN copies', after && '(score < ?6 OR (score = ?6 AND id < ?5))')}
    ORDER BY score DESC, id DESC LIMIT ?4
  ) AS hits CROSS JOIN search_docs AS d ON d.id = hits.id
  ORDER BY hits.score DESC, hits.id DESC`;

const byTime = ({ after, once }: Shape) => `
  WITH newest AS MATERIALIZED (
    SELECT rowid AS id FROM search_terms WHERE ${matches} ORDER BY rowid DESC LIMIT ${newestRanked}
  )${once ? copies : ''}
  SELECT ${columns}, 0.0 AS score, ${counts(once)}
  FROM (
    SELECT rowid AS id FROM search_terms
    ${where(matches, once && 'rowid NOT IN copies', after && 'rowid < ?5')}
    ORDER BY rowid DESC LIMIT ?4
  ) AS hits CROSS JOIN search_docs AS d ON d.id = hits.id
  ORDER BY hits.id DESC`;

const orders = { rank: byRank, newest: byTime };

export const findInSqlite: FindRows = async (db, { userId, query, kinds, order, limit, after }) => {
  const { from, to } = idsOfUser(userId);
  const values: unknown[] = [fts5Query(query, kinds), from, to, limit];
  if (after) values.push(after.id);
  if (after && order === 'rank') values.push(after.score);
  const statement = orders[order]({ after: after !== undefined, once: kinds === undefined });
  return db.heavyRows<FoundRow>(CompiledQuery.raw(statement, values));
};
