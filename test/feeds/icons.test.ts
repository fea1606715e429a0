// Icons of sites, from a feed's pull to what is kept, against servers on the loopback. The clock is ours.
import { createServer, type RequestListener } from 'node:http';
import { sql } from 'kysely';
import { beforeEach, expect, it } from 'vitest';
import { Later } from '../../src/errors.ts';
import { bookmarkEntry } from '../../src/feeds/bookmark.ts';
import { fetchIcon, type IconDeps } from '../../src/feeds/icons/fetch-icon.ts';
import { iconKind, scheduleIcons } from '../../src/feeds/icons/icon-jobs.ts';
import { schedulePulls } from '../../src/feeds/pull-jobs.ts';
import { createHostTurns } from '../../src/outbound/host-turns.ts';
import type { Database } from '../../src/store/database.ts';
import type { Store, UserRows } from '../../src/store/store.ts';
import { type TestClock, tieClocks } from '../support/clock.ts';
import { onEachEngine, openEmptyStore } from '../support/engines.ts';
import { parseGuids } from '../support/feed-server.ts';
import { changeItem, saveItem } from '../support/items.ts';
import { createWorld, listen, startCanary, type World } from '../support/outbound.ts';
import { httpProxy } from '../support/proxies.ts';
import { doPulls } from '../support/pulling.ts';
import { addUser, listAll, newFeed } from '../support/reader.ts';

const day = 86_400_000;
const png = Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), Buffer.from('the rest')]);
const ico = Buffer.from([0, 0, 1, 0, 1, 0, 16, 16]);
const settings = { intervalMs: 365 * day, maxBackoffMs: 365 * day, timeoutMs: 30_000 };

type Pages = Record<
  string,
  { status?: number; headers?: Record<string, string>; body?: string | Uint8Array }
>;

