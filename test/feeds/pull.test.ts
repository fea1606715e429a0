// Pulls, from what is due to what is written down, against a real server. The clock is ours.
import { sql } from 'kysely';
import { beforeEach, expect, it } from 'vitest';
import { IndexFull, LeaseLost, Unavailable } from '../../src/errors.ts';
import { type Pull, type PullDeps, pullFeed } from '../../src/feeds/pull-feed.ts';
import { requestRefresh, schedulePulls } from '../../src/feeds/pull-jobs.ts';
import { createHostTurns } from '../../src/outbound/host-turns.ts';
import type { Database } from '../../src/store/database.ts';
import type { Store, UserRows } from '../../src/store/store.ts';
import { type TestClock, tieClocks } from '../support/clock.ts';
import { isDeep } from '../support/depth.ts';
import { onEachEngine, openEmptyStore } from '../support/engines.ts';
import { feedSite, parseGuids } from '../support/feed-server.ts';
import { createWorld } from '../support/outbound.ts';
import { claimPull, doPulls } from '../support/pulling.ts';
import { addUser, listAll, newFeed } from '../support/reader.ts';

const [minute, hour, day] = [60_000, 3_600_000, 86_400_000];
const interval = 30 * minute;
const settings = { intervalMs: interval, maxBackoffMs: 48 * hour, timeoutMs: 30_000 };

