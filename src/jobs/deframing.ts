// The deframer's worker: looks for feeds that are due, and runs a few of them at the same time.
import { FeedsInHand, type TakeFeedDeps, takeFeed } from '../deframer/take-feed.ts';
import { jobsMs } from '../model/stop-limits.ts';
import { every } from './every.ts';
import { failureLog } from './failure-log.ts';
import type { RunningWorker } from './worker.ts';

export interface DeframingSettings {
  /** So many feeds at once in this process. */
  readonly concurrency: number;
  readonly lookEveryMs: number;
  /** A stopping worker gives the analysis of an article this long. */
  readonly drainMs: number;
}

export const usualDeframing: DeframingSettings = { concurrency: 2, lookEveryMs: 2_000, drainMs: jobsMs };

export function startDeframing(
  given: Omit<TakeFeedDeps, 'feedsInHand'>,
  settings: DeframingSettings,
): RunningWorker {
  const deps = { ...given, feedsInHand: new FeedsInHand() };
  const [stopping, ending] = [new AbortController(), new AbortController()];
  const signals = { stopping: stopping.signal, signal: ending.signal };
  const failures = failureLog(deps.log, 'deframe feeds');
  const look = async () => {
    while (!stopping.signal.aborted && (await takeFeed(deps, signals)));
    failures.succeeded();
  };
  const loops = Array.from({ length: settings.concurrency }, () =>
    every(settings.lookEveryMs, look, failures.failed),
  );

  return {
    stop: async () => {
      stopping.abort(new Error('the worker stops'));
      const timer = setTimeout(() => ending.abort(new Error('the worker stops')), settings.drainMs);
      await Promise.all(loops.map((loop) => loop.stop()));
      clearTimeout(timer);
    },
  };
}
