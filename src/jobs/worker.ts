// The worker: upkeep that no request should wait for.
import { LibraryLost } from '../errors.ts';
import { scheduleIcons } from '../feeds/icons/icon-jobs.ts';
import { type ScheduleDeps, schedulePulls } from '../feeds/pull-jobs.ts';
import type { PullTally } from '../feeds/pull-tally.ts';
import { scheduleLinkChecks } from '../items/check-link.ts';
import { lookAfterPending } from '../items/enrich-pending.ts';
import { scheduleCovers } from '../items/fetch-cover.ts';
import { schedulePurges } from '../items/purge-item.ts';
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
import { every } from './every.ts';

const tidyEveryMs = 2_000;
const tidyThoroughlyEveryMs = 15 * 60_000;
const forgetEveryMs = 10 * 60_000;
const foldEveryMs = 10 * 60_000;
const scheduleEveryMs = 5_000;
const scheduleIconsEveryMs = 10_000;
const enrichEveryMs = 30_000;
const purgeEveryMs = 60_000;
const checkLinksEveryMs = 60_000;
const settleEveryMs = 60_000;
const sweepEveryMs = 5_000;
const forgetJobsEveryMs = 60_000;
const keepDoneMs = 3_600_000;
const keepOtherMs = 30 * 24 * 3_600_000;
const forgetAtOnce = 500;
const indexEveryMs = 500;
const countEveryMs = 60_000;
const mirrorEveryMs = 30_000;
const coversEveryMs = 10_000;

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
  const { store, flusher, indexer, loginLimits, pulls, pullTally, now, log, onFatal } = deps;
  const onError = (task: string) => {
    let lastMessage: string | undefined;
    return (err: unknown) => {
      if (err instanceof LibraryLost) return onFatal(err);
      // A full disk fails every second; saying so once is enough, until it is another failure.
      const { message } = err as Error;
      if (message !== lastMessage)
        log.error({ err, task }, 'upkeep failed and is tried again until it succeeds');
      lastMessage = message;
    };
  };
  const tasks = [
    every(lookEveryMs, () => flusher.look(), onError('write the journal')),
    every(foldEveryMs, () => flusher.foldIfNight(), onError('fold the journal')),
    every(indexEveryMs, () => indexForSearch(indexer), onError('index for search')),
    every(tidyEveryMs, () => store.tidy('light'), onError('tidy')),
    every(tidyThoroughlyEveryMs, () => store.tidy('thorough'), onError('tidy thoroughly')),
    every(scheduleEveryMs, () => schedule(store, pulls), onError('put pulls into the queue')),
    every(scheduleIconsEveryMs, () => lookForIcons(store, now), onError('put icons into the queue')),
    every(enrichEveryMs, () => lookAfterPending(deps), onError('look after pending items')),
    every(purgeEveryMs, () => schedulePurges(store), onError('purge deleted items')),
    every(checkLinksEveryMs, () => checkLinks(store), onError('put link checks into the queue')),
    every(settleEveryMs, () => store.readerUpkeep.settleUnread(), onError('settle what is unread')),
    every(sweepEveryMs, () => store.readerUpkeep.sweepDeletedFeeds(), onError('sweep deleted feeds')),
    every(forgetJobsEveryMs, () => forgetOldJobs(store), onError('forget old jobs')),
    every(countEveryMs, () => store.activity.add(pullTally.take()), onError('count pulls')),
    every(mirrorEveryMs, () => mirror(deps), onError('put the mirror into the queue')),
    every(coversEveryMs, () => covers(store), onError('put covers into the queue')),
    every(forgetEveryMs, () => forgetExpired(store, loginLimits), onError('forget expired')),
  ];
  return {
    stop: async () => {
      await Promise.all(tasks.map((task) => task.stop()));
      await store.activity.add(pullTally.take());
    },
  };
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

export async function forgetExpired(store: Store, loginLimits: AttemptLimits): Promise<void> {
  await store.credentials.deleteExpiredSessions();
  await store.loginAttempts.deleteStale(loginLimits);
  await store.knownBrowsers.deleteExpired();
  await store.signOns.forgetExpired();
  await store.hostPauses.forgetExpired();
  await store.icons.forgetUnused();
}

/** Those that were done are of interest for an hour, dead letters and cancelled ones for a month. */
export async function forgetOldJobs(store: Store): Promise<void> {
  const rules = { doneMs: keepDoneMs, otherMs: keepOtherMs, atMost: forgetAtOnce };
  // In small transactions, so that nobody waits for one of them.
  while ((await store.jobs.forget(rules)) >= forgetAtOnce);
}
