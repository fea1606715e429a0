// Opens the index that LECTERN_DATABASE_URL names, at the present schema.
import { existsSync } from 'node:fs';
import { LecternError, StartupError } from '../errors.ts';
import type { Clock } from '../model/glossary.ts';
import type { PoolSizes } from '../model/pool-sizes.ts';
import type { Secret } from '../model/secret.ts';
import type { Database } from './database.ts';
import { openSqliteDatabase } from './dialect/sqlite/open.ts';
import { openSqliteSession } from './dialect/sqlite/session.ts';
import { DamagedIndex, damagedIndex, isDamage, requireOwnFile } from './legacy/detect.ts';
import { appliedVersion, hasNotes, pendingMigrations, readMigrations } from './migrations.ts';
import type { Session } from './session.ts';
import { createStore, type Store } from './store.ts';

export type Target =
  | { readonly engine: 'sqlite'; readonly path: string }
  | {
      readonly engine: 'postgres';
      readonly url: Secret;
      readonly shown: string;
      readonly poolSizes?: PoolSizes;
    };

export interface OpenOptions {
  readonly now: Clock;
  /** Opens the index as it is, at whatever schema: to write its last changes to the library before it is migrated. */
  readonly asItIs?: boolean;
  readonly onIdleError: (error: Error) => void;
}

export async function openStore(target: Target, options: OpenOptions): Promise<Store> {
  return createStore(await openDatabase(target, options), options.now);
}

export async function openDatabase(
  target: Target,
  { now, onIdleError, asItIs = false }: OpenOptions,
): Promise<Database> {
  try {
    if (target.engine === 'sqlite') return await openSqliteDatabase(target.path, now, { asItIs });
    // Its client is for those who have a server.
    const { openPostgresDatabase } = await import('./dialect/postgres/open.ts');
    const { url, poolSizes } = target;
    return await openPostgresDatabase({ url: url.reveal(), poolSizes, now, onIdleError, asItIs });
  } catch (error) {
    throw cannotOpen(target, error as Error);
  }
}

function cannotOpen(target: Target, error: Error): Error {
  if (error instanceof StartupError || error instanceof LecternError) return error;
  if (target.engine === 'postgres') return cannotConnect(target.shown, error);
  if (isDamage(error)) return damagedIndex(target.path, `is damaged (${error.message})`, { cause: error });
  return new StartupError(
    `LECTERN_DATABASE_URL: cannot open ${target.path} (${error.message}). ` +
      'Check that it is a SQLite file, and that its folder can be written.',
    { cause: error },
  );
}

/** One line for the console when the server cannot be reached or refuses us. */
function cannotConnect(shown: string, cause: Error): StartupError {
  return new StartupError(
    `LECTERN_DATABASE_URL: cannot open ${shown} (${cause.message || (cause as { code?: string }).code}). ` +
      'Check that PostgreSQL runs there and that the user and password are right.',
    { cause },
  );
}

/** Whether there is an index to open; without one, opening makes it. A PostgreSQL database is always there. */
export function hasIndex(target: Target): boolean {
  return target.engine === 'postgres' || existsSync(target.path);
}

/** Refuses a file that is somebody else's before anything opens it: opening alone would change it. First of all in a process. */
export async function requireOwnIndex(target: Target): Promise<void> {
  if (target.engine === 'sqlite') await requireOwnFile(target.path);
}

/** Whether the index must be migrated, and has changes that must go to the library at the old schema first. */
export async function needsFlushBeforeMigration(target: Target): Promise<boolean> {
  if (!hasIndex(target)) return false;
  try {
    const { session, close } =
      target.engine === 'sqlite'
        ? await openSqliteSession(target.path)
        : await (await import('./dialect/postgres/migrate.ts')).postgresSession(target.url.reveal());
    try {
      return await isBehindWithNotes(session);
    } finally {
      await close();
    }
  } catch (error) {
    throw cannotOpen(target, error as Error);
  }
}

async function isBehindWithNotes(session: Session): Promise<boolean> {
  const pending = pendingMigrations(readMigrations(session.engine), await appliedVersion(session));
  return pending.length > 0 && (await hasNotes(session));
}

export { DamagedIndex };

/** Runs `work` on the index; damage that it meets is named together with the remedy. */
export async function namingDamage<T>(target: Target, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw target.engine === 'sqlite' && isDamage(error) ? cannotOpen(target, error as Error) : error;
  }
}
