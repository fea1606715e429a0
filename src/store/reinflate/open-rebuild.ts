// Opens an index for a reinflate, on either engine.
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Clock } from '../../model/glossary.ts';
import { inTransaction, migratePostgres, postgresSession } from '../dialect/postgres/migrate.ts';
import { openSqlite, untilFree } from '../dialect/sqlite/connection.ts';
import { migrateSqlite } from '../dialect/sqlite/migrate.ts';
import { sqliteSession } from '../dialect/sqlite/session.ts';
import { type DurableTable, derivedTables, durableTables } from '../durable.ts';
import { type Migration, readMigrations } from '../migrations.ts';
import type { Target } from '../open.ts';
import { postgresFactWriter, sqliteFactWriter } from './fact-writer.ts';
import { Rebuild, type RebuildEngine, type RebuildRules } from './rebuild.ts';

export interface RebuildOptions extends RebuildRules {
  readonly migrations?: readonly Migration[];
}

export async function openRebuild(target: Target, options: RebuildOptions): Promise<Rebuild> {
  const { now, tables = durableTables, migrations = readMigrations(target.engine) } = options;
  const findTable = (name: string) => {
    const table = tables.find((candidate) => candidate.name === name);
    if (!table) throw new Error(`the library has facts about ${name}, which this Lectern does not know`);
    return table;
  };
  const upTo = (version: number) => ({
    migrations: migrations.filter((m) => m.version <= version),
    triggers: false,
  });
  const engine =
    target.engine === 'sqlite'
      ? await sqliteEngine(
          target.path,
          (version) => migrateSqlite(target.path, now, upTo(version)),
          migrations,
          findTable,
        )
      : await postgresEngine(
          target.url.reveal(),
          (version) => migratePostgres(target.url.reveal(), now, upTo(version)),
          migrations,
          findTable,
        );
  return new Rebuild(engine, options);
}

async function sqliteEngine(
  path: string,
  migrateTo: (version: number) => Promise<void>,
  migrations: readonly Migration[],
  findTable: (name: string) => DurableTable,
): Promise<RebuildEngine> {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const db = await openSqlite(path, 'write');
  // Nobody else is here, and what is lost in a crash is read again.
  db.exec('PRAGMA wal_autocheckpoint = 4000');
  const session = sqliteSession(db);
  return {
    session,
    migrations,
    migrateTo,
    writer: sqliteFactWriter(db, findTable),
    inTransaction: async (work) => {
      await untilFree(() => db.exec('BEGIN IMMEDIATE'));
      try {
        const result = await work();
        db.exec('COMMIT');
        return result;
      } finally {
        if (db.isTransaction) db.exec('ROLLBACK');
      }
    },
    close: async () => db.close(),
  };
}

async function postgresEngine(
  url: string,
  migrateTo: (version: number) => Promise<void>,
  migrations: readonly Migration[],
  findTable: (name: string) => DurableTable,
): Promise<RebuildEngine> {
  const { session, close } = await postgresSession(url);
  return {
    session,
    migrations,
    migrateTo,
    writer: postgresFactWriter(session, findTable),
    inTransaction: (work) => inTransaction(session, work),
    close,
  };
}

/** Makes room for a new index: a SQLite file is moved aside, the tables of a PostgreSQL database are dropped. */
export async function clearIndex(target: Target, now: Clock): Promise<string> {
  if (target.engine === 'sqlite') {
    const aside = `${target.path}.replaced-${now()}`;
    // The WAL goes with its file, or it would be taken for the WAL of the next one.
    for (const suffix of ['', '-wal', '-shm']) {
      if (existsSync(target.path + suffix)) renameSync(target.path + suffix, aside + suffix);
    }
    rmSync(`${target.path}-shm`, { force: true });
    return `the old index is kept as ${aside}`;
  }
  const { session, close } = await postgresSession(target.url.reveal());
  try {
    // Only what is ours: the database may have other tenants.
    for (const name of [...durableTables.map((table) => table.name), ...derivedTables].reverse()) {
      await session.run(`DROP TABLE IF EXISTS ${name} CASCADE`);
    }
  } finally {
    await close();
  }
  return 'the old tables are dropped';
}