onEachEngine('a pull', (engine) => {
  let store: Store;
  let database: Database;
  let clock: TestClock;
  let anna: UserRows;
  let berta: UserRows;
  let site: ReturnType<typeof feedSite>;
  let deps: PullDeps;

  beforeEach(async () => {
    ({ store, database, clock } = await openEmptyStore(engine));
    anna = (await addUser(store, 'anna', 'owner')).rows;
    berta = (await addUser(store, 'berta')).rows;
    const world = createWorld({ now: clock.now, pauses: store.hostPauses });
    site = feedSite(clock.now);
    await world.site('feeds.example', site.listener);
    tieClocks(database, clock);
    deps = {
      pulls: store.pulls,
      outbound: world.outbound,
      parse: parseGuids,
      turns: createHostTurns(clock.now),
      settings,
      now: clock.now,
      userAgent: (subscribers) => `Lectern/test (${subscribers} subscribers)`,
    };
  });

  const at = (path: string) => `http://feeds.example${path}`;
  const follow = (path: string, rows = anna) => rows.feeds.create(newFeed(at(path)));

  const claim = () => claimPull(store);

  const work = () => doPulls(store, deps);

  /** Lets time pass, with a tick of the scheduler every `step`. */
  async function live(forMs: number, step = 5 * minute): Promise<void> {
    for (let passed = 0; passed < forMs; passed += step) {
      await schedulePulls({ pulls: store.pulls, settings, random: () => 0 });
      await work();
      clock.advance(step);
    }
  }
  const stateOf = async (id: number) => (await anna.feeds.get(id)).fetchState;

  it.each([
    ['is away', () => new Unavailable('index', 'The index does not answer.')],
    ['is full', () => new IndexFull()],
  ])('leaves the feed as it was when the index %s while entries are written', async (_what, error) => {
    site.script('/a', () => ({ body: ['x'] }));
    const feed = await follow('/a');
    const before = await stateOf(feed.id);
    await requestRefresh(store.pulls, feed, { evenSuspended: false });
    const putEntries = async () => {
      throw error();
    };
    await expect(doPulls(store, { ...deps, pulls: { ...store.pulls, putEntries } })).rejects.toThrow('index');
    expect(await stateOf(feed.id)).toEqual(before);
  });

  it('says how it ended: new, unchanged, failed or put off', async () => {
    site.script('/a', (_request, nth) => {
      if (nth === 4) return { status: 500 };
      if (nth === 5) return { status: 429, headers: { 'retry-after': '7200' } };
      return { body: nth === 3 ? ['x', 'y'] : ['x'] };
    });
    const feed = await follow('/a');
    const refreshed = async () => {
      await requestRefresh(store.pulls, feed, { evenSuspended: false });
      return work();
    };
    for (const outcome of ['new', 'unchanged', 'new', 'failed', 'failed'])
      expect(await refreshed()).toEqual([outcome]);
    const other = await follow('/b');
    await schedulePulls({ pulls: store.pulls, settings, random: () => 0 });
    expect(await work()).toEqual(['put_off']);
    await anna.feeds.delete(other.id);
    await anna.feeds.update(feed.id, { suspended: true });
    expect(await refreshed()).toEqual([undefined]);
  });

  it('that died of a fault of ours is left alone for an interval, unless somebody asks for it', async () => {
    site.script('/a', { body: ['x'] });
    const feed = await follow('/a');
    const schedule = () => schedulePulls({ pulls: store.pulls, settings, random: () => 0 });
    const die = async () => {
      const [job] = await claim();
      if (!job) throw new Error('no pull is ready');
      const fence = { id: job.id, epoch: job.epoch };
      await store.jobs.settleAndClaim([{ fence, outcome: { kind: 'dead', error: 'A fault of ours.' } }]);
    };
    expect(await schedule()).toBe(1);
    await die();
    clock.advance(interval - minute);
    expect(await schedule()).toBe(0);
    await requestRefresh(store.pulls, feed, { evenSuspended: false });
    await die();
    clock.advance(interval - minute);
    expect(await schedule()).toBe(0);
    clock.advance(2 * minute);
    expect(await schedule()).toBe(1);
    expect(await work()).toEqual(['new']);
  });

  it('fetches a new feed, names it, and keeps its entries and validators', async () => {
    site.script('/a', {
      headers: { etag: 'W/"1"', 'last-modified': 'yesterday, about noon' },
      body: ['x', 'y'],
    });
    const feed = await follow('/a');
    await live(1);
    expect(await anna.feeds.get(feed.id)).toMatchObject({
      name: 'A feed',
      siteUrl: 'https://example.org/',
      unread: 2,
    });
    expect(await stateOf(feed.id)).toMatchObject({
      etag: 'W/"1"',
      lastModified: 'yesterday, about noon',
      lastHttpStatus: 200,
      lastSuccessAt: clock.now() - 5 * minute,
      nextCheckAt: clock.now() - 5 * minute + interval,
      consecutiveFailures: 0,
    });
    const [first] = site.requests;
    expect(first?.headers['user-agent']).toBe('Lectern/test (1 subscribers)');
    expect(first?.headers['if-none-match']).toBeUndefined();
  });

  it('keeps what a feed says of itself to be found by, also for those who follow it later', async () => {
    let description = 'Slow news';
    deps = { ...deps, parse: async (input) => ({ ...(await parseGuids(input)), description }) };
    site.script('/a', (_asked, nth) => ({ body: [`entry${nth}`] }));
    const described = async () => {
      const { rows } = await sql<{ description: string }>`SELECT description FROM feeds ORDER BY id`.execute(
        database.read,
      );
      return rows.map((row) => row.description);
    };
    const feed = await follow('/a');
    await live(1);
    const later = await follow('/a', berta);
    expect(await described()).toEqual(['Slow news', 'Slow news']);
    expect((await store.searchIndex.pending('feed', 9)).map(({ refId }) => refId)).toEqual([
      later.id,
      feed.id,
    ]);
    description = 'Fast news';
    await live(2 * interval);
    expect(await described()).toEqual(['Fast news', 'Fast news']);
    expect((await store.readerTexts.feeds.read([feed.id])).map((text) => text.description)).toEqual([
      'Fast news',
    ]);
  });

  it('ends its job in the commit that writes what it found', async () => {
    site.script('/a', { body: ['x'] });
    await follow('/a');
    await schedulePulls({ pulls: store.pulls, settings, random: () => 0 });
    const [job] = await claim();
    if (!job) throw new Error('no pull was claimed');
    const fence = { id: job.id, epoch: job.epoch };
    const signal = new AbortController().signal;
    await pullFeed(deps, JSON.parse(job.payload) as Pull, { fence, signal });
    expect((await store.jobs.get(job.id)).state).toBe('done');
    await expect(
      pullFeed(deps, { ...JSON.parse(job.payload), manual: true }, { fence, signal }),
    ).rejects.toThrow(LeaseLost);
  });

  it('asks by validators as they came, replaces both on each 200, and keeps them when a 304 brings none', async () => {
    site.script('/a', ({ headers }, nth) => {
      if (nth === 1) return { headers: { etag: '"1"', 'last-modified': 'Mon' }, body: ['x'] };
      // Touched: new validators, the same body.
      if (nth === 2) return { headers: { etag: '"2"' }, body: ['x'] };
      return headers['if-none-match'] === '"2"' ? { status: 304 } : { status: 500 };
    });
    const feed = await follow('/a');
    await live(3 * hour);
    const sent = site.to('/a').map(({ headers }) => [headers['if-none-match'], headers['if-modified-since']]);
    expect(sent.slice(0, 4)).toEqual([
      [undefined, undefined],
      ['"1"', 'Mon'],
      ['"2"', undefined],
      ['"2"', undefined],
    ]);
    expect(await stateOf(feed.id)).toMatchObject({ etag: '"2"', lastModified: '', lastHttpStatus: 304 });
  });

  it('takes on the validators of a 304 that has new ones', async () => {
    site.script('/a', (_asked, nth) =>
      nth === 1 ? { headers: { etag: '"1"' }, body: ['x'] } : { status: 304, headers: { etag: `"${nth}"` } },
    );
    await follow('/a');
    await live(2 * hour);
    expect(site.to('/a').map(({ headers }) => headers['if-none-match'])).toEqual([
      undefined,
      '"1"',
      '"2"',
      '"3"',
    ]);
  });

  it('does not parse what it has parsed, and changes entries that changed', async () => {
    let parsed = 0;
    deps = {
      ...deps,
      parse: (input) => {
        parsed += 1;
        return parseGuids(input);
      },
    };
    site.script('/a', (_asked, nth) => ({
      headers: { etag: `"${nth}"` },
      body: nth < 3 ? ['x'] : ['x:2', 'y'],
    }));
    await follow('/a');
    await live(2 * hour);
    expect(site.to('/a')).toHaveLength(4);
    expect(parsed).toBe(2);
    expect((await listAll(anna)).map(({ title }) => title).sort()).toEqual(['x:2', 'y']);
  });

  it.each([
    ['429 with seconds', { status: 429, headers: { 'retry-after': '7200' } }, 2 * hour],
    ['429 with a date', { status: 429, date: 3 * hour }, 3 * hour],
    ['429 without a word', { status: 429 }, hour],
    ['503 with seconds', { status: 503, headers: { 'retry-after': '10800' } }, 3 * hour],
    ['503 without a word', { status: 503 }, hour],
    ['429 that asks for a month', { status: 429, headers: { 'retry-after': '2592000' } }, 48 * hour],
  ])(
    'comes back after a %s no sooner than it was told',
    async (_name, {
      status,
      headers,
      date,
    }: { status: number; headers?: Record<string, string>; date?: number }, pause) => {
      const named =
        date === undefined ? headers : { 'retry-after': new Date(clock.now() + date).toUTCString() };
      site.script('/a', (_asked, nth) => (nth === 1 ? { status, headers: named ?? {} } : { body: ['x'] }));
      const feed = await follow('/a');
      const began = clock.now();
      await live(5 * minute);
      const state = await stateOf(feed.id);
      expect(Math.abs(state.retryAfterUntil - began - pause)).toBeLessThan(1_000);
      expect(state).toMatchObject({ lastHttpStatus: status, consecutiveFailures: 1, lastSuccessAt: 0 });
      await live(pause + hour, 10 * minute);
      const [, second] = site.to('/a');
      expect((second?.at ?? 0) - began).toBeGreaterThanOrEqual(pause - 1_000);
      expect((second?.at ?? 0) - began).toBeLessThan(Math.max(pause, interval * 1.8) + 20 * minute);
    },
  );

  it('leaves a host alone that has asked for it, for its other feeds too, without calling that a failure', async () => {
    site.script('/busy', { status: 429, headers: { 'retry-after': '7200' } });
    site.script('/other', { body: ['x'] });
    await follow('/busy');
    await live(5 * minute);
    const other = await follow('/other');
    await live(hour);
    expect(site.to('/other')).toHaveLength(0);
    expect(await stateOf(other.id)).toMatchObject({
      consecutiveFailures: 0,
      lastCheckedAt: 0,
      lastError: '',
    });
    await live(2 * hour);
    expect(site.to('/other').length).toBeGreaterThan(0);
  });

  it('suspends a feed that is gone, says why, and asks no more', async () => {
    site.script('/a', { status: 410 });
    const feed = await follow('/a');
    await live(day, 30 * minute);
    expect(site.to('/a')).toHaveLength(1);
    expect(await anna.feeds.get(feed.id)).toMatchObject({ suspended: true, goneAt: expect.any(Number) });
    expect(await stateOf(feed.id)).toMatchObject({
      lastHttpStatus: 410,
      lastError: expect.stringContaining('gone'),
    });
  });

  it('waits longer after each failure, up to the cap, and forgets that after a success', async () => {
    let broken = true;
    site.script('/a', () => (broken ? { status: 500 } : { body: ['x'] }));
    const feed = await follow('/a');
    const step = 20 * minute;
    await live(8 * day, step);
    const times = site.to('/a').map((asked) => asked.at);
    const gaps = times.slice(1).map((time, n) => time - (times[n] ?? 0));
    gaps.forEach((gap, n) => {
      const expected = Math.min(interval * 1.8 ** (n + 1), 48 * hour);
      expect(gap).toBeGreaterThanOrEqual(expected);
      expect(gap).toBeLessThanOrEqual(expected + step);
    });
    expect(gaps.length).toBeGreaterThan(6);
    broken = false;
    await live(3 * day, 30 * minute);
    expect(await stateOf(feed.id)).toMatchObject({
      consecutiveFailures: 0,
      lastError: '',
      lastHttpStatus: 200,
    });
    expect((await stateOf(feed.id)).lastErrorAt).toBeGreaterThan(0);
  });

  it('keeps what it knew of freshness through failures', async () => {
    site.script('/a', (_asked, nth) =>
      nth === 1
        ? { headers: { 'cache-control': 'max-age=3600', etag: '"1"' }, body: ['x'] }
        : { status: 500 },
    );
    const feed = await follow('/a');
    await live(100 * minute);
    expect(site.to('/a')).toHaveLength(2);
    expect(await stateOf(feed.id)).toMatchObject({
      cacheControl: 'max-age=3600',
      etag: '"1"',
      consecutiveFailures: 1,
    });
  });

  it('follows a feed that has moved for good only when it was told so three times in a row', async () => {
    site.script('/old', { status: 301, headers: { location: '/new' } });
    site.script('/new', { headers: { etag: '"n"' }, body: ['x'] });
    const feed = await follow('/old');
    await live(5 * minute);
    expect(await anna.feeds.get(feed.id)).toMatchObject({
      link: at('/old'),
      fetchState: { movedTo: at('/new') },
      movedFrom: '',
      movedAt: null,
    });
    await live(3 * hour);
    expect(await anna.feeds.get(feed.id)).toMatchObject({
      link: at('/new'),
      entries: 1,
      movedFrom: at('/old'),
      movedAt: site.to('/old')[2]?.at,
      fetchState: { movedTo: '' },
    });
    expect(site.to('/old')).toHaveLength(3);
    expect(site.to('/new').at(-1)?.headers['if-none-match']).toBe('"n"');
  });

  it('tells where a feed was before it moved until its reader gives it another address', async () => {
    site.script('/old', { status: 301, headers: { location: '/new' } });
    site.script('/new', { body: ['x'] });
    const feed = await follow('/old');
    await live(2 * interval + minute, interval);
    expect(await anna.feeds.get(feed.id)).toMatchObject({
      movedFrom: at('/old'),
      fetchState: { movedTo: '' },
    });
    expect(await anna.feeds.update(feed.id, { name: 'Mine' })).toMatchObject({ movedFrom: at('/old') });
    expect(await anna.feeds.update(feed.id, { link: at('/mine') })).toMatchObject({
      movedFrom: '',
      movedAt: null,
    });
  });

  it('goes on saying where a feed leads when its reader follows that address already', async () => {
    site.script('/old', { status: 301, headers: { location: '/new' } });
    site.script('/new', { body: ['x'] });
    const feed = await follow('/old');
    await follow('/new');
    await live(3 * hour, interval);
    expect(await anna.feeds.get(feed.id)).toMatchObject({
      link: at('/old'),
      movedFrom: '',
      movedAt: null,
      fetchState: { movedTo: at('/new') },
    });
  });

  it('does not follow a feed for good when one step of the way is for now', async () => {
    site.script('/old', { status: 301, headers: { location: '/between' } });
    site.script('/between', { status: 302, headers: { location: '/new' } });
    site.script('/new', { body: ['x'] });
    const feed = await follow('/old');
    await live(4 * hour, 10 * minute);
    expect(await anna.feeds.get(feed.id)).toMatchObject({
      link: at('/old'),
      fetchState: { movedTo: '' },
      entries: 1,
    });
  });

  it('asks once for two users, and gives each entries of their own', async () => {
    site.script('/a', ({ headers }) =>
      headers['if-none-match'] ? { status: 304 } : { headers: { etag: '"1"' }, body: ['x', 'y'] },
    );
    await follow('/a');
    await follow('/a', berta);
    await live(hour);
    expect(site.to('/a')).toHaveLength(2);
    expect(site.to('/a')[0]?.headers['user-agent']).toContain('2 subscribers');
    const [annas, bertas] = [await listAll(anna), await listAll(berta)];
    expect(annas.map(({ guid }) => guid)).toEqual(bertas.map(({ guid }) => guid));
    await anna.entries.mark(
      annas.map(({ id }) => id),
      { read: true },
    );
    expect((await listAll(berta)).every(({ unread }) => unread)).toBe(true);
  });

  it('leaves a suspended feed alone, unless it is asked for by name', async () => {
    site.script('/a', { body: ['x'] });
    const feed = await follow('/a');
    await anna.feeds.update(feed.id, { suspended: true });
    await requestRefresh(store.pulls, feed, { evenSuspended: false });
    await live(hour);
    expect(site.to('/a')).toHaveLength(0);
    await requestRefresh(store.pulls, feed, { evenSuspended: true });
    await work();
    expect(site.to('/a')).toHaveLength(1);
    expect(await anna.feeds.get(feed.id)).toMatchObject({ suspended: true, entries: 1 });
  });

  it('comes at once when somebody asks, whatever the schedule says', async () => {
    site.script('/a', { body: ['x'] });
    const feed = await follow('/a');
    await live(5 * minute);
    await requestRefresh(store.pulls, feed, { evenSuspended: true });
    await requestRefresh(store.pulls, feed, { evenSuspended: true });
    await work();
    expect(site.to('/a')).toHaveLength(2);
  });

  it('that finds no feed says so, and keeps the validators it had', async () => {
    site.script('/a', (_asked, nth) =>
      nth === 1 ? { headers: { etag: '"1"' }, body: ['x'] } : { headers: { etag: '"2"' }, body: '<html>' },
    );
    const feed = await follow('/a');
    await live(hour);
    expect(await stateOf(feed.id)).toMatchObject({
      etag: '"1"',
      lastError: 'This is not a feed.',
      lastHttpStatus: 200,
      consecutiveFailures: 1,
    });
  });

  it('comes due every interval and never skips a turn, for days and through a restart', async () => {
    const days = isDeep ? 7 : 1;
    site.script('/a', ({ headers }) =>
      headers['if-none-match'] ? { status: 304 } : { headers: { etag: '"1"' }, body: ['x'] },
    );
    await follow('/a');
    await live(days * day, 10 * minute);
    const times = site.to('/a').map((asked) => asked.at);
    const gaps = times.slice(1).map((time, n) => time - (times[n] ?? 0));
    expect(new Set(gaps)).toEqual(new Set([interval]));
    expect(times).toHaveLength((days * day) / interval);
    // All that is known of the schedule is in the index: a new process does not start with a burst.
    clock.advance(-20 * minute);
    await schedulePulls({ pulls: store.pulls, settings, random: () => 0 });
    await work();
    expect(site.to('/a')).toHaveLength(times.length);
  });

  it('of many feeds that fall due together is spread by chance, without moving when they are due next', async () => {
    for (let n = 0; n < 40; n++) {
      site.script(`/${n}`, { body: [`x${n}`] });
      await follow(`/${n}`);
    }
    let turn = 0;
    await schedulePulls({ pulls: store.pulls, settings, random: () => (turn++ % 10) / 10 });
    // The clock of the database stands still from here on: however slow the machine is, no other pull falls due meanwhile.
    const [ahead, scheduledAt] = [(database.timeOffsetMs?.() ?? 0) - clock.now(), Date.now()];
    database.timeOffsetMs = () => clock.now() + ahead + scheduledAt - Date.now();
    await work();
    const first = site.requests.length;
    expect(first).toBeLessThan(10);
    clock.advance(minute);
    await work();
    expect(site.requests).toHaveLength(40);
    expect(await schedulePulls({ pulls: store.pulls, settings, random: () => 0 })).toBe(0);
  });

  it('keeps so many entries as a feed should have, but all that are unread or bookmarked, and none comes back', async () => {
    site.script('/a', (_asked, nth) => ({
      body: nth === 1 ? ['a', 'b', 'c', 'd', 'e'] : ['a', 'b', 'c', 'd', 'e', 'f'],
    }));
    const feed = await follow('/a');
    await live(5 * minute);
    const entries = await listAll(anna);
    const idOf = (guid: string) => entries.find((entry) => entry.guid === guid)?.id ?? 0;
    await anna.entries.mark(['a', 'b', 'c', 'd'].map(idOf), { read: true });
    await anna.bookmarks.create({
      saved: { url: 'https://example.org/b', key: '1:example.org/b', olderKeys: [] },
      entryId: idOf('b'),
      feedId: feed.id,
      link: 'https://example.org/b',
      title: 'b',
      content: '',
      pubDate: 0,
      feedName: '',
    });
    await anna.feeds.update(feed.id, { keepEntries: 1 });
    await live(2 * hour);
    expect((await listAll(anna)).map(({ guid }) => guid).sort()).toEqual(['b', 'e', 'f']);
    expect(await anna.feeds.get(feed.id)).toMatchObject({ entries: 3, unread: 2 });
  });

  it('follows a feed that has moved for good when the new place answers 304, too', async () => {
    site.script('/old', { status: 308, headers: { location: '/new' } });
    site.script('/new', ({ headers }) =>
      headers['if-none-match'] ? { status: 304 } : { headers: { etag: '"n"' }, body: ['x'] },
    );
    const feed = await follow('/old');
    await live(3 * hour);
    expect(await anna.feeds.get(feed.id)).toMatchObject({ link: at('/new'), entries: 1 });
    expect(site.to('/old')).toHaveLength(3);
  });

  it('keeps the credentials of a feed that has moved within its site, and follows it nowhere else', async () => {
    site.script('/old', { status: 301, headers: { location: '/new' } });
    site.script('/new', { body: ['x'] });
    const own = await anna.feeds.create(newFeed('http://u:p@feeds.example/old'));
    await live(3 * hour);
    expect((await anna.feeds.get(own.id)).link).toBe('http://u:p@feeds.example/new');
    site.script('/away', { status: 301, headers: { location: 'http://other.example/new' } });
    const away = await anna.feeds.create(newFeed('http://u:p@feeds.example/away'));
    await live(3 * hour);
    expect((await anna.feeds.get(away.id)).link).toBe('http://u:p@feeds.example/away');
  });

  it.each([
    ['a 200', { status: 200, body: ['x'] }, 2 * hour],
    ['a 500', { status: 500 }, 2 * hour],
  ])('heeds the Retry-After of %s', async (_name, reply, pause) => {
    site.script('/a', { ...reply, headers: { 'retry-after': '7200' } });
    const feed = await follow('/a');
    const began = clock.now();
    await live(1);
    expect(await stateOf(feed.id)).toMatchObject({
      retryAfterUntil: began + pause,
      nextCheckAt: began + pause,
    });
  });

  it('says nothing about a feed that was pointed elsewhere while it was asked for', async () => {
    const feed = await follow('/wrong');
    site.script('/wrong', { status: 410 });
    site.script('/right', { body: ['x'] });
    const { outbound } = deps;
    deps = {
      ...deps,
      outbound: {
        request: async (input) => {
          const outcome = await outbound.request(input);
          if (input.url === at('/wrong')) await anna.feeds.update(feed.id, { link: at('/right') });
          return outcome;
        },
      },
    };
    await live(10 * minute);
    expect(await anna.feeds.get(feed.id)).toMatchObject({
      link: at('/right'),
      suspended: false,
      goneAt: null,
      entries: 1,
    });
  });

  it('puts entries into the group that their feed has by then, however many they are', async () => {
    const group = await anna.groups.create({ name: 'News' });
    const feed = await follow('/a');
    site.script('/a', { body: Array.from({ length: 250 }, (_, n) => `e${n}`) });
    const { parse } = deps;
    deps = {
      ...deps,
      parse: async (document) => {
        await anna.feeds.update(feed.id, { groupId: group.id });
        return parse(document);
      },
    };
    await live(1);
    expect(await listAll(anna, { groupId: group.id, unread: true, limit: 1_000 })).toHaveLength(250);
    expect(await anna.entries.count({ groupId: group.id, unread: true })).toBe(250);
  });

  it('comes when somebody insists, even to a host that has asked for a pause', async () => {
    site.script('/a', (_asked, nth) =>
      nth === 1 ? { status: 429, headers: { 'retry-after': '7200' } } : { body: ['x'] },
    );
    const feed = await follow('/a');
    await live(1);
    await requestRefresh(store.pulls, feed, { evenSuspended: true });
    await work();
    expect(await anna.feeds.get(feed.id)).toMatchObject({
      entries: 1,
      fetchState: { consecutiveFailures: 0 },
    });
  });

  it('is one for an address, whoever asks for it and however often', async () => {
    site.script('/a', { body: ['x'] });
    const [annas, bertas] = [await follow('/a'), await follow('/a', berta)];
    await schedulePulls({ pulls: store.pulls, settings, random: () => 0.99 });
    await requestRefresh(store.pulls, annas, { evenSuspended: false });
    await requestRefresh(store.pulls, bertas, { evenSuspended: true });
    await work();
    expect(site.to('/a')).toHaveLength(1);
  });

  /** Lets something happen while the site is being asked, once. */
  function whileAsked(happens: () => Promise<unknown>): void {
    const { outbound } = deps;
    let isOver = false;
    deps = {
      ...deps,
      outbound: {
        request: async (input) => {
          const outcome = await outbound.request(input);
          if (!isOver) await happens();
          isOver = true;
          return outcome;
        },
      },
    };
  }

  it('answers a refresh that comes while it is under way', async () => {
    site.script('/a', { body: ['x'] });
    const feed = await follow('/a');
    whileAsked(() => requestRefresh(store.pulls, feed, { evenSuspended: true }));
    await live(5 * minute);
    expect(site.to('/a')).toHaveLength(1);
    expect(await store.jobs.list({ limit: 10 })).toMatchObject([{ state: 'done' }]);
    await requestRefresh(store.pulls, feed, { evenSuspended: true });
    await work();
    expect(site.to('/a')).toHaveLength(2);
  });

  it('is made once more for a suspended feed that is asked for while others of its address are fetched', async () => {
    site.script('/a', { body: ['x'] });
    const feed = await follow('/a');
    await anna.feeds.update(feed.id, { suspended: true });
    await follow('/a', berta);
    whileAsked(async () => {
      await requestRefresh(store.pulls, feed, { evenSuspended: true });
      await requestRefresh(store.pulls, feed, { evenSuspended: true });
    });
    await live(5 * minute);
    expect(site.to('/a')).toHaveLength(2);
    expect(await anna.feeds.get(feed.id)).toMatchObject({ suspended: true, entries: 1 });
    expect(await store.jobs.list({ limit: 10 })).toMatchObject([{ state: 'done', lane: 'interactive' }]);
    await live(2 * interval - 5 * minute);
    expect(site.to('/a').at(-1)?.headers['user-agent']).toContain('1 subscribers');
  });

  it('that was not allowed to ask a host in its pause is made for somebody who insists meanwhile', async () => {
    site.script('/busy', { status: 429, headers: { 'retry-after': '7200' } });
    site.script('/a', { body: ['x'] });
    await follow('/busy');
    await live(1);
    const feed = await follow('/a');
    whileAsked(() => requestRefresh(store.pulls, feed, { evenSuspended: true }));
    await live(1);
    expect(site.to('/a')).toHaveLength(1);
    expect(await anna.feeds.get(feed.id)).toMatchObject({ entries: 1 });
  });

  it('fetches every suspended feed that was asked for, whoever asked last', async () => {
    site.script('/a', { body: ['x'] });
    const [annas, bertas] = [await follow('/a'), await follow('/a', berta)];
    await anna.feeds.update(annas.id, { suspended: true });
    await berta.feeds.update(bertas.id, { suspended: true });
    await requestRefresh(store.pulls, annas, { evenSuspended: true });
    await requestRefresh(store.pulls, bertas, { evenSuspended: true });
    await requestRefresh(store.pulls, annas, { evenSuspended: false });
    await work();
    expect(site.to('/a')).toHaveLength(1);
    expect([await listAll(anna), await listAll(berta)].map((list) => list.length)).toEqual([1, 1]);
  });

  it('gives a new subscriber the whole document when the one before keeps less', async () => {
    site.script('/a', ({ headers }) =>
      headers['if-none-match'] ? { status: 304 } : { headers: { etag: '"1"' }, body: ['a', 'b', 'c'] },
    );
    const feed = await follow('/a');
    await live(1);
    await anna.entries.markAllRead();
    await anna.feeds.update(feed.id, { keepEntries: 1 });
    await live(hour);
    expect(await listAll(anna)).toHaveLength(1);
    await follow('/a', berta);
    await live(hour);
    expect(await listAll(berta)).toHaveLength(3);
  });
});
