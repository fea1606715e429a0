import { sql } from 'kysely';
import { beforeEach, describe, expect, it } from 'vitest';
import { AnalyzerFailure } from '../../src/deframer/analyzer.ts';
import { itemHash } from '../../src/deframer/item-hash.ts';
import { takeFeed } from '../../src/deframer/take-feed.ts';
import { LeaseLost, Unavailable } from '../../src/errors.ts';
import { createReleaseLocks } from '../../src/jobs/release-locks.ts';
import { presenceName, presenceTtlMs } from '../../src/model/presence.ts';
import { memoryOfPauses } from '../../src/outbound/pace.ts';
import type { Store } from '../../src/store/store.ts';
import type { TestClock } from '../support/clock.ts';
import {
  createDeframing,
  type Deframing,
  intervalMs,
  leaseMs,
  newsSite,
  rssOf,
  usage,
} from '../support/deframing.ts';
import { onEachEngine, openEmptyStore } from '../support/engines.ts';
import { quiet } from '../support/enriching.ts';
import { createWorld, type World } from '../support/outbound.ts';
import { TestTimers } from '../support/timers.ts';
import { until } from '../support/until.ts';

const feedUrl = 'http://news.example/feed';
const page = (path: string) => `http://news.example${path}`;

onEachEngine('a run of the deframer', (engine) => {
  let store: Store;
  let clock: TestClock;
  let site: ReturnType<typeof newsSite>;
  let deframing: Deframing;
  let pauses: ReturnType<typeof memoryOfPauses>;
  let opened: Awaited<ReturnType<typeof openEmptyStore>>;
  let world: World;
  const state = async () => {
    const [feed] = await store.deframerFeeds.list();
    if (!feed) throw new Error('there is no feed');
    return feed;
  };

  beforeEach(async () => {
    opened = await openEmptyStore(engine);
    ({ store, clock } = opened);
    pauses = memoryOfPauses(clock.now);
    world = createWorld({ now: clock.now, pauses });
    site = newsSite();
    await world.site('news.example', site.listener);
    deframing = createDeframing(opened, world);
  });

  it('fetches, reads, analyses, keeps, builds, and does not come again by itself', async () => {
    site.publish({ title: 'One', link: '/1', at: 1 }, { title: 'Two', link: '/2', at: 2 });
    const id = await deframing.addFeed(feedUrl);
    expect(await deframing.look()).toBe(true);

    expect(deframing.titles()).toEqual(['Two', 'One']);
    expect(deframing.asked[0]?.article).toMatchObject({
      url: page('/2'),
      description: 'About Two.',
      text: 'Text of /2',
      language: 'en',
    });
    const items = await store.deframeRuns.newestItems(id, 10);
    expect(items.map(({ url, hash }) => [url, hash])).toEqual([
      [page('/2'), itemHash(page('/2'))],
      [page('/1'), itemHash(page('/1'))],
    ]);
    const built = await store.deframeRuns.findBuilt(id);
    expect(built?.itemRefs).toEqual(items.map(({ hash }) => hash));
    expect(built?.xmlContent).toContain('Sober: One');
    expect(built?.xmlContent.startsWith(built.xmlHeader)).toBe(true);
    expect(await state()).toMatchObject({
      nextRunAt: null,
      lastError: null,
      isRunning: false,
      items: 2,
      lastRunAt: clock.now(),
      usage: { calls: 2, tokensIn: 200, tokensOut: 40, costMicros: 14 },
    });
    expect(await deframing.look()).toBe(false);
  });

  it('is followed by another after the interval where the feed is polled, and not before', async () => {
    site.publish({ title: 'One', link: '/1' });
    await deframing.addFeed(feedUrl, { polling: true });
    await deframing.look();
    clock.advance(intervalMs - 1_000);
    expect(await deframing.look()).toBe(false);
    clock.advance(2_000);
    site.publish({ title: 'Two', link: '/2', at: 2 }, { title: 'One', link: '/1' });
    expect(await deframing.look()).toBe(true);
    expect(deframing.titles()).toEqual(['One', 'Two']);
    expect((await state()).nextRunAt).not.toBeNull();
  });

  it('pays for an article once: the next run does not analyse what the feed has', async () => {
    site.publish({ title: 'One', link: '/1' });
    await deframing.addFeed(feedUrl);
    await deframing.look();
    const [before] = await store.deframeRuns.newestItems((await state()).id, 1);
    await store.deframerFeeds.sync(feedUrl);
    await deframing.look();
    expect(deframing.titles()).toEqual(['One']);
    expect(await store.deframeRuns.newestItems((await state()).id, 1)).toEqual([before]);
  });

  it('pays for the same text under another address once, unless prompt or text differ', async () => {
    const content = '<p>The same.</p>';
    for (const path of ['/1', '/1?utm_source=feed', '/2'])
      site.override(path, (response) => response.writeHead(404).end());
    site.publish({ title: 'One', link: '/1', content });
    await deframing.addFeed(feedUrl);
    await deframing.look();
    site.publish({ title: 'One', link: '/1?utm_source=feed', content, at: 5 });
    await store.deframerFeeds.sync(feedUrl);
    await deframing.look();
    expect(deframing.titles()).toEqual(['One']);
    expect((await state()).items).toBe(2);
    expect((await state()).usage.calls).toBe(1);

    site.publish({ title: 'One', link: '/2', content, at: 6 });
    await store.deframerFeeds.change(feedUrl, { prompt: 'Otherwise.' });
    await store.deframerFeeds.sync(feedUrl);
    await deframing.look();
    expect(deframing.titles()).toEqual(['One', 'One']);
    expect(deframing.asked[1]?.prompt).toBe('Otherwise.');
  });

  it('analyses an article of two feeds once for each', async () => {
    site.publish({ title: 'One', link: '/1' });
    await deframing.addFeed(feedUrl);
    const second = await deframing.addFeed('http://news.example/feed?all');
    site.override('/feed?all', (response) => {
      response
        .writeHead(200)
        .end(
          '<rss version="2.0"><channel><title>All</title><item><title>One</title><link>http://news.example/1</link></item></channel></rss>',
        );
    });
    await deframing.look();
    await deframing.look();
    expect(deframing.titles()).toEqual(['One', 'One']);
    expect((await store.deframeRuns.newestItems(second, 5)).map(({ url }) => url)).toEqual([page('/1')]);
  });

  it('leaves out articles on another host, and says so; not where that is switched off', async () => {
    site.publish({ title: 'Ours', link: '/1' }, { title: 'Theirs', link: 'http://other.example/2' });
    await deframing.addFeed(feedUrl);
    await deframing.look();
    expect(deframing.titles()).toEqual(['Ours']);
    expect((await state()).lastNote).toMatch(/^1 of 2 articles are on another host/);
    await store.deframerFeeds.change(feedUrl, { enforceFeedDomain: false });
    await store.deframerFeeds.sync(feedUrl);
    await deframing.look();
    expect(deframing.titles()).toEqual(['Ours', 'Theirs']);
    expect((await state()).lastNote).toBeNull();
  });

  it('keeps saying so when the document is the same, and asks for it whole once the rule has changed', async () => {
    const body =
      '<rss version="2.0"><channel><title>T</title><item><title>Theirs</title><link>http://other.example/1</link></item></channel></rss>';
    site.override('/feed', (response) => {
      const isKnown = site.asked.at(-1)?.headers['if-none-match'] === '"v1"';
      response.writeHead(isKnown ? 304 : 200, { etag: '"v1"' }).end(isKnown ? undefined : body);
    });
    await deframing.addFeed(feedUrl, { polling: true });
    await deframing.look();
    const note =
      '1 of 1 articles are on another host than the feed and were left out. Switch off the check of the host to have them.';
    expect((await state()).lastNote).toBe(note);
    clock.advance(intervalMs + 1_000);
    await deframing.look();
    expect(site.asked.at(-1)?.headers['if-none-match']).toBe('"v1"');
    expect((await state()).lastNote).toBe(note);
    await store.deframerFeeds.change(feedUrl, { enforceFeedDomain: false });
    clock.advance(intervalMs + 1_000);
    await deframing.look();
    expect(deframing.titles()).toEqual(['Theirs']);
    expect((await state()).lastNote).toBeNull();
  });

  it('takes a www or another port for another host, as the rule is equality', async () => {
    site.publish(
      { title: 'WWW', link: 'http://www.news.example/1' },
      { title: 'Port', link: 'http://news.example:8080/1' },
      { title: 'Other case', link: 'http://NEWS.example/3' },
    );
    await deframing.addFeed(feedUrl);
    await deframing.look();
    expect(deframing.titles()).toEqual(['Other case']);
  });

  it('builds the feed of the newest articles only, and keeps the others', async () => {
    site.publish(...Array.from({ length: 25 }, (_, n) => ({ title: `Article ${n}`, link: `/${n}`, at: n })));
    const id = await deframing.addFeed(feedUrl);
    await deframing.look();
    const built = await store.deframeRuns.findBuilt(id);
    expect(built?.itemRefs).toHaveLength(20);
    expect(built?.itemRefs[0]).toBe(itemHash(page('/24')));
    expect((await state()).items).toBe(25);
  });

  it('takes on a hundred new articles at most, the newest, and leaves the rest to the next run', async () => {
    const many = Array.from({ length: 130 }, (_, n) => ({ title: `Article ${n}`, link: `/${n}`, at: n }));
    const document = rssOf(many, 'http://news.example');
    site.override('/feed', (response) => {
      const isKnown = site.asked.at(-1)?.headers['if-none-match'] === '"v1"';
      response.writeHead(isKnown ? 304 : 200, { etag: '"v1"' }).end(isKnown ? undefined : document);
    });
    await deframing.addFeed(feedUrl, { polling: true });
    await deframing.look();
    expect(deframing.titles()).toHaveLength(100);
    expect(deframing.titles().at(-1)).toBe('Article 30');
    expect(await state()).toMatchObject({
      items: 100,
      lastError: null,
      lastNote: '30 more articles are left to the next run.',
    });
    // The same document, whole once more.
    clock.advance(intervalMs + 1_000);
    await deframing.look();
    expect(await state()).toMatchObject({ items: 130, lastNote: null });
  });

  it('keeps the beginning of a long text, whole as HTML, and serves so much of all as can be served', async () => {
    const long = (letter: string) => `<p>${`${letter} `.repeat(150_000)}<b>end</b></p>`;
    site.publish(
      ...Array.from({ length: 12 }, (_, n) => ({ title: `${n}`, link: `/${n}`, at: n, content: long('a') })),
    );
    const id = await deframing.addFeed(feedUrl);
    await deframing.look();
    const items = await store.deframeRuns.newestItems(id, 20);
    expect(items.map(({ content }) => content.length <= 200_010 && content.endsWith('</p>'))).toEqual(
      items.map(() => true),
    );
    const built = await store.deframeRuns.findBuilt(id);
    expect(built?.itemRefs).toHaveLength(12);
    expect(built?.xmlContent.match(/<content:encoded>/g)).toHaveLength(9);
  });

  it('leaves what is served as it is when nothing changed, time and all', async () => {
    site.publish({ title: 'One', link: '/1' });
    const id = await deframing.addFeed(feedUrl);
    await deframing.look();
    const before = await store.deframeRuns.findBuilt(id);
    clock.advance(3_600_000);
    await store.deframerFeeds.sync(feedUrl);
    await deframing.look();
    expect(await store.deframeRuns.findBuilt(id)).toEqual(before);
  });

  it('gives every new document a later second', async () => {
    site.publish({ title: 'One', link: '/1' });
    const id = await deframing.addFeed(feedUrl);
    await deframing.look();
    const before = await store.deframeRuns.findBuilt(id);
    site.publish({ title: 'Two', link: '/2', at: 1 });
    await store.deframerFeeds.sync(feedUrl);
    await deframing.look();
    const after = await store.deframeRuns.findBuilt(id);
    expect(after?.updatedAt).toBe((before?.updatedAt ?? 0) + 1_000);
    expect(after?.xmlContent).toContain(new Date(after?.updatedAt ?? 0).toUTCString());
  });

  it('reads the article from the feed when its page cannot be had', async () => {
    site.publish({ title: 'Gone', link: '/gone', content: '<p>What the feed has.</p>' });
    site.override('/gone', (response) => response.writeHead(404).end());
    await deframing.addFeed(feedUrl);
    await deframing.look();
    expect(deframing.asked[0]?.article.text).toBe('What the feed has.');
    expect((await state()).lastError).toBeNull();
  });

  it('asks whether the document has changed, once every article of it was seen to', async () => {
    site.publish({ title: 'One', link: '/1' });
    site.override('/feed', (response) => {
      const isKnown = site.asked.at(-1)?.headers['if-none-match'] === '"v1"';
      response.writeHead(isKnown ? 304 : 200, { etag: '"v1"' });
      response.end(
        isKnown
          ? undefined
          : '<rss version="2.0"><channel><title>T</title><item><title>One</title><link>http://news.example/1</link></item></channel></rss>',
      );
    });
    deframing.fail('One', 'article');
    await deframing.addFeed(feedUrl, { polling: true });
    await deframing.look();
    expect((await state()).lastError).toMatch(/could not be analysed/);
    deframing.heal();
    await store.deframerFeeds.sync(feedUrl);
    await deframing.look();
    expect((await state()).items).toBe(1);
    clock.advance(intervalMs + 1_000);
    expect(await deframing.look()).toBe(true);
    expect(site.asked.map(({ path, headers }) => [path, headers['if-none-match']])).toEqual([
      ['/feed', undefined],
      ['/1', undefined],
      ['/feed', undefined],
      ['/1', undefined],
      ['/feed', '"v1"'],
    ]);
    expect(await state()).toMatchObject({ lastError: null, items: 1 });
    expect((await state()).nextRunAt).not.toBeNull();
  });

  describe('that fails', () => {
    it.each([
      ['a server that has no such page', 404, /^404: /],
      ['a server in trouble', 500, /^500: /],
      ['a feed that is gone', 410, /^410: .*gone/],
      ['a server that has had enough', 429, /^429: .*alone/],
    ])('by %s ends the schedule, polled or not, until sync', async (_, status, sentence) => {
      site.publish({ title: 'One', link: '/1' });
      site.override('/feed', (response) => response.writeHead(status).end());
      await deframing.addFeed(feedUrl, { polling: true });
      await deframing.look();
      expect(await state()).toMatchObject({ nextRunAt: null, isRunning: false });
      expect((await state()).lastError).toMatch(sentence);
      clock.advance(24 * 3_600_000);
      expect(await deframing.look()).toBe(false);

      site.override('/feed');
      await store.deframerFeeds.sync(feedUrl);
      expect((await state()).lastError).toBeNull();
      expect(await deframing.look()).toBe(true);
      expect(await state()).toMatchObject({ lastError: null, items: 1 });
      expect((await state()).nextRunAt).not.toBeNull();
    });

    it('by a document that is no feed says what it is', async () => {
      site.override('/feed', (response) => response.writeHead(200).end('<html><body>Hello'));
      await deframing.addFeed(feedUrl);
      await deframing.look();
      expect((await state()).lastError).toBe('The address answers with a web page, not a feed.');
    });

    it('at one article keeps the others, serves them, and is struck then', async () => {
      site.publish(
        { title: 'One', link: '/1', at: 1 },
        { title: 'Two', link: '/2', at: 2 },
        { title: 'Three', link: '/3', at: 3 },
      );
      deframing.fail('Two', 'article');
      await deframing.addFeed(feedUrl, { polling: true });
      await deframing.look();
      expect(deframing.titles()).toEqual(['Three', 'Two', 'One']);
      const failed = await state();
      expect(failed).toMatchObject({ nextRunAt: null, items: 2 });
      expect(failed.lastError).toBe(
        '1 of 3 new articles could not be analysed: The model would not. (“Two”)',
      );
      // The one that came to nothing was paid for too.
      expect(failed.usage.calls).toBe(3);
      const xml = await deframing.document(feedUrl);
      expect(xml).toContain('Sober: One');
      expect(xml).not.toContain('Two');

      deframing.heal();
      await store.deframerFeeds.sync(feedUrl);
      await deframing.look();
      expect(deframing.titles().slice(3)).toEqual(['Two']);
      expect(await deframing.document(feedUrl)).toContain('Sober: Two');
      expect((await state()).lastError).toBeNull();
    });

    it('since the model is away asks it no further', async () => {
      site.publish({ title: 'One', link: '/1', at: 1 }, { title: 'Two', link: '/2', at: 2 });
      deframing.fail('Two', 'service', 'The key was refused.');
      await deframing.addFeed(feedUrl);
      await deframing.look();
      expect(deframing.titles()).toEqual(['Two']);
      expect((await state()).lastError).toMatch(/^2 of 2 new articles .* The key was refused\./);
    });

    it('in a way that nobody has thought of tells no secrets', async () => {
      site.publish({ title: 'One', link: '/1' });
      deframing.answer('One', async () => {
        throw new Error('secret at /home/somebody');
      });
      await deframing.addFeed(feedUrl);
      await deframing.look();
      expect((await state()).lastError).toBe('An internal error; the log has the details.');
    });
  });

  it('is no strike when the index is away, and is tried again a minute later', async () => {
    site.publish({ title: 'One', link: '/1' });
    await deframing.addFeed(feedUrl);
    const { putItem } = store.deframeRuns;
    deframing.deps.runs.putItem = async () => {
      throw new Error('Connection terminated');
    };
    await deframing.look();
    expect(await state()).toMatchObject({ lastError: null, isRunning: false, isDue: false });
    deframing.deps.runs.putItem = putItem;
    clock.advance(61_000);
    expect(await deframing.look()).toBe(true);
    expect(await state()).toMatchObject({ lastError: null, items: 1 });
  });

  it('waits with a host that has asked for a pause, without a strike', async () => {
    await pauses.remember('domain:news.example', clock.now() + 120_000);
    site.publish({ title: 'One', link: '/1' });
    await deframing.addFeed(feedUrl);
    expect(await deframing.look()).toBe(true);
    expect(site.asked).toEqual([]);
    expect(await state()).toMatchObject({ lastError: null, lastNote: expect.stringContaining('left alone') });
    expect(await deframing.look()).toBe(false);
    clock.advance(125_000);
    expect(await deframing.look()).toBe(true);
    expect((await state()).items).toBe(1);
  });

  describe('whose feed is', () => {
    /** While the second article is analysed, something happens. */
    const meanwhile = async (happens: () => Promise<unknown>) => {
      site.publish(
        { title: 'One', link: '/1', at: 1 },
        { title: 'Two', link: '/2', at: 2 },
        { title: 'Three', link: '/3', at: 3 },
      );
      await deframing.addFeed(feedUrl);
      deframing.answer('Two', async () => {
        await happens();
        return {};
      });
      await deframing.look();
    };

    it('disabled meanwhile spends no more, and goes on when it is enabled', async () => {
      await meanwhile(() => store.deframerFeeds.change(feedUrl, { enabled: false }));
      expect(deframing.titles()).toEqual(['Three', 'Two']);
      // The result came too late; what it took is on the bill.
      expect(await state()).toMatchObject({ items: 1, isRunning: false, lastError: null });
      expect((await state()).usage.calls).toBe(2);
      expect(await deframing.look()).toBe(false);
      deframing.heal();
      await store.deframerFeeds.change(feedUrl, { enabled: true });
      expect(await deframing.look()).toBe(true);
      expect(await state()).toMatchObject({ items: 3, lastError: null });
    });

    it('deleted meanwhile spends no more, and is never run again', async () => {
      await meanwhile(() => store.deframerFeeds.remove(feedUrl));
      expect(deframing.titles()).toEqual(['Three', 'Two']);
      clock.advance(leaseMs * 2);
      expect(await deframing.look()).toBe(false);
      expect(await store.deframed.findServed(feedUrl)).toBeUndefined();
    });

    it('asked for anew meanwhile leaves it to the next', async () => {
      await meanwhile(() => store.deframerFeeds.sync(feedUrl));
      expect(await state()).toMatchObject({ items: 1, lastError: null });
      expect(await store.deframeRuns.findBuilt((await state()).id)).toBeUndefined();
      deframing.heal();
      expect(await deframing.look()).toBe(true);
      expect((await state()).items).toBe(3);
    });

    it('taken over by another after its lease has run out commits nothing that is stale', async () => {
      let other: Awaited<ReturnType<Store['deframeRuns']['acquire']>>;
      await meanwhile(async () => {
        clock.advance(leaseMs + 1_000);
        other = await store.deframeRuns.acquire({ ttlMs: leaseMs });
      });
      expect(other?.epoch).toBeGreaterThan(1);
      expect(await state()).toMatchObject({ items: 1, isRunning: true });
      expect(await store.deframeRuns.findBuilt((await state()).id)).toBeUndefined();
      if (other) await store.deframeRuns.finish(other, { intervalMs });
    });
  });

  it.each([
    { renewal: 1, moment: 'before it reads an article' },
    { renewal: 2, moment: 'before it calls the model' },
  ])('calls no model after a pause longer than its lease $moment', async ({ renewal }) => {
    site.publish({ title: 'One', link: '/1' });
    let renewals = 0;
    const { runs } = deframing.deps;
    const pausing = createDeframing(opened, world, {
      runs: {
        ...runs,
        async renew(lease, ttlMs) {
          await runs.renew(lease, ttlMs);
          if (++renewals !== renewal) return;
          clock.advance(leaseMs + 1_000);
          expect(await runs.acquire({ ttlMs: leaseMs })).toBeDefined();
        },
      },
    });
    await pausing.addFeed(feedUrl);
    await pausing.look();
    expect(renewals).toBe(renewal);
    expect(pausing.titles()).toEqual([]);
    expect((await state()).usage.calls).toBe(0);
  });

  describe('with a model that thinks for longer than a lease lasts', () => {
    let timers: TestTimers;
    const look = () =>
      takeFeed(
        deframing.deps,
        { stopping: new AbortController().signal, signal: new AbortController().signal },
        timers.after,
      );

    beforeEach(async () => {
      timers = new TestTimers(clock);
      site.publish({ title: 'Slow', link: '/slow' });
      await deframing.addFeed(feedUrl);
    });

    it('keeps its lease meanwhile', async () => {
      deframing.answer('Slow', async () => {
        for (let n = 0; n < 10; n++) {
          await timers.advance(leaseMs / 4);
          // It goes to the server and back.
          await until('the lease is renewed', async () => (await state()).isRunning);
          expect(await store.deframeRuns.acquire({ ttlMs: leaseMs })).toBeUndefined();
        }
        return {};
      });
      await look();
      expect(await state()).toMatchObject({ items: 1, lastError: null, isRunning: false });
      expect(timers.pending).toBe(0);
    });

    it('stops asking it as soon as the feed is somebody else’s, and puts what it took on the bill', async () => {
      deframing.answer('Slow', async (signal) => {
        await store.deframerFeeds.sync(feedUrl);
        await timers.advance(leaseMs / 4);
        await until('the signal is aborted', () => signal.aborted);
        throw new AnalyzerFailure('was interrupted', { scope: 'service', usage });
      });
      await look();
      expect(await state()).toMatchObject({ items: 0, lastError: null, isDue: true });
      expect((await state()).usage.calls).toBe(1);
      expect(timers.pending).toBe(0);
    });
  });

  it('records what an interrupted analysis cost, and leaves the feed due while the index is away', async () => {
    site.publish({ title: 'One', link: '/1' });
    await deframing.addFeed(feedUrl);
    const cause = new Unavailable('index', 'The index does not answer.');
    deframing.answer('One', async () => {
      throw new AnalyzerFailure('was interrupted', { scope: 'interrupted', usage, cause });
    });
    const due = (await state()).nextRunAt;
    // It is too early to look again.
    expect(await deframing.look()).toBe(false);
    expect((await state()).usage.calls).toBe(1);
    expect(await state()).toMatchObject({
      nextRunAt: due,
      lastError: null,
      lastNote: null,
      isRunning: false,
    });
    deframing.heal();
    await deframing.look();
    expect(await state()).toMatchObject({ items: 1, lastError: null });
  });

  describe('whose lock was left behind by a short loss of the index', () => {
    const away = async (): Promise<never> => {
      throw new Unavailable('index', 'The index does not answer.');
    };

    beforeEach(async () => {
      site.publish({ title: 'One', link: '/1' });
      await deframing.addFeed(feedUrl, { polling: true });
    });

    it.each([
      ['the end of the run and the release fail', { finish: away, release: away }],
      ['a renewal and the release fail', { renew: away, release: away }],
      ['an article and the release fail', { putItem: away, release: away }],
    ])('is taken again by the next lookup of the same process when %s', async (_what, failing) => {
      const { runs } = deframing.deps;
      let isAway = true;
      const methods = Object.entries(failing).map(([name, fail]) => [
        name,
        (...args: never[]) =>
          isAway ? fail() : (runs[name as keyof typeof runs] as (...given: never[]) => unknown)(...args),
      ]);
      const losing = createDeframing(opened, world, { runs: { ...runs, ...Object.fromEntries(methods) } });
      expect(await losing.look()).toBe(false);
      expect(await state()).toMatchObject({ isRunning: true, lastError: null });
      expect(await store.deframeRuns.acquire({ ttlMs: leaseMs, holder: 'worker-2' })).toBeUndefined();
      isAway = false;
      expect(await losing.look()).toBe(true);
      expect(await state()).toMatchObject({ isRunning: false, lastError: null, items: 1 });
      expect((await state()).nextRunAt).not.toBeNull();
    });

    it('is taken again when the answer to the lookup was lost, but not while another loop runs it', async () => {
      const { runs } = deframing.deps;
      let answersToLose = 1;
      const losing = createDeframing(opened, world, {
        runs: {
          ...runs,
          async acquire(lookup) {
            const lease = await runs.acquire(lookup);
            return answersToLose-- > 0 ? away() : lease;
          },
        },
      });
      await expect(losing.look()).rejects.toThrow(Unavailable);
      expect((await state()).isRunning).toBe(true);
      const gate = Promise.withResolvers<void>();
      losing.answer('One', async () => {
        await gate.promise;
        return {};
      });
      const running = losing.look();
      await until('the article is being analysed', () => losing.titles().length === 1);
      expect(await losing.look()).toBe(false);
      gate.resolve();
      expect(await running).toBe(true);
      expect(await state()).toMatchObject({ isRunning: false, lastError: null, items: 1 });
    });
  });

  it('is not taken from the loop that runs it when an earlier run in the same process ends', async () => {
    site.publish({ title: 'One', link: '/1' });
    const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const;
    deframing.answer('One', async () => {
      await gates[deframing.titles().length === 1 ? 0 : 1].promise;
      return {};
    });
    const id = await deframing.addFeed(feedUrl);
    const first = deframing.look();
    await until('the first run analyses the article', () => deframing.titles().length === 1);
    await store.deframerFeeds.sync(id);
    const second = deframing.look();
    await until('the second run analyses the article', () => deframing.titles().length === 2);
    gates[0].resolve();
    await first;
    expect(await deframing.look()).toBe(false);
    gates[1].resolve();
    expect(await second).toBe(true);
    expect(await state()).toMatchObject({ items: 1, isRunning: false, lastError: null });
  });

  describe('whose process has ended', () => {
    const presence = { role: 'worker', holder: 'worker-1' } as const;
    let uptimeMs: number;
    let check: () => Promise<void>;

    beforeEach(async () => {
      uptimeMs = 0;
      check = createReleaseLocks({ runs: store.deframeRuns, log: quiet, uptimeMs: () => uptimeMs });
      await deframing.addFeed(feedUrl);
      await store.leases.acquire(presenceName(presence), presence.holder, presenceTtlMs);
      await store.deframeRuns.acquire({ ttlMs: leaseMs, holder: presence.holder });
    });

    const passTime = async (ms: number) => {
      for (let passed = 0; passed < ms; passed += 5_000) {
        clock.advance(5_000);
        uptimeMs += 5_000;
        await check();
      }
    };

    it('keeps its lock while its presence lease is valid', async () => {
      const renewed = { name: presenceName(presence), holder: presence.holder, epoch: 1 };
      for (let n = 0; n < 12; n++) {
        await passTime(5_000);
        expect(await store.leases.renew(renewed, presenceTtlMs)).toBe(true);
      }
      expect((await state()).isRunning).toBe(true);
    });

    it('is released when the presence lease has been expired for a while, and its late write is refused', async () => {
      await passTime(presenceTtlMs);
      expect((await state()).isRunning).toBe(true);
      await passTime(presenceTtlMs + 5_000);
      expect(await state()).toMatchObject({ isRunning: false, isDue: true });
      await expect(
        store.deframeRuns.renew({ feedId: (await state()).id, epoch: 1 }, leaseMs),
      ).rejects.toThrow(LeaseLost);
      expect(await store.deframeRuns.acquire({ ttlMs: leaseMs, holder: 'worker-2' })).toMatchObject({
        epoch: 2,
      });
    });

    it('keeps its lock where the lock names no holder', async () => {
      await opened.database.write((trx) => sql`UPDATE feed_schedules SET locked_by = ''`.execute(trx));
      await passTime(60_000);
      expect((await state()).isRunning).toBe(true);
    });
  });

  it('that is told to stop lets the article at hand end, and leaves the rest to another', async () => {
    site.publish({ title: 'One', link: '/1', at: 1 }, { title: 'Two', link: '/2', at: 2 });
    const stopping = new AbortController();
    deframing.answer('Two', async () => {
      stopping.abort(new Error('the worker stops'));
      return {};
    });
    await deframing.addFeed(feedUrl);
    await deframing.look({ stopping });
    expect(await state()).toMatchObject({ items: 1, isRunning: false, lastError: null });
    expect(await deframing.look()).toBe(true);
    expect(deframing.titles()).toEqual(['Two', 'One']);
  });

  it('that has to end at once gives the feed back', async () => {
    site.publish({ title: 'One', link: '/1' });
    const ending = new AbortController();
    deframing.answer('One', async (signal) => {
      ending.abort(new Error('now'));
      signal.throwIfAborted();
      return {};
    });
    await deframing.addFeed(feedUrl);
    await deframing.look({ ending });
    expect(await state()).toMatchObject({ items: 0, isRunning: false, lastError: null });
    expect((await state()).nextRunAt).not.toBeNull();
  });
});