onEachEngine('the icon of a site', (engine) => {
  let store: Store;
  let database: Database;
  let clock: TestClock;
  let anna: UserRows;
  let world: World;
  let pages: Pages;
  let asked: string[];
  let deps: IconDeps;

  beforeEach(async () => {
    ({ store, database, clock } = await openEmptyStore(engine));
    anna = (await addUser(store, 'anna', 'owner')).rows;
    world = createWorld({ now: clock.now, pauses: store.hostPauses });
    pages = { '/feed': { body: '["x"]' } };
    asked = [];
    await world.site('site.example', answer);
    tieClocks(database, clock);
    deps = { icons: store.icons, outbound: world.outbound, now: clock.now };
  });

  const answer: RequestListener = (request, response) => {
    const path = request.url ?? '';
    asked.push(path);
    const { status = 200, headers = {}, body = '' } = pages[path] ?? { status: 404, body: 'Not found' };
    response.writeHead(status, { 'content-type': 'image/png', ...headers }).end(body);
  };

  const siteUrl = 'http://site.example/blog';
  const follow = (rows = anna, over: { link?: string; siteUrl?: string; proxy?: string } = {}) =>
    rows.feeds.create({ ...newFeed('http://site.example/feed'), siteUrl, ...over });

  async function pull(): Promise<void> {
    await schedulePulls({ pulls: store.pulls, settings, random: () => 0 });
    await doPulls(store, {
      pulls: store.pulls,
      outbound: world.outbound,
      parse: parseGuids,
      turns: createHostTurns(clock.now),
      settings,
      now: clock.now,
      userAgent: () => 'Lectern/test',
    });
  }

  /** What is due and in the queue; returns the origins that were looked at. */
  async function work(): Promise<string[]> {
    await scheduleIcons({ icons: store.icons, now: clock.now });
    const done: string[] = [];
    for (;;) {
      const [job] = await store.jobs.settleAndClaim([], {
        holder: 'test',
        leaseMs: 600_000,
        names: [iconKind.name],
        total: 1,
        background: 1,
        low: 1,
        first: 'interactive',
        suspect: false,
      });
      if (!job) return done;
      const fence = { id: job.id, epoch: job.epoch };
      const payload = JSON.parse(job.payload) as { origin: string };
      try {
        await fetchIcon(deps, payload, { fence, signal: new AbortController().signal });
        done.push(payload.origin);
      } catch (error) {
        if (!(error instanceof Later)) throw error;
        const outcome = { kind: 'returned' as const, delayMs: error.delayMs };
        await store.jobs.settleAndClaim([{ fence, outcome }]);
      }
    }
  }

  const iconRow = () => database.read.selectFrom('site_icons').selectAll().executeTakeFirst();
  const head = (...links: string[]) => ({
    headers: { 'content-type': 'text/html' },
    body: `<!doctype html><title>A site</title>${links.map((link) => `<link ${link}>`).join('')}<p>Hello`,
  });

  it('is the one that its home page names', async () => {
    pages['/'] = head('rel="icon" href="/small.png" sizes="16x16"', 'rel="icon" href="/i.png" sizes="32x32"');
    pages['/i.png'] = { body: png, headers: { 'content-type': 'text/html' } };
    const feed = await follow();
    expect(feed.hasIcon).toBe(false);
    await pull();
    expect(await work()).toEqual(['http://site.example']);
    expect(asked).toEqual(['/feed', '/', '/i.png']);
    expect((await anna.feeds.get(feed.id)).hasIcon).toBe(true);
    expect(await anna.feeds.getIcon(feed.id)).toMatchObject({ type: 'image/png' });
    expect(Buffer.from((await anna.feeds.getIcon(feed.id)).bytes)).toEqual(png);
    expect(await iconRow()).toMatchObject({ fetched_at: clock.now(), tried_at: clock.now(), failures: 0 });
  });

  it('is /favicon.ico where the page names none, or cannot be read', async () => {
    pages['/favicon.ico'] = { body: ico };
    const feed = await follow();
    await pull();
    await work();
    expect(asked).toEqual(['/feed', '/', '/favicon.ico']);
    expect((await anna.feeds.getIcon(feed.id)).type).toBe('image/x-icon');
  });

  it('can stand in the page itself', async () => {
    const svg = "<svg xmlns='http://www.w3.org/2000/svg'><text>%F0%9F%93%9A</text></svg>";
    pages['/'] = head(`rel="icon" href="data:image/svg+xml,${svg}"`);
    const feed = await follow();
    await pull();
    await work();
    expect(asked).toEqual(['/feed', '/']);
    const icon = await anna.feeds.getIcon(feed.id);
    expect(icon.type).toBe('image/svg+xml');
    expect(Buffer.from(icon.bytes).toString()).toContain('📚');
  });

  it('is found in the head of a page of any length, of which no more than a megabyte is read', async () => {
    pages['/'] = head('rel="icon" href="/i.png"');
    pages['/i.png'] = { body: png };
    pages['/'].body += `${'a'.repeat(3_000_000)}<link rel="icon" href="/late.png" sizes="32x32">`;
    const feed = await follow();
    await pull();
    await work();
    expect(asked).toEqual(['/feed', '/', '/i.png']);
    expect((await anna.feeds.get(feed.id)).hasIcon).toBe(true);
  });

  it.each<[string, Pages]>([
    ['there is none', {}],
    ['it is too large', { '/favicon.ico': { body: Buffer.concat([png, Buffer.alloc(128 * 1024)]) } }],
    ['a page is sent in its place', { '/favicon.ico': { body: '<!doctype html><p>Welcome' } }],
    ['nothing is sent', { '/favicon.ico': { status: 204 } }],
  ])('is not there when %s, and is looked for again after seven days', async (_when, given) => {
    Object.assign(pages, given);
    const feed = await follow();
    await pull();
    expect(await work()).toHaveLength(1);
    expect(await iconRow()).toMatchObject({ type: '', bytes: null, failures: 1, fetched_at: 0 });
    expect((await anna.feeds.get(feed.id)).hasIcon).toBe(false);
    await expect(anna.feeds.getIcon(feed.id)).rejects.toThrow('icon not found');
    clock.advance(7 * day);
    expect(await work()).toEqual([]);
    clock.advance(1);
    expect(await work()).toHaveLength(1);
    expect(await iconRow()).toMatchObject({ failures: 2, tried_at: clock.now() });
  });

  it('is another when the best one is no image', async () => {
    pages['/'] = head('rel="icon" href="/i.png"', 'rel="apple-touch-icon" href="/touch.png"');
    pages['/i.png'] = { body: '<html>Log in</html>' };
    pages['/touch.png'] = { body: png };
    const feed = await follow();
    await pull();
    await work();
    expect(asked).toEqual(['/feed', '/', '/i.png', '/touch.png']);
    expect((await anna.feeds.get(feed.id)).hasIcon).toBe(true);
  });

  it('is never asked for at an address of our own network, whoever names it', async () => {
    const canary = await startCanary();
    const inside = `http://127.0.0.1:${canary.port}`;
    pages['/'] = head(`rel="icon" href="${inside}/i.png"`, 'rel="icon" href="/away.png" sizes="32x32"');
    pages['/away.png'] = { status: 302, headers: { location: `${inside}/i.png` } };
    await follow();
    await follow(anna, { link: 'http://site.example/feed?2', siteUrl: `${inside}/` });
    pages['/feed?2'] = { body: '["x"]' };
    await pull();
    expect((await work()).sort()).toEqual([inside, 'http://site.example'].sort());
    expect(canary.connections).toBe(0);
    const rows = await database.read.selectFrom('site_icons').select(['type', 'failures']).execute();
    expect(rows).toEqual([
      { type: '', failures: 1 },
      { type: '', failures: 1 },
    ]);
  });

  it('is looked for once for all feeds of the site, and again after thirty days', async () => {
    pages['/favicon.ico'] = { body: ico };
    const berta = (await addUser(store, 'berta')).rows;
    pages['/other'] = { body: '["x"]' };
    await follow();
    const hers = await follow(berta, { link: 'http://site.example/other', siteUrl: '' });
    expect(await scheduleIcons({ icons: store.icons, now: clock.now })).toBe(0);
    await pull();
    await anna.feeds.update((await anna.feeds.list())[0]?.id ?? 0, { siteUrl });
    await berta.feeds.update(hers.id, { siteUrl: 'http://site.example/hers' });
    expect(await work()).toEqual(['http://site.example']);
    expect((await berta.feeds.get(hers.id)).hasIcon).toBe(true);
    clock.advance(30 * day);
    expect(await work()).toEqual([]);
    clock.advance(1);
    expect(await work()).toEqual(['http://site.example']);
  });

  it('stays when it cannot be found any more', async () => {
    pages['/favicon.ico'] = { body: ico };
    const feed = await follow();
    await pull();
    await work();
    delete pages['/favicon.ico'];
    const before = await iconRow();
    clock.advance(31 * day);
    await work();
    expect(await iconRow()).toEqual({ ...before, tried_at: clock.now(), failures: 1 });
    expect((await anna.feeds.get(feed.id)).hasIcon).toBe(true);
  });

  it('is that of the new site when a person says that the feed is of another', async () => {
    pages['/favicon.ico'] = { body: ico };
    await world.site('new.example', (_request, response) => response.end(png));
    const feed = await follow();
    await pull();
    await work();
    const changed = await anna.feeds.update(feed.id, { siteUrl: 'http://new.example/' });
    expect(changed.hasIcon).toBe(false);
    expect(await work()).toEqual(['http://new.example']);
    expect((await anna.feeds.getIcon(feed.id)).type).toBe('image/png');
    await store.icons.forgetUnused();
    expect(await database.read.selectFrom('site_icons').select('origin').execute()).toEqual([
      { origin: 'http://new.example' },
    ]);
  });

  it('is not looked for before the feed was fetched', async () => {
    await follow(anna, { link: 'http://site.example/gone' });
    await pull();
    expect(await work()).toEqual([]);
  });

  it('is not looked for past the proxy that a feed is fetched through', async () => {
    const port = await listen(createServer(answer));
    const proxy = httpProxy(() => port);
    await world.rawSite('proxy.example', proxy.serve);
    const feed = await follow(anna, { proxy: 'http://proxy.example:8080' });
    await pull();
    expect((await anna.feeds.get(feed.id)).entries).toBe(1);
    expect(proxy.asked).toHaveLength(1);
    expect(await work()).toEqual([]);
  });

  it('is looked for and kept for saved items too, as long as one is there', async () => {
    pages['/favicon.ico'] = { body: ico };
    const id = await saveItem(database, 1, 'http://site.example/a/page');
    expect(await work()).toEqual(['http://site.example']);
    expect(await work()).toEqual([]);
    await store.icons.forgetUnused();
    expect(await iconRow()).toMatchObject({ type: 'image/x-icon' });
    await changeItem(database, id, { deleted_at: clock.now() });
    await store.icons.forgetUnused();
    expect(await iconRow()).toBeUndefined();
    expect(await work()).toEqual([]);
  });

  it('is not looked for past the proxy that a starred entry came through', async () => {
    const port = await listen(createServer(answer));
    await world.rawSite('proxy.example', httpProxy(() => port).serve);
    const feed = await follow(anna, { proxy: 'http://proxy.example:8080' });
    await pull();
    const [entry] = await listAll(anna, { feedId: feed.id });
    await bookmarkEntry(anna, entry?.id ?? 0);
    expect(await work()).toEqual([]);
    // Until a person saves the page themselves.
    await saveItem(database, 1, entry?.link ?? '');
    expect(await work()).toEqual([new URL(entry?.link ?? '').origin]);
  });

  it('is there at once for those who follow the site later', async () => {
    pages['/favicon.ico'] = { body: ico };
    await follow();
    await pull();
    await work();
    const berta = (await addUser(store, 'berta')).rows;
    expect((await follow(berta, { siteUrl: '' })).hasIcon).toBe(true);
  });

  it('comes when the host has had the pause that it asked for', async () => {
    pages['/favicon.ico'] = { body: ico };
    const feed = await follow();
    await pull();
    pages['/'] = { status: 429, headers: { 'retry-after': '3600' } };
    expect(await work()).toEqual([]);
    expect(await iconRow()).toBeUndefined();
    delete pages['/'];
    clock.advance(3_600_000);
    expect(await work()).toHaveLength(1);
    expect((await anna.feeds.get(feed.id)).hasIcon).toBe(true);
  });

  it('is looked for a few at a time, in the lane of what can wait, however many feeds are new', async () => {
    await database.write(async (trx) => {
      for (let n = 0; n < 60; n++) {
        const { id } = await trx
          .insertInto('feeds')
          .values({
            user_id: 1,
            group_id: 1,
            name: '',
            link: `http://${n}.example/feed`,
            site_url: '',
            gone_at: null,
            moved_at: null,
            keep_entries: null,
            deleted_at: null,
            created_at: 0,
            updated_at: 0,
          })
          .returning('id')
          .executeTakeFirstOrThrow();
        await trx
          .insertInto('feed_fetch_state')
          .values({ feed_id: id, last_success_at: 1, site_origin: `http://${n}.example` })
          .execute();
      }
    });
    const schedule = () => scheduleIcons({ icons: store.icons, now: clock.now });
    expect([await schedule(), await schedule()]).toEqual([20, 0]);
    const jobs = await database.read.selectFrom('jobs').select(['lane', 'unique_key']).execute();
    expect(new Set(jobs.map(({ lane }) => lane))).toEqual(new Set([2]));
    expect(new Set(jobs.map(({ unique_key }) => unique_key)).size).toBe(20);
    await database.write((trx) => sql`UPDATE jobs SET run_at = run_at + ${3_600_000}`.execute(trx));
    expect(await schedule()).toBe(20);
    await work();
    expect(await schedule()).toBe(20);
  });
});
