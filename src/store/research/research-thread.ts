// Runs in a thread of its own: reads the file, lets go of it, and then hands over what was in it.
import { once } from 'node:events';
import { parentPort, workerData } from 'node:worker_threads';
import { Invalid, LecternError } from '../../errors.ts';
import type { Snapshot } from '../../model/highlight.ts';
import type { ResearchReply } from './read-research.ts';
import { openAndRead } from './research-file.ts';

const rowsAtOnce = 2_000;

const { path } = workerData as { path: string };
const reply = (message: ResearchReply) => parentPort?.postMessage(message);

try {
  const snapshot = openAndRead(path);
  for (const kind of ['resources', 'annotations', 'comments', 'notes'] as const)
    await handOver(kind, snapshot[kind]);
  reply({ done: true });
} catch (error) {
  // Anything else ends the thread, and whoever waits hears of it.
  if (!(error instanceof LecternError)) throw error;
  reply({ failed: error instanceof Invalid ? 'invalid' : 'upstream', message: error.message });
}

async function handOver(kind: keyof Snapshot, rows: readonly unknown[]): Promise<void> {
  for (let from = 0; from < rows.length; from += rowsAtOnce) {
    const next = parentPort ? once(parentPort, 'message') : undefined;
    reply({ rows: { [kind]: rows.slice(from, from + rowsAtOnce) } });
    await next;
  }
}
