// A process that writes the journal of an index to a library, as a worker does, until it is killed. Its first argument names both.
import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { openFiles } from '../../src/library/files/open-files.ts';
import { lookEveryMs } from '../../src/library/journal/flush-rules.ts';
import { createFlusher } from '../../src/library/journal/flusher.ts';
import { joinLibrary } from '../../src/library/library.ts';
import { ulidMaker } from '../../src/library/ulid.ts';
import { Secret } from '../../src/model/secret.ts';
import { openDatabase } from '../../src/store/open.ts';
import { createStore } from '../../src/store/store.ts';

const { engine, where, libraryUrl } = JSON.parse(process.argv[2] ?? '{}');
const now = Date.now;
const randomText = (bytes: number) => randomBytes(bytes).toString('base64url');
const database = await openDatabase(
  engine === 'sqlite' ? { engine, path: where } : { engine, url: new Secret(where), shown: engine },
  { now, onIdleError: () => {} },
);
const store = createStore(database, now);
const files = await openFiles(
  { kind: 's3', url: new Secret(libraryUrl), shown: 'the bucket' },
  { now, randomText },
);
const library = await joinLibrary({ files, index: store.index, randomText });
const newUlid = ulidMaker(now, randomText);
const { journal, leases } = store;
const flusher = createFlusher({ library, journal, leases, now, newUlid }, randomText(12));
process.stdout.write('ready\n');
for (;;) {
  await flusher.flushIfDue().catch((error) => process.stdout.write(`${error}\n`));
  await pause(lookEveryMs);
}
