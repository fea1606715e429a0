// The worker: upkeep that no request should wait for.
import type { Log } from '../log.ts';
import type { AttemptLimits } from '../store/login-attempt-store.ts';
import type { Store } from '../store/store.ts';
import { every } from './every.ts';

const tidyEveryMs = 2_000;
const tidyThoroughlyEveryMs = 15 * 60_000;
const forgetEveryMs = 10 * 60_000;

export interface WorkerDeps {
  readonly store: Store;
  readonly loginLimits: AttemptLimits;
  readonly log: Log;
}

export interface RunningWorker {
  stop(): Promise<void>;
}

export function startWorker({ store, loginLimits, log }: WorkerDeps): RunningWorker {
  const onError = (task: string) => (err: unknown) =>
    log.error({ err, task }, 'upkeep failed and will be tried again');
  const tasks = [
    every(tidyEveryMs, () => store.tidy('light'), onError('tidy')),
    every(tidyThoroughlyEveryMs, () => store.tidy('thorough'), onError('tidy thoroughly')),
    every(forgetEveryMs, () => forgetExpired(store, loginLimits), onError('forget expired')),
  ];
  return {
    stop: async () => {
      await Promise.all(tasks.map((task) => task.stop()));
    },
  };
}

export async function forgetExpired(store: Store, loginLimits: AttemptLimits): Promise<void> {
  await store.credentials.deleteExpiredSessions();
  await store.loginAttempts.deleteStale(loginLimits);
}
