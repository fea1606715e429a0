// Every command of the program loads and explains itself in a process of its own. What the commands do is tested in this
// process by test/contract/cli-*.test.ts and test/e2e/cli-*.test.ts.
import { afterAll, expect, it } from 'vitest';
import { commandNames } from '../../src/cli/command-line.ts';
import { mainEntry, useLectern } from '../support/lectern-process.ts';

const lectern = useLectern(afterAll, mainEntry);

it.each(commandNames)('lectern %s --help exits with 0 and prints its usage', async (name) => {
  const { code, stdout, stderr } = await lectern.spawn([name, '--help']);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout.split('\n')[0]).toMatch(new RegExp(`^Usage: lectern ${name} \\[options\\]`));
});
