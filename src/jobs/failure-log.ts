import type { Log } from '../log.ts';
import { outageOf } from '../outage-log.ts';

/** Logs each cause once until the task succeeds: a full disk fails every second. */
export function failureLog(log: Pick<Log, 'error' | 'info' | 'debug'>, task: string) {
  let failures = 0;
  const logged = new Set<string>();
  return {
    failed(err: unknown): void {
      // Of an outage, the outage log says when it begins and ends.
      if (outageOf(err)) {
        log.error({ err, task }, 'a regular task has to wait');
        return;
      }
      failures += 1;
      const cause = causeOf(err);
      if (!logged.has(cause))
        log.error({ err, task }, 'a regular task fails and is tried again until it succeeds');
      else log.debug({ err, task, failures }, 'a regular task still fails');
      logged.add(cause);
    },
    succeeded(): void {
      if (failures > 0) log.info({ task, failures }, 'a regular task succeeds again');
      failures = 0;
      logged.clear();
    },
  };
}

/** Without the message, which may name another file each time. */
function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  const { name, code, errcode } = error as Error & { code?: unknown; errcode?: unknown };
  const outer = `${name} ${code} ${errcode}`;
  return error.cause === undefined ? outer : `${outer}: ${causeOf(error.cause)}`;
}
