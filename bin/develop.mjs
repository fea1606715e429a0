// The commands of those who work on Lectern: npm test, npm run check | format | openapi | bench | conformance | train |
// screenshots | cloudflare.
import { join } from 'node:path';
import { ensureBuilt, ensureInstalled, fail, pinnedNode, requireNode20, root, run } from './launch.mjs';

const [task, ...args] = process.argv.slice(2);
requireNode20();
ensureInstalled('all');
if (['test', 'bench', 'screenshots'].includes(task)) ensureBuilt();
const node = pinnedNode().path;
const tool = (path) => join(root, 'node_modules', path);

const tasks = {
  /** Types, lint and format, then every suite; with arguments, only the suites they name. */
  test: () => (args.length > 0 ? inOrder([vitest('run', ...args)]) : inOrder([...check(), vitest('run')])),
  check: () => inOrder(check()),
  format: () => inOrder([[tool('@biomejs/biome/bin/biome'), 'check', '--write', '.']]),
  openapi: () => inOrder([[join(root, 'scripts', 'write-openapi.ts')]]),
  conformance: () => inOrder([[join(root, 'conformance', 'main.ts'), ...args]]),
  /** The weights of the deframer's headline model, from headlines in the folder that is named. */
  train: () => inOrder([[join(root, 'scripts', 'train-headlines.ts'), ...args]]),
  bench: () => inOrder([[join(root, 'bench', 'main.ts'), ...args]]),
  screenshots: () => inOrder([[join(root, 'scripts', 'screenshots.ts'), ...args]]),
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
