// How much of anything a request may take, and the timers that hold it to that.
import { Failure, type FailureReason } from './failure.ts';

export interface Limits {
  /** To resolve, connect, pass the proxy and agree on TLS, for each hop. */
  readonly connectMs: number;
  /** From the request sent to the last byte of the answer's headers. */
  readonly firstByteMs: number;
  /** Between two pieces of a body. */
  readonly idleMs: number;
  /** All hops together, without the time spent waiting for a turn. */
  readonly totalMs: number;
  readonly maxHeaderBytes: number;
  /** Of the body as it is sent, after each step of decoding, and at the end. */
  readonly maxBytes: number;
  readonly maxRedirects: number;
}

export const defaultLimits: Limits = {
  connectMs: 10_000,
  firstByteMs: 20_000,
  idleMs: 15_000,
  totalMs: 60_000,
  maxHeaderBytes: 32 * 1024,
  maxBytes: 15 * 1024 * 1024,
  maxRedirects: 10,
};

/** Runs something later, unless it is cancelled by what is returned. Passed in, so that tests decide when later is. */
export type After = (delayMs: number, run: () => void) => () => void;

export const afterTimeout: After = (delayMs, run) => {
  const timer = setTimeout(run, delayMs);
  return () => clearTimeout(timer);
};

/** A signal of our own that also ends when its parent does, and that can be told to end by a time. */
export class Stop {
  readonly #after: After;
  readonly #controller = new AbortController();
  readonly #undo = new Set<() => void>();

  constructor(after: After, parent?: AbortSignal) {
    this.#after = after;
    if (!parent) return;
    const follow = () => this.stop(cancelled(parent));
    if (parent.aborted) follow();
    parent.addEventListener('abort', follow, { once: true });
    this.#undo.add(() => parent.removeEventListener('abort', follow));
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  stop(failure: Failure): void {
    this.#controller.abort(failure);
  }

  /** Ends everything with this reason after a time, unless what it returns is called before. */
  within(limitMs: number, reason: FailureReason): () => void {
    const cancelTimer = this.#after(limitMs, () => this.stop(new Failure(reason)));
    const cancel = () => {
      this.#undo.delete(cancel);
      cancelTimer();
    };
    this.#undo.add(cancel);
    return cancel;
  }

  /** The failure that ended it, or what was thrown when nothing of ours did. */
  reasonFor(error: unknown): unknown {
    return this.signal.aborted ? this.signal.reason : error;
  }

  race<T>(work: () => Promise<T>): Promise<T> {
    return race(this.signal, work);
  }

  /** To be called at the end, however it ended: no timer and no listener stays behind. */
  dispose(): void {
    for (const undo of [...this.#undo]) undo();
    this.#undo.clear();
  }
}

/** Work that has nothing to stop by itself, such as a DNS query: its result is not waited for any longer. */
export async function race<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  if (signal.aborted) throw signal.reason;
  let onAbort: (() => void) | undefined;
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
  });
  try {
    return await Promise.race([work(), aborted]);
  } finally {
    if (onAbort) signal.removeEventListener('abort', onAbort);
  }
}

/** A parent of ours ends with a failure, a caller's signal with whatever the caller said. */
export function cancelled(signal: AbortSignal): Failure {
  return signal.reason instanceof Failure
    ? signal.reason
    : new Failure('cancelled', { cause: signal.reason });
}
