// A process that writes the journal of an index to a library and tidies the index, as a worker does, until killed.
import { setTimeout as pause } from 'node:timers/promises';
import { openFolderFiles } from '../src/library/files/folder-files.ts';
import { lookEveryMs } from '../src/library/journal/flush-rules.ts';
import { createFlusher } from '../src/library/journal/flusher.ts';
import { joinLibrary } from '../src/library/library.ts';
import { ulidMaker } from '../src/library/ulid.ts';
import { Secret } from '../src/model/secret.ts';
import { indexStore } from '../src/store/index-store.ts';
import { journalStore } from '../src/store/journal-store.ts';
import { leaseStore } from '../src/store/lease-store.ts';
import { openDatabase } from '../src/store/open.ts';
import { benchTables, randomText } from './durable-bench.ts';

/** As in src/jobs/worker.ts. */
const tidyEveryMs = 2_000;

const [engine, where = '', libraryFolder = ''] = process.argv.slice(2);
const now = Date.now;
// As it is: a start of Lectern would take off the triggers of tables that it does not know.
const database = await openDatabase(
  engine === 'sqlite'
    ? { engine, path: where }
    : { engine: 'postgres', url: new Secret(where), shown: where },
  { now, onIdleError: () => {}, asItIs: true },
);
const files = await openFolderFiles(libraryFolder, { now, randomText });
const library = await joinLibrary({ files, index: indexStore(database, benchTables), randomText });
const journal = journalStore(database, benchTables);
const flusher = createFlusher(
  { library, journal, leases: leaseStore(database), now, newUlid: ulidMaker(now, randomText) },
  randomText(12),
);
setInterval(() => database.tidy('light'), tidyEveryMs);
process.stdout.write('ready\n');
for (;;) {
  await flusher.flushIfDue();
  await pause(lookEveryMs);
}
