// `lectern serve`: the API, the worker, or both.
import { Command, Option } from 'commander';
import { applyConfiguredPassword, createSetupLink } from '../accounts/setup.ts';
import { createApi } from '../api/app.ts';
import { listen } from '../api/listen.ts';
import { createMetrics } from '../api/metrics.ts';
import type { Config } from '../config.ts';
import { Invalid, LibraryLost, StartupError } from '../errors.ts';
import { announcePresence } from '../jobs/presence.ts';
import { startWorker } from '../jobs/worker.ts';
import { createIndexer } from '../search/index-pending.ts';
import { type Opened, open, type Runtime } from './runtime.ts';
import { searchSources } from './search-sources.ts';
import { startWorkerChild } from './worker-child.ts';

const roles = ['all', 'api', 'worker'] as const;
type Role = (typeof roles)[number];

export function serveCommand(runtime: Runtime): Command {
  return new Command('serve')
    .description('Start Lectern.')
    .addOption(
      new Option('--role <role>', 'all: the API and one worker; api or worker: only that, any number of each')
        .choices(roles)
        .default('all'),
    )
    .action(({ role }: { role: Role }) => serve(runtime, role));
}

/** Runs until a signal asks it to stop; what was started last is stopped first. */
async function serve(runtime: Runtime, role: Role): Promise<void> {
  const asked = stopAsked();
  const opened = await open(runtime);
  const fatal = Promise.withResolvers<never>();
  // A clean stop leaves nothing unwritten, and comes after the last request was answered.
  const stops = [() => opened.store.close(), () => opened.flusher.flushAll()];
  try {
    const presence = await announcePresence(opened.store.leases, runtime.randomText(12), (err) =>
      opened.log.warn({ err }, 'could not renew the sign that we are running'),
    );
    stops.push(presence.stop);
    if (role !== 'worker') stops.push((await startApi(runtime, opened)).stop);
    // Without a worker beside it, an API does the upkeep itself.
    stops.push(
      role === 'all'
        ? startWorkerChild(runtime.entry, opened.log, fatal.reject).stop
        : startUpkeep(runtime, opened, fatal.reject).stop,
    );
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
  }
}

function startUpkeep(runtime: Runtime, opened: Opened, onFatal: (error: Error) => void) {
  const { searchIndex, leases } = opened.store;
  const indexer = createIndexer(
    { searchIndex, leases, sources: searchSources(opened.store) },
    runtime.randomText(12),
  );
  return startWorker({ ...opened, indexer, loginLimits: opened.config.login, onFatal });
}

async function startApi(runtime: Runtime, opened: Opened) {
  const { config, log, store, accounts } = opened;
  if (config.password) await setOwnerPassword(opened, config.password);
  const { app } = createApi({
    store,
    accounts,
    log,
    client: config,
    corsAllowedOrigins: config.corsAllowedOrigins,
    metrics: createMetrics({ process: true }),
    randomText: runtime.randomText,
    version: runtime.version,
  });
  const listening = await listen(app.fetch, config);
  const address = addressToOpen(config, listening.port);
  const secret = await createSetupLink(accounts);
  runtime.stdout.write(
    secret
      ? `\n  Lectern is running. Set it up with this link; it works once, for a day:\n\n  ${address}/setup#${secret}\n\n`
      : `\n  Lectern is running at ${address}\n\n`,
  );
  return listening;
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
