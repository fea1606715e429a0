// How a server is asked to stop. One Ctrl-C can arrive several times: from the terminal, which signals the whole process
// group, from the launcher, which forwards signals, and from npm.
import { constants } from 'node:os';

/** Signals this soon after the first are copies of it. */
const firstRequestMs = 2_000;
/** Signals this soon after a later one are copies of that one. */
const laterRequestMs = 1_000;

/** The first request stops the server, the second prints what is still being done, the third ends the process at once. */
export type StopDemand = 'stop' | 'copy' | 'report' | 'end';

/** Returns a function to call for each signal. `now` is in milliseconds. */
export function createSignalCounter(now: () => number): () => StopDemand {
  let requests = 0;
  let copiesUntil = Number.NEGATIVE_INFINITY;
  return () => {
    const at = now();
    if (at <= copiesUntil) return 'copy';
    requests += 1;
    copiesUntil = at + (requests === 1 ? firstRequestMs : laterRequestMs);
    return requests === 1 ? 'stop' : requests === 2 ? 'report' : 'end';
  };
}

export interface LaterRequests {
  readonly report: () => unknown;
  readonly end: (exitCode: number) => void;
}

export interface StopRequest {
  /** Resolves with the reason: the name of a signal, or that the parent process has ended. */
  readonly asked: Promise<string>;
  readonly isAsked: () => boolean;
  /** On the clock of `performance.now()`; undefined before the request. */
  readonly askedAt: () => number | undefined;
  /** Aborted by Ctrl-C, by a later request and by the end of the parent: an API then closes without draining first. */
  readonly skipDrain: AbortSignal;
  /** Sets what the second and the third request do. */
  onLaterRequests(later: LaterRequests): void;
}

/** From here on no signal ends this process by itself. */
export function listenForStop(now = () => performance.now()): StopRequest {
  const { promise: asked, resolve } = Promise.withResolvers<string>();
  const next = createSignalCounter(now);
  const skipDrain = new AbortController();
  let askedAt: number | undefined;
  let later: LaterRequests = { report: () => {}, end: (exitCode) => process.exit(exitCode) };
  const ask = (reason: string) => {
    askedAt ??= performance.now();
    if (reason !== 'SIGTERM') skipDrain.abort();
    resolve(reason);
  };
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    const listener = () => {
      const demand = next();
      if (demand === 'stop') ask(signal);
      if (demand === 'report' || signal === 'SIGINT') skipDrain.abort();
      if (demand === 'report') later.report();
      if (demand === 'end') later.end(128 + constants.signals[signal]);
    };
    process.on(signal, listener);
    // The launcher listened until now, if it runs in this process.
    for (const other of process.listeners(signal)) if (other !== listener) process.off(signal, other);
  }
  const onParentEnd = () => ask('the parent ended');
  if (process.connected) {
    process.once('disconnect', onParentEnd);
    // Listening keeps a process alive as long as its parent, even when it has stopped or could not start.
    process.channel?.unref();
  } else if (process.channel === null) {
    // The parent ended while this process loaded its first modules.
    onParentEnd();
  }
  return {
    asked,
    isAsked: () => askedAt !== undefined,
    askedAt: () => askedAt,
    skipDrain: skipDrain.signal,
    onLaterRequests: (requests) => {
      later = requests;
    },
  };
}
