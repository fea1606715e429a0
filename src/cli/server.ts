// What `lectern serve` starts: the API, the worker, or both.
import { setTimeout as pause } from 'node:timers/promises';
import { IndexLost, LibraryLost, TemporaryFailure } from '../errors.ts';
import { createPullTally } from '../feeds/pull-tally.ts';
import { holdLibraryLock } from '../jobs/library-lock.ts';
import { announcePresence } from '../jobs/presence.ts';
import { createRegistry } from '../jobs/registry.ts';
import { Runner } from '../jobs/runner.ts';
import { usualSettings } from '../jobs/settings.ts';
import { watchIndex } from '../jobs/watch-index.ts';
import { startWatchdog } from '../jobs/watchdog.ts';
import { type RunningWorker, startFlushing, startWorker } from '../jobs/worker.ts';
import { identityKey } from '../library/library.ts';
import { identifyProcess } from '../library/lock.ts';
import { writesText } from '../log.ts';
import type { Role } from '../model/presence.ts';
import { defaultDrainMs, delayForDrain, serverDeadlines, workerDeadlines } from '../model/stop-limits.ts';
import { createIndexer } from '../search/index-pending.ts';
import { hasIndex } from '../store/open.ts';
import { startEmbedding } from './meaning.ts';
import { type Opened, open, openOutbound, type Runtime, type Serving } from './runtime.ts';
import { searchSources } from './search-sources.ts';
import { beforeStop, describeStop, type ServerParts, stopServer } from './stop-server.ts';
import type { StopRequest } from './stop-signals.ts';
import { reportReady, startWorkerChild } from './worker-child.ts';

export interface ServeRequest {
  readonly role: Role;
  /** Names this process in its leases. */
  readonly holder: string;
  /** The holder of the API that started this worker. Undefined for other processes. */
  readonly apiHolder: string | undefined;
  readonly stopRequest: StopRequest;
}

/** Runs until it is asked to stop, then stops every part of the server and flushes the journal. */
export async function serve(runtime: Runtime, request: ServeRequest): Promise<void> {
  const { stopRequest, holder } = request;
  const deadlines = isWorkerOfApi(request) ? workerDeadlines : serverDeadlines;
  try {
    // The API that started this worker has opened the index, so it was deleted since.
    if (isWorkerOfApi(request) && !hasIndex(runtime.readConfig().config.database)) throw new IndexLost();
    const opening = open(runtime, { takeOver: true, holder });
    const opened = withNetwork(runtime, await beforeStop(opening, stopRequest, deadlines));
    releaseLeasesAfterApi(opened, request);
    const parts: ServerParts = { running: [], presence: [] };
    const failure = await runUntilStop(runtime, opened, request, parts).catch((error) => error);
    const notWritten = await stopServer(opened, parts, {
      // The API that started this worker flushes after it.
      mustFlush: () => !(isWorkerOfApi(request) && process.connected),
      isLibraryLost: failure instanceof LibraryLost,
      stopRequest,
      deadlines: delayForDrain(deadlines, drainPeriodMs(opened, request)),
    });
    if (failure && notWritten && !isWorkerOfApi(request)) runtime.stderr.write(`${notWritten}\n`);
    if (failure) throw failure;
    if (notWritten) throw new TemporaryFailure(notWritten);
  } finally {
    // With the exit code that main.ts sets. A step that did not end in time would keep the process alive, and Node stops
    // catching signals before a process ends by itself.
    setImmediate(() => process.exit());
  }
}

/** Starts the parts of the role in order. Resolves without an error once a stop is requested. */
async function runUntilStop(
  runtime: Runtime,
  opened: Serving,
  request: ServeRequest,
  parts: ServerParts,
): Promise<void> {
  const { role, holder, stopRequest } = request;
  const { log, store } = opened;
  const fatal = Promise.withResolvers<never>();
  // It may reject while the other parts start.
  fatal.promise.catch(() => {});
  const steps = [
    async () => {
      const onError = (err: unknown) => log.warn({ err }, 'could not renew the presence lease');
      parts.presence.push(await announcePresence(store.leases, { role, holder }, onError));
      parts.presence.push(watchIndex(store.index, fatal.reject));
      const { files } = opened.library;
      parts.presence.push(
        opened.outages.watch({ index: store.schemaVersion, library: () => files.stat(identityKey) }),
      );
    },
    async () => {
      const lock = { files: opened.library.files, self: identifyProcess() };
      const onError = (err: unknown) => log.warn({ err }, 'could not renew the lock in the library');
      parts.presence.push(await holdLibraryLock(lock, runtime.randomText(12), onError));
    },
    async () => {
      if (role === 'worker') return;
      // A quarter of all that there is to load, and a worker does without.
      const { startApi } = await import('./start-api.ts');
      parts.running.push(await startApi(runtime, opened, drainOf(opened, request)));
    },
    async () => {
      if (role === 'all') {
        const child = startChild(runtime, opened, { apiHolder: holder, onFatal: fatal.reject });
        parts.running.push(child);
        parts.upkeep = startFlushing({ ...opened, onFatal: fatal.reject }, () => !child.isReady());
        return;
      }
      // Without a worker beside it, an API does the upkeep itself.
      parts.upkeep = startUpkeep(runtime, opened, fatal.reject);
      if (isWorkerOfApi(request)) reportReady();
    },
    async () => {
      // Jobs may end the process that does them, and an API must not be that process.
      if (role !== 'worker') return;
      parts.running.push(await startRunner(runtime, opened, holder));
      parts.running.push((await import('./deframing.ts')).startDeframer(runtime, opened, holder));
      parts.running.push(startEmbedding(runtime, opened, holder));
    },
  ];
  handleLaterRequests(runtime, opened, request, parts);
  for (const step of steps) if (!stopRequest.isAsked()) await step();
  log.debug({ role, pid: process.pid }, 'started');
  log.info({ signal: await Promise.race([stopRequest.asked, fatal.promise]) }, 'stopping');
}

