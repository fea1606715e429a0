// PostgreSQL as the store's engine: migrate, then a pool that writes and a pool that cannot.
import { CompiledQuery, Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import { Unavailable } from '../../../errors.ts';
import type { Clock } from '../../../model/glossary.ts';
import { cleanText } from '../../clean-text.ts';
import { type Database, plannedOnce, withoutNesting } from '../../database.ts';
import type { Tables } from '../../tables.ts';
import { listenForJobs, stayingInTouch } from './listen.ts';
import { isLostConnection } from './lost-connection.ts';
import { migratePostgres } from './migrate.ts';
import { getTypeParser } from './types.ts';

const connectWithinMs = 10_000;
/** Less than a lease, so that a worker whose server has vanished knows in time that it does not renew its own. */
const usuallyAnswersWithinMs = 20_000;
const writeAttempts = 5;
const standStillMs = 15_000;

export interface PostgresOptions {
  readonly url: string;
  readonly now: Clock;
  readonly asItIs: boolean;
  /** How long a statement may take that never takes long. */
  readonly answerWithinMs?: number;
  /** Called when a connection that nobody uses breaks, as in a restart of the server; the pool replaces it. */
  readonly onIdleError: (error: Error) => void;
}

export async function openPostgresDatabase({
  url,
  now,
  asItIs,
  onIdleError,
  answerWithinMs = usuallyAnswersWithinMs,
}: PostgresOptions): Promise<Database> {
  if (!asItIs) await migratePostgres(url, now);

  const pool = (max: number, setting: string) => {
    const options: pg.PoolConfig & CleanConfig = {
      connectionString: url,
      application_name: 'lectern',
      max,
      connectionTimeoutMillis: connectWithinMs,
      types: { getTypeParser },
      Client: CleanClient,
      answerWithinMs,
      // Kysely's onCreateConnection would not do: when it fails, the pool never gets the connection back.
      onConnect: (client) => client.query(`SET ${setting}`),
      ...stayingInTouch,
    };
    const created = new PatientPool(options);
    created.on('error', onIdleError);
    return new Kysely<Tables>({ dialect: new PostgresDialect({ pool: created }) });
  };
  // A process that stands still in the middle of a transaction would keep its locks for as long as it does.
  const writer = pool(8, `idle_in_transaction_session_timeout = ${standStillMs}`);
  // What SQLite refuses by query_only is refused here too: a write outside write() fails on both engines.
  const reader = pool(12, 'default_transaction_read_only = on');

  return {
    engine: 'postgres',
    read: reader,
    heavyRead: reader,
    heavyRows: async <R>(query: CompiledQuery) =>
      (await reader.executeQuery<R>(query as CompiledQuery<R>)).rows,
    write: (work) => withoutNesting(() => retried(() => writer.transaction().execute(work))),
    writeOne: async (statement) =>
      (await withoutNesting(() => retried(() => statement.execute(writer)))).rows,
    watch: (onChange) => listenForJobs({ url, onChange, onError: onIdleError, connectWithinMs }),
    snapshot: (work) => reader.transaction().setIsolationLevel('repeatable read').execute(work),
    schemaVersion: async () => {
      const query = CompiledQuery.raw('SELECT max(version) AS version FROM schema_migrations');
      const { rows } = await reader.executeQuery<{ version: number }>(query);
      return rows[0]?.version ?? 0;
    },
    tidy: async () => {},
    close: async () => {
      await Promise.all([reader.destroy(), writer.destroy()]);
    },
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

interface CleanConfig {
  readonly answerWithinMs: number;
}

class CleanClient extends pg.Client {
  readonly #names = new Map<string, string>();
  readonly #answerWithinMs: number;

  constructor(config?: pg.ClientConfig & CleanConfig) {
    super(config);
    this.#answerWithinMs = config?.answerWithinMs ?? usuallyAnswersWithinMs;
    // Whoever waits for an answer is told by that; without a listener, it would end the process as well.
    this.on('error', () => {});
  }

  // pg's many overloads of query() end in (config, values?): parameters pass through here and nowhere else.
  override query(...args: unknown[]): never {
    const [query, values, ...rest] = args;
    const cleaned = Array.isArray(values) ? values.map(cleanText) : values;
    const result: unknown = (super.query as (...all: unknown[]) => unknown).call(
      this,
      this.#named(query),
      cleaned,
      ...rest,
    );
    if (!(result instanceof Promise)) return result as never;
    const impatient =
      isQuick(query) && setTimeout(() => this.connection.stream.destroy(), this.#answerWithinMs);
    return result.catch(translated).finally(() => impatient && clearTimeout(impatient)) as never;
  }

  /** A statement that has a name is planned some times and then no more: planning can take longer than running. */
  #named(query: unknown): unknown {
    if (typeof query !== 'string' || !query.startsWith(plannedOnce)) return query;
    const name = this.#names.get(query) ?? `planned_${this.#names.size}`;
    this.#names.set(query, name);
    return { name, text: query };
  }
}

/** What the queue does all the time, and how every transaction begins: they wait for nobody but the server. */
function isQuick(query: unknown): boolean {
  return typeof query === 'string' && (query.startsWith(plannedOnce) || query === 'begin');
}

class PatientPool extends pg.Pool {
  override connect(...args: unknown[]): never {
    const result: unknown = (super.connect as (...all: unknown[]) => unknown).call(this, ...args);
    return (result instanceof Promise ? result.catch(translated) : result) as never;
  }
}

/** A server that is away, restarting or full is a reason to ask again later, not a fault of ours. */
function translated(error: Error & { code?: string }): never {
  if (!isLostConnection(error)) throw error;
  throw new Unavailable('index', 'the index does not answer; try again in a moment', { cause: error });
}
