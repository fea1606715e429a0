// Makes a bare clone runnable with any Node >= 20 and npm: installs what is missing, builds what is stale, then
// hands over to the pinned Node. Depends on nothing outside Node itself, since it runs before anything is installed.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  closeSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import module from 'node:module';
import { constants } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { isatty } from 'node:tty';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { chooseNode, nodeWarnings } from './node-release.mjs';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));
const modules = join(root, 'node_modules');
const stampFile = join(modules, '.lectern-installed.json');
export const compileCache = join(modules, '.cache', 'lectern');
const installLock = join(root, '.install-lock');
const signals = ['SIGTERM', 'SIGINT', 'SIGHUP'];
/** Running processes that we have started. */
const children = new Set();
/** The first signal that we received. */
let stopSignal;
let npmWatch;

/** `lectern ARGS...`: installs what running needs, then runs the program under the pinned Node. */
export async function lectern(args) {
  requireNode20();
  forwardSignals();
  endWithNpm();
  await ensureInstalled('run');
  if (args[0] === 'serve') await ensureBuilt();
  // Half of a start is reading TypeScript: what was read once is kept, for the worker and the next start too.
  process.env.NODE_COMPILE_CACHE ??= compileCache;
  const main = join(root, 'src', 'main.ts');
  const node = pinnedNode();
  if (args[0] === 'serve') for (const warning of nodeWarnings(node.version, Date.now())) say(warning);
  if (node.version === process.versions.node) {
    // `serve` replaces these listeners by its own. If they were removed here, a signal that has just arrived would be dropped.
    if (args[0] !== 'serve') for (const signal of signals) process.off(signal, forward);
    module.enableCompileCache?.(process.env.NODE_COMPILE_CACHE);
    process.argv.splice(1, process.argv.length - 1, main, ...args);
    await import(pathToFileURL(main).href);
    return;
  }
  // The server stops when the channel closes, even if this process was killed.
  const options = args[0] === 'serve' ? { stdio: ['inherit', 'inherit', 'inherit', 'ipc'] } : {};
  outliveTerminal();
  process.exit(await run(node.path, [main, ...args], options));
}

/** At exit Node resets the terminal, and aborts if it was closed meanwhile. It skips descriptors that are closed. */
function outliveTerminal() {
  const terminals = [0, 1, 2].filter((fd) => isatty(fd));
  process.once('exit', () => {
    for (const fd of terminals) if (!isatty(fd)) closeSync(fd);
  });
}

/**
 * Installs the packages of `scope` ('run': what `npm start` needs; 'all': tests and tools too) unless the
 * lockfile that is installed is the present one.
 */
export async function ensureInstalled(scope) {
  if (isInstalled(scope)) return;
  await withLock(async () => {
    if (isInstalled(scope)) return;
    const present = readStamp();
    // `npm ci` empties node_modules, under the feet of a server that runs from it. When only the test tools
    // are missing, `npm install` adds them and leaves the rest alone.
    const widen = present?.lock === lockHash() && present.scope === 'run';
    say(
      scope === 'run'
        ? 'Installing what Lectern needs to run (once) ...'
        : 'Installing what Lectern needs to run and to be tested (once) ...',
    );
    const omit = scope === 'run' ? ['--omit=dev'] : ['--include=dev'];
    const command = widen ? ['install', '--no-save'] : ['ci'];
    await npm([...command, ...omit, '--include=optional', '--no-audit', '--no-fund', '--loglevel=error']);
    mkdirSync(modules, { recursive: true });
    writeFileSync(stampFile, JSON.stringify({ lock: lockHash(), scope, system: system() }));
  });
}

/** Builds the web app, unless what is built was made from the present sources. */
export async function ensureBuilt() {
  const web = join(root, 'web');
  const built = join(web, 'dist');
  const stamp = join(built, '.built-from');
  const wanted = sourcesHash(web);
  const isBuilt = () => existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted;
  if (isBuilt()) return;
  await withLock(async () => {
    if (isBuilt()) return;
    say('Building the web app (once) ...');
    // A server may be handing out the old files: they stay until the new ones are whole.
    const fresh = join(web, `.dist-${process.pid}`);
    const code = await run(
      pinnedNode().path,
      [join(modules, 'astro', 'bin', 'astro.mjs'), 'build', '--root', web, '--silent'],
      {
        cwd: web,
        env: { ...process.env, ASTRO_TELEMETRY_DISABLED: '1', LECTERN_WEB_OUT: fresh },
        stdio: ['ignore', 2, 2],
      },
    );
    if (code !== 0 || stopSignal) {
      rmSync(fresh, { recursive: true, force: true });
      endIfStopped();
      fail('The web app could not be built (the message is above).');
    }
    writeFileSync(join(fresh, '.built-from'), wanted);
    rmSync(built, { recursive: true, force: true });
    renameSync(fresh, built);
  });
}

function sourcesHash(web) {
  const hash = createHash('sha256').update(lockHash());
  const visit = (folder) => {
    const entries = readdirSync(folder, { withFileTypes: true });
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      if (/^(\.|node_modules$|dist$)/.test(entry.name)) continue;
      const path = join(folder, entry.name);
      if (entry.isDirectory()) visit(path);
      else hash.update(`${entry.name}\0`).update(readFileSync(path));
    }
  };
  visit(web);
  return hash.digest('hex');
}

