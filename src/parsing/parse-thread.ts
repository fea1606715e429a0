// Runs in a thread of its own: does one task after the other.
import { parentPort } from 'node:worker_threads';
import { LecternError } from '../errors.ts';
import type { Reply } from './parser.ts';
import { type TaskName, tasks, transferredBy } from './tasks.ts';

parentPort?.on('message', async ({ name, input }: { name: TaskName; input: { bytes: Uint8Array } }) => {
  const { bytes } = input;
  // Decoders do not read shared memory.
  const own = bytes.buffer instanceof SharedArrayBuffer ? bytes.slice() : bytes;
  const reply = await answer(name, { ...input, bytes: own } as never);
  parentPort?.postMessage(reply, 'result' in reply ? transferredBy(reply.result) : []);
});

async function answer(name: TaskName, input: never): Promise<Reply> {
  try {
    return { result: await tasks[name](input) };
  } catch (error) {
    // Any other error is a defect. It ends the thread, and the caller gets it.
    if (!(error instanceof LecternError)) throw error;
    return { refusal: { type: error.constructor.name, message: error.message } };
  }
}
