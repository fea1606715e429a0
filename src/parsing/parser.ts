// Parses untrusted documents in a worker thread, within limits of time and memory. The process goes on serving meanwhile, and a
// document that takes too long or too much memory costs only the thread.
import { Worker } from 'node:worker_threads';
import { Invalid, TooManyRequests } from '../errors.ts';
import { BrokenFeed, NotAFeed } from '../feeds/parse/feed-errors.ts';
import { type After, afterTimeout } from '../outbound/limits.ts';
import type { TaskName, Tasks } from './tasks.ts';

/** What the thread answers with. A refusal is an error of the document; `type` is the name of its class. */
export type Reply =
  | { readonly result: object }
  | { readonly refusal: { readonly type: string; readonly message: string } };

export interface ParserOptions {
  readonly script?: URL;
  readonly timeLimitMs?: number;
  readonly memoryMb?: number;
  readonly after?: After;
  /** How many documents may wait for their turn. */
  readonly maxWaiting?: number;
}

interface Task {
  readonly name: TaskName;
  readonly input: { readonly bytes: Uint8Array };
  readonly resolve: (result: never) => void;
  readonly reject: (error: Error) => void;
}

/** The largest documents that are allowed take a second or two on a slow machine. */
const usualTimeLimitMs = 20_000;
/** What a document may take besides, for its size: a sync of 59 MB takes two seconds on a calm machine. */
const bytesPerMs = 5_000;
/** Several times what the largest documents that are allowed need. */
const usualMemoryMb = 512;
/** A thread without work for this long is ended, so that its memory is free again. */
const idleMs = 60_000;
/** After a larger document it is ended as soon as nothing waits: it may hold several hundred megabytes. */
const keptBytes = 8 * 1024 * 1024;
const refusals = { Invalid, NotAFeed, BrokenFeed };

export class Parser {
  readonly #options: Required<ParserOptions>;
  readonly #waiting: Task[] = [];
  #worker: Worker | undefined;
  /** One at a time, so that it is known which one exceeds a limit. */
  #current: Task | undefined;
  #hasReadLarge = false;
  #cancelTimer = () => {};

  constructor(options: ParserOptions = {}) {
    this.#options = {
      script: new URL('./parse-thread.ts', import.meta.url),
      timeLimitMs: usualTimeLimitMs,
      memoryMb: usualMemoryMb,
      after: afterTimeout,
      maxWaiting: Number.POSITIVE_INFINITY,
      ...options,
    };
  }

  /** The bytes are given away. Rejects with a LecternError if something is wrong with the document. */
  parse<N extends TaskName>(name: N, input: Parameters<Tasks[N]>[0]): Promise<Awaited<ReturnType<Tasks[N]>>> {
    return new Promise((resolve, reject) => {
      if (this.#waiting.length >= this.#options.maxWaiting)
        throw new TooManyRequests('too many documents are waiting to be read; try again in a moment', 5);
      this.#waiting.push({ name, input, resolve, reject });
      this.#next();
    });
  }

  /** Ends the thread, and rejects what is not parsed. A process that ends need not wait for it. */
  async close(): Promise<void> {
    const unfinished = [this.#finish(), ...this.#waiting.splice(0)];
    for (const task of unfinished) task?.reject(new Error('the parser was closed'));
    await this.#endThread();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #next(): void {
    if (this.#current) return;
    this.#cancelTimer();
    const { after, timeLimitMs } = this.#options;
    this.#current = this.#waiting.shift();
    if (!this.#current) {
      if (this.#hasReadLarge) void this.#endThread();
      else if (this.#worker) this.#cancelTimer = after(idleMs, () => void this.#endThread());
      return;
    }
    const { name, input } = this.#current;
    try {
      const bytes = ownBuffer(input.bytes);
      const limitMs = timeLimitMs + bytes.length / bytesPerMs;
      this.#worker ??= this.#start();
      this.#hasReadLarge ||= bytes.length > keptBytes;
      const given = bytes.buffer instanceof ArrayBuffer ? [bytes.buffer] : [];
      this.#worker.postMessage({ name, input: { ...input, bytes } }, given);
      this.#cancelTimer = after(limitMs, () => this.#fail(exceeded(name, 'takes too long')));
    } catch (error) {
      this.#fail(error as Error);
    }
  }

  #start(): Worker {
    const { script, memoryMb } = this.#options;
    const worker = new Worker(script, { resourceLimits: { maxOldGenerationSizeMb: memoryMb } });
    worker.unref();
    worker.on('message', (reply: Reply) => {
      if (this.#worker !== worker) return;
      const task = this.#finish();
      if ('result' in reply) task?.resolve(reply.result as never);
      else task?.reject(toError(reply.refusal));
      this.#next();
    });
    worker.on('error', (error: NodeJS.ErrnoException) => {
      if (this.#worker !== worker || !this.#current) return;
      const isMemory = error.code === 'ERR_WORKER_OUT_OF_MEMORY';
      this.#fail(isMemory ? exceeded(this.#current.name, 'is too large') : error);
    });
    return worker;
  }

  /** The tasks that wait get a new thread. */
  #fail(error: Error): void {
    void this.#endThread();
    this.#finish()?.reject(error);
    this.#next();
  }

  #finish(): Task | undefined {
    this.#cancelTimer();
    const task = this.#current;
    this.#current = undefined;
    return task;
  }

  async #endThread(): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    this.#hasReadLarge = false;
    await worker?.terminate();
  }
}

function exceeded(name: TaskName, problem: 'takes too long' | 'is too large'): Error {
  if (name === 'feed' || name === 'discovery') return new BrokenFeed(`The feed ${problem} to read.`);
  return new Invalid(`the file ${problem} to read`);
}

function toError({ type, message }: { type: string; message: string }): Error {
  const Refusal = refusals[type as keyof typeof refusals];
  return Refusal ? new Refusal(message) : new Error(`${type}: ${message}`);
}

/** A buffer that can be given away, since nobody else uses it, or shared. Small buffers are part of a larger one. */
function ownBuffer(bytes: Uint8Array): Uint8Array {
  const { buffer, byteLength } = bytes;
  return buffer instanceof SharedArrayBuffer || buffer.byteLength === byteLength
    ? bytes
    : new Uint8Array(bytes);
}