/** The Node that package.json pins for this system, or the running one if it is newer. */
export function pinnedNode() {
  const node = chooseNode(packagedNode(), { path: process.execPath, version: process.versions.node });
  if (node) return node;
  fail(`Lectern runs on Node 26, which has no npm package for this system. Install Node 26, then try again.`);
}

function packagedNode() {
  const { optionalDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  for (const [name, version] of Object.entries(optionalDependencies)) {
    const path = join(modules, name, 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
    if (/^node-(bin-)?(linux|darwin|win)-/.test(name) && existsSync(path) && !isMusl())
      return { path, version };
  }
  return undefined;
}

/** The packaged Node is linked against glibc: Alpine has it on disk and cannot start it. */
function isMusl() {
  return process.platform === 'linux' && !process.report.getReport().header.glibcVersionRuntime;
}

/**
 * A SIGTERM to `npm start` or `npm run dev` ends npm and its shell, and the shell does not pass the signal on. We
 * notice only because our parent process changes.
 */
export function endWithNpm() {
  if (!process.env.npm_lifecycle_event) return;
  const parent = process.ppid;
  npmWatch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(npmWatch);
    process.kill(process.pid, 'SIGTERM');
  }, 500);
  npmWatch.unref();
}

/** Runs a child with our terminal, passes signals on, and resolves with the exit code to leave with. */
export function run(command, args, options = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { stdio: 'inherit', ...options });
    forwardSignalsTo(child);
    child.on('error', (error) => fail(`Cannot start ${command}: ${error.message}`));
    child.on('exit', (code, signal) => resolve(signal ? exitCodeOf(signal) : code));
  });
}

/** Signals reach `child`, and this process ends after it. */
export function forwardSignalsTo(child) {
  forwardSignals();
  children.add(child);
  child.once('exit', () => children.delete(child));
}

function forwardSignals() {
  for (const signal of signals) if (!process.listeners(signal).includes(forward)) process.on(signal, forward);
}

function forward(signal) {
  stopSignal ??= signal;
  // The end of npm is no news any more.
  clearInterval(npmWatch);
  if (children.size === 0) endIfStopped();
  for (const child of children) {
    child.kill(signal);
    // Asks for the same. Unlike a signal, a closed channel cannot be missed by a server that is only just starting.
    if (child.connected) child.disconnect();
  }
}

function endIfStopped() {
  if (stopSignal) process.exit(exitCodeOf(stopSignal));
}

function exitCodeOf(signal) {
  return 128 + constants.signals[signal];
}

export function requireNode20() {
  if (Number(process.versions.node.split('.')[0]) >= 20) return;
  fail(`Lectern needs Node 20 or newer to start; this is Node ${process.versions.node}.`);
}

export function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}

function isInstalled(scope) {
  const stamp = readStamp();
  if (!stamp || stamp.lock !== lockHash() || stamp.system !== system()) return false;
  return stamp.scope === 'all' || stamp.scope === scope;
}

function readStamp() {
  try {
    return JSON.parse(readFileSync(stampFile, 'utf8'));
  } catch {
    return undefined;
  }
}

function lockHash() {
  return createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex');
}

function system() {
  return `${process.platform}-${process.arch}`;
}

async function npm(args) {
  const cli = process.env.npm_execpath;
  const viaNode = cli !== undefined && /npm-cli\.c?js$/.test(cli);
  const [command, first] = viaNode ? [process.execPath, [cli]] : ['npm', []];
  const code = await run(command, [...first, ...args], {
    cwd: root,
    // npm's own words go to stderr: stdout belongs to the command that was asked for (`--json`).
    stdio: ['ignore', 2, 2],
    shell: !viaNode && process.platform === 'win32',
  });
  endIfStopped();
  if (code !== 0) {
    fail(
      'npm could not install the packages (its message is above). Check the network, then run the command again.',
    );
  }
}

/** Two commands started at once on a fresh clone: one installs and builds, the other waits for it. */
async function withLock(work) {
  const deadline = Date.now() + 10 * 60_000;
  while (!takeLock()) {
    if (!holderIsAlive()) breakLock();
    else if (Date.now() > deadline)
      fail(`Another install holds ${installLock}. Remove it if none is running.`);
    else await pause(200);
  }
  try {
    await work();
  } finally {
    rmSync(installLock, { force: true });
  }
}

/** The file and what it says come into being at once. */
function takeLock() {
  try {
    writeFileSync(installLock, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
}

/** Of several that find the holder dead, one moves its lock away; for the others it is gone. */
function breakLock() {
  const aside = `${installLock}.${process.pid}`;
  try {
    renameSync(installLock, aside);
    rmSync(aside, { force: true });
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
  }
}

function holderIsAlive() {
  let pid;
  try {
    pid = Number(readFileSync(installLock, 'utf8'));
  } catch {
    return true; // gone by now: the next try takes it
  }
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

function say(text) {
  process.stderr.write(`${text}\n`);
}
