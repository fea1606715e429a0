// `npm run dev`, on a copy of the sources, since it changes some of them. The packages are those of this checkout.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { jsonRequest, Output } from '../support/lectern-process.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const password = 'correct horse battery staple';

let copy: string;
let child: ChildProcess;
let output: Output;
let closed: Promise<unknown>;
let url: string;
let setupSecret: string | undefined;

beforeAll(async () => {
  copy = mkdtempSync(join(tmpdir(), 'lectern-dev-'));
  for (const path of [
    'bin',
    'migrations',
    'package-lock.json',
    'package.json',
    'scripts/dev',
    'src',
    'web',
  ]) {
    cpSync(join(root, path), join(copy, path), {
      recursive: true,
      filter: (source) => !/[\\/]web[\\/](dist|node_modules|\.[^\\/]+)$/.test(source),
    });
  }
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'), 'junction');
  child = spawn(process.execPath, ['bin/develop.mjs', 'dev'], {
    cwd: copy,
    env: { PATH: process.env.PATH, HOME: copy, LECTERN_PORT: '0', LECTERN_EMBEDDINGS: 'off' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  output = new Output(child);
  // The API and the worker inherit these pipes, which close when the last process has ended.
  closed = once(child, 'close');
  [, url = '', setupSecret] = await output.until('stdout', /(http:\/\/localhost:\d+)\/setup#([\w-]+)\s/);
});

afterAll(async () => {
  child.kill('SIGTERM');
  await closed;
  rmSync(copy, { recursive: true, force: true });
});

const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(url + path, { headers, redirect: 'manual' });

function edit(path: string, change: (text: string) => string): void {
  const file = join(copy, path);
  const before = readFileSync(file, 'utf8');
  const after = change(before);
  expect(after).not.toBe(before);
  writeFileSync(file, after);
}

it('serves the pages and the API on one origin, and each page to the users who get it in production', async () => {
  expect(await (await get('/healthz')).json()).toEqual({ status: 'ok' });
  expect((await get('/api/nothing')).status).toBe(404);
  expect(await (await get('/library')).text()).toContain('data-page="waiting"');
  expect(await (await get('/setup')).text()).toContain('data-page="setup"');
  expect(await (await get('/reading.css')).text()).toContain('@font-face');

  const setup = (origin: string) =>
    fetch(`${url}/api/setup`, jsonRequest('POST', { token: setupSecret, password }, { Origin: origin }));
  expect((await setup('http://elsewhere.example')).status).toBe(403);
  const answer = await setup(url);
  expect(answer.status).toBe(200);
  const [cookie = ''] = answer.headers.get('set-cookie')?.split(';') ?? [];

  expect(await (await get('/library?tag=a', { cookie })).text()).toContain('data-page="library"');
  const stranger = await get('/library?tag=a');
  expect([stranger.status, stranger.headers.get('location')]).toEqual([
    302,
    `/login?next=${encodeURIComponent('/library?tag=a')}`,
  ]);
  expect(await (await get('/login')).text()).toContain('data-page="login"');
});

it('serves a service worker that caches nothing', async () => {
  const worker = await (await get('/sw.js')).text();
  expect(worker).toContain('unregister()');
  expect(worker).not.toContain("'fetch'");
});

it('announces a changed component to the browser, and serves its new content', async () => {
  const component = '/src/accounts/Setup.svelte';
  expect(await (await get(component)).text()).not.toContain('changed by a test');
  const client = await (await get('/@vite/client')).text();
  const token = /wsToken = "([\w-]+)"/.exec(client)?.[1];
  const socket = new WebSocket(`${url.replace('http', 'ws')}/?token=${token}`, 'vite-hmr');
  await once(socket, 'open');
  const updated = new Promise<void>((resolve) => {
    socket.addEventListener('message', ({ data }) => {
      const { updates = [] }: { updates?: { path: string }[] } = JSON.parse(String(data));
      if (updates.some(({ path }) => path === component)) resolve();
    });
  });
  edit(`web${component}`, (text) => text.replace('<Desk', '<p>changed by a test</p>\n<Desk'));
  await updated;
  socket.close();
  expect(await (await get(component)).text()).toContain('changed by a test');
});

it('shows a syntax error of the API, and starts the API again when the file is changed', async () => {
  const path = 'src/api/routes/operations.ts';
  const starts = () => output.stdout.match(/Lectern is running/g)?.length ?? 0;
  edit(path, (text) => `${text}const broken = ;\n`);
  await output.until('stderr', /const broken = ;.*SyntaxError.*It starts again when you save a file/s);
  expect((await get('/healthz')).status).toBe(503);

  const before = starts();
  edit(path, (text) => text.replace('const broken = ;\n', '').replaceAll("'ok'", "'changed'"));
  await output.until('stdout', new RegExp(`(Lectern is running.*?){${before + 1}}\\n`, 's'));
  expect(await (await get('/healthz')).json()).toEqual({ status: 'changed' });
});

it('ends every process that it has started', async () => {
  child.kill('SIGINT');
  await closed;
  expect(child.exitCode).toBe(0);
  await expect(get('/healthz')).rejects.toThrow();
});
