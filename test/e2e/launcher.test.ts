// bin/lectern as a person runs it, from the checkout whose packages are installed.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { until } from '../support/until.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
let home: string;
let child: ChildProcess | undefined;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'lectern-launch-'));
});

afterEach(async () => {
  if (child && child.exitCode === null && child.signalCode === null) {
    process.kill(-(child.pid as number), 'SIGKILL');
    await once(child, 'exit');
  }
  rmSync(home, { recursive: true, force: true });
});

function launch(command: string, args: string[], { cwd = root, path = process.env.PATH } = {}) {
  const env = {
    PATH: path,
    HOME: home,
    LECTERN_HOME: join(home, 'data'),
    LECTERN_PORT: '0',
    LECTERN_LOG_LEVEL: 'debug',
  };
  const started = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  child = started;
  started.stderr.resume();
  let output = '';
  const address = new Promise<string>((resolve) => {
    started.stdout.on('data', (chunk) => {
      output += chunk;
      const found = /http:\/\/127\.0\.0\.1:\d+/.exec(output)?.[0];
      if (found) resolve(found);
    });
  });
  const signalGroup = (signal: NodeJS.Signals) => process.kill(-(started.pid as number), signal);
  return {
    started,
    address,
    signalGroup,
    ended: once(started, 'close').then(([code]) => ({ code, output })),
  };
}

it('runs a command and passes its output and its exit code on', async () => {
  expect(await launch('bin/lectern', ['--version']).ended).toMatchObject({
    code: 0,
    output: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
  });
  expect(await launch('bin/lectern', ['nonsense']).ended).toMatchObject({ code: 2 });
});

it('passes SIGTERM on to the server', async () => {
  const { started, address, ended } = launch('bin/lectern', ['serve']);
  expect((await fetch(`${await address}/healthz`)).status).toBe(200);
  started.kill('SIGTERM');
  expect(await ended).toMatchObject({ code: 0 });
});

it('ends with npm, whose shell passes no signal on', async () => {
  const { started, address, ended } = launch('npm', ['start']);
  const url = await address;
  started.kill('SIGTERM');
  // The pipes close when the last process that holds them is gone: the server, not npm.
  await ended;
  await expect(fetch(`${url}/healthz`)).rejects.toThrow();
});

it('stops cleanly when a signal reaches the whole process group, as Ctrl-C does', async () => {
  const { address, signalGroup, ended } = launch('bin/lectern', ['serve']);
  await address;
  signalGroup('SIGINT');
  expect(await ended).toMatchObject({ code: 0 });
});

/** Runs a program in a terminal, closes the terminal as soon as it shows an address, and ends with the program's exit code. */
const closingTerminal = `
import os, pty, sys
pid, terminal = pty.fork()
if pid == 0:
    os.execvp(sys.argv[1], sys.argv[1:])
shown = b''
while b'http://127' not in shown:
    shown += os.read(terminal, 4096)
os.close(terminal)
code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
sys.exit(code if code >= 0 else 128 - code)
`;

it('stops cleanly when its terminal is closed', async ({ skip }) => {
  if (spawnSync('python3', ['--version']).status !== 0) skip('not installed: python3');
  const { ended } = launch('python3', ['-c', closingTerminal, 'bin/lectern', 'serve']);
  expect(await ended).toMatchObject({ code: 0 });
});

it('ends on a signal that arrives while the launcher reads its files, under the Node that the server runs on', async () => {
  const preload = join(home, 'signal.mjs');
  writeFileSync(
    preload,
    `import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
const { readdirSync } = fs;
fs.readdirSync = (...args) => {
  fs.readdirSync = readdirSync;
  syncBuiltinESMExports();
  process.kill(process.pid, 'SIGTERM');
  return readdirSync(...args);
};
syncBuiltinESMExports();
`,
  );
  const { address, ended } = launch(process.execPath, ['--import', preload, 'bin/lectern', 'serve']);
  const { code } = await Promise.race([ended, address.then(() => ({ code: 'the server runs' }))]);
  // By the launcher, or by the server's own clean stop.
  expect([143, 0]).toContain(code);
});

it('stops cleanly when its output is closed', async () => {
  const { started, address, signalGroup, ended } = launch('bin/lectern', ['serve']);
  await address;
  // From here on the server cannot write its log.
  started.stdout.destroy();
  started.stderr.destroy();
  signalGroup('SIGHUP');
  expect(await ended).toMatchObject({ code: 0 });
});

it('takes the server with it when it is killed', async () => {
  const { started, address, ended } = launch('bin/lectern', ['serve']);
  const url = await address;
  started.kill('SIGKILL');
  // The server and its worker hold the pipes too.
  await ended;
  await expect(fetch(`${url}/healthz`)).rejects.toThrow();
});

it('leaves no process behind when it is stopped while it installs', async () => {
  const checkout = join(home, 'checkout');
  cpSync(join(root, 'bin'), join(checkout, 'bin'), { recursive: true });
  for (const file of ['package.json', 'package-lock.json']) cpSync(join(root, file), join(checkout, file));
  const programs = join(home, 'programs');
  mkdirSync(programs);
  writeFileSync(join(programs, 'npm'), `#!/bin/sh\ntouch ${home}/installing\nexec sleep 1000\n`, {
    mode: 0o755,
  });
  const { started, ended } = launch('bin/lectern', ['serve'], {
    cwd: checkout,
    path: `${programs}:${process.env.PATH}`,
  });
  await until('npm runs', () => existsSync(join(home, 'installing')));
  started.kill('SIGTERM');
  // npm holds the pipes too.
  expect(await ended).toMatchObject({ code: 143 });
});
