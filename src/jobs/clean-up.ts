// Deletes what is old. Nothing is deleted for its age until two readings of the clock agree: see confirmed-clock.ts.
import { schedulePurges } from '../items/purge-item.ts';
import type { Clock, Millis } from '../model/glossary.ts';
import { presencePrefix } from '../model/presence.ts';
import type { AttemptLimits } from '../store/login-attempt-store.ts';
import type { Store } from '../store/store.ts';
import { createConfirmedClock } from './confirmed-clock.ts';

const keepDoneMs = 3_600_000;
const keepOtherMs = 30 * 24 * 3_600_000;
const keepPresenceMs = 24 * 3_600_000;
const jobsPerDelete = 500;

export interface CleanUpDeps {
  readonly store: Store;
  readonly loginLimits: AttemptLimits;
  readonly now: Clock;
  /** Monotonic: it goes on whatever happens to the clock. */
  readonly uptimeMs?: () => number;
}

export function createCleanUp({ store, loginLimits, now, uptimeMs = () => performance.now() }: CleanUpDeps) {
  const confirmedNow = createConfirmedClock(now, uptimeMs);
  const whenConfirmed = (run: (at: Millis) => Promise<void>) => async () => {
    const at = confirmedNow();
    if (at !== undefined) await run(at);
  };
  return {
    purgeItems: whenConfirmed((at) => schedulePurges(store, at)),
    deleteOldJobs: whenConfirmed((at) => deleteOldJobs(store, at)),
    deleteExpired: whenConfirmed((at) => deleteExpired(store, loginLimits, at)),
  };
}

export async function deleteExpired(store: Store, loginLimits: AttemptLimits, at: Millis): Promise<void> {
  await store.credentials.deleteExpiredSessions(at);
  await store.loginAttempts.deleteStale(loginLimits, at);
  await store.knownBrowsers.deleteExpired(at);
  await store.signOns.deleteExpired(at);
  await store.hostPauses.deleteExpired(at);
  await store.activity.deleteOld(at);
  await store.leases.discardExpired(presencePrefix, at - keepPresenceMs);
  await store.icons.forgetUnused();
}

/** Completed jobs are of interest for an hour, dead letters and cancelled ones for a month. */
export async function deleteOldJobs(store: Store, at: Millis): Promise<void> {
  const rules = { doneBefore: at - keepDoneMs, otherBefore: at - keepOtherMs, atMost: jobsPerDelete };
  // In small transactions, so that no other writer waits for long.
  while ((await store.jobs.deleteOld(rules)) >= jobsPerDelete);
}
