// Releases feeds of the deframer that were locked by a process that has ended: their lease is ten minutes long.
import type { Log } from '../log.ts';
import { presenceTtlMs } from '../model/presence.ts';
import type { DeframeRunStore } from '../store/deframer/deframe-run-store.ts';
import { createAbsentHolders } from './absent-holders.ts';

export interface ReleaseLocksDeps {
  readonly runs: Pick<DeframeRunStore, 'findAbsentHolders' | 'releaseAbsent'>;
  readonly log: Log;
  /** Monotonic. */
  readonly uptimeMs?: () => number;
}

/** Returns the check that a worker makes every few seconds. */
export function createReleaseLocks({ runs, log, uptimeMs = () => performance.now() }: ReleaseLocksDeps) {
  const absentHolders = createAbsentHolders(presenceTtlMs);
  return async (): Promise<void> => {
    const ended = absentHolders.check(await runs.findAbsentHolders(), uptimeMs());
    if (ended.length === 0) return;
    const feeds = await runs.releaseAbsent(ended);
    if (feeds > 0) log.info({ feeds }, 'released feeds of the deframer that an ended process had locked');
  };
}
