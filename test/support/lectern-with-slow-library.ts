// The program with a worker that needs two seconds to write a segment, as S3 may, or with an API that never ends writing one
// (STUCK_API). Started as a process by test/e2e/stop.test.ts and test/e2e/index-file.test.ts.
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { runCommandLine } from '../../src/cli/command-line.ts';
import type { Runtime } from '../../src/cli/runtime.ts';
import { openFiles } from '../../src/library/files/open-files.ts';
import { testRuntime } from './test-runtime.ts';

const openSlowFiles: Runtime['openFiles'] = async (target, deps) => {
  const files = await openFiles(target, deps);
  return {
    ...files,
    put: async (key, data) => {
      if (key.startsWith('journal/')) {
        process.stderr.write(`the ${isWorker ? 'worker' : 'API'} writes a segment\n`);
        await (isWorker ? pause(2_000) : new Promise(() => {}));
      }
      return files.put(key, data);
    },
  };
};

const isWorker = process.argv.includes('worker');
const runtime = testRuntime({
  entry: fileURLToPath(import.meta.url),
  ...(isWorker === (process.env.STUCK_API === undefined) && { openFiles: openSlowFiles }),
});
process.exitCode = await runCommandLine(runtime, process.argv.slice(2));
