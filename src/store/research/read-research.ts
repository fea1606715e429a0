// The database of Research, a reader of PDFs, read whole from the disk: all of it as it was at one moment, or an error that
// says what is wrong with the file. A thread does it, since it takes a while and the one that asks goes on serving.
import { Worker } from 'node:worker_threads';
import { Invalid, Upstream } from '../../errors.ts';
import type { Snapshot } from '../../model/highlight.ts';
import { letOthersIn } from '../let-others-in.ts';

/** The rows come in portions, as many as can be taken over without anybody noticing. */
export type ResearchReply =
  | { readonly rows: Partial<Snapshot> }
  | { readonly done: true }
  | { readonly failed: 'invalid' | 'upstream'; readonly message: string };

export interface ReadOptions {
  readonly script?: URL;
  readonly timeoutMs?: number;
}

/** A million rows on a slow disk take less. */
const mostMs = 120_000;

type Rows = { -readonly [K in keyof Snapshot]: Snapshot[K][number][] };

let last: Promise<unknown> = Promise.resolve();

/**
 * Throws Invalid where something is wrong with the file, and Upstream where it may go well another time. One at a time: in
 * a process that closes a file, all its locks on that file are gone, those of another thread, too.
 */
export function readResearch(path: string, options: ReadOptions = {}): Promise<Snapshot> {
  const reading = last.then(() => readInThread(path, options));
  last = reading.catch(() => {});
  return reading;
}

async function readInThread(path: string, options: ReadOptions): Promise<Snapshot> {
  const { script = new URL('./research-thread.ts', import.meta.url), timeoutMs = mostMs } = options;
  const worker = new Worker(script, { workerData: { path } });
  worker.unref();
  try {
    return await collect(path, worker, timeoutMs);
  } finally {
    await worker.terminate();
  }
}

function collect(path: string, worker: Worker, timeoutMs: number): Promise<Snapshot> {
  const rows: Rows = { resources: [], annotations: [], comments: [], notes: [] };
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new Upstream(`${path} takes too long to read: try again when its disk is less busy`)),
      timeoutMs,
    );
    const settle = (end: () => void) => {
      clearTimeout(timer);
      end();
    };
    worker.on('message', async (reply: ResearchReply) => {
      if ('failed' in reply) {
        const Failure = reply.failed === 'invalid' ? Invalid : Upstream;
        settle(() => reject(new Failure(reply.message)));
      } else if ('done' in reply) {
        settle(() => resolve(rows));
      } else {
        for (const kind of Object.keys(rows) as (keyof Rows)[])
          for (const row of reply.rows[kind] ?? []) rows[kind].push(row as never);
        await letOthersIn();
        worker.postMessage('next');
      }
    });
    const broken = (cause: unknown) =>
      settle(() => reject(new Upstream(`${path} could not be read to its end: try again`, { cause })));
    worker.on('error', broken);
    worker.on('exit', broken);
  });
}
