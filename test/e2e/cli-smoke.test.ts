// Every command loads, works and ends in a process of its own. What the commands do is tested in this process by
// test/contract/cli-*.test.ts and test/e2e/cli-*.test.ts.
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { commandNames } from '../../src/cli/command-line.ts';
import { mainEntry, useLectern } from '../support/lectern-process.ts';

const home = mkdtempSync(join(tmpdir(), 'lectern-smoke-'));
const opml = join(home, 'feeds.opml');

/** A command that opens the index, and what its last line contains. `serve` and `mcp` have suites of their own. */
const actions: readonly [action: string, words: string][] = [
  ['user list', 'anna'],
  ['token list', 'There is no token yet.'],
  ['jobs list', 'There is no such job.'],
  ['library check', 'The library is whole'],
  ['search heron', 'Nothing was found.'],
  ['ask heron', 'Your library does not hold an answer to this.'],
  ['import opml FILE', 'feeds that cannot be followed  0'],
  ['export opml', '</opml>'],
  ['sync research', 'Research has no file yet'],
  ['highlights purge --older-than 30', 'notes        0'],
  ['mirror status', 'No token of Raindrop is set.'],
  ['admin feed list', 'There is no feed yet.'],
  ['reinflate --force', 'State hash'],
];

const lectern = useLectern(afterAll, mainEntry);
const env = { LECTERN_HOME: home };

beforeAll(async () => {
  writeFileSync(opml, '<opml version="2.0"><body/></opml>');
  const added = await lectern.run(['user', 'add', 'anna', '--password-stdin'], {
    env,
    stdin: 'a password\n',
  });
  expect(added).toMatchObject({ code: 0, stdout: 'Added anna as owner.\n' });
});
afterAll(() => rmSync(home, { recursive: true }));

it.each(['serve', 'mcp'])('lectern %s --help exits with 0 and prints its usage', async (name) => {
  const { code, stdout, stderr } = await lectern.spawn([name, '--help']);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout.split('\n')[0]).toMatch(new RegExp(`^Usage: lectern ${name} \\[options\\]`));
});

it.each(actions)('lectern %s prints its result, and its process ends', async (action, words) => {
  const { stdout, stderr } = await lectern.spawn(action.replace('FILE', opml).split(' '), { env });
  expect((stdout || stderr).trimEnd().split('\n').at(-1)).toContain(words);
});

it('makes files that only their owner can read, whatever the umask of its parent', async () => {
  const own = join(home, 'umask');
  await lectern.spawn(['user', 'list'], { env: { LECTERN_HOME: own } });
  const files = readdirSync(own, { recursive: true, withFileTypes: true });
  expect(files.map(({ name }) => name)).toContain('index.db');
  const open = files.filter(({ parentPath, name }) => (statSync(join(parentPath, name)).mode & 0o077) !== 0);
  expect(open).toEqual([]);
});

it('has an action for every command', () => {
  const tried = actions.map(([action]) => action.split(' ')[0] ?? '');
  expect([...tried, 'serve', 'mcp'].sort()).toEqual([...commandNames].sort());
});
