// One worker process beside the API: started again when it ends unasked, and ended with us.
import { type ChildProcess, spawn } from 'node:child_process';
import { IndexLost, LibraryLost } from '../errors.ts';
import type { Log } from '../log.ts';

const firstPauseMs = 1_000;
const longestPauseMs = 30_000;
/** Shorter than what `server.ts` gives to the drain. */
const stopWithinMs = 4_000;
const libraryLostCode = new LibraryLost().exitCode;
const indexLostCode = new IndexLost().exitCode;

/** The worker sends it to its API once it flushes the journal. */
export const readyMessage = 'ready';

export interface WorkerChild {
  /** False while the worker starts or stops, and after it ended. */
  isReady(): boolean;
  stop(): Promise<void>;
  /** Ends the worker without waiting for it. */
  kill(): void;
}

export interface WorkerChildOptions {
  readonly entry: string;
  readonly log: Log;
  /** By which the jobs of one child are known. */
  readonly newHolder: () => string;
  /** Called when a child has ended without returning its jobs, so that they need not wait for their leases to run out. */
  readonly onEnded: (holder: string) => Promise<void>;
  readonly onFatal: (error: Error) => void;
}

export function startWorkerChild(options: WorkerChildOptions): WorkerChild {
  const { entry, log, onFatal } = options;
  let child: ChildProcess;
  let holder: string;
  let ready = false;
  let stopping = false;
  let pauseMs = firstPauseMs;
  let restart: NodeJS.Timeout | undefined;

  const start = () => {
    // The channel is how the child learns of our end, even by SIGKILL: it closes with us.
    holder = options.newHolder();
    const args = ['serve', '--role', 'worker', '--holder', holder];
    child = spawn(process.execPath, [...process.execArgv, entry, ...args], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    const calm = setTimeout(() => {
      pauseMs = firstPauseMs;
    }, 60_000);
    child.on('message', (message) => {
      ready = message === readyMessage;
    });
    const again = (how: object) => {
      ready = false;
      clearTimeout(calm);
      if (stopping) return;
      log.error({ ...how, restartInMs: pauseMs }, 'the worker ended and is started again');
      void releaseJobs();
      restart = setTimeout(start, pauseMs);
      pauseMs = Math.min(pauseMs * 2, longestPauseMs);
    };
    child.on('exit', (code, signal) => {
      const isFatal = code === libraryLostCode || code === indexLostCode;
      if (!isFatal || stopping) return again({ code, signal });
      clearTimeout(calm);
      if (code === indexLostCode) return onFatal(new IndexLost());
      onFatal(new LibraryLost('Lectern stops, since it can keep nothing: the worker says why above.'));
    });
    // One that could not be started has no exit.
    child.on('error', (err) => child.pid === undefined && again({ err }));
  };
  const releaseJobs = () =>
    options.onEnded(holder).catch((err) => log.warn({ err }, 'its jobs wait for their leases to run out'));
  start();

  return {
    isReady: () => ready && !stopping,
    stop: async () => {
      stopping = true;
      clearTimeout(restart);
      if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGTERM');
      const cutOff = setTimeout(() => {
        log.warn({ waitedMs: stopWithinMs }, 'the worker did not stop and is killed');
        child.kill('SIGKILL');
      }, stopWithinMs);
      await ended;
      clearTimeout(cutOff);
      if (child.signalCode !== null) await releaseJobs();
    },
    kill: () => {
      stopping = true;
      child.kill('SIGKILL');
    },
  };
}
