// What every command is handed, and what most of them start with: the configuration and an open store.
import type { AccountDeps } from '../accounts/deps.ts';
import { createPasswords } from '../accounts/passwords.ts';
import type { Config } from '../config.ts';
import { createLog, type Log } from '../log.ts';
import type { Clock, RandomText } from '../model/glossary.ts';
import { openStore } from '../store/open.ts';
import type { Store } from '../store/store.ts';

export interface Runtime {
  readonly version: string;
  /** The file that a child process of ours starts from. */
  readonly entry: string;
  readonly readConfig: () => { config: Config; warnings: string[] };
  readonly now: Clock;
  readonly randomText: RandomText;
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
}

export interface Opened {
  readonly config: Config;
  readonly log: Log;
  readonly store: Store;
  readonly accounts: AccountDeps;
}

export async function open(runtime: Runtime): Promise<Opened> {
  const { config, warnings } = runtime.readConfig();
  const log = createLog({ ...config.log, out: runtime.stderr });
  for (const warning of warnings) log.warn(warning);
  const { now, randomText } = runtime;
  const store = await openStore(config.database, {
    now,
    onIdleError: (err) =>
      log.warn({ err }, 'a connection to the index was lost; the next request opens another'),
  });
  const accounts = { store, now, randomText, passwords: createPasswords(), loginLimits: config.login };
  return { config, log, store, accounts };
}

/** Opens the store for one command and closes it after. */
export async function withStore<T>(runtime: Runtime, work: (opened: Opened) => Promise<T>): Promise<T> {
  const opened = await open(runtime);
  try {
    return await work(opened);
  } finally {
    await opened.store.close();
  }
}
