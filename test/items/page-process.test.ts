import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { getPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { DoNotRetry, TemporaryFailure } from '../../src/errors.ts';
import {
  createPageProcess,
  type PageProcess,
  type PageProcessOptions,
  UnreadablePage,
} from '../../src/items/page/page-process.ts';
import { readPage } from '../../src/items/page/read-page.ts';
import type { After } from '../../src/outbound/limits.ts';
import { isDeep, sampleOf } from '../support/depth.ts';
import { scene } from '../support/odd-images.ts';
import { TestTimers } from '../support/timers.ts';
import { until } from '../support/until.ts';

const standIn = new URL('../support/page-child.ts', import.meta.url);
const opened: PageProcess[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((pages) => pages.close()));
});

function open(options: PageProcessOptions = {}): PageProcess {
  const pages = createPageProcess(options);
  opened.push(pages);
  return pages;
}

const openStandIn = (options: PageProcessOptions = {}) => open({ script: standIn, ...options });
const page = (html: string) => ({
  bytes: Buffer.from(html),
  mediaType: 'text/html',
  charset: 'utf-8',
  url: 'https://site.example/post',
});
const ask = async (pages: PageProcess, path: string) =>
  (await pages.read({ ...page(''), url: `http://a.example/${path}` })).facts.title;
const failureOf = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error) => error,
  );
const isAlive = (pid: string) => {
  try {
    return process.kill(Number(pid), 0);
  } catch {
    return false;
  }
};

/** Timers that are told from each other by how many there have been. */
function countedTimers() {
  const timers = new TestTimers();
  const count = { started: 0 };
  const after: After = (delayMs, run) => {
    count.started++;
    return timers.after(delayMs, run);
  };
  return { timers, count, after };
}

describe('the process for pages', () => {
  const html =
    '<title>Post</title><article><p>Some words that are worth to be read by somebody.</p></article>';

  it('reads a page and makes a thumbnail as they are made here', async () => {
    const pages = open();
    expect(await pages.read(page(html))).toEqual(await readPage(page(html)));
    const thumbnail = await pages.thumbnail(await scene().png().toBuffer());
    expect(Buffer.from(thumbnail ?? []).subarray(0, 3)).toEqual(Buffer.from([0xff, 0xd8, 0xff]));
    expect(await pages.thumbnail(Buffer.from('<html>'))).toBeUndefined();
  });

  it('gives up a page that needs more memory than it has, and reads the next', async () => {
    const pages = open({ maxHeapMb: 60 });
    const huge = failureOf(pages.read(page(`<p>${'<b>bold</b> <i>text</i>'.repeat(100_000)}</p>`)));
    const next = pages.read(page(html));
    // Which of the two it is depends on how busy the machine is: a heap that is nearly full is slow.
    expect((await huge).message).toMatch(/^The page (?:is too large|takes too long) to read\.$/);
    expect((await next).facts.title).toBe('Post');
  });

  it('is started for the first page, and again after it has had nothing to do', async () => {
    const { timers, after } = countedTimers();
    const pages = openStandIn({ after });
    const first = await ask(pages, 'pid');
    expect(await ask(pages, 'pid')).toBe(first);
    await timers.advance(59_999);
    expect(await ask(pages, 'pid')).toBe(first);
    await timers.advance(60_000);
    await until('it has ended', () => !isAlive(first));
    expect(await ask(pages, 'pid')).not.toBe(first);
  });

  it('is another one after it has grown', async () => {
    const pages = openStandIn({ maxRssMb: 300 });
    const grown = await ask(pages, 'grow');
    expect(await ask(pages, 'pid')).not.toBe(grown);
  });

  it('reads as many pages at once as it is told', async () => {
    const { timers, count, after } = countedTimers();
    const pages = openStandIn({ children: 2, after });
    const stuck = failureOf(ask(pages, 'loop'));
    expect(await ask(pages, 'title?a')).toBe('a');
    // Two starts, two pages, and one that has nothing to do.
    await until('the page is in hand', () => count.started >= 5);
    await timers.advance(30_000);
    expect(await stuck).toBeInstanceOf(UnreadablePage);
  });

  it('stands behind everything else', async () => {
    const pages = openStandIn();
    expect(getPriority(Number(await ask(pages, 'pid')))).toBeGreaterThan(getPriority());
  });
});

