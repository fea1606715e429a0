// The other side of the thread that parses. The one that fetches goes on writing meanwhile, and a document that takes
// too long is its own failure: only the thread is ended for it.
import { Worker } from 'node:worker_threads';
import { type After, afterTimeout } from '../outbound/limits.ts';
import { BrokenFeed } from './parse/feed-errors.ts';
import type { FeedDocument, ParsedFeed } from './parse/parse-feed.ts';

export type Reply = { readonly parsed: ParsedFeed } | { readonly refused: string };

interface Waiting {
  readonly document: FeedDocument;
  readonly resolve: (parsed: ParsedFeed) => void;
  readonly reject: (error: Error) => void;
}

export interface ParseThreadOptions {
  readonly script?: URL;
  readonly after?: After;
}

/** What is allowed in size takes a second or two on a slow machine. */
const mostMs = 20_000;

export class ParseThread {
  readonly #script: URL;
  readonly #after: After;
  readonly #waiting: Waiting[] = [];
  #worker: Worker | undefined;
  /** One at a time, so that it is known which one takes too long. */
  #inHand: Waiting | undefined;
  #cancelTimer: (() => void) | undefined;

  constructor({
    script = new URL('./parse-thread.ts', import.meta.url),
    after = afterTimeout,
  }: ParseThreadOptions = {}) {
    this.#script = script;
    this.#after = after;
  }

  /** The bytes are given away. Rejects with a LecternError when something is wrong with the document. */
  parse(document: FeedDocument): Promise<ParsedFeed> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ document, resolve, reject });
      this.#next();
    });
  }

  /** Ends the thread and rejects what is not parsed yet. A process that ends need not wait for it. */
  async [Symbol.asyncDispose](): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    const unfinished = [this.#end(), ...this.#waiting.splice(0)];
    for (const each of unfinished) each?.reject(new Error('the thread was ended'));
    await worker?.terminate();
  }

  #next(): void {
    if (this.#inHand) return;
    this.#inHand = this.#waiting.shift();
    if (!this.#inHand) return;
    this.#worker ??= this.#start();
    const bytes = ownBuffer(this.#inHand.document.bytes);
    this.#worker.postMessage({ ...this.#inHand.document, bytes }, [bytes.buffer]);
    this.#cancelTimer = this.#after(mostMs, () =>
      this.#giveUp(new BrokenFeed('The feed takes too long to read.')),
    );
  }

  #start(): Worker {
    const worker = new Worker(this.#script);
    worker.unref();
    worker.on('message', (reply: Reply) => {
      if (this.#worker !== worker) return;
      const ended = this.#end();
      if ('parsed' in reply) ended?.resolve(reply.parsed);
      else ended?.reject(new BrokenFeed(reply.refused));
      this.#next();
    });
    worker.on('error', (error: Error) => {
      if (this.#worker === worker) this.#giveUp(error);
    });
    return worker;
  }

  /** Those that wait are for the next thread. */
  #giveUp(error: Error): void {
    const worker = this.#worker;
    this.#worker = undefined;
    void worker?.terminate();
    this.#end()?.reject(error);
    this.#next();
  }

  #end(): Waiting | undefined {
    this.#cancelTimer?.();
    const ended = this.#inHand;
    this.#inHand = undefined;
    return ended;
  }
}

/** Small ones share a buffer with others. */
function ownBuffer(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const { buffer, byteLength } = bytes;
  return buffer instanceof ArrayBuffer && buffer.byteLength === byteLength
    ? new Uint8Array(buffer)
    : new Uint8Array(bytes);
}
