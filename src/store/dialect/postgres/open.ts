// PostgreSQL as the store's engine: migrate, then a pool that writes and a pool that cannot.
import { CompiledQuery, Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import type { Clock } from '../../../model/glossary.ts';
import { defaultPoolSizes, type PoolSizes } from '../../../model/pool-sizes.ts';
import { type Database, type PoolState, withoutNesting } from '../../database.ts';
import type { Tables } from '../../tables.ts';
import { nameConnections, withSettings } from './connection-url.ts';
import { IndexClient, type IndexClientConfig } from './index-client.ts';
import { listenForJobs, tcpKeepAlive } from './listen.ts';
import { Liveness } from './liveness.ts';
import { translateLostConnection } from './lost-connection.ts';
import { migratePostgres } from './migrate.ts';
import { probeServer } from './probe.ts';
import { getTypeParser } from './types.ts';

const connectWithinMs = 10_000;
/** Statements and transactions under way have this time when the index is closed. Less than a stop has for it. */
const closeWithinMs = 3_000;
const writeAttempts = 5;
const idleInTransactionMs = 15_000;
/** No statement takes as long. The server ends those whose client has vanished. */
const maxStatementMs = 30 * 60_000;

export interface PostgresOptions {
  readonly url: string;
  readonly now: Clock;
  readonly asItIs: boolean;
  readonly poolSizes?: PoolSizes | undefined;
  /** Called when a connection that nobody uses breaks, as in a restart of the server; the pool replaces it. */
  readonly onIdleError: (error: Error) => void;
  /** Tests shorten the time after which the server counts as silent. */
  readonly tickMs?: number;
}

export async function openPostgresDatabase({
  url,
  now,
  asItIs,
  onIdleError,
  poolSizes = defaultPoolSizes,
  tickMs,
}: PostgresOptions): Promise<Database> {
  if (!asItIs) await migratePostgres(url, now);

  let isClosing = false;
  // A close destroys connections that are still open.
  const reportLoss = (error: Error) => {
    if (!isClosing) onIdleError(error);
  };
  const names = nameConnections(url);
  const liveness = new Liveness({
    probe: () => probeServer({ url: names.url, tag: names.next('probe') }),
    onSilent: reportLoss,
    ...(tickMs !== undefined && { tickMs }),
  });

  const pool = (name: keyof PoolSizes, settings: readonly string[]) => {
    const options: pg.PoolConfig & IndexClientConfig = {
      // Part of the connection's first message: a setting that needed a statement could fail after the connection was made.
      connectionString: withSettings(names.url, [...settings, `statement_timeout=${maxStatementMs}`]),
      max: poolSizes[name],
      connectionTimeoutMillis: connectWithinMs,
      types: { getTypeParser },
      Client: IndexClient as typeof pg.Client,
      liveness,
      newTag: () => names.next(name),
      isWriter: name === 'write',
      ...tcpKeepAlive,
    };
    const created = new IndexPool(options);
    created.on('error', reportLoss);
    return created;
  };
  // A process that stands still in the middle of a transaction would keep its locks for as long as it does.
  const writePool = pool('write', [`idle_in_transaction_session_timeout=${idleInTransactionMs}`]);
  // What SQLite refuses by query_only is refused here too: a write outside write() fails on both engines.
  const readPool = pool('read', ['default_transaction_read_only=on']);
  const writer = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: writePool }) });
  const reader = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: readPool }) });

  return {
    engine: 'postgres',
    read: reader,
    heavyRead: reader,
    heavyRows: async <R>(query: CompiledQuery) =>
      (await reader.executeQuery<R>(query as CompiledQuery<R>)).rows,
    write: (work) => withoutNesting(() => retried(() => writer.transaction().execute(work))),
    writeOne: async (statement) =>
      (await withoutNesting(() => retried(() => statement.execute(writer)))).rows,
    watch: (onChange) => listenForJobs({ url, onChange, onError: reportLoss, connectWithinMs }),
    snapshot: (work) => reader.transaction().setIsolationLevel('repeatable read').execute(work),
    schemaVersion: async () => {
      const query = CompiledQuery.raw('SELECT max(version) AS version FROM schema_migrations');
      const { rows } = await reader.executeQuery<{ version: number }>(query);
      return rows[0]?.version ?? 0;
    },
    pools: () => [stateOf('read', readPool), stateOf('write', writePool)],
    tidy: async () => {},
    close: async () => {
      isClosing = true;
      const tooLate = Promise.withResolvers<void>();
      const timer = setTimeout(tooLate.resolve, closeWithinMs);
      try {
        await Promise.race([Promise.all([reader.destroy(), writer.destroy()]), tooLate.promise]);
      } finally {
        clearTimeout(timer);
        liveness.close();
      }
    },
  };
}

function stateOf(name: keyof PoolSizes, pool: pg.Pool): PoolState {
  return {
    name,
    max: pool.options.max,
    size: pool.totalCount,
    idle: pool.idleCount,
    waiting: pool.waitingCount,
  };
}

/** Serialization failures and deadlocks roll the transaction back whole; running it again is the remedy. */
async function retried<T>(write: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await write();
    } catch (error) {
      const { code } = error as { code?: string };
      if (attempt >= writeAttempts || (code !== '40001' && code !== '40P01')) throw error;
    }
  }
}

class IndexPool extends pg.Pool {
  override connect(...args: unknown[]): never {
    const result: unknown = (super.connect as (...all: unknown[]) => unknown).call(this, ...args);
    if (!(result instanceof Promise)) return result as never;
    return result.catch((error) => Promise.reject(translateLostConnection(error))) as never;
  }
}
