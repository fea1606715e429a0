import { beforeEach, expect, it } from 'vitest';
import { addFeed } from '../../src/deframer/add-feed.ts';
import { Conflict, Invalid, NotFound } from '../../src/errors.ts';
import type { Store } from '../../src/store/store.ts';
import { type TestClock, tieClocks } from '../support/clock.ts';
import { analysisOf, intervalMs, leaseMs, usage } from '../support/deframing.ts';
import { onEachEngine, openEmptyStore } from '../support/engines.ts';
import { randomText } from '../support/library.ts';

const url = 'https://news.example.co.uk/feed';

onEachEngine('the feeds of the deframer', (engine) => {
  let store: Store;
  let clock: TestClock;
  const add = (address = url, over = {}) =>
    addFeed(
      { deframerFeeds: store.deframerFeeds, randomText },
      { url: address, withRootDomain: true, enforceFeedDomain: true, ...over },
    );
  const run = () => store.deframeRuns.acquire({ ttlMs: leaseMs });
  const item = (title: string, over = {}) => ({
    id: title,
    hash: title,
    url: `https://news.example.co.uk/${title}`,
    analysis: analysisOf(title),
    analysisKey: `key of ${title}`,
    content: '',
    author: '',
    pubDate: 0,
    usage,
    ...over,
  });

  beforeEach(async () => {
    const opened = await openEmptyStore(engine);
    ({ store, clock } = opened);
    tieClocks(opened.database, clock);
  });

  it('are added neither enabled nor polled nor scheduled, under the domain that somebody registered', async () => {
    const { id } = await add();
    expect(id).toMatch(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
    expect(await store.deframerFeeds.list()).toEqual([
      {
        id,
        url,
        rootDomain: 'example.co.uk',
        enforceFeedDomain: true,
        polling: false,
        enabled: false,
        prompt: null,
        createdAt: clock.now(),
        updatedAt: clock.now(),
        deletedAt: null,
        nextRunAt: null,
        lastRunAt: null,
        lastError: null,
        lastNote: null,
        isRunning: false,
        isDue: false,
        items: 0,
        builtAt: null,
        usage: { calls: 0, tokensIn: 0, tokensOut: 0, costMicros: 0 },
      },
    ]);
    expect(await run()).toBeUndefined();
  });

  it.each([
    ['https://example.com/feed', 'example.com'],
    ['https://a.b.example.com/feed', 'example.com'],
    ['https://somebody.github.io/feed', 'somebody.github.io'],
    ['http://192.0.2.7/feed', '192.0.2.7'],
    ['http://localhost:8080/feed', 'localhost'],
    ['https://Bücher.example/feed', 'xn--bcher-kva.example'],
  ])('take the domain of %s for %s', async (address, domain) => {
    expect((await add(address)).rootDomain).toBe(domain);
    expect((await add(`${address}2`, { withRootDomain: false })).rootDomain).toBeNull();
  });

  it.each([
    '',
    'news',
    'ftp://example.com/',
    'javascript:alert(1)',
    `https://example.com/${'a'.repeat(2_000)}`,
  ])('have an address, which %j is not', async (address) => {
    await expect(add(address)).rejects.toThrow(Invalid);
  });

  it('show no password to the world', async () => {
    await expect(add('https://anna:secret@example.com/feed')).rejects.toThrow(Invalid);
  });

  it('are there once, in one spelling, and again after they were deleted', async () => {
    const first = await add('HTTPS://News.Example.co.uk:443/feed#top');
    expect(first.url).toBe(url);
    await expect(add()).rejects.toThrow(Conflict);
    await store.deframerFeeds.remove(first.id);
    const second = await add();
    expect(second.id).not.toBe(first.id);
    expect((await store.deframerFeeds.list()).map(({ id }) => id)).toEqual([second.id]);
    expect((await store.deframerFeeds.list({ deleted: true })).map(({ id }) => id)).toEqual([first.id]);
    expect((await store.deframerFeeds.find(url))?.id).toBe(second.id);
    expect((await store.deframerFeeds.find(first.id.toUpperCase()))?.id).toBe(first.id);
  });

  it('are changed by id or address, and not when they are deleted or unknown', async () => {
    const { id } = await add();
    expect(await store.deframerFeeds.change(url, { enabled: true })).toMatchObject({ id, enabled: true });
    expect(await store.deframerFeeds.change(id, { polling: true })).toMatchObject({
      enabled: true,
      polling: true,
    });
    expect(await store.deframerFeeds.change(id, { rootDomain: null, prompt: 'Be kind.' })).toMatchObject({
      rootDomain: null,
      prompt: 'Be kind.',
    });
    await expect(store.deframerFeeds.change('nobody', {})).rejects.toThrow(NotFound);
    await store.deframerFeeds.remove(id);
    await expect(store.deframerFeeds.change(id, { enabled: false })).rejects.toThrow(Conflict);
    await expect(store.deframerFeeds.remove(id)).rejects.toThrow(Conflict);
  });

  it('are run when they are enabled and asked for, and by nobody else meanwhile', async () => {
    const { id } = await add();
    await expect(store.deframerFeeds.sync(id)).rejects.toThrow(Invalid);
    await store.deframerFeeds.change(id, { enabled: true });
    expect(await run()).toBeUndefined();
    await store.deframerFeeds.sync(id);
    expect(await run()).toMatchObject({ feedId: id, feed: { url } });
    expect(await run()).toBeUndefined();
    expect((await store.deframerFeeds.get(id)).isRunning).toBe(true);
  });

  it('are not run while they are disabled or deleted, although they are due', async () => {
    const { id } = await add();
    await store.deframerFeeds.change(id, { enabled: true });
    await store.deframerFeeds.sync(id);
    await store.deframerFeeds.change(id, { enabled: false });
    expect(await run()).toBeUndefined();
    await store.deframerFeeds.change(id, { enabled: true });
    await store.deframerFeeds.remove(id);
    expect(await run()).toBeUndefined();
    await expect(store.deframerFeeds.sync(id)).rejects.toThrow(Conflict);
  });

  it('are taken over when a lease has run out, and the epoch only grows', async () => {
    const { id } = await add();
    await store.deframerFeeds.change(id, { enabled: true });
    await store.deframerFeeds.sync(id);
    const first = await run();
    clock.advance(leaseMs - 5_000);
    expect(await run()).toBeUndefined();
    clock.advance(10_000);
    const second = await run();
    expect(second?.epoch).toBeGreaterThan(first?.epoch ?? 0);
    if (!first || !second) throw new Error('there was no lease');
    await expect(store.deframeRuns.renew(first, leaseMs)).rejects.toThrow('lost');
    await expect(store.deframeRuns.putItem(first, item('late'), leaseMs)).rejects.toThrow('lost');
    await expect(store.deframeRuns.finish(first, { error: 'late', intervalMs })).rejects.toThrow('lost');
    await expect(store.deframeRuns.postpone(first, { delayMs: 1, note: '' })).rejects.toThrow('lost');
    await store.deframeRuns.release(first);
    expect(await store.deframerFeeds.get(id)).toMatchObject({ isRunning: true, items: 0, lastError: null });
    await store.deframeRuns.finish(second, { intervalMs });
    await store.deframerFeeds.sync(id);
    expect((await run())?.epoch).toBeGreaterThan(second.epoch);
  });

  it('are not locked for ever when the clock was set back', async () => {
    const { id } = await add();
    await store.deframerFeeds.change(id, { enabled: true });
    await store.deframerFeeds.sync(id);
    await run();
    clock.advance(-24 * 3_600_000);
    await store.deframerFeeds.change(id, { polling: true });
    // What was due in a future that is past again is not due yet; asked for anew it is.
    await store.deframerFeeds.sync(id);
    expect(await run()).toBeDefined();
  });

  it('keep an article once, and what it took', async () => {
    const { id } = await add();
    await store.deframerFeeds.change(id, { enabled: true });
    await store.deframerFeeds.sync(id);
    const lease = await run();
    if (!lease) throw new Error('there was no lease');
    await store.deframeRuns.putItem(lease, item('one'), leaseMs);
    await store.deframeRuns.putItem(
      lease,
      item('one', { id: 'again', analysis: analysisOf('other') }),
      leaseMs,
    );
    const [kept] = await store.deframeRuns.newestItems(id, 10);
    expect(kept).toMatchObject({ id: 'one', analysis: { title_original: 'one', framing: 0 } });
    expect(await store.deframeRuns.findKnown(id, ['one', 'two'])).toEqual(new Set(['one']));
    expect(await store.deframeRuns.findAnalysis(id, 'key of one')).toEqual(analysisOf('one'));
    expect(await store.deframeRuns.findAnalysis('another', 'key of one')).toBeUndefined();
    clock.advance(24 * 3_600_000);
    await store.deframeRuns.noteUsage(id, { ...usage, costMicros: null });
    expect((await store.deframerFeeds.get(id)).usage).toEqual({
      calls: 3,
      tokensIn: 300,
      tokensOut: 60,
      costMicros: 14,
    });
    expect(await store.deframerFeeds.usageByDay({ days: 30 })).toEqual([
      { day: '2026-01-01', calls: 2, tokensIn: 200, tokensOut: 40, costMicros: 14 },
      { day: '2026-01-02', calls: 1, tokensIn: 100, tokensOut: 20, costMicros: null },
    ]);
  });

  it('are grouped by domains, each once', async () => {
    await add();
    await add('https://other.example.co.uk/feed');
    await add('https://a.example/feed');
    await store.deframerFeeds.remove((await add('https://gone.example/feed')).id);
    await add('https://none.example/feed', { withRootDomain: false });
    expect(await store.deframerFeeds.rootDomains()).toEqual(['a.example', 'example.co.uk']);
  });
});
