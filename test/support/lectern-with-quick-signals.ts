// The program with a clock for signals that advances five seconds at each signal, so that no signal is taken for a copy. Started as
// a process by test/e2e/stop.test.ts.
import { fileURLToPath } from 'node:url';
import { runCommandLine } from '../../src/cli/command-line.ts';
import { listenForStop } from '../../src/cli/stop-signals.ts';
import { testRuntime } from './test-runtime.ts';

let now = 0;
const stopRequest = listenForStop(() => {
  now += 5_000;
  return now;
});
const runtime = testRuntime({ entry: fileURLToPath(import.meta.url), stopRequest });
process.exitCode = await runCommandLine(runtime, process.argv.slice(2));
