import type { Log } from '../log.ts';

/** Logs once when a regular task begins to fail and once when it succeeds again: a full disk fails every second. */
export function failureLog(log: Pick<Log, 'error' | 'info' | 'debug'>, task: string) {
  let failures = 0;
  return {
    failed(err: unknown): void {
      failures += 1;
      if (failures === 1)
        log.error({ err, task }, 'a regular task fails and is tried again until it succeeds');
      else log.debug({ err, task, failures }, 'a regular task still fails');
    },
    succeeded(): void {
      if (failures > 0) log.info({ task, failures }, 'a regular task succeeds again');
      failures = 0;
    },
  };
}
