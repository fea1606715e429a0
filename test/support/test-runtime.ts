// The runtime of src/main.ts for tests: the same program, with passwords hashed at the lowest cost.
import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import type { PasswordOptions } from '../../src/accounts/passwords.ts';
import type { Runtime } from '../../src/cli/runtime.ts';
import { readConfig } from '../../src/config.ts';

/** bcrypt's lowest cost: a hash takes 1 ms instead of 250 ms. */
export const testPasswords: PasswordOptions = { cost: 4, parallel: 2, maxWaiting: 100 };

export function testRuntime(changes: Pick<Runtime, 'entry'> & Partial<Runtime>): Runtime {
  return {
    version: '0.0.0-test',
    webApp: fileURLToPath(new URL('../../web/dist', import.meta.url)),
    readConfig: () => readConfig(),
    now: Date.now,
    randomText: (bytes) => randomBytes(bytes).toString('base64url'),
    random: Math.random,
    passwords: testPasswords,
    jobs: {
      definitions: async (...given) =>
        (await import('../../src/cli/job-definitions.ts')).jobDefinitions(...given),
    },
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    ...changes,
  };
}
