// Brings a PostgreSQL database to the present schema: one transaction for each migration, all under one
// advisory lock, so that two processes that start at once apply each of them once.
import pg from 'pg';
import { StartupError } from '../../../errors.ts';
import type { Clock } from '../../../model/glossary.ts';
import { type Migration, pendingMigrations, readMigrations } from '../../migrations.ts';

/** Any number that no other program on the same database uses: the letters LECT. */
const lockKey = 0x4c454354;

export async function migratePostgres(
  url: string,
  now: Clock,
  migrations: readonly Migration[] = readMigrations('postgres'),
): Promise<void> {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'lectern',
    connectionTimeoutMillis: 10_000,
  });
  // A connection that breaks while idle reports it here as well as in the next query, which throws.
  client.on('error', () => {});
  await client.connect();
  try {
    await client.query('SELECT pg_advisory_lock($1)', [lockKey]);
    for (const migration of pendingMigrations(migrations, await appliedVersion(client))) {
      await apply(client, migration, now());
    }
  } finally {
    // Ending the session releases the lock.
    await client.end();
  }
}

async function apply(client: pg.Client, { version, name, sql }: Migration, appliedAt: number): Promise<void> {
  await client.query('BEGIN');
  try {
    await client.query(sql);
    await client.query('INSERT INTO schema_migrations (version, name, applied_at) VALUES ($1, $2, $3)', [
      version,
      name,
      appliedAt,
    ]);
    await client.query('COMMIT');
  } catch (cause) {
    await client.query('ROLLBACK');
    throw new StartupError(
      `Migration ${version} (${name}) failed and was undone; nothing was lost: ${(cause as Error).message}`,
      { cause },
    );
  }
}

async function appliedVersion(client: pg.Client): Promise<number> {
  await client.query(
    'CREATE TABLE IF NOT EXISTS schema_migrations (version integer PRIMARY KEY, name text COLLATE "C" NOT NULL, applied_at bigint NOT NULL)',
  );
  const { rows } = await client.query('SELECT max(version) AS version FROM schema_migrations');
  return rows[0]?.version ?? 0;
}
