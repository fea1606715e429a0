// Takes one feed that is due and runs it, from the lease to its end, whatever comes between.
import { LeaseLost, LecternError } from '../errors.ts';
import type { AcquiredFeed } from '../store/deframer/deframe-run-store.ts';
import { type RunFeedDeps, type RunSignals, runFeed } from './run-feed.ts';

const internal = 'An internal error; the log has the details.';

/** False when no feed was due. */
export async function takeFeed(deps: RunFeedDeps, signals: RunSignals): Promise<boolean> {
  const { runs, settings, log } = deps;
  const lease = await runs.acquire({ ttlMs: settings.leaseMs });
  if (!lease) return false;
  const lost = new AbortController();
  const signal = AbortSignal.any([signals.signal, lost.signal]);
  const renewing = setInterval(() => {
    runs.renew(lease, settings.leaseMs).catch((error) => {
      // A moment without the index is no loss yet; the fence knows.
      if (error instanceof LeaseLost) lost.abort(error);
    });
  }, settings.leaseMs / 5);
  try {
    await runFeed(deps, lease, { ...signals, signal });
  } catch (error) {
    clearInterval(renewing);
    await giveUp(deps, lease, { error: lost.signal.aborted ? lost.signal.reason : error, signals });
  } finally {
    clearInterval(renewing);
  }
  log.debug({ feed: lease.feed.url }, 'a feed was deframed');
  return true;
}

async function giveUp(
  { runs, settings, log }: RunFeedDeps,
  lease: AcquiredFeed,
  { error, signals }: { error: unknown; signals: RunSignals },
): Promise<void> {
  const feed = lease.feed.url;
  if (error instanceof LeaseLost) {
    log.info({ feed }, 'a feed was taken over, or switched off, while it was run: what was left is not done');
    return runs.release(lease);
  }
  // Told to stop: another worker goes on where this one ends.
  if (signals.stopping.aborted || signals.signal.aborted) return runs.release(lease);
  log.error({ err: error, feed }, 'a feed could not be deframed');
  const sentence = error instanceof LecternError ? error.message : internal;
  await runs
    .finish(lease, { error: sentence, intervalMs: settings.intervalMs })
    // Without the index nothing can be said; the lease runs out, and the feed is run again.
    .catch((err) => log.error({ err, feed }, 'the end of a run could not be written'));
}
