// The program with a clock for signals that runs ten times as fast, so that copies of a signal are over long before the server ends
// by itself. Started as a process by test/e2e/stop.test.ts.
import { fileURLToPath } from 'node:url';
import { runCommandLine } from '../../src/cli/command-line.ts';
import { listenForStop } from '../../src/cli/stop-signals.ts';
import { testRuntime } from './test-runtime.ts';

const stopRequest = listenForStop(() => performance.now() * 10);
const runtime = testRuntime({ entry: fileURLToPath(import.meta.url), stopRequest });
process.exitCode = await runCommandLine(runtime, process.argv.slice(2));
