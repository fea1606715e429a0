// Full texts of entries, from a pull to what is shown, against servers on the loopback. The clock is ours.
import { createServer, type RequestListener } from 'node:http';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { DoNotRetry, TemporaryFailure } from '../../src/errors.ts';
import { type FullTextDeps, fetchFullText } from '../../src/feeds/full-text/fetch-full-text.ts';
import { createPageProcess } from '../../src/items/page/page-process.ts';
import { defineJob, type JobDefinition } from '../../src/jobs/registry.ts';
import { Run } from '../../src/jobs/run.ts';
import { createHostTurns } from '../../src/outbound/host-turns.ts';
import { fullTextKind } from '../../src/store/reader/full-text-jobs.ts';
import type { Store } from '../../src/store/store.ts';
import { type TestClock, tieClocks } from '../support/clock.ts';
import { onEachEngine, openEmptyStore } from '../support/engines.ts';
import { simpleReader } from '../support/enriching.ts';
import { createWorld, listen, startCanary, type World } from '../support/outbound.ts';
import { httpProxy } from '../support/proxies.ts';
import { addUser, fill, listAll, newFeed, published } from '../support/reader.ts';

const link = 'http://site.example/feed';
const page = 'http://site.example/a';
const longText = 'word '.repeat(150).trim();
const html = (body: string) => `<!doctype html><title>x</title><body>${body}`;

