// What every command is handed, and what most of them start with: the configuration and an open store.
import type { AccountDeps } from '../accounts/deps.ts';
import { createPasswords, type PasswordOptions } from '../accounts/passwords.ts';
import type { Config } from '../config.ts';
import { Unavailable } from '../errors.ts';
import type { PullTally } from '../feeds/pull-tally.ts';
import type { DeframingSettings } from '../jobs/deframing.ts';
import type { JobDefinition } from '../jobs/registry.ts';
import type { RunnerSettings } from '../jobs/settings.ts';
import type { Files } from '../library/files/files.ts';
import { openFiles } from '../library/files/open-files.ts';
import type { FlushDeps } from '../library/journal/flush.ts';
import { createFlusher, type Flusher } from '../library/journal/flusher.ts';
import {
  beginLibrary,
  findIdentity,
  hasSegments,
  joinLibrary,
  type Library,
  restoreIdentity,
} from '../library/library.ts';
import { ulidMaker } from '../library/ulid.ts';
import { type Log, openLog } from '../log.ts';
import type { Clock, RandomText } from '../model/glossary.ts';
import type { OutageLog } from '../outage-log.ts';
import { createOutbound, type Outbound, type OutboundDeps } from '../outbound/outbound.ts';
import { needsFlushBeforeMigration, openStore, requireOwnIndex } from '../store/open.ts';
import type { Store } from '../store/store.ts';
import type { StopRequest } from './stop-signals.ts';

export interface Runtime {
  readonly version: string;
  /** The file that a child process of ours starts from. */
  readonly entry: string;
  /** The folder that the build of the web app has filled. */
  readonly webApp: string;
  readonly readConfig: () => { config: Config; warnings: string[] };
  readonly now: Clock;
  readonly randomText: RandomText;
  /** From 0 to 1. */
  readonly random: () => number;
  readonly jobs: {
    /** What the worker can do. */
    readonly definitions: (runtime: Runtime, opened: Serving) => Promise<readonly JobDefinition[]>;
    readonly settings?: Partial<RunnerSettings>;
  };
  /** Tests open a slower library. */
  readonly openFiles?: typeof openFiles;
  /** Tests hash passwords at a lower cost. */
  readonly passwords?: PasswordOptions;
  /** Tests let leases run out sooner. */
  readonly deframing?: Partial<DeframingSettings> & { readonly lease?: number };
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  /** Given if signals were caught before the command was known. */
  readonly stopRequest?: StopRequest;
}

export interface Opened {
  readonly config: Config;
  readonly log: Log;
  readonly outages: OutageLog;
  readonly store: Store;
  readonly library: Library;
  readonly journal: FlushDeps;
  readonly flusher: Flusher;
  readonly accounts: AccountDeps;
}

/** What a server has besides. */
export interface Serving extends Opened {
  readonly outbound: Outbound;
  /** Pulls that this process is at. */
  readonly pullsInHand: Set<object>;
  readonly pullTally: PullTally;
}

export interface CommandOptions {
  /** A database of ReedMe or Fusion becomes an index of ours first. Any other command only refuses one. */
  readonly takeOver?: boolean;
  /** Opens an index that is being rebuilt, for the last steps of a reinflate. */
  readonly duringReinflate?: boolean;
  /** Names this process in the leases that it takes. */
  readonly holder?: string | undefined;
}

