// The commands for developers: npm test, npm run dev | test:deep | check | format | openapi | bench | conformance | train |
// screenshots | stops | clock-jump | faults | cloudflare | remove-checks.
import { spawn, spawnSync } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import {
  compileCache,
  endWithNpm,
  ensureBuilt,
  ensureInstalled,
  fail,
  forwardSignalsTo,
  pinnedNode,
  requireNode20,
  root,
  run,
} from './launch.mjs';

const [task, ...args] = process.argv.slice(2);
requireNode20();
await ensureInstalled('all');
if (
  ['test', 'test:deep', 'bench', 'screenshots', 'stops', 'clock-jump', 'faults', 'remove-checks'].includes(
    task,
  )
)
  await ensureBuilt();
const node = pinnedNode().path;
const tool = (path) => join(root, 'node_modules', path);

const tasks = {
  /** The web app, the API and the worker, on one origin. Each reloads when its files change. */
  dev: () => {
    endWithNpm();
    process.env.ASTRO_TELEMETRY_DISABLED = '1';
    process.env.ASTRO_DISABLE_UPDATE_CHECK = 'true';
    process.env.NODE_COMPILE_CACHE ??= compileCache;
    return inOrder([[join(root, 'scripts', 'dev', 'main.ts')]]);
  },
  /** Types, lint and format, then all suites except the deep ones; or the suites that the arguments name. */
  test,
  /** Every suite on both engines, with all property runs and crash points. */
  'test:deep': testDeep,
  check: () => sideBySide(check()),
  format: () => inOrder([[tool('@biomejs/biome/bin/biome'), 'check', '--write', '.']]),
  openapi: () => inOrder([[join(root, 'scripts', 'write-openapi.ts')]]),
  conformance: () => inOrder([[join(root, 'conformance', 'main.ts'), ...args]]),
  /** The weights of the deframer's headline model, from headlines in the folder that is named. */
  train: () => inOrder([[join(root, 'scripts', 'train-headlines.ts'), ...args]]),
  bench: () => inOrder([[join(root, 'bench', 'main.ts'), ...args]]),
  screenshots: () => inOrder([[join(root, 'scripts', 'screenshots.ts'), ...args]]),
  /** Stops the server in every way at random moments, and checks that no acknowledged write is missing from the library. */
  stops: () => inOrder([[join(root, 'scripts', 'stops.ts'), ...args]]),
  /** Moves the clock of a running server ahead for a minute, and measures when work goes on. */
  'clock-jump': () => inOrder([[join(root, 'scripts', 'clock-jump.ts'), ...args]]),
  /** Breaks connections and processes of a cluster while clients write, and reports what each kind of fault cost. */
  faults: () => inOrder([[join(root, 'scripts', 'faults.ts'), ...args]]),
  /** Removes checks of the product one at a time, and reports which tests notice. */
  'remove-checks': () => inOrder([[join(root, 'scripts', 'remove-checks.ts'), ...args]]),
  /** `build`, `deploy`, or whatever else wrangler is to do, in its folder and under a Node that it runs on. */
  cloudflare: () => inOrder(cloudflare(), join(root, 'cloudflare')),
};

if (!tasks[task]) fail(`Unknown task "${task}". Known: ${Object.keys(tasks).join(', ')}.`);
process.exit(await tasks[task]());

function check() {
  return [
    [tool('typescript/bin/tsc'), '--project', root],
    [tool('typescript/bin/tsc'), '--project', join(root, 'cloudflare')],
    [tool('typescript/bin/tsc'), '--project', join(root, 'cloudflare', 'page')],
    [
      tool('svelte-check/bin/svelte-check'),
      '--workspace',
      join(root, 'web'),
      '--fail-on-warnings',
      '--output',
      'human-verbose',
    ],
    [tool('@biomejs/biome/bin/biome'), 'check', '--error-on-warnings', '.'],
  ];
}

async function test() {
  const { isChanged, rest } = testOptions();
  if (isChanged) return testChanged(rest);
  const filters = rest.filter((arg, index) => !arg.startsWith('-') && !takesValue(rest[index - 1]));
  if (filters.some((filter) => filter.includes('deep'))) return testDeep(rest);
  const suites = vitest('run', '--project=!deep', ...rest);
  return (filters.length === 0 && (await sideBySide(check()))) || inOrder([suites]);
}

