// The other side of the thread that scans: keeps its blocks in step with the index, and asks it.
import { Worker } from 'node:worker_threads';
import { TemporaryFailure } from '../../errors.ts';
import { type After, afterTimeout } from '../../outbound/limits.ts';
import type { ChunkStore } from '../../store/owned/chunk-store.ts';
import type { Scored } from './best-documents.ts';
import { buffersOf, type ChunkPage, packChunks } from './chunk-page.ts';
import type { ScanInput } from './vector-blocks.ts';

export type ScanRequest = { readonly id: number; readonly userId: number } & ScanTask;

type ScanTask =
  | { readonly do: 'add'; readonly dimensions: number; readonly page: ChunkPage }
  | { readonly do: 'drop' }
  | { readonly do: 'scan'; readonly input: ScanInput };

export type ScanReply = { readonly id: number } & (
  | { readonly rows: number; readonly dropped: readonly number[] }
  /** Undefined where nothing is held of the user. */
  | { readonly scored: readonly Scored[] | undefined }
);

export interface VectorScanOptions {
  readonly maxBytes?: number;
  readonly after?: After;
}

export interface ScanOf extends ScanInput {
  readonly userId: number;
  readonly model: string;
  readonly chunks: Pick<ChunkStore, 'version' | 'page'>;
}

export interface WarmUp extends Pick<ScanOf, 'userId' | 'model' | 'chunks'> {
  readonly dimensions: number;
}

interface Waiting {
  readonly resolve: (reply: ScanReply) => void;
  readonly reject: (error: Error) => void;
}

/** What the thread holds of a user. */
interface Held {
  readonly model: string;
  readonly goneAtFirst: number;
  seq: number;
  rows: number;
}

/** Half a million passages of 512 dimensions. */
const usualMaxBytes = 256 * 1024 * 1024;
/** The first page and the largest one: others read the index, too, and a large page costs less for each row. */
const rowsAtOnce = { first: 2_000, most: 8_000 };
/** So much of a block may be stale before it is read anew. */
const staleShare = 0.1;
const staleRows = 500;
const mostTries = 3;
const idleMs = 30 * 60_000;

export class VectorScan {
  readonly #maxBytes: number;
  readonly #after: After;
  readonly #waiting = new Map<number, Waiting>();
  readonly #held = new Map<number, Held>();
  /** One after the other for each user, so that nothing is added twice. */
  readonly #refreshing = new Map<number, Promise<Held>>();
  #worker: Worker | undefined;
  #cancelIdle: (() => void) | undefined;
  #lastId = 0;
  #closed = false;

  constructor({ maxBytes = usualMaxBytes, after = afterTimeout }: VectorScanOptions = {}) {
    this.#maxBytes = maxBytes;
    this.#after = after;
  }

  /** The nearest documents of one user, as the index has them now. */
  async scan({ userId, model, chunks, ...input }: ScanOf): Promise<readonly Scored[]> {
    const { query, kinds, limit, leastScore, without } = input;
    for (let tries = 0; tries < mostTries; tries++) {
      const held = await this.#refresh(userId, model, query.length, chunks);
      if (held.rows === 0) return [];
      const reply = await this.#ask(userId, {
        do: 'scan',
        input: { query, kinds, limit, leastScore, without },
      });
      if ('scored' in reply && reply.scored) return reply.scored;
      // It had to make room for others in between.
      this.#held.delete(userId);
    }
    throw new TemporaryFailure('the search by meaning is busy; try again in a moment');
  }

  /** Reads the block of a user of whom nothing is held: the next scan finds it there. */
  async warm({ userId, model, dimensions, chunks }: WarmUp): Promise<void> {
    if (!this.#held.has(userId)) await this.#refresh(userId, model, dimensions, chunks);
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#end(new TemporaryFailure('the search by meaning was closed'));
  }

  async #refresh(userId: number, model: string, dimensions: number, chunks: ScanOf['chunks']): Promise<Held> {
    const before: Promise<unknown> = this.#refreshing.get(userId) ?? Promise.resolve();
    const mine = before.catch(() => {}).then(() => this.#readOn(userId, model, dimensions, chunks));
    this.#refreshing.set(userId, mine);
    try {
      return await mine;
    } finally {
      if (this.#refreshing.get(userId) === mine) this.#refreshing.delete(userId);
    }
  }

  async #readOn(userId: number, model: string, dimensions: number, chunks: ScanOf['chunks']): Promise<Held> {
    const { seq, gone } = await chunks.version();
    let held = this.#held.get(userId);
    const isStale =
      held &&
      (held.model !== model ||
        // The index is another than the one that was read.
        held.seq > seq ||
        gone - held.goneAtFirst > Math.max(staleRows, held.rows * staleShare));
    if (!held || isStale) {
      await this.#ask(userId, { do: 'drop' });
      held = { model, goneAtFirst: gone, seq: 0, rows: 0 };
      this.#held.set(userId, held);
    }
    let adding: Promise<unknown> = Promise.resolve();
    for (let limit = rowsAtOnce.first; held.seq < seq; limit = Math.min(limit * 2, rowsAtOnce.most)) {
      // The index is read on while the thread takes in what was read before.
      const [rows] = await Promise.all([chunks.page(model, held.seq, limit), adding]);
      // The thread ended, or made room for others: what it holds is not what was read so far.
      if (this.#held.get(userId) !== held) return this.#readOn(userId, model, dimensions, chunks);
      const last = rows.at(-1);
      held.seq = last?.seq ?? seq;
      if (last) adding = this.#add(userId, held, dimensions, packChunks(rows));
    }
    await adding;
    return this.#held.get(userId) === held ? held : this.#readOn(userId, model, dimensions, chunks);
  }

  async #add(userId: number, held: Held, dimensions: number, page: ChunkPage): Promise<void> {
    const reply = await this.#ask(userId, { do: 'add', dimensions, page }, buffersOf(page));
    if (!('rows' in reply)) return;
    held.rows = reply.rows;
    for (const dropped of reply.dropped) this.#held.delete(dropped);
  }

  #ask(userId: number, task: ScanTask, handedOver: readonly ArrayBuffer[] = []): Promise<ScanReply> {
    if (this.#closed) return Promise.reject(new TemporaryFailure('the search by meaning was closed'));
    this.#cancelIdle?.();
    this.#worker ??= this.#start();
    this.#lastId += 1;
    const id = this.#lastId;
    const { promise, resolve, reject } = Promise.withResolvers<ScanReply>();
    this.#waiting.set(id, { resolve, reject });
    this.#worker.postMessage({ id, userId, ...task } satisfies ScanRequest, handedOver);
    return promise;
  }

  #start(): Worker {
    const worker = new Worker(new URL('./scan-thread.ts', import.meta.url), {
      workerData: { maxBytes: this.#maxBytes },
    });
    worker.unref();
    worker.on('message', (reply: ScanReply) => {
      this.#waiting.get(reply.id)?.resolve(reply);
      this.#waiting.delete(reply.id);
      if (this.#waiting.size === 0 && this.#worker === worker)
        this.#cancelIdle = this.#after(idleMs, () => void this.#end(new TemporaryFailure('ended')));
    });
    worker.on('error', (cause) => {
      // The next question starts a new thread, which reads everything again.
      if (this.#worker === worker)
        void this.#end(
          new TemporaryFailure('the search by meaning failed; try again in a moment', { cause }),
        );
    });
    return worker;
  }

  async #end(error: Error): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    this.#cancelIdle?.();
    this.#held.clear();
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
    await worker?.terminate();
  }
}
