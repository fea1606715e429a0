// The tables of the index of search. There is one set that answers; a rebuild fills a second one beside it, which takes its
// place in one short transaction.
import { sql } from 'kysely';
import type { Database, Writer } from '../database.ts';

export interface Generation {
  /** To Kysely they are all the one that it knows. */
  readonly docs: 'search_docs';
  readonly twins: 'search_twins';
  readonly terms: string;
  /** Under which its documents are pending. */
  readonly pendingKind: (kind: string) => string;
}

const tables = ['search_terms', 'search_docs', 'search_twins'] as const;

export const live: Generation = {
  docs: 'search_docs',
  twins: 'search_twins',
  terms: 'search_terms',
  pendingKind: (kind) => kind,
};

const nextPrefix = 'next:';

export const next: Generation = {
  docs: 'search_docs_next' as 'search_docs',
  twins: 'search_twins_next' as 'search_twins',
  terms: 'search_terms_next',
  pendingKind: (kind) => nextPrefix + kind,
};

const rebuildKey = 'search_rebuild';

/** Whether what changes must be noted for the next generation, too. */
export async function isRebuilding(trx: Writer): Promise<boolean> {
  const row = await trx.selectFrom('meta').select('value').where('key', '=', rebuildKey).executeTakeFirst();
  return row !== undefined;
}

/** Empty tables for the next generation; what a rebuild that was ended has left behind goes. */
export async function createNext(db: Database, trx: Writer, epoch: number): Promise<void> {
  await dropGeneration(trx, 'next');
  await dropGeneration(trx, 'old');
  const statements = db.engine === 'sqlite' ? await copiesInSqlite(trx, epoch) : copiesInPostgres;
  for (const statement of statements) await sql.raw(statement).execute(trx);
  await trx.deleteFrom('search_pending').where('kind', 'like', `${nextPrefix}%`).execute();
  await trx
    .insertInto('meta')
    .values({ key: rebuildKey, value: String(epoch) })
    .execute();
}

/** From now on the next generation answers. */
export async function swap(db: Database, trx: Writer): Promise<void> {
  // First the one that every search asks first: so neither can hold what the other waits for.
  if (db.engine === 'postgres') await sql`LOCK TABLE search_terms IN ACCESS EXCLUSIVE MODE`.execute(trx);
  for (const table of tables) {
    await sql`ALTER TABLE ${sql.table(table)} RENAME TO ${sql.table(`${table}_old`)}`.execute(trx);
    await sql`ALTER TABLE ${sql.table(`${table}_next`)} RENAME TO ${sql.table(table)}`.execute(trx);
  }
  await trx.deleteFrom('meta').where('key', '=', rebuildKey).execute();
}

export async function dropGeneration(trx: Writer, name: 'next' | 'old'): Promise<void> {
  for (const table of tables) await sql`DROP TABLE IF EXISTS ${sql.table(`${table}_${name}`)}`.execute(trx);
  if (name === 'next') await trx.deleteFrom('meta').where('key', '=', rebuildKey).execute();
}

export async function hasPendingNext(trx: Writer): Promise<boolean> {
  const rows = await trx
    .selectFrom('search_pending')
    .select('ref_id')
    .where('kind', 'like', `${nextPrefix}%`)
    .limit(1)
    .execute();
  return rows.length > 0;
}

const copiesInPostgres = [
  ...tables.map((table) => `CREATE TABLE ${table}_next (LIKE ${table} INCLUDING ALL)`),
  // These are not included.
  'ALTER TABLE search_docs_next ADD FOREIGN KEY (user_id) REFERENCES users (id)',
];

/** As the tables are now, whichever migrations have made them so. An index cannot be renamed, and gets a name of its own. */
async function copiesInSqlite(trx: Writer, epoch: number): Promise<string[]> {
  const { rows } = await sql<{ type: string; name: string; table: string; sql: string }>`
    SELECT type, name, tbl_name AS "table", sql FROM sqlite_master
    WHERE tbl_name IN (${sql.join(tables)}) AND sql IS NOT NULL ORDER BY type DESC, name`.execute(trx);
  const statements = rows.map(({ type, name, table, sql: text }) => {
    const isIndex = type === 'index';
    const made = isIndex ? `${name.replace(/__\d+$/, '')}__${epoch}` : `${table}_next`;
    const pattern = isIndex
      ? new RegExp(`^(CREATE (?:UNIQUE )?INDEX )"?${name}"?( ON )"?${table}"?`, 'i')
      : new RegExp(`^(CREATE (?:VIRTUAL )?TABLE )"?${table}"?`, 'i');
    if (!pattern.test(text)) throw new Error(`a copy of ${name} cannot be made: ${text}`);
    return text.replace(pattern, isIndex ? `$1${made}$2${table}_next` : `$1${made}`);
  });
  return [...statements, "INSERT INTO search_terms_next (search_terms_next, rank) VALUES ('automerge', 0)"];
}
