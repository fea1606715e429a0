import { CompiledQuery } from 'kysely';
import { idsOfUser } from './doc-id.ts';
import {
  ageSql,
  type DocName,
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
import { fts5Query } from './fts5-query.ts';
import { userMark } from './marks.ts';
import { hasOneOfEach } from './state-flags.ts';

// Written out, and not by the builder, whose own steps would take as long as a short search. One statement, since each is a
// turn of the reader thread; rows are joined to the few hits that are shown.
const columns = 'd.id, d.kind, d.ref_id, d.url_key, d.title';
const twin = 'coalesce(t.page, d.id) AS page, coalesce(t.place, 0) AS place';
const noTwin = 'd.id AS page, 0 AS place';
const joinTwin = 'LEFT JOIN search_twins AS t ON t.doc_id = d.id';

class Values {
  readonly all: unknown[] = [];
  add(value: unknown): string {
    this.all.push(value);
    return `?${this.all.length}`;
  }
  /** As a whole number: FTS5 does not look at the bounds of a range that come as floating point, as numbers otherwise do. */
  addId(id: number): string {
    return this.add(BigInt(id));
  }
}

/** Lets every document of the user through: then the terms, which FTS5 looks up one document at a time, need not be asked. */
function isOpen({ all, none }: Find['query'], scope: Find['scope']): boolean {
  const { from, before, unread } = scope;
  const isScoped = from !== undefined || before !== undefined || unread !== undefined;
  return !isScoped && [all, none, scope.all, scope.none].every((some) => some.length === 0);
}

/** The condition on a row of search_terms. */
function matches({ userId, query, scope }: Pick<Find, 'userId' | 'query' | 'scope'>, values: Values): string {
  const { from, to } = idsOfScope(userId, scope);
  return [
    `search_terms MATCH ${values.add(fts5Query(query, scope, userMark(userId)))}`,
    `rowid BETWEEN ${values.addId(from)} AND ${values.addId(to)}`,
    ...besideTerms({ userId, scope }, values),
  ].join(' AND ');
}

/** What the index of terms does not know: the exact time, and what is unread. */
function besideTerms({ userId, scope }: Pick<Find, 'userId' | 'scope'>, values: Values): string[] {
  const { from, before, unread } = scope;
  const ofDoc: string[] = [];
  if (from !== undefined) ofDoc.push(`d.published_at >= ${values.add(from)}`);
  if (before !== undefined) ofDoc.push(`d.published_at < ${values.add(before)}`);
  if (unread) {
    const isUnread = `(d.kind = 'entry' AND EXISTS (SELECT 1 FROM unread_entries AS u
      WHERE u.user_id = ${values.add(userId)} AND u.pub_date = d.published_at AND u.entry_id = d.ref_id))`;
    ofDoc.push(
      unread.wanted ? `((${hasOneOfEach('d', unread.orStates)}) OR ${isUnread})` : `NOT ${isUnread}`,
    );
  }
  if (ofDoc.length === 0) return [];
  return [
    `EXISTS (SELECT 1 FROM search_docs AS d WHERE d.id = search_terms.rowid AND ${ofDoc.join(' AND ')})`,
  ];
}

function copies({ scope }: Pick<Find, 'scope'>): string {
  if (scope.namesKinds) return ', copies AS (SELECT 0 AS id WHERE false)';
  return `, copies AS MATERIALIZED (
    SELECT id FROM (
      SELECT n.id, row_number() OVER (PARTITION BY t.page ORDER BY t.place) AS turn
      FROM newest AS n CROSS JOIN search_twins AS t ON t.doc_id = n.id
    ) WHERE turn > 1
  )`;
}

const counts = ({ scope }: Find) =>
  `(SELECT count(*) FROM newest) AS matches, ${scope.namesKinds ? '0' : '(SELECT count(*) FROM copies)'} AS copies`;

function where(...conditions: readonly (string | false)[]): string {
  const wanted = conditions.filter((condition) => condition !== false);
  return wanted.length === 0 ? '' : `WHERE ${wanted.join(' AND ')}`;
}

function byRank(find: Find, values: Values): string {
  const { userId, at = 0, after, limit, scope, withPages } = find;
  // What changes from search to search is a parameter, so that the statement is made once.
  const age = ageSql('rowid', values.addId(idAt(userId, at)), 'max');
  const newest = `
    SELECT rowid AS id, -bm25(search_terms, ${titleWeight}.0, 1.0, 0.0) * ${freshnessSql(age, String)} AS score
    FROM search_terms WHERE ${matches(find, values)} ORDER BY rowid DESC LIMIT ${newestRanked}`;
  const score = after && values.add(after.score);
  return `
  WITH newest AS MATERIALIZED (${newest})${scope.namesKinds ? '' : copies(find)}
  SELECT ${columns}, ${withPages ? twin : noTwin}, hits.score, ${counts(find)}
  FROM (
    SELECT id, score FROM newest
    ${where(!scope.namesKinds && 'id NOT IN copies', after !== undefined && `(score < ${score} OR (score = ${score} AND id < ${values.add(after.id)}))`)}
    ORDER BY score DESC, id DESC LIMIT ${values.add(limit)}
  ) AS hits CROSS JOIN search_docs AS d ON d.id = hits.id ${withPages ? joinTwin : ''}
  ORDER BY hits.score DESC, hits.id DESC`;
}

function byTime(find: Find, values: Values): string {
  const { after, limit, scope, withPages } = find;
  const match = matches(find, values);
  return `
  WITH newest AS MATERIALIZED (
    SELECT rowid AS id FROM search_terms WHERE ${match} ORDER BY rowid DESC LIMIT ${newestRanked}
  )${scope.namesKinds ? '' : copies(find)}
  SELECT ${columns}, ${withPages ? twin : noTwin}, 0.0 AS score, ${counts(find)}
  FROM (
    SELECT rowid AS id FROM search_terms
    ${where(match, !scope.namesKinds && 'rowid NOT IN copies', after !== undefined && `rowid < ${values.add(after.id)}`)}
    ORDER BY rowid DESC LIMIT ${values.add(limit)}
  ) AS hits CROSS JOIN search_docs AS d ON d.id = hits.id ${withPages ? joinTwin : ''}
  ORDER BY hits.id DESC`;
}

const orders = { rank: byRank, newest: byTime };

export const findInSqlite: FindRows = {
  async rows(db, find) {
    const values = new Values();
    return db.heavyRows<FoundRow>(CompiledQuery.raw(orders[find.order](find, values), values.all));
  },

  async facets(db, find) {
    const values = new Values();
    const statement = `
      WITH newest AS MATERIALIZED (
        SELECT rowid AS id FROM search_terms WHERE ${matches(find, values)} ORDER BY rowid DESC LIMIT ${newestRanked}
      )${copies(find)}${facetsSql('sqlite', find.userId)}`;
    return db.heavyRows<FacetRow>(CompiledQuery.raw(statement, values.all));
  },

  async facetsOf(db, userId, docIds) {
    const { from, to } = idsOfUser(userId);
    const statement = `
      WITH newest AS MATERIALIZED (SELECT value AS id FROM json_each(?1) WHERE value BETWEEN ?2 AND ?3),
        copies AS (SELECT 0 AS id WHERE false)${facetsSql('sqlite', userId)}`;
    return db.heavyRows<FacetRow>(CompiledQuery.raw(statement, [JSON.stringify(docIds), from, to]));
  },

  async allowed(db, { userId, query, scope }, docs) {
    const values = new Values();
    const named = values.add(JSON.stringify(docs.map(({ kind, refId }: DocName) => [kind, refId])));
    const theirs = `FROM json_each(${named}) AS n CROSS JOIN search_docs AS s
            ON s.kind = n.value ->> 0 AND s.ref_id = n.value ->> 1 AND s.user_id = ${values.add(userId)}`;
    const statement = `
      SELECT ${columns}, ${twin}, 0.0 AS score, 0 AS matches, 0 AS copies
      FROM search_docs AS d LEFT JOIN search_twins AS t ON t.doc_id = d.id
      WHERE d.id IN (${
        isOpen(query, scope)
          ? `SELECT s.id ${theirs}`
          : `SELECT rowid FROM search_terms
             WHERE rowid IN (SELECT s.id ${theirs}) AND ${matches({ userId, query, scope }, values)}`
      })`;
    return db.heavyRows<FoundRow>(CompiledQuery.raw(statement, values.all));
  },
};