/** True for `-t` and `--bail`, false for `--bail=1`. */
function takesValue(option = '') {
  return option.startsWith('-') && !option.includes('=');
}

function testDeep(rest = testOptions().rest) {
  process.env.LECTERN_TEST_SCALE ??= '1';
  return inOrder([vitest('run', ...rest)]);
}

/**
 * Unit tests, and the store and http suites that import a changed file. The suites that start the program do not import it: all
 * of them run when the program has changed. vitest.config.ts lists the files that programs load without an import.
 */
function testChanged(rest) {
  const git = (...words) => spawnSync('git', words, { cwd: root, encoding: 'utf8' }).stdout.split('\n');
  const changed = [
    ...git('diff', '--name-only', 'HEAD'),
    ...git('ls-files', '--others', '--exclude-standard'),
  ].filter((path) => path !== '');
  const isProgram = changed.some(
    (path) => /^(bin|src|migrations|web|cloudflare|test\/support)\//.test(path) && !path.endsWith('.test.ts'),
  );
  const levels = (...names) => names.map((name) => `--project=${name}`);
  const started = isProgram ? [] : ['--changed'];
  return inOrder([
    vitest('run', ...levels('unit'), ...rest),
    vitest('run', '--changed', '--passWithNoTests', ...levels('store', 'http'), ...rest),
    vitest('run', ...started, '--passWithNoTests', ...levels('process', 'browser'), ...rest),
  ]);
}

/** Removes our own options from the arguments; the rest goes to vitest. */
function testOptions() {
  const rest = [...args];
  const take = (name, values = 0) => {
    const at = rest.indexOf(name);
    return at < 0 ? undefined : rest.splice(at, 1 + values)[values];
  };
  if (take('--times')) process.env.LECTERN_TEST_TIMES = '1';
  if (take('--shuffle')) process.env.LECTERN_TEST_ORDER = 'random';
  if (rest.includes('--seed')) {
    const seed = take('--seed', 1);
    if (!/^\d+$/.test(seed ?? '')) fail('--seed needs a number, such as --seed 7.');
    process.env.LECTERN_TEST_SEED = seed;
  }
  const isChanged = take('--changed') !== undefined;
  // A failed run prints them in the command that repeats it.
  process.env.LECTERN_TEST_ARGS = rest.map((arg) => (/\s/.test(arg) ? `"${arg}"` : arg)).join(' ');
  return { isChanged, rest };
}

function cloudflare() {
  process.env.ASTRO_TELEMETRY_DISABLED = '1';
  const wrangler = (...rest) => [tool('wrangler/bin/wrangler.js'), ...rest];
  const page = [tool('astro/bin/astro.mjs'), 'build', '--root', 'page', '--silent'];
  if (args[0] === 'build') return [page];
  if (args[0] !== 'deploy') return [wrangler(...args)];
  // The tables before the Worker that reads them.
  const migrations = wrangler('d1', 'migrations', 'apply', 'lectern-mirror', '--remote');
  return [page, migrations, wrangler(...args)];
}

function vitest(...rest) {
  return [tool('vitest/vitest.mjs'), ...rest];
}

async function inOrder(commands, cwd = root) {
  for (const command of commands) {
    const code = await run(node, command, { cwd });
    if (code !== 0) return code;
  }
  return 0;
}

/**
 * As many at a time as there are cores, since each of them uses one. What one says is shown when it ends, so that no two
 * talk at once; all are heard to their end. Returns the first exit code that is not 0.
 */
async function sideBySide(commands) {
  const left = [...commands];
  const codes = [];
  const takeTurns = async () => {
    for (let command = left.shift(); command; command = left.shift()) {
      codes.push(await heardAtItsEnd(command));
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, takeTurns));
  return codes.find((code) => code !== 0) ?? 0;
}

function heardAtItsEnd(command) {
  return new Promise((resolve) => {
    const env = process.stdout.isTTY ? { FORCE_COLOR: '1', ...process.env } : process.env;
    const child = spawn(node, command, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] });
    const said = [];
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes) => said.push(bytes));
    forwardSignalsTo(child);
    child.on('error', (error) => fail(`Cannot start ${command[0]}: ${error.message}`));
    child.on('close', (code) => {
      process.stdout.write(Buffer.concat(said));
      resolve(code ?? 1);
    });
  });
}
