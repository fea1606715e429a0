// The migrations, read from their files, and how they are applied: each in one transaction, under a lock that
// the engine's own file takes. Numbers are the same on both engines (a test checks).
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { StartupError } from '../errors.ts';
import { areTriggersInstalled, installTriggers, suspendTriggers } from './journal/install.ts';
import { type Session, tableExists } from './session.ts';

export interface Migration {
  readonly version: number;
  readonly name: string;
  readonly sql: string;
}

export interface MigrateOptions {
  readonly migrations?: readonly Migration[];
  /** Without triggers the journal is off: for a reinflate, which writes what the library says already. */
  readonly triggers?: boolean;
  /** What every statement passes through, so that a test can end the process at any of them. */
  readonly through?: (session: Session) => Session;
}

/** In meta, while a reinflate is under way. */
export const reinflateKey = 'reinflate';

const folder = new URL('../../migrations/', import.meta.url);

export function readMigrations(engine: 'sqlite' | 'postgres', from: URL = folder): Migration[] {
  const files = readdirSync(fileURLToPath(new URL(`${engine}/`, from))).filter((file) =>
    file.endsWith('.sql'),
  );
  return files.sort().map((file, index) => {
    const [, digits, name] = /^(\d{4})_([a-z0-9_]+)\.sql$/.exec(file) ?? [];
    const version = Number(digits);
    if (name === undefined || version !== index + 1) {
      throw new Error(
        `migrations/${engine}/${file}: expected ${String(index + 1).padStart(4, '0')}_name.sql`,
      );
    }
    return { version, name, sql: readFileSync(new URL(`${engine}/${file}`, from), 'utf8') };
  });
}

/** What is still to be applied. A schema from a newer Lectern is refused: we do not know what it means. */
export function pendingMigrations(migrations: readonly Migration[], applied: number): Migration[] {
  const known = migrations.at(-1)?.version ?? 0;
  if (applied > known) {
    throw new StartupError(
      `The index has schema ${applied}, and this Lectern knows schemas up to ${known}: it was last opened by a newer Lectern. ` +
        'Upgrade this one, or point LECTERN_DATABASE_URL at another index.',
    );
  }
  return migrations.filter((migration) => migration.version > applied);
}

export async function appliedVersion(session: Session): Promise<number> {
  if (!(await tableExists(session, 'schema_migrations'))) return 0;
  const [row] = await session.rows<{ version: number | null }>(
    'SELECT max(version) AS version FROM schema_migrations',
  );
  return row?.version ?? 0;
}

/** Whether rows have changed that the library does not have yet. */
export async function hasNotes(session: Session): Promise<boolean> {
  if (!(await tableExists(session, 'journal_dirty'))) return false;
  return (await session.rows('SELECT seq FROM journal_dirty LIMIT 1')).length > 0;
}

/**
 * One migration, inside the caller's transaction. It starts only when the library has every row at the schema
 * before it: a segment belongs to one schema, and a reinflate repeats the migration after that schema's segments.
 */
export async function applyMigration(
  session: Session,
  { version, name, sql }: Migration,
  at: number,
): Promise<void> {
  // Nobody adds a note between the look and the end of the triggers.
  if (session.engine === 'postgres' && (await tableExists(session, 'journal_dirty'))) {
    await session.run('LOCK TABLE journal_dirty IN SHARE ROW EXCLUSIVE MODE');
  }
  if (await hasNotes(session)) {
    throw new StartupError(
      'The index has changes that are not in the library yet, so it cannot be migrated. Start Lectern again; if that does not help, check LECTERN_LIBRARY_URL.',
    );
  }
  await suspendTriggers(session);
  try {
    await session.run(sql);
  } catch (cause) {
    const reason = (cause as Error).message;
    throw new StartupError(
      `Migration ${version} (${name}) failed and was undone; nothing was lost: ${reason}`,
      { cause },
    );
  }
  if (!(await tableExists(session, 'schema_migrations')))
    await session.run(createSchemaMigrations[session.engine]);
  await session.rows('INSERT INTO schema_migrations (version, name, applied_at) VALUES ($1, $2, $3)', [
    version,
    name,
    at,
  ]);
}

/** A half-built index is brought on by the reinflate alone: it knows which facts belong to which schema. */
export async function refuseHalfBuilt(session: Session, { triggers = true }: MigrateOptions): Promise<void> {
  if (!triggers || !(await tableExists(session, 'meta'))) return;
  if ((await session.rows('SELECT value FROM meta WHERE key = $1', [reinflateKey])).length === 0) return;
  throw new StartupError(
    'A reinflate was interrupted. Run "lectern reinflate" again: it goes on where it was.',
  );
}

export async function isUpToDate(session: Session, options: MigrateOptions): Promise<boolean> {
  const { migrations = readMigrations(session.engine), triggers = true } = options;
  const applied = await appliedVersion(session);
  if (applied === 0 || pendingMigrations(migrations, applied).length > 0 || !triggers) return false;
  return !(await tableExists(session, 'journal_dirty')) || (await areTriggersInstalled(session));
}

/** After the last migration, inside the caller's transaction. */
export async function finishMigrating(session: Session, { triggers = true }: MigrateOptions): Promise<void> {
  if (!(await tableExists(session, 'journal_dirty'))) return;
  await (triggers ? installTriggers(session) : suspendTriggers(session));
}

const createSchemaMigrations = {
  sqlite:
    'CREATE TABLE schema_migrations (version INTEGER PRIMARY KEY, name TEXT NOT NULL, applied_at INTEGER NOT NULL) STRICT',
  postgres:
    'CREATE TABLE schema_migrations (version integer PRIMARY KEY, name text COLLATE "C" NOT NULL, applied_at bigint NOT NULL)',
};
