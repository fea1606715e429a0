// What `lectern serve` starts: the API, the worker, or both.
import { createOidc } from '../accounts/oidc.ts';
import { applyConfiguredPassword, createSetupLink } from '../accounts/setup.ts';
import { createApi } from '../api/app.ts';
import { listen } from '../api/listen.ts';
import { createMetrics } from '../api/metrics.ts';
import { readWebApp } from '../api/pages/web-app.ts';
import type { Config } from '../config.ts';
import { Invalid, LibraryLost, StartupError } from '../errors.ts';
import { feedFinder } from '../feeds/find-feeds.ts';
import { createPullTally } from '../feeds/pull-tally.ts';
import { announcePresence } from '../jobs/presence.ts';
import { createRegistry } from '../jobs/registry.ts';
import { Runner } from '../jobs/runner.ts';
import { usualSettings } from '../jobs/settings.ts';
import { startWatchdog } from '../jobs/watchdog.ts';
import { startWorker } from '../jobs/worker.ts';
import { libraryStats } from '../library/stats.ts';
import { writesText } from '../log.ts';
import { createIndexer } from '../search/index-pending.ts';
import { openAskModel } from './ask-model.ts';
import { openMeaning, startEmbedding } from './meaning.ts';
import { type Opened, open, openOutbound, type Runtime, type Serving } from './runtime.ts';
import { searchSources } from './search-sources.ts';
import type { Role } from './serve.ts';
import { startWorkerChild } from './worker-child.ts';

const lastMomentMs = 500;

/** Runs until a signal asks it to stop; what was started last is stopped first. */
export async function serve(runtime: Runtime, role: Role, holder?: string): Promise<void> {
  const asked = stopAsked();
  const opened = withNetwork(runtime, await open(runtime, { takeOver: true }));
  const fatal = Promise.withResolvers<never>();
  // A clean stop leaves nothing unwritten, and comes after the last request was answered.
  const stops = [() => opened.store.close(), () => opened.flusher.flushAll(), () => opened.outbound.close()];
  try {
    const presence = await announcePresence(opened.store.leases, runtime.randomText(12), (err) =>
      opened.log.warn({ err }, 'could not renew the sign that we are running'),
    );
    stops.push(presence.stop);
    if (role !== 'worker') stops.push((await startApi(runtime, opened)).stop);
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
    throw error;
  } finally {
    // One that fails must not keep the others from it: the journal is flushed, the index is closed.
    for (const stop of stops.reverse())
      await stop().catch((err) => opened.log.error({ err }, 'stopping failed'));
    // A job that heeded no signal was given back, and may still keep the process from its end.
    if (role === 'worker') setTimeout(() => process.exit(), lastMomentMs).unref();
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

async function startApi(runtime: Runtime, opened: Serving) {
  const { config, log, store, accounts } = opened;
  if (config.password) await setOwnerPassword(opened, config.password);
  const meaning = openMeaning(runtime, opened);
  const asking = openAskModel(runtime, opened);
  const { app, endStreams } = createApi({
    store,
    accounts,
    log,
    oidc: config.oidc && createOidc({ outbound: opened.outbound, now: runtime.now }, config.oidc),
    client: config,
    corsAllowedOrigins: config.corsAllowedOrigins,
    metrics: createMetrics({ process: true }),
    randomText: runtime.randomText,
    version: runtime.version,
    now: runtime.now,
    webApp: readWebApp(runtime.webApp),
    discoverFeeds: feedFinder(opened.outbound),
    searchSources: searchSources(store, opened.library.files),
    meaning,
    embeddings: config.embeddings,
    askModel: asking.model,
    files: opened.library.files,
    raindrop: config.raindrop,
    measureLibrary: () => libraryStats(opened.library.files),
    deframer: { ...config.deframer, analyzer: analyzerOf(config) },
  });
  const listening = await listen(app.fetch, config);
  const address = addressToOpen(config, listening.port);
  const secret = await createSetupLink(accounts);
  runtime.stdout.write(
    secret
      ? `\n  Lectern is running. Set it up with this link; it works once, for a day:\n\n  ${address}/setup#${secret}\n\n`
      : `\n  Lectern is running at ${address}\n\n`,
  );
  return {
    stop: async () => {
      endStreams();
      await listening.stop();
      await meaning?.close();
      await asking.close();
    },
  };
}

function analyzerOf({ ai }: Config) {
  return { type: ai.type, model: 'model' in ai ? ai.model : ai.type };
}

async function setOwnerPassword(
  { accounts }: Opened,
  password: NonNullable<Config['password']>,
): Promise<void> {
  try {
    await applyConfiguredPassword(accounts, password);
  } catch (error) {
    if (!(error instanceof Invalid)) throw error;
    throw new StartupError(`LECTERN_PASSWORD: ${error.message.replace(/^password: /, '')}`, { cause: error });
  }
}

function addressToOpen({ publicUrl, host }: Config, port: number): string {
  if (publicUrl) return publicUrl;
  const shown =
    host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '[::1]' : host.includes(':') ? `[${host}]` : host;
  return `http://${shown}:${port}`;
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
