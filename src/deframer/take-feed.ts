// Takes one feed that is due and runs it, from the lease to its end, whatever comes between.
import { IndexFull, LeaseLost, LecternError, Unavailable } from '../errors.ts';
import { type After, afterTimeout } from '../outbound/limits.ts';
import type { AcquiredFeed, DeframeRunStore } from '../store/deframer/deframe-run-store.ts';
import { type RunFeedDeps, type RunSignals, runFeed } from './run-feed.ts';

const internal = 'An internal error; the log has the details.';
const afterTroubleMs = 60_000;

export interface TakeFeedDeps extends RunFeedDeps {
  /** Names this process in the locks that it takes, and in its presence lease. */
  readonly holder: string;
  readonly feedsInHand: FeedsInHand;
}

/**
 * The feeds that this process runs. Our lock on any other feed was left behind, since the answer to a claim was lost or a release
 * failed, and the next lookup takes that feed again.
 */
export class FeedsInHand {
  /** The epoch of our lease, by feed. Another loop may have taken the feed from a run that lost its lease and has not ended yet. */
  readonly #epochs = new Map<string, number>();
  #lookup: Promise<unknown> = Promise.resolve();

  /** One lookup at a time: a feed whose answer is on its way would look left behind. */
  acquire(
    find: (inHand: readonly string[]) => Promise<AcquiredFeed | undefined>,
  ): Promise<AcquiredFeed | undefined> {
    const lookup = this.#lookup.then(async () => {
      const lease = await find([...this.#epochs.keys()]);
      if (lease) this.#epochs.set(lease.feedId, lease.epoch);
      return lease;
    });
    this.#lookup = lookup.catch(() => {});
    return lookup;
  }

  release({ feedId, epoch }: AcquiredFeed): void {
    if (this.#epochs.get(feedId) === epoch) this.#epochs.delete(feedId);
  }
}

/** The index could not be asked or written to. That is no fault of the feed. */
class IndexTrouble extends Error {
  override readonly name = 'IndexTrouble';
}

/** False when no feed was due, or the index or the library is away: then it is too early to look again. */
export async function takeFeed(
  given: TakeFeedDeps,
  signals: RunSignals,
  after: After = afterTimeout,
): Promise<boolean> {
  const { settings, log, holder, feedsInHand } = given;
  const lease = await feedsInHand.acquire((inHand) =>
    given.runs.acquire({ ttlMs: settings.leaseMs, holder, inHand }),
  );
  if (!lease) return false;
  const deps = { ...given, runs: tellingTrouble(given.runs) };
  const lost = new AbortController();
  const signal = AbortSignal.any([signals.signal, lost.signal]);
  const onLost = (error: LeaseLost) => lost.abort(error);
  const stopBeating = keepRenewing({ runs: given.runs, after }, lease, settings.leaseMs, onLost);
  const ensureLease = () => renewInTime(deps, lease, signal, onLost);
  try {
    await runFeed(deps, lease, { ...signals, signal, ensureLease });
    log.debug({ feed: lease.feed.url }, 'a feed was deframed');
    return true;
  } catch (error) {
    stopBeating();
    await giveUp(given, lease, { error: lost.signal.aborted ? lost.signal.reason : error, signals });
    return !(error instanceof Unavailable);
  } finally {
    stopBeating();
    feedsInHand.release(lease);
  }
}

/** A model may think for longer than a lease lasts. */
function keepRenewing(
  { runs, after }: { runs: DeframeRunStore; after: After },
  lease: AcquiredFeed,
  leaseMs: number,
  onLost: (error: LeaseLost) => void,
): () => void {
  let cancel = () => {};
  let isOver = false;
  const beat = () => {
    runs
      .renew(lease, leaseMs)
      .catch((error) => {
        // A moment without the index is no loss yet; the fence knows.
        if (error instanceof LeaseLost) onLost(error);
      })
      .finally(() => {
        if (!isOver) cancel = after(leaseMs / 5, beat);
      });
  };
  cancel = after(leaseMs / 5, beat);
  return () => {
    isOver = true;
    cancel();
  };
}

/**
 * Renews the lease, and again if the answer came late: a process that was stopped in between may have lost the lease
 * after it was renewed, and must not send a request that costs money.
 */
async function renewInTime(
  { runs, settings, now }: RunFeedDeps,
  lease: AcquiredFeed,
  signal: AbortSignal,
  onLost: (error: LeaseLost) => void,
): Promise<void> {
  for (;;) {
    signal.throwIfAborted();
    const startedAt = now();
    try {
      await runs.renew(lease, settings.leaseMs);
    } catch (error) {
      if (error instanceof LeaseLost) onLost(error);
      throw error;
    }
    if (now() - startedAt < settings.leaseMs / 2) return;
  }
}

/** What fails in the index is told apart from what fails in a run. */
function tellingTrouble(runs: DeframeRunStore): DeframeRunStore {
  const methods = Object.entries(runs).map(([name, method]) => [
    name,
    async (...args: unknown[]) => {
      try {
        return await (method as (...given: unknown[]) => Promise<unknown>)(...args);
      } catch (error) {
        const isKnown = error instanceof LeaseLost || error instanceof LecternError;
        throw isKnown && !(error instanceof IndexFull)
          ? error
          : new IndexTrouble('the index failed', { cause: error });
      }
    },
  ]);
  return Object.fromEntries(methods) as DeframeRunStore;
}

async function giveUp(
  { runs, settings, log }: RunFeedDeps,
  lease: AcquiredFeed,
  { error, signals }: { error: unknown; signals: RunSignals },
): Promise<void> {
  const feed = lease.feed.url;
  // If nothing can be written, the next lookup of this process takes the feed again.
  const unsaid = (err: unknown) => log.error({ err, feed }, 'the end of a run could not be written');
  if (error instanceof LeaseLost) {
    log.info({ feed }, 'a feed was taken over, or switched off, while it was run: what was left is not done');
    return runs.release(lease).catch(unsaid);
  }
  // Told to stop: another worker goes on where this one ends.
  if (signals.stopping.aborted || signals.signal.aborted) return runs.release(lease).catch(unsaid);
  if (error instanceof Unavailable) {
    log.warn(
      { err: error, feed },
      'a run ended early, since the index or the library is away; it is repeated',
    );
    return runs.release(lease).catch(unsaid);
  }
  log.error({ err: error, feed }, 'a feed could not be deframed');
  if (error instanceof IndexTrouble)
    return runs
      .postpone(lease, {
        delayMs: afterTroubleMs,
        note: 'The index was away for a moment; the run is tried again.',
      })
      .catch(unsaid);
  const sentence = error instanceof LecternError ? error.message : internal;
  return runs.finish(lease, { error: sentence, intervalMs: settings.intervalMs }).catch(unsaid);
}
