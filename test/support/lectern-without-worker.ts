// The program with a worker process that fails each time it is started.
import { runCommandLine } from '../../src/cli/command-line.ts';
import { testRuntime } from './test-runtime.ts';

const runtime = testRuntime({ entry: '/nonexistent/main.ts' });
process.exitCode = await runCommandLine(runtime, process.argv.slice(2));
