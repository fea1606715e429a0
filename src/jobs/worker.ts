// The worker: upkeep that no request should wait for.
import { LibraryLost } from '../errors.ts';
import { scheduleIcons } from '../feeds/icons/icon-jobs.ts';
import { type ScheduleDeps, schedulePulls } from '../feeds/pull-jobs.ts';
import type { PullTally } from '../feeds/pull-tally.ts';
import { scheduleLinkChecks } from '../items/check-link.ts';
import { lookAfterPending } from '../items/enrich-pending.ts';
import { scheduleCovers } from '../items/fetch-cover.ts';
import { lookEveryMs } from '../library/journal/flush-rules.ts';
import type { Flusher } from '../library/journal/flusher.ts';
import type { Library } from '../library/library.ts';
import type { Log } from '../log.ts';
import { scheduleMirror } from '../mirror/node/mirror.ts';
import type { Clock } from '../model/glossary.ts';
import type { Secret } from '../model/secret.ts';
import type { Indexer } from '../search/index-pending.ts';
import type { AttemptLimits } from '../store/login-attempt-store.ts';
import type { Store } from '../store/store.ts';
import { createCleanUp } from './clean-up.ts';
import { createConfirmedClock } from './confirmed-clock.ts';
import { every } from './every.ts';
import { failureLog } from './failure-log.ts';
import { createReleaseLocks } from './release-locks.ts';

const tidyEveryMs = 2_000;
const tidyThoroughlyEveryMs = 15 * 60_000;
const deleteExpiredEveryMs = 10 * 60_000;
const foldEveryMs = 10 * 60_000;
const scheduleEveryMs = 5_000;
const scheduleIconsEveryMs = 10_000;
const enrichEveryMs = 30_000;
const purgeEveryMs = 60_000;
const checkLinksEveryMs = 60_000;
const settleEveryMs = 60_000;
const sweepEveryMs = 5_000;
const deleteJobsEveryMs = 60_000;
const indexEveryMs = 500;
const countEveryMs = 60_000;
const mirrorEveryMs = 30_000;
const coversEveryMs = 10_000;
/** Less than the time for which a presence lease is valid. */
const releaseLocksEveryMs = 5_000;

export interface WorkerDeps {
  readonly store: Store;
  readonly library: Pick<Library, 'files'>;
  readonly flusher: Flusher;
  readonly indexer: Indexer;
  readonly loginLimits: AttemptLimits;
  readonly pulls: Omit<ScheduleDeps, 'pulls'>;
  readonly pullTally: PullTally;
  readonly raindrop: { readonly token: Secret | undefined; readonly apiUrl: string };
  readonly now: Clock;
  readonly log: Log;
  /** Called when going on makes no sense. */
  readonly onFatal: (error: Error) => void;
}

export interface RunningWorker {
  stop(): Promise<void>;
}

export function startWorker(deps: WorkerDeps): RunningWorker {
  const { store, flusher, indexer, pulls, pullTally, now } = deps;
  const cleanUp = createCleanUp(deps);
  const releaseLocks = createReleaseLocks({ runs: store.deframeRuns, log: deps.log });
  const confirmedNow = createConfirmedClock(now, () => performance.now());
  const regularly = (periodMs: number, task: string, run: (signal: AbortSignal) => Promise<void>) =>
    runRegularly(deps, periodMs, task, run);
  const tasks = [
    regularly(lookEveryMs, 'write the journal', (signal) => flusher.flushIfDue(() => !signal.aborted)),
    regularly(foldEveryMs, 'fold the journal', () => flusher.foldIfNight(confirmedNow())),
    regularly(indexEveryMs, 'index for search', () => indexForSearch(indexer)),
    regularly(tidyEveryMs, 'tidy', () => store.tidy('light')),
    regularly(tidyThoroughlyEveryMs, 'tidy thoroughly', () => store.tidy('thorough')),
    regularly(scheduleEveryMs, 'put pulls into the queue', () => schedule(store, pulls)),
    regularly(scheduleIconsEveryMs, 'put icons into the queue', () => lookForIcons(store, now)),
    regularly(enrichEveryMs, 'look after pending items', () => lookAfterPending(deps)),
    regularly(purgeEveryMs, 'purge deleted items', cleanUp.purgeItems),
    regularly(checkLinksEveryMs, 'put link checks into the queue', () => checkLinks(store)),
    regularly(settleEveryMs, 'settle what is unread', () => store.readerUpkeep.settleUnread()),
    regularly(sweepEveryMs, 'sweep deleted feeds', () => store.readerUpkeep.sweepDeletedFeeds()),
    regularly(deleteJobsEveryMs, 'delete old jobs', cleanUp.deleteOldJobs),
    regularly(countEveryMs, 'count pulls', () => store.activity.add(pullTally.take())),
    regularly(mirrorEveryMs, 'put the mirror into the queue', () => mirror(deps)),
    regularly(coversEveryMs, 'put covers into the queue', () => covers(store)),
    regularly(releaseLocksEveryMs, 'release locks of ended processes', releaseLocks),
    regularly(deleteExpiredEveryMs, 'delete expired rows', cleanUp.deleteExpired),
  ];
  return {
    stop: async () => {
      await Promise.all(tasks.map((task) => task.stop()));
      await store.activity.add(pullTally.take());
    },
  };
}

/** Flushes from the API while its worker is not ready. */
export function startFlushing(
  { flusher, ...deps }: Pick<WorkerDeps, 'flusher' | 'log' | 'onFatal'>,
  isNeeded: () => boolean,
): RunningWorker {
  return runRegularly(deps, lookEveryMs, 'write the journal', async (signal) => {
    if (isNeeded()) await flusher.flushIfDue(() => isNeeded() && !signal.aborted);
  });
}

function runRegularly(
  { log, onFatal }: Pick<WorkerDeps, 'log' | 'onFatal'>,
  periodMs: number,
  task: string,
  run: (signal: AbortSignal) => Promise<void>,
): RunningWorker {
  const failures = failureLog(log, task);
  return every(
    periodMs,
    (signal) => run(signal).then(failures.succeeded),
    (err) => (err instanceof LibraryLost ? onFatal(err) : failures.failed(err)),
  );
}

async function schedule(store: Store, deps: WorkerDeps['pulls']): Promise<void> {
  await schedulePulls({ ...deps, pulls: store.pulls });
}

async function lookForIcons(store: Store, now: Clock): Promise<void> {
  await scheduleIcons({ icons: store.icons, now });
}

async function checkLinks(store: Store): Promise<void> {
  await scheduleLinkChecks(store);
}

async function mirror(deps: WorkerDeps): Promise<void> {
  await scheduleMirror(deps);
}

async function covers(store: Store): Promise<void> {
  await scheduleCovers(store);
}

async function indexForSearch(indexer: Indexer): Promise<void> {
  await indexer.look();
}
