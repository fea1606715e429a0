// The messages between an API and its worker process.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it } from 'vitest';

const module = new URL('../../src/cli/worker-child.ts', import.meta.url).href;

/** Becomes ready just after its API has ended. */
const lateWorker = `
import { reportReady } from '${module}';
process.once('disconnect', () => {
  reportReady();
  process.exitCode = 7;
});
process.send('listening');
`;

it('a worker that becomes ready after its API was killed runs on', async () => {
  const worker = spawn(process.execPath, ['--input-type=module', '--eval', lateWorker], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  await once(worker, 'message');
  worker.disconnect();
  expect(await once(worker, 'exit')).toEqual([7, null]);
});
