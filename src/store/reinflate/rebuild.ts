// The index's side of a reinflate: facts come in, in the order of their sets, and a whole index stands at the end.
import { StartupError } from '../../errors.ts';
import type { Clock, Millis } from '../../model/glossary.ts';
import { type DurableTable, durableTables } from '../durable.ts';
import { idKey } from '../index-store.ts';
import { installTriggers, markJournaled, suspendTriggers } from '../journal/install.ts';
import { lastSetKey, ordinalKey } from '../journal-keys.ts';
import type { Fact, SetName } from '../journal-store.ts';
import { appliedVersion, type Migration, reinflateKey } from '../migrations.ts';
import { rebuildStatements } from '../reader/unread.ts';
import { type Session, tableExists } from '../session.ts';
import type { FactWriter } from './fact-writer.ts';
import { dropForeignKeys, readdForeignKeys } from './foreign-keys.ts';

/** How far a reinflate has come, and the numbers that must go on above all that were ever given. */
export interface Progress {
  /** The set it is at, how many of its parts are in, and whether that is all of them. */
  readonly ordinal: number;
  readonly set: string;
  readonly part: number;
  readonly complete: boolean;
  readonly seq: number;
  /** By table, those of deleted rows included. */
  readonly ids: Readonly<Record<string, number>>;
  /** The moment that is restored; undefined for the newest state. */
  readonly until?: Millis | undefined;
  /** Every set is in the index. Files that rows refer to may still have to be restored. */
  readonly rebuilt?: true;
}

/** What a rebuild needs of an engine. */
export interface RebuildEngine {
  readonly session: Session;
  readonly migrations: readonly Migration[];
  readonly writer: FactWriter;
  /** Brings the index to a schema, without triggers. */
  migrateTo(version: number): Promise<void>;
  inTransaction<T>(work: () => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

export interface RebuildRules {
  readonly now: Clock;
  /** The first fetches of all feeds are spread over this long. */
  readonly pullIntervalMs: number;
  readonly tables?: readonly DurableTable[];
}

/** The clock was set back since a longer lease was written. A process that still runs has renewed it. */
const maxLeaseMs = 10 * 60_000;

const rebuiltTables = ['unread_entries', 'feed_counts', 'feed_fetch_state'];

export class Rebuild {
  readonly #engine: RebuildEngine;
  readonly #tables: readonly DurableTable[];
  readonly #now: Clock;
  readonly #pullIntervalMs: number;

  constructor(engine: RebuildEngine, { now, pullIntervalMs, tables = durableTables }: RebuildRules) {
    this.#engine = engine;
    this.#tables = tables;
    this.#now = now;
    this.#pullIntervalMs = pullIntervalMs;
  }

  /** Undefined when this index has not begun a reinflate. */
  async findProgress(): Promise<Progress | undefined> {
    return this.#findMeta(reinflateKey);
  }

  /** The last set that this index wrote to its library. */
  async findLastSet(): Promise<SetName | undefined> {
    return this.#findMeta(lastSetKey);
  }

  /** How long the leases of other processes are still valid. Every `serve` holds one for as long as it runs. */
  async leaseLeftMs(): Promise<Millis> {
    const { session } = this.#engine;
    if (!(await tableExists(session, 'leases'))) return 0;
    const dbNow =
      session.engine === 'sqlite'
        ? "CAST(unixepoch('subsec') * 1000 AS INTEGER)"
        : '(extract(epoch FROM clock_timestamp()) * 1000)::bigint';
    const [row] = await session.rows<{ left: number | null }>(
      `SELECT max(expires) - ${dbNow} AS "left" FROM leases WHERE expires <= ${dbNow} + ${maxLeaseMs}`,
    );
    return Math.max(0, Number(row?.left ?? 0));
  }

  async isEmpty(): Promise<boolean> {
    const { session } = this.#engine;
    for (const { name } of this.#tables) {
      if (!(await tableExists(session, name))) continue;
      if ((await session.rows(`SELECT 1 AS found FROM ${name} LIMIT 1`)).length > 0) return false;
    }
    return true;
  }

  /** Migrates as far as the facts that come next are, or with undefined as far as we know. Marks the index as being rebuilt. */
  async bringTo(version: number | undefined, progress: Progress): Promise<void> {
    const { session, migrations } = this.#engine;
    const known = migrations.at(-1)?.version ?? 0;
    if (version !== undefined && version > known) {
      throw new StartupError(
        `The library was written at schema ${version}, and this Lectern knows schemas up to ${known}: upgrade it first.`,
      );
    }
    const present = await appliedVersion(session);
    if (present < (version ?? known)) {
      await readdForeignKeys(session);
      await this.#engine.migrateTo(version ?? known);
    }
    // An empty index may have been opened before, and have its triggers: what comes now is no news to the library.
    await this.#engine.inTransaction(() => suspendTriggers(session));
    await dropForeignKeys(session);
    if (!(await this.findProgress())) await this.#note(progress);
  }

  /** One part of the first set, into an index that has no rows: nothing can be in the way. */
  async fill(facts: readonly Fact[], done: Progress): Promise<void> {
    await this.#engine.inTransaction(async () => {
      await this.#engine.writer.putRows(facts);
      await this.#note(done);
    });
  }