onEachEngine('fetching full texts', (engine) => {
  let store: Store;
  let clock: TestClock;
  let world: World;
  let anna: Awaited<ReturnType<typeof addUser>>;
  let asked: string[];
  let answer: RequestListener;
  let deps: FullTextDeps;

  beforeEach(async () => {
    const opened = await openEmptyStore(engine);
    ({ store, clock } = opened);
    tieClocks(opened.database, clock);
    anna = await addUser(store, 'anna', 'owner');
    world = createWorld({ now: clock.now, pauses: store.hostPauses });
    asked = [];
    answer = (_request, response) =>
      response.writeHead(200, { 'content-type': 'text/html' }).end(html(`<p>${longText}</p>`));
    await world.site('site.example', serve);
    deps = {
      fullTexts: store.fullTexts,
      outbound: world.outbound,
      turns: createHostTurns(clock.now),
      page: simpleReader,
      now: clock.now,
    };
  });

  const serve: RequestListener = (request, response) => {
    asked.push(request.url ?? '');
    answer(request, response);
  };
  const follow = async ({ rows } = anna, over: { link?: string; proxy?: string } = {}) => {
    const { id } = await rows.feeds.create({ ...newFeed(link), ...over });
    await rows.feeds.update(id, { fullText: true });
    return id;
  };
  const publish = (over = {}) =>
    fill(store, link, [published('a', { link: page, content: '<p>short</p>', ...over })]);
  const shown = async ({ rows } = anna) => (await listAll(rows)).map(({ content }) => content);

  /** Until nothing is ready, as a worker does it; says how each attempt ended. */
  async function work(): Promise<string[]> {
    const definition = defineJob({
      ...fullTextKind,
      handler: ({ payload, ...context }) => fetchFullText(deps, payload, context),
    }) as JobDefinition;
    const ends: string[] = [];
    for (;;) {
      const [job] = await store.jobs.settleAndClaim([], {
        holder: 'test',
        leaseMs: 600_000,
        names: [fullTextKind.name],
        total: 1,
        background: 1,
        low: 1,
        first: 'low',
        suspect: false,
      });
      if (!job) return ends;
      const run = new Run(job, definition);
      const outcome = await run.do(
        () => 1,
        () => {},
      );
      if (outcome) await store.jobs.settleAndClaim([{ fence: run.fence, outcome }]);
      ends.push(outcome?.kind ?? 'lost');
    }
  }

  it('asks for a page once for all who follow the feed, and shows its text to them', async () => {
    const ben = await addUser(store, 'ben');
    await follow();
    await follow(ben);
    await publish();
    expect(await work()).toEqual(['done']);
    expect(asked).toEqual(['/a']);
    expect(await shown()).toEqual([`<p>${longText}</p>`]);
    expect(await shown(ben)).toEqual([`<p>${longText}</p>`]);
    const [feed] = await anna.rows.feeds.list();
    expect(feed?.fetchState).toMatchObject({ consecutiveFailures: 0, lastError: '' });
  });

  it('shows what the reader of pages makes of a real one, without what does not belong there', async () => {
    const pages = createPageProcess();
    onTestFinished(() => pages.close());
    deps = { ...deps, page: pages };
    const paragraph = `<p>${'The heron stood in the water, and waited for a fish. '.repeat(12)}</p>`;
    const article = `<nav><a href="/">Home</a></nav><article><h1>Herons</h1>${paragraph.repeat(4)}
      <script>alert(1)</script><img src="/heron.jpg" onerror="alert(1)"></article>`;
    answer = (_request, response) =>
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(html(article));
    await follow();
    await publish();
    expect(await work()).toEqual(['done']);
    const [content = ''] = await shown();
    expect(content.match(/The heron stood/g)?.length).toBe(48);
    expect(content).toContain('http://site.example/heron.jpg');
    expect(content).not.toMatch(/script|onerror|Home/);
  });

  it('keeps what the feed gave where the page has not clearly more', async () => {
    await follow();
    await publish({ content: `<p>${'word '.repeat(140)}</p>` });
    expect(await work()).toEqual(['done']);
    expect(asked).toEqual(['/a']);
    expect((await shown())[0]?.length).toBe('<p></p>'.length + 140 * 5);
  });

  it('gives up quietly on a page that is not there, or cannot be read', async () => {
    await follow();
    answer = (_request, response) => response.writeHead(404).end();
    await publish();
    expect(await work()).toEqual(['done']);
    answer = (_request, response) => response.writeHead(200, { 'content-type': 'video/mp4' }).end('film');
    await fill(store, link, [published('b', { link: 'http://site.example/b' })]);
    expect(await work()).toEqual(['done']);
    answer = (_request, response) => response.writeHead(200, { 'content-type': 'text/html' }).end(html('x'));
    deps = { ...deps, page: { read: () => Promise.reject(new DoNotRetry('too deep')) } };
    await fill(store, link, [published('c', { link: 'http://site.example/c' })]);
    expect(await work()).toEqual(['done']);
    expect(asked).toEqual(['/a', '/b', '/c']);
    expect(await shown()).not.toContain('x');
    const [feed] = await anna.rows.feeds.list();
    expect(feed?.fetchState.consecutiveFailures).toBe(0);
    expect(await store.jobs.list({ state: 'dead', limit: 5 })).toEqual([]);
  });

  it('tries a few times where a server is in trouble, and leaves no dead letter', async () => {
    await follow();
    answer = (_request, response) => response.writeHead(502).end();
    await publish();
    const ends: string[] = [];
    for (let n = 0; n < 6; n += 1) {
      ends.push(...(await work()));
      clock.advance(2 * 3_600_000);
    }
    expect(ends).toEqual(['failed', 'failed', 'failed', 'done']);
    expect(asked.length).toBe(4);
    expect(await shown()).toEqual(['<p>short</p>']);
  });

  it('tries again when it was our own reader that had no time', async () => {
    await follow();
    await publish();
    const { page: reader } = deps;
    deps = { ...deps, page: { read: () => Promise.reject(new TemporaryFailure('not now')) } };
    expect(await work()).toEqual(['failed']);
    deps = { ...deps, page: reader };
    clock.advance(3_600_000);
    expect(await work()).toEqual(['done']);
    expect(await shown()).toEqual([`<p>${longText}</p>`]);
  });

  it('leaves a host alone that has asked for it', async () => {
    await follow();
    answer = (_request, response) => response.writeHead(429, { 'retry-after': '600' }).end();
    await publish();
    await fill(store, link, [published('b', { link: 'http://site.example/b' })]);
    // The second is put off without being asked.
    expect((await work()).sort()).toEqual(['failed', 'returned']);
    expect(asked.length).toBe(1);
  });

  it('asks nothing for a feed that does not want it any more', async () => {
    const id = await follow();
    await publish();
    await anna.rows.feeds.update(id, { fullText: false });
    expect(await work()).toEqual(['done']);
    expect(asked).toEqual([]);
  });

  it('goes through the proxy of the feed and no other way', async () => {
    const through: string[] = [];
    const behind = createServer((request, response) => {
      through.push(request.url ?? '');
      answer(request, response);
    });
    const port = await listen(behind);
    await world.rawSite('proxy.example', httpProxy(() => port).serve);
    await follow(anna, { proxy: 'http://proxy.example:8080' });
    const entry = published('a', { link: page, content: '<p>short</p>' });
    await fill(store, link, [entry], undefined, 'http://proxy.example:8080');
    expect(await work()).toEqual(['done']);
    expect(through).toEqual(['/a']);
    expect(asked).toEqual([]);
    expect(await shown()).toEqual([`<p>${longText}</p>`]);
  });

  it('never asks our own network, whoever links there', async () => {
    const canary = await startCanary();
    await follow();
    await publish({ link: `http://127.0.0.1:${canary.port}/admin` });
    await fill(store, link, [published('b', { link: 'http://site.example/b' })]);
    answer = (_request, response) =>
      response.writeHead(302, { location: `http://127.0.0.1:${canary.port}/admin` }).end();
    expect(await work()).toEqual(['done', 'done']);
    expect(canary.connections).toBe(0);
  });
});
