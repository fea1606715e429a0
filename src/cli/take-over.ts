// The first start on a database of ReedMe or Fusion: what it holds becomes an index of ours, in the same place.
import { defaultOwnerName } from '../accounts/setup.ts';
import type { Config } from '../config.ts';
import { StartupError } from '../errors.ts';
import { importReedme } from '../feeds/reedme/import-reedme.ts';
import { importedTables } from '../feeds/reedme/report.ts';
import type { Files } from '../library/files/files.ts';
import { hasSegments } from '../library/library.ts';
import type { Log } from '../log.ts';
import type { Clock, RandomText } from '../model/glossary.ts';
import { replaceOldDatabase } from '../store/legacy/replace-database.ts';
import { openSource } from '../store/legacy/source.ts';
import type { SwapFiles } from '../store/legacy/swap-files.ts';
import { openStore } from '../store/open.ts';

interface TakeOverDeps {
  readonly now: Clock;
  readonly randomText: RandomText;
  /** For tests, which break them. */
  readonly swapFiles?: SwapFiles;
}

interface Place {
  readonly config: Pick<Config, 'database' | 'pull'>;
  readonly log: Pick<Log, 'info'>;
  readonly files: Files;
}

const logEvery = 10_000;
const tidyEvery = 2_000;

export async function takeOverOldDatabase(
  { now, randomText, swapFiles }: TakeOverDeps,
  { config, log, files }: Place,
): Promise<void> {
  const { database, pull } = config;
  if (database.engine !== 'sqlite') return;
  const { path } = database;
  const kept = await replaceOldDatabase({
    path,
    now,
    randomText,
    ...(swapFiles && { files: swapFiles }),
    allow: async () => {
      if (await hasSegments(files)) throw libraryIsFull(path);
    },
    onWaiting: () => log.info({ path }, 'another process brings the old database over; waiting for it'),
    build: async ({ old, copy, target }) => {
      log.info({ path, ...old }, 'bringing a database of ReedMe or Fusion over');
      const store = await openStore({ engine: 'sqlite', path: target }, { now, onIdleError: () => {} });
      try {
        // Nobody can log in as this owner before LECTERN_PASSWORD or the setup link says by which password.
        const owner = await store.users.create({
          username: defaultOwnerName,
          passwordHash: null,
          role: 'owner',
        });
        const source = openSource(copy, old, path);
        let [logged, tidied] = [0, 0];
        const onProgress = async (done: number, total: number) => {
          if (done - tidied >= tidyEvery) {
            tidied = done;
            await store.tidy('thorough');
          }
          if (done - logged < logEvery) return;
          logged = done;
          log.info({ done, total }, 'bringing items over');
        };
        try {
          const deps = { imports: store.forUser(owner.id).imports, now, pull, onProgress };
          const report = await importReedme(deps, source, { dryRun: false, isFirst: true });
          for (const name of importedTables) log.info(report[name], `brought over: ${name}`);
        } finally {
          source.close();
        }
      } finally {
        await store.close();
      }
    },
  });
  if (kept) log.info({ path, kept }, 'the old database is brought over, and kept beside');
}

function libraryIsFull(path: string): StartupError {
  return new StartupError(
    `${path} is a database of ReedMe or Fusion, and the library beside it is not empty: it belongs to another index. ` +
      'Name an empty place in LECTERN_LIBRARY_URL. Or name the index of that library in LECTERN_DATABASE_URL, and bring the old database in with "lectern import reedme FILE".',
  );
}
