// A small English model on this machine, in a thread that starts with the first text and ends when there was none for a
// while: it takes some 200 MB.
import { Worker } from 'node:worker_threads';
import { TemporaryFailure } from '../../errors.ts';
import { type After, afterTimeout } from '../../outbound/limits.ts';
import { type Embedder, normalise } from './embedder.ts';

export interface Request {
  readonly id: number;
  readonly texts: readonly string[];
}

export interface Reply {
  readonly id: number;
  readonly vectors: readonly Float32Array[];
}

export interface LocalOptions {
  readonly script?: URL;
  readonly after?: After;
}

interface Waiting {
  readonly resolve: (vectors: Float32Array[]) => void;
  readonly reject: (error: Error) => void;
}

const dimensions = 512;
const idleMs = 5 * 60_000;

export interface LocalEmbedder extends Embedder {
  readonly isRunning: boolean;
}

export function createLocalEmbedder({
  script = new URL('./local-thread.ts', import.meta.url),
  after = afterTimeout,
}: LocalOptions = {}): LocalEmbedder {
  const waiting = new Map<number, Waiting>();
  let worker: Worker | undefined;
  let lastId = 0;
  let cancelIdle: (() => void) | undefined;
  let closed = false;

  const end = async (error: Error) => {
    const ended = worker;
    worker = undefined;
    cancelIdle?.();
    for (const { reject } of waiting.values()) reject(error);
    waiting.clear();
    await ended?.terminate();
  };

  const start = () => {
    const started = new Worker(script);
    started.on('message', ({ id, vectors }: Reply) => {
      waiting.get(id)?.resolve([...vectors]);
      waiting.delete(id);
      if (waiting.size > 0 || worker !== started) return;
      started.unref();
      cancelIdle = after(idleMs, () => void end(new TemporaryFailure('the model has ended')));
    });
    started.on('error', (cause) => {
      // The next text starts a new thread.
      if (worker === started)
        void end(new TemporaryFailure('The model on this machine could not be run.', { cause }));
    });
    return started;
  };

  return {
    model: 'use-lite-en/1',
    dimensions,
    // The model reads 128 pieces of words, and nothing of what follows them.
    passage: { tokens: 90, overlap: 15, titleCharacters: 120 },
    atOnce: 16,
    leastScore: 0.25,
    sureScore: 0.5,
    canRead: isMostlyLatin,
    get isRunning() {
      return worker !== undefined;
    },

    async embed(texts, signal) {
      signal.throwIfAborted();
      if (closed) throw new TemporaryFailure('the model is closed');
      if (texts.length === 0) return [];
      cancelIdle?.();
      worker ??= start();
      // Only what is asked for keeps a process from its end.
      worker.ref();
      lastId += 1;
      const id = lastId;
      const { promise, resolve, reject } = Promise.withResolvers<Float32Array[]>();
      waiting.set(id, { resolve, reject });
      // It cannot be stopped within a text; nobody waits for the answer any more.
      const onAbort = () => reject(signal.reason as Error);
      signal.addEventListener('abort', onAbort, { once: true });
      // The model fails at a text without any.
      worker.postMessage({ id, texts: texts.map((text) => text.replace(/\s+/gu, ' ').trim() || '-') });
      try {
        const vectors = await promise;
        return vectors.map((vector) => normalise(vector) ?? new Float32Array(dimensions));
      } finally {
        signal.removeEventListener('abort', onAbort);
      }
    },

    async close() {
      closed = true;
      await end(new TemporaryFailure('the model is closed'));
    },
  };
}

const leastLatin = 0.6;

/** Every word of another script is the same unknown one to the model. */
function isMostlyLatin(text: string): boolean {
  const letters = text.match(/\p{L}/gu)?.length ?? 0;
  const latin = text.match(/\p{sc=Latin}/gu)?.length ?? 0;
  return letters === 0 || latin / letters >= leastLatin;
}
