// Deletes every row of an index, so that the tests of a suite can share one database.
import { sql } from 'kysely';
import type { Database, Writer } from '../../src/store/database.ts';
import { derivedTables, durableTables } from '../../src/store/durable.ts';

/** Deletes on other tables add rows to journal_dirty, so it is emptied last. */
const emptiedLast = 'journal_dirty';
const tables = [...durableTables.map(({ name }) => name as string), ...derivedTables]
  .filter((name) => name !== 'schema_migrations' && name !== emptiedLast)
  .concat(emptiedLast);

/** Leaves the index as a migration of an empty database does: without rows, and with ids that start at 1. */
export async function emptyIndex(database: Database): Promise<void> {
  delete database.timeOffsetMs;
  await database.write(database.engine === 'sqlite' ? emptySqlite : emptyPostgres);
}

async function emptySqlite(trx: Writer): Promise<void> {
  await sql`PRAGMA defer_foreign_keys = ON`.execute(trx);
  for (const table of tables) {
    const isFullText = table === 'search_terms';
    await sql
      .raw(isFullText ? `INSERT INTO ${table} (${table}) VALUES ('delete-all')` : deleteRows(table))
      .execute(trx);
  }
  await sql`DELETE FROM sqlite_sequence`.execute(trx);
}

async function emptyPostgres(trx: Writer): Promise<void> {
  // As a replica, PostgreSQL runs no triggers and checks no foreign keys.
  await sql
    .raw(`SET LOCAL session_replication_role = replica; ${tables.map(deleteRows).join('; ')}`)
    .execute(trx);
  await sql`
    SELECT setval(format('%I.%I', schemaname, sequencename)::regclass, start_value, false)
    FROM pg_sequences WHERE last_value IS NOT NULL`.execute(trx);
}

/** The list of the journal's triggers, in `meta`, is part of the schema. */
function deleteRows(table: string): string {
  return `DELETE FROM ${table}${table === 'meta' ? " WHERE key <> 'journal_triggers'" : ''}`;
}
