// A file of highlights, read in a thread: a large one takes seconds, and the one that asks goes on serving.
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { Invalid } from '../../errors.ts';
import { type ImportKind, parseHighlights } from './import-kinds.ts';
import type { Imported } from './imported.ts';

interface Task {
  readonly kind: ImportKind;
  readonly bytes: Uint8Array;
}

type Reply = { readonly imported: Imported } | { readonly invalid: string };

/** What is read in no time need not wait for a thread to start. */
const smallBytes = 64 * 1024;

/** Throws Invalid, and nothing else that the file is to blame for. */
export async function readHighlights(kind: ImportKind, bytes: Uint8Array): Promise<Imported> {
  if (bytes.length <= smallBytes) return parseHighlights(kind, bytes);
  const worker = new Worker(new URL(import.meta.url), { workerData: { kind, bytes } satisfies Task });
  try {
    const reply = await new Promise<Reply>((resolve, reject) => {
      worker.once('message', resolve);
      worker.once('error', reject);
      worker.once('exit', () =>
        reject(new Error('the thread that reads highlights ended without an answer')),
      );
    });
    if ('invalid' in reply) throw new Invalid(reply.invalid);
    return reply.imported;
  } finally {
    await worker.terminate();
  }
}

function answer({ kind, bytes }: Task): Reply {
  try {
    return { imported: parseHighlights(kind, bytes) };
  } catch (error) {
    if (error instanceof Invalid) return { invalid: error.message };
    throw error;
  }
}

if (!isMainThread && parentPort && (workerData as Partial<Task> | null)?.bytes instanceof Uint8Array)
  parentPort.postMessage(answer(workerData as Task));
