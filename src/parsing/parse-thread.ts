// Runs in a thread of its own: does one task after the other.
import { parentPort } from 'node:worker_threads';
import { LecternError } from '../errors.ts';
import type { Reply } from './parser.ts';
import { type TaskName, tasks } from './tasks.ts';

parentPort?.on('message', ({ name, input }: { name: TaskName; input: never }) =>
  parentPort?.postMessage(answer(name, input)),
);

function answer(name: TaskName, input: never): Reply {
  try {
    return { result: tasks[name](input) };
  } catch (error) {
    // Any other error is a defect. It ends the thread, and the caller gets it.
    if (!(error instanceof LecternError)) throw error;
    return { refusal: { type: error.constructor.name, message: error.message } };
  }
}
