// Reads and compares the files of raindrops beside the thread that writes the index: each takes about as long as the other.
import { parentPort, workerData } from 'node:worker_threads';
import { blockingFileSystem } from '../../library/files/file-system.ts';
import { openFiles } from '../../library/files/open-files.ts';
import { Secret } from '../../model/secret.ts';
import { loadRaindrops } from '../reinflate-mirror.ts';
import { libraryObjects } from './library-objects.ts';
import type { LoadOrder } from './load-in-thread.ts';

const { library, ids } = workerData as LoadOrder;
const target =
  library.kind === 'folder'
    ? library
    : { kind: library.kind, shown: library.shown, url: new Secret(library.url) };
const port = parentPort as NonNullable<typeof parentPort>;

// It only reads: no name of a file is ever made here, and no time written.
const files = await openFiles(target, { now: () => 0, randomText: () => '', fileSystem: blockingFileSystem });
const batches = loadRaindrops(libraryObjects(files), ids, { copies: true });
port.on('message', async () => {
  const { value, done } = await batches.next();
  port.postMessage(done ? undefined : value);
  if (done) port.close();
});