describe('a page that is bad', () => {
  it('by taking too long is given up after 30 seconds, and the next is read', async () => {
    const { timers, count, after } = countedTimers();
    const pages = openStandIn({ after });
    const stuck = failureOf(ask(pages, 'loop'));
    const next = ask(pages, 'title?next');
    // The first is for the start, the second for the page.
    await until('the page is in hand', () => count.started >= 2);
    await timers.advance(29_999);
    expect(timers.pending).toBe(1);
    await timers.advance(1);
    expect(await stuck).toMatchObject({ message: 'The page takes too long to read.' });
    expect(await stuck).toBeInstanceOf(DoNotRetry);
    expect(await next).toBe('next');
  });

  const sentences: Record<string, string> = {
    heap: 'The page is too large to read.',
    memory: 'The page is too large to read.',
    exit: 'The page cannot be read.',
    crash: 'The page cannot be read.',
    throws: 'The page cannot be read.',
    'garbage-text': 'The page cannot be read.',
    'garbage-null': 'The page cannot be read.',
    'garbage-fields': 'The page cannot be read.',
    'garbage-long': 'The page cannot be read.',
    'garbage-other': 'The page cannot be read.',
  };

  it('harms none of those around it, and they keep their order', async () => {
    const pages = openStandIn({ maxHeapMb: 40, maxRssMb: 250 });
    const oftener = [
      'exit',
      'crash',
      'throws',
      'garbage-text',
      'garbage-fields',
      'memory',
      'throws',
      'exit',
      'throws',
    ];
    const kinds = [...sampleOf(Object.keys(sentences), 3), ...(isDeep ? oftener : [])];
    const paths = Array.from({ length: kinds.length * 10 }, (_, n) =>
      n % 10 === 7 ? (kinds[(n - 7) / 10] ?? '') : `title?${n}`,
    );
    const order: string[] = [];
    const failures: [path: string, failure: Error][] = [];
    await Promise.all(
      paths.map((path) =>
        ask(pages, path).then(
          (title) => order.push(title),
          (error) => failures.push([path, error]),
        ),
      ),
    );
    expect(failures.map(([path, { message }]) => [path, message])).toEqual(
      kinds.map((kind) => [kind, sentences[kind]]),
    );
    for (const [, failure] of failures) expect(failure).toBeInstanceOf(DoNotRetry);
    expect(order).toEqual(paths.filter((path) => path.startsWith('title?')).map((path) => path.slice(6)));
    expect(order).toHaveLength(kinds.length * 9);
  });

  it('is not blamed when somebody else ends the process', async () => {
    const pages = openStandIn();
    const failure = await failureOf(ask(pages, 'killed'));
    expect(failure).toBeInstanceOf(TemporaryFailure);
    expect(await ask(pages, 'title?next')).toBe('next');
  });

  it('is not blamed when the process cannot be started', async () => {
    const failure = await failureOf(
      ask(openStandIn({ script: new URL('./nowhere.ts', import.meta.url) }), 'pid'),
    );
    expect(failure).toBeInstanceOf(TemporaryFailure);
    expect(failure.message).toBe('Pages cannot be read at the moment.');
    expect(failure.cause.message).toContain('Cannot find module');
  });

  it('is not blamed when the process does not come up', async () => {
    const { timers, after } = countedTimers();
    const script = new URL('../support/until.ts', import.meta.url);
    const failure = failureOf(ask(openStandIn({ script, after }), 'pid'));
    await timers.advance(30_000);
    expect(await failure).toBeInstanceOf(TemporaryFailure);
  });

  it('shows nothing of what happened to whoever is told', async () => {
    const failure = await failureOf(ask(openStandIn(), 'throws'));
    expect(failure.message).not.toContain('secret');
    expect(failure.cause.message).toContain('secret of the child');
  });
});

describe('the end of it all', () => {
  it('fails what is in hand and what waits, and leaves no process', async () => {
    const pages = openStandIn();
    const pid = await ask(pages, 'pid');
    const all = ['loop', 'title?a', 'title?b'].map((path) => failureOf(ask(pages, path)));
    await pages.close();
    for (const failure of await Promise.all(all)) expect(failure).toBeInstanceOf(TemporaryFailure);
    expect(isAlive(pid)).toBe(false);
    expect(await failureOf(ask(pages, 'title?c'))).toBeInstanceOf(TemporaryFailure);
    await pages.close();
  });

  it('comes to the process with the end of whoever started it, even in the middle of a page', async () => {
    const parent = spawn(
      process.execPath,
      [fileURLToPath(new URL('../support/page-parent.ts', import.meta.url))],
      {
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    );
    const [line] = await once(parent.stdout, 'data');
    const pid = String(line).trim();
    expect(isAlive(pid)).toBe(true);
    parent.kill('SIGKILL');
    try {
      await until('the process has ended', () => !isAlive(pid));
    } finally {
      if (isAlive(pid)) process.kill(Number(pid), 'SIGKILL');
    }
  });
});

describe('the process for pages is confined', () => {
  it('to an environment of its own', async () => {
    expect(await ask(openStandIn(), 'environment')).toBe('MALLOC_ARENA_MAX');
  });

  it('to no network', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    let connections = 0;
    server.on('connection', () => connections++);
    const { port } = server.address() as { port: number };
    const pages = openStandIn();
    expect(await ask(pages, 'globals')).toBe('undefined,undefined,undefined');
    expect(await ask(pages, `socket?${port}`)).toBe('ERR_ACCESS_DENIED');
    expect(connections).toBe(0);
    server.close();
  });

  it('to its own code', async () => {
    const pages = openStandIn();
    const file = join(tmpdir(), `lectern-page-process-${process.pid}`);
    expect(await ask(pages, 'reads')).toBe('ERR_ACCESS_DENIED');
    expect(await ask(pages, `writes?${file}`)).toBe('ERR_ACCESS_DENIED');
    expect(existsSync(file)).toBe(false);
  });
});
