// The program that tests start as a process: src/main.ts, with the runtime for tests.
import { fileURLToPath } from 'node:url';
import { runCommandLine } from '../../src/cli/command-line.ts';
import { testRuntime } from './test-runtime.ts';

const runtime = testRuntime({ entry: fileURLToPath(import.meta.url) });
process.exitCode = await runCommandLine(runtime, process.argv.slice(2));