function handleLaterRequests(
  { stderr }: Runtime,
  { store }: Opened,
  request: ServeRequest,
  { running }: ServerParts,
): void {
  if (isWorkerOfApi(request)) {
    // The API reports for its worker, and kills it.
    request.stopRequest.onLaterRequests({ report: () => {}, end: () => {} });
    return;
  }
  request.stopRequest.onLaterRequests({
    report: () => describeStop(store).then((sentence) => stderr.write(`${sentence}\n`)),
    end: (exitCode) => {
      for (const part of running) part.kill?.();
      process.exit(exitCode);
    },
  });
}

function withNetwork(runtime: Runtime, opened: Opened): Serving {
  const outbound = openOutbound(runtime, opened);
  const pullTally = createPullTally(runtime.now);
  return { ...opened, outbound, pullsInHand: new Set<object>(), pullTally };
}

/** An API that is killed during a flush keeps the journal's lease, and its worker has to write the rest. */
function releaseLeasesAfterApi({ log, store }: Opened, { apiHolder }: ServeRequest): void {
  if (apiHolder === undefined) return;
  const release = () =>
    store.leases
      .releaseHolder(apiHolder)
      .catch((err) => log.warn({ err }, 'the leases of the API were not released and will expire'));
  if (process.connected) process.once('disconnect', release);
  else release();
}

function startChild(
  runtime: Runtime,
  { log, store }: Opened,
  { apiHolder, onFatal }: { apiHolder: string; onFatal: (error: Error) => void },
) {
  return startWorkerChild({
    entry: runtime.entry,
    log,
    apiHolder,
    newHolder: () => runtime.randomText(12),
    onEnded: async (holder) => {
      await Promise.all([store.leases.releaseHolder(holder), store.jobs.releaseHolder(holder)]);
    },
    onFatal,
  });
}

/** For a load balancer, which learns from /readyz that this API stops. */
function drainOf(opened: Opened, request: ServeRequest) {
  const { isAsked, skipDrain } = request.stopRequest;
  const periodMs = drainPeriodMs(opened, request);
  return {
    drainPeriodMs: periodMs,
    drain: async () => {
      // An API that stops without a request has lost its index or library.
      if (periodMs > 0 && isAsked()) await pause(periodMs, undefined, { signal: skipDrain }).catch(() => {});
    },
  };
}

function drainPeriodMs({ config }: Opened, { role }: ServeRequest): number {
  if (role === 'worker') return 0;
  return config.drainPeriodMs ?? (role === 'api' ? defaultDrainMs : 0);
}

async function startRunner(runtime: Runtime, opened: Serving, holder: string): Promise<RunningWorker> {
  const { config, log, store } = opened;
  const settings = { ...usualSettings, ...config.worker, ...runtime.jobs.settings };
  const definitions = await runtime.jobs.definitions(runtime, opened);
  const pools = [
    { pool: 'jobs', concurrency: settings.concurrency },
    { pool: 'pulls', concurrency: config.pull.concurrency },
    { pool: 'pages', concurrency: config.enrich.concurrency },
  ];
  const places = pools.reduce((sum, { concurrency }) => sum + concurrency, 0);
  const logAsText = writesText({ ...config.log, out: runtime.stderr });
  const names = definitions.map(({ name }) => name);
  const watchdog = startWatchdog({ ...settings, concurrency: places }, names, logAsText);
  const { random } = runtime;
  const runners = pools.map(({ pool, concurrency }) => {
    const registry = createRegistry(definitions.filter((definition) => definition.pool === pool));
    const here = { ...settings, concurrency };
    return new Runner({ queue: store.jobs, registry, holder, settings: here, log, random, watchdog });
  });
  return {
    stop: async () => {
      await Promise.all(runners.map((runner) => runner.stop()));
      await Promise.all(definitions.map(({ close }) => close?.()));
      await watchdog.stop();
    },
  };
}

function startUpkeep(runtime: Runtime, opened: Serving, onFatal: (error: Error) => void) {
  const { searchIndex, leases } = opened.store;
  const indexer = createIndexer(
    {
      searchIndex,
      leases,
      sources: Object.values(searchSources(opened.store, opened.library.files)),
      isBusy: () => opened.pullsInHand.size > 0,
    },
    runtime.randomText(12),
  );
  const { login, pull, raindrop } = opened.config;
  const pulls = { settings: pull, random: runtime.random };
  return startWorker({ ...opened, indexer, loginLimits: login, pulls, raindrop, now: runtime.now, onFatal });
}

/** Such a worker is stopped by its API: it prints nothing, and later signals do not end it. */
function isWorkerOfApi({ apiHolder }: ServeRequest): boolean {
  return apiHolder !== undefined;
}
