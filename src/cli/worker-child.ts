// One worker process beside the API: started again when it ends unasked, and ended with us.
import { type ChildProcess, spawn } from 'node:child_process';
import { IndexLost, LibraryLost } from '../errors.ts';
import type { Log } from '../log.ts';
import { workerProcessMs } from '../model/stop-limits.ts';

const firstPauseMs = 1_000;
const longestPauseMs = 30_000;
const libraryLostCode = new LibraryLost().exitCode;
const indexLostCode = new IndexLost().exitCode;

const readyMessage = 'ready';

/** Tells the API that this worker flushes the journal. */
export function reportReady(): void {
  // Without a callback, an API that has just ended would end this process by an uncaught error.
  process.send?.(readyMessage, undefined, undefined, () => {});
}

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
  /** Names the API, so that its worker can release its leases if it is killed. */
  readonly apiHolder: string;
  /** Names a child in the leases that it takes, on jobs and on the journal. */
  readonly newHolder: () => string;
  /** Releases the leases of a child that has ended, so that other processes need not wait for them to expire. */
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
  let released: Promise<void> = Promise.resolve();

  const start = () => {
    // The channel is how the child learns of our end, even by SIGKILL: it closes with us.
    holder = options.newHolder();
    const args = ['serve', '--role', 'worker', '--holder', holder, '--api-holder', options.apiHolder];
    child = spawn(process.execPath, [...process.execArgv, entry, ...args], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    const resetBackoffTimer = setTimeout(() => {
      pauseMs = firstPauseMs;
    }, 60_000);
    child.on('message', (message) => {
      ready = message === readyMessage;
    });
    const onEnded = () => {
      ready = false;
      clearTimeout(resetBackoffTimer);
      released = options
        .onEnded(holder)
        .catch((err) => log.warn({ err }, 'the leases of the worker were not released and will expire'));
    };
    child.on('exit', (code, signal) => {
      onEnded();
      if (stopping) return;
      if (code === indexLostCode) return onFatal(new IndexLost());
      if (code === libraryLostCode)
        return onFatal(
          new LibraryLost('Lectern stops, since it can keep nothing: the worker says why above.'),
        );
      scheduleRestart({ code, signal });
    });
    // One that could not be started has no exit.
    child.on('error', (err) => {
      if (child.pid !== undefined) return;
      onEnded();
      if (!stopping) scheduleRestart({ err });
    });
  };
  const scheduleRestart = (how: object) => {
    log.error({ ...how, restartInMs: pauseMs }, 'the worker ended and is started again');
    restart = setTimeout(start, pauseMs);
    pauseMs = Math.min(pauseMs * 2, longestPauseMs);
  };
  start();

  return {
    isReady: () => ready && !stopping,
    stop: async () => {
      stopping = true;
      clearTimeout(restart);
      if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return released;
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGTERM');
      const cutOff = setTimeout(() => {
        log.warn({ waitedMs: workerProcessMs }, 'the worker did not stop and is killed');
        child.kill('SIGKILL');
      }, workerProcessMs);
      await ended;
      clearTimeout(cutOff);
      await released;
    },
    kill: () => {
      stopping = true;
      child.kill('SIGKILL');
    },
  };
}
