// What the store needs of an engine. Feature code never sees it.
import { AsyncLocalStorage } from 'node:async_hooks';
import type { CompiledQuery, Kysely, RawBuilder, Transaction } from 'kysely';
import { IndexFull } from '../errors.ts';
import { isDiskFull } from './constraint.ts';
import type { Tables } from './tables.ts';

export type Reader = Kysely<Tables>;
export type Writer = Transaction<Tables>;

export interface WriteOptions {
  /**
   * When the write returns, it and all that was committed before it outlive a loss of power. Without it, SQLite may
   * forget its last commits then; PostgreSQL never does.
   */
  readonly toDisk?: boolean;
}

/** What a pool of connections is doing, for metrics. */
export interface PoolState {
  readonly name: string;
  readonly max: number;
  /** Connections that are open. */
  readonly size: number;
  readonly idle: number;
  /** Callers that wait for a connection. */
  readonly waiting: number;
}

export interface Database {
  readonly engine: 'sqlite' | 'postgres';

  /** Reads by index that end within a few milliseconds: lists, single rows, counts from counter tables. */
  readonly read: Reader;

  /** Reads that may take longer: search, statistics, exports. They never hold up the thread that serves HTTP. */
  readonly heavyRead: Reader;

  /** The same for a statement that is made already: the builder's own steps would take a tenth of a short search. */
  heavyRows<R>(query: CompiledQuery): Promise<readonly R[]>;

  /** All writes: `work` commits whole or leaves nothing, and may be run again if the engine asks for a retry. */
  write<T>(work: (trx: Writer) => Promise<T>, options?: WriteOptions): Promise<T>;

  /** A write of one statement, for those that are made all the time: without a way to the server to begin and to commit. */
  writeOne<R>(statement: RawBuilder<R>): Promise<readonly R[]>;

  /** Changes with every commit, of whichever process. Absent where asking costs as much as reading. */
  dataVersion?(): number | undefined;

  /** Whether the file that is open is still at its path. Absent where the index is no file. */
  isInPlace?(): boolean;

  /** Tests move the clock of the database by this much; see db-now.ts. */
  timeOffsetMs?: () => number;

  /**
   * Calls back soon after somebody has put a job into the queue, in whichever process; it may also call without cause,
   * and must not be all that a worker relies on.
   */
  watch(onChange: () => void): { stop(): Promise<void> };

  /** Several reads that all see the same committed state. */
  snapshot<T>(work: (reader: Reader) => Promise<T>): Promise<T>;

  schemaVersion(): Promise<number>;

  /** Absent where there are no pools. */
  pools?(): readonly PoolState[];

  /** Regular upkeep of the engine itself. A no-op where the engine looks after itself. */
  tidy(effort: 'light' | 'thorough'): Promise<void>;

  close(): Promise<void>;
}

/** Begins the text of a statement that runs all the time and is always the same but for its parameters. */
export const plannedOnce = '/* planned once */';

const openWrite = new AsyncLocalStorage<{ open: boolean }>();

/**
 * What every write of both engines goes through. A full disk is a failure that the caller may see.
 *
 * Refuses a write inside a write. On SQLite the inner one would wait for the outer one for ever; on PostgreSQL
 * it would take a second connection and not see what the first wrote.
 */
export async function withoutNesting<T>(write: () => Promise<T>): Promise<T> {
  if (openWrite.getStore()?.open) {
    throw new Error('a write was started inside another write: pass the transaction on instead');
  }
  const mark = { open: true };
  try {
    return await openWrite.run(mark, write);
  } catch (error) {
    throw isDiskFull(error) ? new IndexFull({ cause: error }) : error;
  } finally {
    mark.open = false;
  }
}
