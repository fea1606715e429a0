// Loaded into the process for pages before anything else: it ends with its parent, keeps to its memory, and has no use for
// the network. (That it cannot have any is said by the flags it is started with.)
import { isMainThread, Worker } from 'node:worker_threads';

if (isMainThread) {
  for (const name of ['fetch', 'WebSocket', 'EventSource']) Reflect.deleteProperty(globalThis, name);
  process.once('disconnect', () => process.exit());
  // A thread, since the page in hand may leave this one no time for anything.
  const watch = new Worker(new URL('./page-process-watch.ts', import.meta.url), {
    workerData: { parent: process.ppid, maxRssBytes: Number(process.argv[2]) },
    execArgv: [],
  });
  watch.unref();
}
