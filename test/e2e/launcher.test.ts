// bin/lectern as a person runs it, from the checkout whose packages are installed.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));
let home: string;
let child: ChildProcess | undefined;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'lectern-launch-'));
});

afterEach(async () => {
  if (child && child.exitCode === null && child.signalCode === null) {
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
  rmSync(home, { recursive: true, force: true });
});

function launch(command: string, args: string[]) {
  const env = { PATH: process.env.PATH, HOME: home, LECTERN_HOME: join(home, 'data'), LECTERN_PORT: '0' };
  const started = spawn(command, args, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] });
  child = started;
  let output = '';
  const address = new Promise<string>((resolve) => {
    started.stdout.on('data', (chunk) => {
      output += chunk;
      const found = /http:\/\/127\.0\.0\.1:\d+/.exec(output)?.[0];
      if (found) resolve(found);
    });
  });
  return { started, address, ended: once(started, 'close').then(([code]) => ({ code, output })) };
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
