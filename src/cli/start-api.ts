// The API of a server: put together, listening, and where it is found.
import { createOidc } from '../accounts/oidc.ts';
import { applyConfiguredPassword, createSetupLink } from '../accounts/setup.ts';
import { createApi } from '../api/app.ts';
import { listen } from '../api/listen.ts';
import { createMetrics } from '../api/metrics.ts';
import { readWebApp } from '../api/pages/web-app.ts';
import type { Config } from '../config.ts';
import { Invalid, StartupError } from '../errors.ts';
import { feedFinder } from '../feeds/find-feeds.ts';
import { libraryStats } from '../library/stats.ts';
import { arrivalMs, drainDelayMs, requestsMs } from '../model/stop-limits.ts';
import { Parser } from '../parsing/parser.ts';
import { openAskModel } from './ask-model.ts';
import { openMeaning } from './meaning.ts';
import type { Opened, Runtime, Serving } from './runtime.ts';
import { searchSources } from './search-sources.ts';

interface Drain {
  readonly drainPeriodMs: number;
  /** Resolves after that period, or as soon as there is no reason to wait any longer. */
  readonly drain: () => Promise<void>;
}

export async function startApi(runtime: Runtime, opened: Serving, { drainPeriodMs, drain }: Drain) {
  const { config, log, store, accounts } = opened;
  if (config.password) await setOwnerPassword(opened, config.password);
  const meaning = openMeaning(runtime, opened);
  const asking = openAskModel(runtime, opened);
  // Somebody waits for the answer. A large upload of one user does not hold up the feeds of the others.
  const [parser, uploads] = [
    new Parser({ timeLimitMs: 5_000, maxWaiting: 64 }),
    new Parser({ timeLimitMs: 5_000, maxWaiting: 4 }),
  ];
  let isStopping = false;
  const { app, endStreams, endEventStreams } = createApi({
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
    isStopping: () => isStopping,
    isUp: opened.outages.isUp,
    webApp: readWebApp(runtime.webApp),
    parser: uploads,
    discoverFeeds: feedFinder(opened.outbound, (document) => parser.parse('discovery', document)),
    searchSources: searchSources(store, opened.library.files),
    meaning,
    embeddings: config.embeddings,
    askModel: asking.model,
    askPerDay: config.ask.perDay,
    ownFiles: config,
    files: opened.library.files,
    raindrop: config.raindrop,
    measureLibrary: () => libraryStats(opened.library.files),
    deframer: { ...config.deframer, analyzer: analyzerOf(config) },
  });
  const listening = await listen(app.fetch, {
    ...config,
    onRefused: (address) =>
      log.warn(
        { address },
        'too many connections: one was refused. If this address is your proxy, add it to LECTERN_TRUSTED_PROXIES',
      ),
  });
  const address = addressToOpen(config, listening.port);
  const secret = await createSetupLink(accounts);
  runtime.stdout.write(
    secret
      ? `\n  Lectern is running. Set it up with this link; it works once, for a day:\n\n  ${address}/setup#${secret}\n\n`
      : `\n  Lectern is running at ${address}\n\n`,
  );
  return {
    stop: async () => {
      const requestsUntil = performance.now() + requestsMs + drainDelayMs(drainPeriodMs);
      isStopping = true;
      // Their clients come back by themselves, and leave connections that a load balancer could use again.
      endEventStreams();
      await drain();
      endStreams();
      try {
        await listening.stop({
          withinMs: requestsUntil - performance.now(),
          arrivalMs: drainPeriodMs > 0 ? arrivalMs : 0,
        });
      } finally {
        await parser.close();
        await uploads.close();
        await meaning?.close();
        await asking.close();
      }
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
