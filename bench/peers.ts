// Programs that benchmarks compare with. They have a package.json of their own and are installed by the first
// benchmark that needs them; `npm start` and `npm test` never do.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('./peers/', import.meta.url));

/** Says why not, when they cannot be installed: better-sqlite3 is compiled where it has no ready binary. */
export function installPeers(): void {
  if (existsSync(`${folder}node_modules/.package-lock.json`)) return;
  process.stdout.write('Installing the programs to compare with (once) ...\n');
  const done = spawnSync('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: folder,
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
  });
  if (done.status !== 0) throw new Error('npm could not install bench/peers; its message is above');
}

/** The Node that npm runs on, which compiled what had to be compiled. */
export const npmNode = process.env.npm_node_execpath ?? 'node';

/** Runs a script of bench/peers to its end, and returns what it printed. */
export async function runPeer<T>(node: string, script: string, args: readonly string[]): Promise<T> {
  const child = spawn(node, [`${folder}${script}`, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  let printed = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed += text;
  });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  if (code !== 0) throw new Error(`${script} ended with ${code}`);
  return JSON.parse(printed) as T;
}
