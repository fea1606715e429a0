// The whole program as src/main.ts puts it together, with short leases on feeds and one feed at a time. Started
// as a process by test/e2e/deframer-workers.test.ts.
import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { runCommandLine } from '../../src/cli/command-line.ts';
import { readConfig } from '../../src/config.ts';

process.exitCode = await runCommandLine(
  {
    version: '0.0.0-test',
    entry: fileURLToPath(import.meta.url),
    webApp: fileURLToPath(new URL('../../web/dist', import.meta.url)),
    readConfig: () => readConfig(),
    now: Date.now,
    randomText: (bytes) => randomBytes(bytes).toString('base64url'),
    random: Math.random,
    jobs: { definitions: async () => [] },
    deframing: { lease: 5_000, lookEveryMs: 100, concurrency: 1 },
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
  },
  process.argv.slice(2),
);
