// The composition root: the real clock, the real randomness, the real console, handed to the command line.
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { listenForStop } from './cli/stop-signals.ts';

// The rest is loaded after this: a signal that arrives meanwhile would end the process or, in a container, be lost.
const stopRequest = process.argv[2] === 'serve' ? listenForStop() : undefined;
const { runCommandLine } = await import('./cli/command-line.ts');
const { readConfig } = await import('./config.ts');

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));

// Files that we make are for nobody else on this machine.
process.umask(0o077);

process.exitCode = await runCommandLine(
  {
    version,
    entry: fileURLToPath(import.meta.url),
    webApp: fileURLToPath(new URL('../web/dist', import.meta.url)),
    readConfig: () => readConfig(),
    now: Date.now,
    randomText: (bytes) => randomBytes(bytes).toString('base64url'),
    random: Math.random,
    jobs: {
      // Loaded by the worker alone.
      definitions: async (...given) => (await import('./cli/job-definitions.ts')).jobDefinitions(...given),
    },
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    ...(stopRequest && { stopRequest }),
  },
  process.argv.slice(2),
);
