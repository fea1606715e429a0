// The main thread's side of the reader thread. The thread starts with the first request that needs it.
import { Worker } from 'node:worker_threads';
import type { CompiledQuery, DatabaseConnection, QueryResult } from 'kysely';
import { Unavailable } from '../../../errors.ts';
import { named, type UnnamedRows } from './connection.ts';

export type Request =
  | { id: number; do: 'query'; sql: string; parameters: readonly unknown[] }
  | { id: number; do: 'light' | 'thorough' };

/** Rows cross without the names of their columns: those would be copied with every one of them. */
export type Reply =
  | { id: number; result: UnnamedRows }
  | { id: number; error: { message: string; errcode?: number | undefined } };

type Ask = { do: 'query'; sql: string; parameters: readonly unknown[] } | { do: 'light' | 'thorough' };
type Waiting = { resolve: (result: QueryResult<unknown>) => void; reject: (error: Error) => void };

export class ReaderThread implements DatabaseConnection {
  readonly #path: string;
  readonly #waiting = new Map<number, Waiting>();
  #worker: Worker | undefined;
  #lastId = 0;

  constructor(path: string) {
    this.#path = path;
  }

  executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    return this.#ask({ do: 'query', sql: query.sql, parameters: query.parameters }) as Promise<
      QueryResult<R>
    >;
  }

  async checkpoint(effort: 'light' | 'thorough'): Promise<void> {
    await this.#ask({ do: effort });
  }

  // biome-ignore lint/correctness/useYield: there is nothing to yield
  async *streamQuery(): AsyncIterableIterator<never> {
    throw new Error('a cursor left open would pin the WAL: page by keyset instead');
  }

  async close(): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    await worker?.terminate();
    this.#failAll(new Unavailable('index', 'the index was closed'));
  }

  #ask(ask: Ask): Promise<QueryResult<unknown>> {
    const worker = this.#worker ?? this.#start();
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      worker.postMessage({ ...ask, id });
    });
  }

  #start(): Worker {
    const worker = new Worker(new URL('./reader-thread.ts', import.meta.url), {
      workerData: { path: this.#path },
    });
    worker.unref();
    worker.on('message', (reply: Reply) => this.#settle(reply));
    worker.on('error', (cause) => {
      // The next request starts a new thread.
      if (this.#worker === worker) this.#worker = undefined;
      this.#failAll(
        new Unavailable('index', 'the index could not be read; try again in a moment', { cause }),
      );
    });
    this.#worker = worker;
    return worker;
  }

  #settle(reply: Reply): void {
    const waiting = this.#waiting.get(reply.id);
    this.#waiting.delete(reply.id);
    if ('result' in reply) waiting?.resolve(named(reply.result));
    else waiting?.reject(Object.assign(new Error(reply.error.message), { errcode: reply.error.errcode }));
  }

  #failAll(error: Error): void {
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
}
