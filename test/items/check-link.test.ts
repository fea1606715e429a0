// The check for dead links, from the preference to what is kept, against servers on the loopback. The clock is ours.
import type { RequestListener } from 'node:http';
import { beforeEach, expect, it } from 'vitest';
import { Later } from '../../src/errors.ts';
import { bookmarkEntry } from '../../src/feeds/bookmark.ts';
import {
  type CheckLinkDeps,
  checkLink,
  checkLinkKind,
  scheduleLinkChecks,
} from '../../src/items/check-link.ts';
import { createHostTurns } from '../../src/outbound/host-turns.ts';
import type { Database } from '../../src/store/database.ts';
import type { ClaimedJob } from '../../src/store/job-queue/claim.ts';
import type { Store } from '../../src/store/store.ts';
import { type TestClock, tieClocks } from '../support/clock.ts';
import { onEachEngine, openEmptyStore } from '../support/engines.ts';
import { changeItem, saveItem } from '../support/items.ts';
import { createWorld, startCanary, type World } from '../support/outbound.ts';
import { addUser, fill, listAll, newFeed, published } from '../support/reader.ts';
import { until } from '../support/until.ts';

const day = 86_400_000;

onEachEngine('the check for dead links', (engine) => {
  let store: Store;
  let database: Database;
  let clock: TestClock;
  let world: World;
  let anna: Awaited<ReturnType<typeof addUser>>;
  let asked: string[];
  let answers: Record<string, number | RequestListener>;
  let deps: CheckLinkDeps;

  beforeEach(async () => {
    ({ store, database, clock } = await openEmptyStore(engine));
    tieClocks(database, clock);
    anna = await addUser(store, 'anna', 'owner');
    world = createWorld({ now: clock.now, pauses: store.hostPauses });
    asked = [];
    answers = {};
    await world.site('site.example', (request, response) => {
      const { method, url = '' } = request;
      asked.push(`${method} ${url}`);
      const answer = answers[`${method} ${url}`] ?? answers[url] ?? 200;
      if (typeof answer === 'number') response.writeHead(answer).end(method === 'HEAD' ? undefined : 'text');
      else answer(request, response);
    });
    deps = {
      links: store.links,
      outbound: world.outbound,
      turns: createHostTurns(clock.now, 1),
      now: clock.now,
    };
  });

  const save = (path: string, columns = {}) =>
    saveItem(database, anna.id, `http://site.example${path}`, columns);
  const want = (value: boolean | null = true, { rows } = anna) =>
    rows.preferences.change([{ name: 'check_links', value: value === null ? null : JSON.stringify(value) }]);
  const links = () => database.read.selectFrom('item_links').selectAll().orderBy('item_id').execute();
  const linkOf = async (id: number) => (await links()).find(({ item_id }) => item_id === id);
  const queued = async () => store.jobs.list({ name: checkLinkKind.name, state: 'waiting', limit: 100 });

  async function claim(): Promise<ClaimedJob | undefined> {
    const [job] = await store.jobs.settleAndClaim([], {
      holder: 'test',
      leaseMs: 600_000,
      names: [checkLinkKind.name],
      total: 1,
      background: 1,
      low: 1,
      first: 'low',
      suspect: false,
    });
    return job;
  }
  async function work(job: ClaimedJob): Promise<void> {
    const payload = checkLinkKind.schema.parse(JSON.parse(job.payload));
    try {
      await checkLink(deps, payload, { fence: job, signal: new AbortController().signal });
    } catch (error) {
      if (!(error instanceof Later)) throw error;
      const outcome = { kind: 'returned', delayMs: error.delayMs } as const;
      await store.jobs.settleAndClaim([{ fence: job, outcome }]);
    }
  }
  /** What is due is asked; then so many days pass. */
  async function pass(days = 0): Promise<void> {
    await scheduleLinkChecks(store);
    for (let job = await claim(); job; job = await claim()) await work(job);
    clock.advance(days * day);
  }

  it('asks nothing of nobody unless somebody has switched it on', async () => {
    await save('/a');
    for (let n = 0; n < 3; n += 1) await pass(10);
    await want(false);
    await pass(10);
    expect(asked).toEqual([]);
    expect(await links()).toEqual([]);
    expect(await store.jobs.list({ limit: 10 })).toEqual([]);
  });

  it('asks once within a week, and then every thirty days', async () => {
    const id = await save('/a');
    await want();
    for (let n = 0; n < 4; n += 1) await pass(2);
    await pass();
    expect(asked).toEqual(['HEAD /a']);
    const { checked_at, next_check_at } = (await linkOf(id)) ?? {};
    expect((next_check_at ?? 0) - (checked_at ?? 0)).toBe(30 * day);
    expect(await linkOf(id)).toMatchObject({ state: 'ok', http_status: 200, failures: 0, dead_since: null });
    while (clock.now() + 2 * day < (next_check_at ?? 0)) await pass(2);
    expect(asked.length).toBe(1);
    await pass(2);
    await pass();
    expect(asked.length).toBe(2);
  });

  it('spreads the first checks over the week', async () => {
    for (let n = 0; n < 20; n += 1) await save(`/${n}`);
    await want();
    await scheduleLinkChecks(store);
    const days = (await links()).map(({ next_check_at }) => Math.floor((next_check_at - clock.now()) / day));
    expect([...new Set(days)].sort()).toEqual([0, 1, 2, 3, 4, 5, 6]);
  });

  it('calls a page dead after three failures in a row, over at least three days', async () => {
    const id = await save('/a');
    await want();
    await pass(7);
    answers['/a'] = 404;
    await pass();
    const first = clock.now();
    expect(await linkOf(id)).toMatchObject({ state: 'unsure', failures: 1, http_status: 404 });
    expect(asked).toEqual(['HEAD /a', 'GET /a']);
    await pass(1);
    await pass();
    expect(await linkOf(id)).toMatchObject({ state: 'unsure', failures: 2 });
    await pass(2);
    await pass(1);
    expect(await linkOf(id)).toMatchObject({ state: 'unsure', failures: 2 });
    await pass();
    expect(clock.now() - first).toBeGreaterThanOrEqual(3 * day);
    expect(await linkOf(id)).toMatchObject({
      state: 'dead',
      dead_since: clock.now(),
      sentence: 'The server has nothing at this address.',
    });
    answers['/a'] = 200;
    await pass(7);
    await pass();
    expect(await linkOf(id)).toMatchObject({ state: 'ok', dead_since: null, failures: 0, sentence: '' });
  });

  it('calls a page dead at once that is gone for good, and one that is refused never', async () => {
    const gone = await save('/gone');
    const refused = await save('/refused');
    const limited = await save('/limited');
    answers = { '/gone': 410, '/refused': 403, '/limited': 500 };
    await want();
    await pass(7);
    for (let n = 0; n < 5; n += 1) await pass(7);
    expect((await linkOf(gone))?.state).toBe('dead');
    for (const id of [refused, limited])
      expect(await linkOf(id)).toMatchObject({ state: 'unsure', failures: 0, dead_since: null });
  });

  it('asks for the page itself where its head is refused, and reads nothing of it', async () => {
    const id = await save('/a');
    let sent = 0;
    answers['HEAD /a'] = 405;
    answers['GET /a'] = (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/html' });
      const more = () => {
        while (!response.destroyed && sent < 200_000_000) {
          sent += 65_536;
          if (!response.write(Buffer.alloc(65_536))) return response.once('drain', more);
        }
      };
      more();
    };
    await want();
    await pass(7);
    await pass();
    expect(asked).toEqual(['HEAD /a', 'GET /a']);
    expect(await linkOf(id)).toMatchObject({ state: 'ok', http_status: 200 });
    expect(sent).toBeLessThan(50_000_000);
  });

  it('leaves a host alone that has asked for it, and comes back', async () => {
    const [one, two] = [await save('/a'), await save('/b')];
    answers['/a'] = (_request, response) => response.writeHead(429, { 'retry-after': '3600' }).end();
    answers['/b'] = answers['/a'];
    await want();
    await pass(7);
    await pass();
    // The second was put off without being asked.
    expect(asked.length).toBe(1);
    expect([(await linkOf(one))?.state, (await linkOf(two))?.state].sort()).toEqual(['', 'unsure']);
    answers = {};
    clock.advance(3_600_000);
    await pass();
    expect(asked.length).toBe(2);
    expect([(await linkOf(one))?.state, (await linkOf(two))?.state].sort()).toEqual(['ok', 'unsure']);
  });

  it('asks one page of a host at a time', async () => {
    const held: (() => void)[] = [];
    for (const path of ['/a', '/b', '/c']) {
      await save(path);
      answers[path] = (_request, response) => held.push(() => response.writeHead(200).end());
    }
    await want();
    await pass(7);
    await scheduleLinkChecks(store);
    let ended = 0;
    const jobs = (await Promise.all([claim(), claim(), claim()])).flatMap((job) => job ?? []);
    const working = jobs.map((job) => work(job).finally(() => ended++));
    // Two are put back until their turn.
    await until('the others to be put back', () => (ended === 2 && held.length > 0) || held.length > 1);
    expect(held.length).toBe(1);
    held.pop()?.();
    await Promise.all(working);
    answers = {};
    clock.advance(60_000);
    await pass();
    expect(asked.toSorted()).toEqual(['HEAD /a', 'HEAD /b', 'HEAD /c']);
  });

  it('has at most twenty in the queue', async () => {
    for (let n = 0; n < 30; n += 1) await save(`/${n}`);
    await want();
    await pass(7);
    await scheduleLinkChecks(store);
    expect((await queued()).length).toBe(20);
    expect((await queued())[0]?.lane).toBe('low');
    await scheduleLinkChecks(store);
    expect((await queued()).length).toBe(20);
  });

  it('stops and forgets at once when it is switched off, for that user alone', async () => {
    const ben = await addUser(store, 'ben');
    await save('/a');
    await saveItem(database, ben.id, 'http://site.example/b');
    await want(true);
    await want(true, ben);
    await pass(7);
    await scheduleLinkChecks(store);
    expect((await queued()).length).toBe(2);
    await want(null);
    expect((await links()).map(({ user_id }) => user_id)).toEqual([ben.id]);
    await pass();
    expect(asked).toEqual(['HEAD /b']);
    await pass(40);
    expect((await links()).map(({ user_id }) => user_id)).toEqual([ben.id]);
  });

  it('forgets what is deleted, and asks again about what is restored', async () => {
    const id = await save('/a');
    await want();
    await pass(7);
    await pass();
    await changeItem(database, id, { deleted_at: clock.now() });
    await pass(40);
    expect(await links()).toEqual([]);
    expect(asked.length).toBe(1);
    await changeItem(database, id, { deleted_at: null });
    await pass(7);
    await pass();
    expect(asked.length).toBe(2);
  });

  it('asks nothing that was only ever seen through a proxy, and nothing of our own network', async () => {
    const feed = 'http://site.example/feed';
    const { id: feedId } = await anna.rows.feeds.create(newFeed(feed));
    await fill(store, feed, [published('a', { link: 'http://site.example/secret' })]);
    await anna.rows.feeds.update(feedId, { proxy: 'http://proxy.example:8080' });
    const [entry] = await listAll(anna.rows);
    await bookmarkEntry(anna.rows, entry?.id ?? 0);
    const canary = await startCanary();
    const own = await saveItem(database, anna.id, `http://127.0.0.1:${canary.port}/admin`);
    await want();
    await pass(7);
    await pass();
    expect(asked).toEqual([]);
    expect(canary.connections).toBe(0);
    expect(await linkOf(own)).toMatchObject({ state: 'unsure', failures: 0 });
  });
});
