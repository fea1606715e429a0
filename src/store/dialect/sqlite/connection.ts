// One connection to the SQLite file, with the pragmas measured for this workload and a cache of statements.
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import type { CompiledQuery, DatabaseConnection, QueryResult } from 'kysely';
import { Unavailable } from '../../../errors.ts';
import { cleanText } from '../../clean-text.ts';

const SQLITE_BUSY = 5;
const cachedStatements = 500;
const retryEveryMs = 1;
export const giveUpAfterMs = 5_000;

// autocheckpoint is off: checkpoints are made on a thread of their own (see tidy), never inside a commit.
const pragmas = `
  PRAGMA synchronous = NORMAL;
  PRAGMA cache_size = -65536;
  PRAGMA mmap_size = 268435456;
  PRAGMA temp_store = MEMORY;
  PRAGMA foreign_keys = ON;
  PRAGMA recursive_triggers = ON;
  PRAGMA wal_autocheckpoint = 0;
  PRAGMA journal_size_limit = 67108864;
`;

/**
 * A commit writes the changed pages in the cache to the WAL, and blocks the thread meanwhile: 64 MB took 86 ms. Pages beyond the
 * cache are written earlier, one at a time. With much less, pages that change often leave the cache and come back, and then the
 * commit computes the checksums of the whole transaction anew.
 */
const writerCacheKb = 32 * 1024;

/**
 * Opens the file. `busy_timeout` is 0: SQLite's own waiting sleeps in the calling thread, and that thread
 * serves HTTP. Whoever meets a lock waits in `untilFree` instead.
 */
export async function openSqlite(path: string, mode: 'write' | 'read'): Promise<DatabaseSync> {
  return prepare(new DatabaseSync(path, { timeout: 0 }), mode);
}

/** As `openSqlite`, for a file that must be there: where it was deleted, no empty one is made. */
export async function openExistingSqlite(path: string, mode: 'write' | 'read'): Promise<DatabaseSync> {
  const url = pathToFileURL(path);
  url.searchParams.set('mode', 'rw');
  return prepare(new DatabaseSync(url, { timeout: 0 }), mode);
}

async function prepare(db: DatabaseSync, mode: 'write' | 'read'): Promise<DatabaseSync> {
  try {
    await untilFree(() => {
      // page_size counts only before the first table exists, and journal_mode is then kept in the file.
      db.exec('PRAGMA page_size = 8192; PRAGMA journal_mode = WAL');
      db.exec(pragmas);
      db.exec(mode === 'read' ? 'PRAGMA query_only = ON' : `PRAGMA cache_size = -${writerCacheKb}`);
    });
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

export function isBusy(error: unknown): boolean {
  const errcode = error instanceof Error ? (error as { errcode?: unknown }).errcode : undefined;
  return typeof errcode === 'number' && (errcode & 0xff) === SQLITE_BUSY;
}

/** Tries `step` until no other process holds the lock it needs, and lets the event loop turn in between. */
export async function untilFree<T>(step: () => T, limits = { giveUpAfterMs }): Promise<T> {
  const started = performance.now();
  for (;;) {
    try {
      return step();
    } catch (error) {
      if (!isBusy(error)) throw error;
      if (performance.now() - started > limits.giveUpAfterMs) {
        throw new Unavailable('index', 'the index is busy; try again in a moment', { cause: error });
      }
      await pause(retryEveryMs);
    }
  }
}

export type Synchronous = 'NORMAL' | 'FULL';

export class SqliteConnection implements DatabaseConnection {
  readonly db: DatabaseSync;
  #synchronous: Synchronous = 'NORMAL';
  readonly #statements = new Map<string, { statement: StatementSync; columns: readonly string[] }>();

  constructor(db: DatabaseSync) {
    this.db = db;
  }

  setSynchronous(mode: Synchronous): void {
    if (mode === this.#synchronous) return;
    this.db.exec(`PRAGMA synchronous = ${mode}`);
    this.#synchronous = mode;
  }

  /** Only a statement outside a transaction can meet a lock: BEGIN IMMEDIATE has taken it for the others. */
  executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    return untilFree(() => this.run<R>(query.sql, query.parameters));
  }

  run<R>(sql: string, parameters: readonly unknown[]): QueryResult<R> {
    return named<R>(this.runUnnamed(sql, parameters));
  }

  runUnnamed(sql: string, parameters: readonly unknown[]): UnnamedRows {
    const { statement, columns } = this.#prepare(sql);
    const values = parameters.map(cleanText) as SQLInputValue[];
    if (columns.length > 0) {
      const rows = statement.all(...values) as unknown as unknown[][];
      return { columns, rows, affected: rows.length };
    }
    const { changes } = statement.run(...values);
    return { columns, rows: [], affected: changes };
  }

  /** A number that changes when another connection has committed. */
  dataVersion(): number | undefined {
    try {
      return (this.#prepare('PRAGMA data_version').statement.get() as unknown as [number])[0];
    } catch (error) {
      if (isBusy(error)) return undefined;
      throw error;
    }
  }

  // biome-ignore lint/correctness/useYield: there is nothing to yield
  async *streamQuery(): AsyncIterableIterator<never> {
    throw new Error('a cursor left open would pin the WAL: page by keyset instead');
  }

  #prepare(sql: string) {
    const cached = this.#statements.get(sql);
    if (cached) return cached;
    const statement = this.db.prepare(sql);
    const prepared = { statement, columns: statement.columns().map(({ name }) => name) };
    statement.setReturnArrays(true);
    // What run() reports holds the last rowid of whatever table, and those that FTS5 gives in its own do not fit a number.
    if (prepared.columns.length === 0) statement.setReadBigInts(true);
    this.#statements.set(sql, prepared);
    if (this.#statements.size > cachedStatements) {
      const oldest = this.#statements.keys().next().value;
      if (oldest !== undefined) this.#statements.delete(oldest);
    }
    return prepared;
  }
}

/** Measured: rows that come as arrays and are named here take half the time of SQLite's own objects. */
export interface UnnamedRows {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly unknown[])[];
  readonly affected: number | bigint;
}

export function named<R>({ columns, rows, affected }: UnnamedRows): QueryResult<R> {
  return { rows: rows.map((values) => namedRow<R>(columns, values)), numAffectedRows: BigInt(affected) };
}

function namedRow<R>(columns: readonly string[], values: readonly unknown[]): R {
  const row: Record<string, unknown> = {};
  for (let i = 0; i < columns.length; i++) row[columns[i] as string] = values[i];
  return row as R;
}
