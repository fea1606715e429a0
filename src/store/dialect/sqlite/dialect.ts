// Kysely on node:sqlite. One driver for three ways to reach the file: the one writer, the inline reader, and
// the reader thread, which differ only in the connection they hand out.
import { setTimeout as pause } from 'node:timers/promises';
import {
  type DatabaseConnection,
  type Dialect,
  type Driver,
  Kysely,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import { Unavailable } from '../../../errors.ts';
import type { Tables } from '../../tables.ts';
import { giveUpAfterMs, type SqliteConnection, type Synchronous, untilFree } from './connection.ts';

export function kyselyOn(driver: Driver): Kysely<Tables> {
  const dialect: Dialect = {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => driver,
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  };
  return new Kysely<Tables>({ dialect });
}

/** Reads need no turn-taking: outside a transaction each statement sees one committed state. */
export class ReadDriver implements Driver {
  readonly #connection: DatabaseConnection;

  constructor(connection: DatabaseConnection) {
    this.#connection = connection;
  }

  async init() {}

  async acquireConnection() {
    return this.#connection;
  }

  beginTransaction(): never {
    throw new Error('reads are single statements; a transaction belongs to write()');
  }

  async commitTransaction() {}
  async rollbackTransaction() {}
  async releaseConnection() {}
  async destroy() {}
}

/** One writer: a transaction has the connection to itself from BEGIN to COMMIT, the next one waits its turn. */
export class WriteDriver implements Driver {
  readonly #connection: SqliteConnection;
  readonly #turns: Turns;
  readonly #synchronous: Synchronous;

  /** With FULL a commit, and every one before it, outlives a loss of power; it waits for the disk. */
  constructor(connection: SqliteConnection, turns: Turns, synchronous: Synchronous) {
    this.#connection = connection;
    this.#turns = turns;
    this.#synchronous = synchronous;
  }

  async init() {}

  async acquireConnection() {
    await this.#turns.acquire();
    return this.#connection;
  }

  async beginTransaction() {
    // Cannot be changed within a transaction, so it is set by whoever has the turn.
    this.#connection.setSynchronous(this.#synchronous);
    // IMMEDIATE takes the write lock at once: a transaction that read first could not be upgraded safely.
    await untilFree(() => this.#connection.db.exec('BEGIN IMMEDIATE'));
    this.#turns.lockTaken();
  }

  async commitTransaction() {
    this.#connection.db.exec('COMMIT');
  }

  async rollbackTransaction() {
    // SQLite rolls back by itself on some errors, such as a full disk.
    if (this.#connection.db.isTransaction) this.#connection.db.exec('ROLLBACK');
  }

  async releaseConnection() {
    this.#turns.release();
  }

  async destroy() {}
}

/** Other processes poll for the lock every millisecond (`untilFree`). */
const handOverMs = 3;
/** Short transactions add up: a process that writes without a break must not keep others waiting either. */
const maxHeldMs = 30;

/**
 * First come, first served; a transaction that has waited too long is rejected with 503. After this process has held the lock for
 * `maxHeldMs`, it leaves it free for `handOverMs`: the next transaction would begin in the same tick, and another process would
 * never find the lock free.
 */
export class Turns {
  #taken = false;
  #heldMs = 0;
  #takenAt = 0;
  #freeSince = 0;
  readonly #waiting: { go: () => void; timer: NodeJS.Timeout }[] = [];

  async acquire(): Promise<void> {
    if (this.#taken) await this.#wait();
    this.#taken = true;
    await this.#leaveLockFree();
    this.#takenAt = performance.now();
  }

  /** The time spent waiting for another process does not count as holding the lock. */
  lockTaken(): void {
    this.#takenAt = performance.now();
  }

  release(): void {
    this.#freeSince = performance.now();
    this.#heldMs += this.#freeSince - this.#takenAt;
    const next = this.#waiting.shift();
    clearTimeout(next?.timer);
    if (next) next.go();
    else this.#taken = false;
  }

  #wait(): Promise<void> {
    return new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiting.splice(this.#waiting.indexOf(waiter), 1);
        reject(new Unavailable('index', 'the index is busy; try again in a moment'));
      }, giveUpAfterMs);
      const waiter = { go: resolve, timer };
      this.#waiting.push(waiter);
    });
  }

  async #leaveLockFree(): Promise<void> {
    const freeMs = performance.now() - this.#freeSince;
    if (freeMs < handOverMs) {
      if (this.#heldMs < maxHeldMs) return;
      await pause(handOverMs - freeMs);
    }
    this.#heldMs = 0;
  }
}
