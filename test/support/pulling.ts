// What a worker does with pulls, one after the other.
import { Later } from '../../src/errors.ts';
import { type Pull, type PullDeps, pullFeed } from '../../src/feeds/pull-feed.ts';
import { pullKind } from '../../src/feeds/pull-jobs.ts';
import type { PullOutcome } from '../../src/model/feed.ts';
import type { Store } from '../../src/store/store.ts';

export const claimPull = (store: Store) =>
  store.jobs.settleAndClaim([], {
    holder: 'test',
    leaseMs: 600_000,
    names: [pullKind.name],
    total: 1,
    background: 1,
    low: 1,
    first: 'interactive',
    suspect: false,
  });

/** Until nothing is ready; says how each ended that was asked for. */
export async function doPulls(store: Store, deps: PullDeps): Promise<(PullOutcome | undefined)[]> {
  const ends: (PullOutcome | undefined)[] = [];
  for (;;) {
    const [job] = await claimPull(store);
    if (!job) return ends;
    const fence = { id: job.id, epoch: job.epoch };
    const { signal } = new AbortController();
    const outcome = await pullFeed(deps, JSON.parse(job.payload) as Pull, { fence, signal }).then(
      (end) => {
        ends.push(end);
        return { kind: 'done' as const };
      },
      (error) => {
        if (!(error instanceof Later)) throw error;
        return { kind: 'returned' as const, delayMs: error.delayMs };
      },
    );
    await store.jobs.settleAndClaim([{ fence, outcome }]);
  }
}
