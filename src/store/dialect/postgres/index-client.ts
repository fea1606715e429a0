// A connection of the pools: it cleans parameters, names statements, and is watched for a server that falls silent.
import type { Socket } from 'node:net';
import pg from 'pg';
import { cleanText } from '../../clean-text.ts';
import { plannedOnce } from '../../database.ts';
import { type Liveness, ServerSilent, type WatchedConnection } from './liveness.ts';
import { translateLostConnection, unavailable } from './lost-connection.ts';

/** SQLSTATE of a write to a standby. */
const readOnlyTransaction = '25006';

export interface IndexClientConfig extends pg.ClientConfig {
  readonly liveness: Liveness;
  readonly newTag: () => string;
  readonly isWriter: boolean;
}

export class IndexClient extends pg.Client implements WatchedConnection {
  readonly tag: string;
  readonly #names = new Map<string, string>();
  readonly #liveness: Liveness;
  readonly #isWriter: boolean;

  constructor(config: IndexClientConfig) {
    const tag = config.newTag();
    super({ ...config, application_name: tag });
    this.tag = tag;
    this.#liveness = config.liveness;
    this.#isWriter = config.isWriter;
    // The statement under way is rejected, too; without a listener, the event would end the process.
    this.on('error', () => {});
  }

  bytesRead(): number {
    return (this.connection.stream as Socket).bytesRead;
  }

  bytesWritten(): number {
    return (this.connection.stream as Socket).bytesWritten;
  }

  destroy(error: Error): void {
    this.connection.stream.destroy(error);
  }

  // The pool passes a callback, always.
  override connect(...args: unknown[]): never {
    const [callback] = args as [(error: Error | null) => void];
    if (this.#liveness.isSilent) {
      process.nextTick(callback, new ServerSilent());
      return undefined as never;
    }
    this.#liveness.add(this);
    this.once('end', () => this.#liveness.remove(this));
    this.#liveness.beginWait(this);
    super.connect((error: Error | null) => {
      this.#liveness.endWait(this);
      callback(error);
    });
    return undefined as never;
  }

  // pg's many overloads of query() end in (config, values?): parameters pass through here and nowhere else.
  override query(...args: unknown[]): never {
    const [query, values, ...rest] = args;
    const cleaned = Array.isArray(values) ? values.map(cleanText) : values;
    this.#liveness.beginWait(this);
    const result: Promise<unknown> = (super.query as (...all: unknown[]) => never).call(
      this,
      this.#named(query),
      cleaned,
      ...rest,
    );
    return result
      .catch((error: Error) => this.#fail(error))
      .finally(() => this.#liveness.endWait(this)) as never;
  }

  /** A statement that has a name is planned some times and then no more: planning can take longer than running. */
  #named(query: unknown): unknown {
    if (typeof query !== 'string' || !query.startsWith(plannedOnce)) return query;
    const name = this.#names.get(query) ?? `planned_${this.#names.size}`;
    this.#names.set(query, name);
    return { name, text: query };
  }

  #fail(error: Error & { code?: string }): never {
    if (!this.#isWriter || error.code !== readOnlyTransaction) throw translateLostConnection(error);
    // After a failover this server is a standby. A new connection may reach the primary.
    this.destroy(error);
    throw unavailable(error);
  }
}
