// Pictures of pages, by a real browser behind the pinning proxy.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { listen, rawServer } from '../support/outbound.ts';
import { createPictures, processesOf, sizeOfPng } from '../support/screenshots.ts';
import { until } from '../support/until.ts';

const html = { 'content-type': 'text/html; charset=utf-8' };

/** What is killed takes a moment to end. */
const expectNothingOf = (leftBehind: () => string[]) =>
  until('nothing is left behind', () => leftBehind().length === 0);

describe('a picture of a page', () => {
  it('is a PNG of the size of a window, and leaves no process and no folder behind', async () => {
    const { world, take, leftBehind } = await createPictures();
    const asked: (string | undefined)[] = [];
    await world.site('site.example', (request, response) => {
      asked.push(request.url);
      response.writeHead(200, html).end('<title>x</title><img src="/i.png"><h1>Hello</h1>');
    });
    const png = await take('http://site.example/');
    expect(png && sizeOfPng(png)).toEqual({ width: 1_200, height: 800 });
    expect(asked).toEqual(expect.arrayContaining(['/', '/i.png']));
    // Nobody else is asked anything: not the maker of the browser, nor anyone whom it would like to know.
    expect([...new Set(world.queries)]).toEqual(['site.example']);
    await expectNothingOf(leftBehind);
  });

  it('is taken of what scripts, frames of other sites and dialogs make of it', async () => {
    const { world, take } = await createPictures();
    const framed: (string | undefined)[] = [];
    await world.site('site.example', (_request, response) =>
      response
        .writeHead(200, html)
        .end(`<script>alert('a'); confirm('b'); prompt('c');</script><iframe src="http://frame.example/"></iframe>
          <script>window.open('http://popup.example/'); window.onbeforeunload = () => 'd';</script>`),
    );
    await world.site('frame.example', (request, response) => {
      framed.push(request.url);
      response.writeHead(200, html).end('<h1>A frame</h1>');
    });
    expect(await take('http://site.example/')).toBeDefined();
    expect(framed).toContain('/');
  });

  it.each<[string, number, Record<string, string>, string]>([
    ['an error', 404, html, '<h1>Not found</h1>'],
    ['a login', 401, { 'www-authenticate': 'Basic realm="x"' }, 'Login'],
    ['a file to keep', 200, { 'content-disposition': 'attachment; filename="a.bin"' }, 'file'],
  ])('is not taken of %s', async (_what, status, headers, body) => {
    const { world, take } = await createPictures();
    await world.site('site.example', (_request, response) => response.writeHead(status, headers).end(body));
    expect(await take('http://site.example/')).toBeUndefined();
  });

  it.each(['file:///etc/passwd', 'chrome://version', 'data:text/html,x', 'about:blank', 'nonsense'])(
    'is not taken of %s',
    async (url) => {
      const { take } = await createPictures({ browser: '/no/such/program' });
      expect(await take(url)).toBeUndefined();
    },
  );

  it('is given up when the time is up, with the browser and all its children', async () => {
    const { world, take, leftBehind } = await createPictures({ limitMs: 3_000 });
    await world.site('site.example', (_request, response) =>
      response.writeHead(200, html).end('<h1>Busy</h1><script>for (;;);</script>'),
    );
    await expect(take('http://site.example/')).rejects.toThrow('the time for a picture is up');
    await expectNothingOf(leftBehind);
  });

  it('is given up when the job is', async () => {
    const { world, take, stopping, leftBehind } = await createPictures();
    await world.rawSite('site.example', () => {});
    const taking = take('http://site.example/');
    const refused = expect(taking).rejects.toThrow('the time for a picture is up');
    await until('the browser asks', () => world.dials.length > 0);
    stopping.abort();
    await refused;
    await expectNothingOf(leftBehind);
  });

  it('takes its browser with it when the worker is killed', async () => {
    const { browser, folder } = await createPictures();
    const { promise: asked, resolve } = Promise.withResolvers<void>();
    const port = await listen(rawServer((socket) => void socket.once('data', () => resolve())));
    const script = fileURLToPath(new URL('../support/screenshot-process.ts', import.meta.url));
    const worker = spawn(process.execPath, [script, browser, folder, `http://127.0.0.1:${port}/`]);
    await asked;
    // The worker itself names the folder too.
    expect(processesOf(folder).length).toBeGreaterThan(1);
    worker.kill('SIGKILL');
    await until('the browser has ended', () => processesOf(folder).length === 0);
  });

  it('is one at a time, and not waited for longer than one can', async () => {
    const { world, take } = await createPictures({ maxWaitMs: 1 });
    const asked: (string | undefined)[] = [];
    await world.site('site.example', (request, response) => {
      asked.push(request.url);
      response.writeHead(200, html).end('<h1>Hello</h1>');
    });
    const taken = await Promise.all(['/1', '/2', '/3'].map((path) => take(`http://site.example${path}`)));
    expect(taken.map((png) => png !== undefined)).toEqual([true, false, false]);
    expect(asked.filter((path) => /^\/\d$/.test(path ?? ''))).toEqual(['/1']);
    expect(await take('http://site.example/4')).toBeDefined();
  });

  it('fails when there is no such program, or one that is no browser', async () => {
    const missing = await createPictures({ browser: '/no/such/program' });
    await expect(missing.take('http://site.example/')).rejects.toThrow();
    const other = ['/bin/true', '/usr/bin/true'].find((path) => existsSync(path)) ?? '';
    const wrong = await createPictures({ browser: other });
    await expect(wrong.take('http://site.example/')).rejects.toThrow();
    expect([...missing.leftBehind(), ...wrong.leftBehind()]).toEqual([]);
  });
});
