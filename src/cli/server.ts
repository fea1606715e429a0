// What `lectern serve` starts: the API, the worker, or both.
import { IndexLost, LibraryLost } from '../errors.ts';
import { createPullTally } from '../feeds/pull-tally.ts';
import { holdLibraryLock } from '../jobs/library-lock.ts';
import { announcePresence } from '../jobs/presence.ts';
import { createRegistry } from '../jobs/registry.ts';
import { Runner } from '../jobs/runner.ts';
import { usualSettings } from '../jobs/settings.ts';
import { watchIndex } from '../jobs/watch-index.ts';
import { startWatchdog } from '../jobs/watchdog.ts';
import { startWorker } from '../jobs/worker.ts';
import { identifyProcess } from '../library/lock.ts';
import { writesText } from '../log.ts';
import { createIndexer } from '../search/index-pending.ts';
import { hasIndex } from '../store/open.ts';
import { startEmbedding } from './meaning.ts';
import { type Opened, open, openOutbound, type Runtime, type Serving } from './runtime.ts';
import { searchSources } from './search-sources.ts';
import type { Role } from './serve.ts';
import { startWorkerChild } from './worker-child.ts';

const lastMomentMs = 500;

/** Runs until a signal asks it to stop; what was started last is stopped first. */
export async function serve(runtime: Runtime, role: Role, holder?: string): Promise<void> {
  const asked = stopAsked();
  // The API that started this worker has opened the index, so it was deleted since.
  if (holder !== undefined && !hasIndex(runtime.readConfig().config.database)) throw new IndexLost();
  const opened = withNetwork(runtime, await open(runtime, { takeOver: true }));
  const fatal = Promise.withResolvers<never>();
  let isIndexLost = false;
  // A clean stop leaves nothing unwritten, and comes after the last request was answered.
  const stops = [() => opened.store.close(), () => opened.flusher.flushAll(), () => opened.outbound.close()];
  try {
    const presence = await announcePresence(opened.store.leases, runtime.randomText(12), (err) =>
      opened.log.warn({ err }, 'could not renew the sign that we are running'),
    );
    stops.push(presence.stop, watchIndex(opened.store.index, fatal.reject).stop);
    const lock = { files: opened.library.files, now: runtime.now, self: identifyProcess() };
    const onLockError = (err: unknown) => opened.log.warn({ err }, 'could not renew the lock in the library');
    stops.push((await holdLibraryLock(lock, runtime.randomText(12), onLockError)).stop);
    if (role !== 'worker') {
      // A quarter of all that there is to load, and a worker does without.
      const { startApi } = await import('./start-api.ts');
      stops.push((await startApi(runtime, opened)).stop);
    }
    // Without a worker beside it, an API does the upkeep itself.
    stops.push(
      role === 'all'
        ? startChild(runtime, opened, fatal.reject).stop
        : startUpkeep(runtime, opened, fatal.reject).stop,
    );
    // Jobs may end the process that does them, and an API must not be that process.
    if (role === 'worker') {
      const stopRunner = await startRunner(runtime, opened, holder);
      const deframer = (await import('./deframing.ts')).startDeframer(runtime, opened);
      const embedding = startEmbedding(runtime, opened);
      // At the same time: each of them lets what is under way come to its end.
      stops.push(async () => {
        await Promise.all([stopRunner(), deframer.stop(), embedding.stop()]);
      });
    }
    opened.log.debug({ role, pid: process.pid }, 'started');
    opened.log.info({ signal: await Promise.race([asked, fatal.promise]) }, 'stopping');
  } catch (error) {
    // What we may not write to, we cannot flush to either.
    if (error instanceof LibraryLost) stops.splice(1, 1);
    isIndexLost = error instanceof IndexLost;
    throw error;
  } finally {
    // One that fails must not keep the others from it: the journal is flushed, the index is closed.
    for (const stop of stops.reverse())
      await stop().catch((err) => opened.log.error({ err }, 'stopping failed'));
    // A job that heeded no signal was given back, and may still keep the process from its end.
    if (role === 'worker') setTimeout(() => process.exit(), lastMomentMs).unref();
    // A process that is not ended closes its connections at its end, which deletes the WAL of whatever index is at the path now.
    if (isIndexLost) setTimeout(() => process.exit(), 0);
  }
}

function withNetwork(runtime: Runtime, opened: Opened): Serving {
  const outbound = openOutbound(runtime, opened);
  const pullTally = createPullTally(runtime.now);
  return { ...opened, outbound, pullsInHand: new Set<object>(), pullTally };
}

function startChild(runtime: Runtime, { log, store }: Opened, onFatal: (error: Error) => void) {
  return startWorkerChild({
    entry: runtime.entry,
    log,
    newHolder: () => runtime.randomText(12),
    onEnded: (holder) => store.jobs.releaseHolder(holder),
    onFatal,
  });
}

async function startRunner(
  runtime: Runtime,
  opened: Serving,
  holder = runtime.randomText(12),
): Promise<() => Promise<void>> {
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
  return async () => {
    await Promise.all(runners.map((runner) => runner.stop()));
    await Promise.all(definitions.map(({ close }) => close?.()));
    await watchdog.stop();
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

/** Resolves when we are told to end: by a signal, or by the end of the process that started us. */
function stopAsked(): Promise<string> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const)
      process.once(signal, () => resolve(signal));
    if (process.channel) {
      process.once('disconnect', () => resolve('the parent ended'));
      // Listening would keep us alive for as long as the parent is, even when we are done or could not start.
      process.channel.unref();
    }
  });
}
