// Kysely on node:sqlite. One driver for three ways to reach the file: the one writer, the inline reader, and
// the reader thread, which differ only in the connection they hand out.
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
    await this.#turns.take();
    return this.#connection;
  }

  async beginTransaction() {
    // Cannot be changed within a transaction, so it is set by whoever has the turn.
    this.#connection.setSynchronous(this.#synchronous);
    // IMMEDIATE takes the write lock at once: a transaction that read first could not be upgraded safely.
    await untilFree(() => this.#connection.db.exec('BEGIN IMMEDIATE'));
  }

  async commitTransaction() {
    this.#connection.db.exec('COMMIT');
  }

  async rollbackTransaction() {
    // SQLite rolls back by itself on some errors, such as a full disk.
    if (this.#connection.db.isTransaction) this.#connection.db.exec('ROLLBACK');
  }

  async releaseConnection() {
    this.#turns.give();
  }

  async destroy() {}
}

/** First come, first served; who has waited too long is told to come again. */
export class Turns {
  #taken = false;
  readonly #waiting: { go: () => void; timer: NodeJS.Timeout }[] = [];

  async take(): Promise<void> {
    if (!this.#taken) {
      this.#taken = true;
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiting.splice(this.#waiting.indexOf(waiter), 1);
        reject(new Unavailable('the index is busy; try again in a moment'));
      }, giveUpAfterMs);
      const waiter = { go: resolve, timer };
      this.#waiting.push(waiter);
    });
  }

  give(): void {
    const next = this.#waiting.shift();
    clearTimeout(next?.timer);
    if (next) next.go();
    else this.#taken = false;
  }
}
