// Brings a PostgreSQL database to the present schema: one transaction for each migration, all under one
// advisory lock, so that two processes that start at once apply each of them once.
import pg from 'pg';
import type { Clock } from '../../../model/glossary.ts';
import {
  appliedVersion,
  applyMigration,
  finishMigrating,
  type MigrateOptions,
  pendingMigrations,
  readMigrations,
  refuseHalfBuilt,
} from '../../migrations.ts';
import type { Session } from '../../session.ts';
import { withSettings } from './connection-url.ts';
import { leave } from './leave.ts';
import { tcpKeepAlive } from './listen.ts';
import { getTypeParser } from './types.ts';

/** Any number that no other program on the same database uses: the letters LECT. */
const lockKey = 0x4c454354;

export async function migratePostgres(url: string, now: Clock, options: MigrateOptions = {}): Promise<void> {
  const { migrations = readMigrations('postgres'), through = (direct) => direct } = options;
  const { session: direct, close } = await postgresSession(url);
  const session = through(direct);
  try {
    // Held until the session ends.
    await session.rows('SELECT pg_advisory_lock($1)', [lockKey]);
    await refuseHalfBuilt(session, options);
    for (const migration of pendingMigrations(migrations, await appliedVersion(session))) {
      await inTransaction(session, () => applyMigration(session, migration, now()));
    }
    await inTransaction(session, () => finishMigrating(session, options));
  } finally {
    await close();
  }
}

export async function postgresSession(
  url: string,
): Promise<{ session: Session; close: () => Promise<void> }> {
  const client = new pg.Client({
    connectionString: withSettings(url),
    application_name: 'lectern',
    connectionTimeoutMillis: 10_000,
    types: { getTypeParser },
    ...tcpKeepAlive,
  });
  // A connection that breaks while idle reports it here as well as in the next query, which throws.
  client.on('error', () => {});
  await client.connect();
  const session: Session = {
    engine: 'postgres',
    run: async (sql) => {
      await client.query(sql);
    },
    rows: async (sql, parameters = []) => (await client.query(sql, [...parameters])).rows,
  };
  return { session, close: () => leave(client) };
}

export async function inTransaction<T>(session: Session, work: () => Promise<T>): Promise<T> {
  await session.run('BEGIN');
  try {
    const result = await work();
    await session.run('COMMIT');
    return result;
  } catch (error) {
    await session.run('ROLLBACK');
    throw error;
  }
}
