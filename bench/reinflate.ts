// How fast an index is rebuilt from a library, compared with bare prepared inserts of the same rows into the same
// table in the same run. Once from a library that was folded, once from the many small sets before a fold.

import type { Files } from '../src/library/files/files.ts';
import { openFolderFiles } from '../src/library/files/folder-files.ts';
import { flushJournal } from '../src/library/journal/flush.ts';
import { joinLibrary } from '../src/library/library.ts';
import { reinflate } from '../src/library/reinflate.ts';
import { ulidMaker } from '../src/library/ulid.ts';
import { indexStore } from '../src/store/index-store.ts';
import { installTriggers, markJournaled } from '../src/store/journal/install.ts';
import { journalStore } from '../src/store/journal-store.ts';
import { leaseStore } from '../src/store/lease-store.ts';
import { openDatabase, type Target } from '../src/store/open.ts';
import { openRebuild } from '../src/store/reinflate/open-rebuild.ts';
import {
  benchMigrations,
  benchTables,
  createIndex,
  makeEntries,
  type Result,
  randomText,
  report,
  timed,
  type Workshop,
  withWorkshop,
} from './durable-bench.ts';

const rows = 100_000;
const rowsPerTransaction = 1_000;
const goal = 0.5;
/** SQLite is done in a second or two, of which the disk's moods are a good part. */
const rounds = { sqlite: 4, postgres: 1 };
const now = Date.now;
const libraries = [
  { name: 'one', about: 'one set, as a fold leaves it', rowsPerSet: rows },
  { name: 'many', about: 'sets of 4,000 rows', rowsPerSet: 4_000 },
];

export async function run(): Promise<boolean> {
  return withWorkshop(async (workshop) => {
    const results: Result[] = [];
    for (const { name, about, rowsPerSet } of libraries) {
      const files = await fillLibrary(workshop, name, rowsPerSet);
      for (const engine of ['sqlite', 'postgres'] as const) {
        let [rawMs, rebuiltMs] = [0, 0];
        for (let round = 1; round <= rounds[engine]; round++) {
          rawMs += await insertRaw(await workshop.target(engine, `raw_${name}_${round}`));
          rebuiltMs += await rebuild(await workshop.target(engine, `rebuilt_${name}_${round}`), files);
        }
        const all = rows * rounds[engine] * 1_000;
        results.push({ what: `${engine}, ${about}`, base: all / rawMs, measured: all / rebuiltMs, goal });
      }
    }
    return report(`${rows} rows of 2 KB from a folder`, { base: 'inserts', measured: 'reinflate' }, results);
  });
}

async function fillLibrary(workshop: Workshop, name: string, rowsPerSet: number): Promise<Files> {
  const files = await openFolderFiles(workshop.folder(`library-${name}`), { now, randomText });
  const target = await workshop.target('sqlite', `source_${name}`);
  const index = await createIndex(target);
  const database = await openDatabase(target, { now, onIdleError: () => {}, asItIs: true });
  try {
    await index.inTransaction(async () => {
      await markJournaled(index.session, benchTables);
      await installTriggers(index.session, benchTables);
    });
    const deps = {
      library: await joinLibrary({ files, index: indexStore(database, benchTables), randomText }),
      journal: journalStore(database, benchTables),
      leases: leaseStore(database),
      now,
      newUlid: ulidMaker(now, randomText),
    };
    for (let done = 0; done < rows; done += rowsPerTransaction) {
      await index.insertBatch(makeEntries(done + 1, rowsPerTransaction));
      const inserted = done + rowsPerTransaction;
      if (inserted % rowsPerSet === 0 || inserted === rows) await flushJournal(deps, 'bench');
    }
    return files;
  } finally {
    await database.close();
    await index.close();
  }
}

async function insertRaw(target: Target): Promise<number> {
  const index = await createIndex(target);
  if (target.engine === 'sqlite') await index.session.run('PRAGMA wal_autocheckpoint = 4000');
  return timed(async () => {
    for (let done = 0; done < rows; done += rowsPerTransaction) {
      await index.insertOneByOne(makeEntries(done + 1, rowsPerTransaction));
    }
    // With the last checkpoint, which a rebuild makes too.
    await index.close();
  });
}

/** From opening an index that is not there to one that is whole. */
async function rebuild(target: Target, files: Files): Promise<number> {
  return timed(async () => {
    const rebuild = await openRebuild(target, {
      now,
      pullIntervalMs: 1_800_000,
      migrations: benchMigrations(target.engine),
      tables: benchTables,
    });
    try {
      const { facts } = await reinflate({ files, rebuild, now, randomText, onProgress: () => {} });
      await rebuild.release();
      if (facts !== rows) throw new Error(`${facts} facts came instead of ${rows}`);
    } finally {
      await rebuild.close();
    }
  });
}