export async function open(
  runtime: Runtime,
  { takeOver = false, duringReinflate = false, holder }: CommandOptions = {},
): Promise<Opened> {
  const { config, log, outages } = configure(runtime);
  const { now, randomText } = runtime;
  const options = {
    now,
    onIdleError: (err: Error) =>
      outages.noticed(new Unavailable('index', 'a connection to the index was lost', { cause: err })),
  };
  const files = await (runtime.openFiles ?? openFiles)(config.library, { now, randomText });
  if (takeOver) {
    const { takeOverOldDatabase } = await import('./take-over.ts');
    await takeOverOldDatabase(runtime, { config, log, files });
  }
  await requireOwnIndex(config.database);
  if (await needsFlushBeforeMigration(config.database)) {
    const before = await openStore(config.database, { ...options, asItIs: true });
    await withClosing(before, async () => (await joined(runtime, before, files)).flusher.flushAll());
  }
  const store = await openStore(config.database, { ...options, asItIs: duringReinflate });
  try {
    const passwords = createPasswords(runtime.passwords);
    const accounts = { store, now, randomText, passwords, loginLimits: config.login };
    return {
      config,
      log,
      outages,
      store,
      accounts,
      ...(await joined(runtime, store, files, { duringReinflate, holder })),
    };
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** The way to other hosts, for a server or a command. Whoever opens it closes it. */
export function openOutbound(
  { now, randomText, version }: Runtime,
  { config, store }: Opened,
  { allowPrivateNetworks, pauses }: Pick<OutboundDeps, 'allowPrivateNetworks' | 'pauses'> = {
    allowPrivateNetworks: config.allowPrivateNetworks,
    pauses: store.hostPauses,
  },
): Outbound {
  return createOutbound({
    now,
    randomText,
    userAgent: userAgent(version, config.publicUrl),
    allowPrivateNetworks,
    pauses,
  });
}

/** Says who asks, so that whoever is asked can say what is wrong with it. */
export function userAgent(version: string, publicUrl: string | undefined, subscribers?: number): string {
  const asker = publicUrl ? `+${publicUrl}` : 'self-hosted reader';
  const readers =
    subscribers === undefined ? '' : `; ${subscribers} subscriber${subscribers === 1 ? '' : 's'}`;
  return `Lectern/${version} (${asker}${readers})`;
}

export function configure(runtime: Runtime): { config: Config; log: Log; outages: OutageLog } {
  const { config, warnings } = runtime.readConfig();
  const { log, outages } = openLog({ ...config.log, out: runtime.stderr });
  for (const warning of warnings) log.warn(warning);
  return { config, log, outages };
}

/** Opens the store for one command; what the command changed is in the library when it ends. */
export async function withStore<T>(
  runtime: Runtime,
  work: (opened: Opened) => Promise<T>,
  options: CommandOptions = {},
): Promise<T> {
  const opened = await open(runtime, options);
  return withClosing(opened.store, async () => {
    const result = await work(opened);
    await opened.flusher.flushAll();
    return result;
  });
}

/** Writes the changes that an index still has to the library. `failure` says why that was not possible. */
export async function flushIndex(
  runtime: Runtime,
  files: Files,
): Promise<{ pending: number; failure: string | undefined }> {
  const { config } = runtime.readConfig();
  const options = { now: runtime.now, onIdleError: () => {}, asItIs: true };
  const store = await openStore(config.database, options);
  return withClosing(store, async () => {
    const pending = await store.journal.countRows();
    if (pending === 0) return { pending, failure: undefined };
    try {
      await (await joined(runtime, store, files)).flusher.flushAll();
      return { pending, failure: undefined };
    } catch (error) {
      return { pending, failure: (error as Error).message };
    }
  });
}

/** Begins a library for an index whose own is lost, and fills it. Returns how many rows it has. */
export async function renewLibrary(runtime: Runtime): Promise<number> {
  const { config } = configure(runtime);
  const { now, randomText } = runtime;
  const files = await openFiles(config.library, { now, randomText });
  await requireOwnIndex(config.database);
  const asItIs = await needsFlushBeforeMigration(config.database);
  const store = await openStore(config.database, { now, onIdleError: () => {}, asItIs });
  return withClosing(store, async () => {
    const library = await beginLibrary({ files, index: store.index, randomText });
    await flushing(runtime, store, library).flusher.flushAll();
    return (await store.stateHash()).tables.reduce((sum, { rows }) => sum + rows, 0);
  });
}

/** Writes library.json again if this index lost it. Every other command needs it to open the library. */
export async function restoreLibraryIdentity(runtime: Runtime): Promise<boolean> {
  const { config } = runtime.readConfig();
  const { now, randomText } = runtime;
  const files = await openFiles(config.library, { now, randomText });
  await requireOwnIndex(config.database);
  const store = await openStore(config.database, { now, onIdleError: () => {}, asItIs: true });
  return withClosing(store, () => restoreIdentity({ files, index: store.index, journal: store.journal }));
}

/** Whether LECTERN_LIBRARY_URL names a place without a library. */
export async function isLibraryGone(runtime: Runtime): Promise<boolean> {
  const { config } = runtime.readConfig();
  const { now, randomText } = runtime;
  const files = await openFiles(config.library, { now, randomText });
  return !(await hasSegments(files)) && (await findIdentity(files)) === undefined;
}

async function joined(
  runtime: Runtime,
  store: Store,
  files: Files,
  { duringReinflate = false, holder }: CommandOptions = {},
) {
  const { randomText } = runtime;
  const library = await joinLibrary({ files, index: store.index, randomText, duringReinflate });
  return flushing(runtime, store, library, holder);
}

function flushing({ now, randomText }: Runtime, store: Store, library: Library, holder = randomText(12)) {
  const journal: FlushDeps = {
    library,
    journal: store.journal,
    leases: store.leases,
    now,
    newUlid: ulidMaker(now, randomText),
  };
  return { library, journal, flusher: createFlusher(journal, holder) };
}

async function withClosing<T>(store: Store, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } finally {
    await store.close();
  }
}