  /**
   * One set, whole or not at all. Its rows go before they come: between two states a name may have passed from
   * one row to another, and only the states themselves are free of conflicts.
   */
  async apply(parts: () => AsyncIterable<readonly Fact[]>, done: Progress): Promise<void> {
    await this.#engine.inTransaction(async () => {
      for await (const facts of parts()) await this.#engine.writer.removeKeys(facts);
      for await (const facts of parts()) await this.#engine.writer.putRows(facts);
      await this.#note(done);
    });
  }

  /** The rows are complete: ids and sequences go on where the library's end, and the journal is on again. */
  async finish(indexId: string, progress: Progress): Promise<void> {
    const { ids, seq, ordinal, set } = progress;
    const { session } = this.#engine;
    await readdForeignKeys(session);
    await this.#engine.inTransaction(async () => {
      for (const { name, key, counts } of this.#tables) {
        const [column] = key;
        if (counts && column) await this.#countFrom(name, column.column, ids[name] ?? 0);
      }
      await session.run('DELETE FROM journal_dirty');
      await this.#countFrom('journal_dirty', 'seq', seq);
      await this.#setMeta(ordinalKey, String(ordinal));
      if (set) await this.#setMeta(lastSetKey, JSON.stringify({ ordinal, set }));
      await this.#setMeta(idKey, indexId);
      await markJournaled(session, this.#tables);
      await installTriggers(session, this.#tables);
      await this.#rebuildDerived();
      await this.#note({ ...progress, rebuilt: true });
    });
    // Until PostgreSQL knows how much there is, it goes through all that is unread to mark a few entries.
    if (session.engine === 'sqlite') return;
    for (const name of [...this.#tables.map((table) => table.name), ...rebuiltTables])
      await session.run(`ANALYZE ${name}`);
  }

  /** Allows other processes to open the index. */
  async release(): Promise<void> {
    await this.#engine.session.rows('DELETE FROM meta WHERE key = $1', [reinflateKey]);
  }

  async isMigrated(): Promise<boolean> {
    const { session, migrations } = this.#engine;
    return (await appliedVersion(session)) === migrations.at(-1)?.version;
  }

  /** What follows from the durable rows, and is not kept in the library. */
  async #rebuildDerived(): Promise<void> {
    const { session } = this.#engine;
    for (const statement of rebuildStatements) await session.run(statement);
    // Nothing is known of when which feed was last fetched. Multiples of the golden section lie evenly in an interval,
    // however many there are.
    await session.rows(
      `INSERT INTO feed_fetch_state (feed_id, next_check_at, updated_at)
       SELECT id, CAST($1 AS bigint) + (id * 618033 % 1000000) * CAST($2 AS bigint) / 1000000, CAST($1 AS bigint) FROM feeds`,
      [this.#now(), this.#pullIntervalMs],
    );
  }

  close(): Promise<void> {
    return this.#engine.close();
  }

  async #note(progress: Progress): Promise<void> {
    await this.#setMeta(reinflateKey, JSON.stringify({ ...progress, at: this.#now() }));
  }

  async #findMeta<T>(key: string): Promise<T | undefined> {
    const { session } = this.#engine;
    if (!(await tableExists(session, 'meta'))) return undefined;
    const [row] = await session.rows<{ value: string }>('SELECT value FROM meta WHERE key = $1', [key]);
    return row && JSON.parse(row.value);
  }

  async #setMeta(key: string, value: string): Promise<void> {
    await this.#engine.session.rows(
      'INSERT INTO meta (key, value) VALUES ($1, $2) ON CONFLICT (key) DO UPDATE SET value = excluded.value',
      [key, value],
    );
  }

  /** The next id is above every one that was ever given, those of deleted rows included. */
  async #countFrom(table: string, column: string, highest: number): Promise<void> {
    const { session } = this.#engine;
    if (session.engine === 'postgres') {
      await session.rows(
        `SELECT setval(pg_get_serial_sequence('${table}', '${column}'), GREATEST($1::bigint, 1), $1::bigint > 0)`,
        [highest],
      );
      return;
    }
    await session.rows('DELETE FROM sqlite_sequence WHERE name = $1', [table]);
    await session.rows('INSERT INTO sqlite_sequence (name, seq) VALUES ($1, $2)', [table, highest]);
  }
}
