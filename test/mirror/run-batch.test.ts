// The mirror against a server that answers as Raindrop does, with a host in memory: what comes, what changes, what goes.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startRun, takeMessage } from '../../src/mirror/chain.ts';
import { beginning, stateKeys } from '../../src/mirror/run-state.ts';
import { sampleOf } from '../support/depth.ts';
import {
  expectMirrored,
  type MirrorMemory,
  memoryHost,
  newMemory,
  runToEnd,
  TestTime,
  text,
} from '../support/mirror-memory.ts';
import { type RaindropServer, startRaindropServer, switchPositions } from '../support/raindrop-server.ts';

const day = 24 * 3_600_000;
const hour = 3_600_000;

let time: TestTime;
let server: RaindropServer;
let memory: MirrorMemory;
const start = async (switches: object = {}) => {
  await server?.close();
  server = await startRaindropServer({ now: time.now, ...switches });
};
const host = () => memoryHost(memory, { server, time });
const run = () => runToEnd(host(), time);

beforeEach(async () => {
  time = new TestTime();
  memory = newMemory();
  server = await startRaindropServer({ now: time.now });
});
afterEach(() => server.close());

/** One of each thing that a person does in a day. */
function changeMuch(): void {
  const live = server.account.all().filter(({ removed }) => !removed);
  const at = (n: number) => live[n]?._id as number;
  server.account.edit(at(3), { title: 'Another title', note: 'and a note' });
  server.account.retag(at(5), ['other', 'two words']);
  server.account.trash(at(7));
  server.account.trash(at(8));
  server.account.purge(at(9));
  server.account.highlight(at(11), { text: 'a passage', note: 'mine' });
  server.account.add({ link: 'https://new.example/1', title: 'New', copy: { html: '<p>New words</p>' } });
  server.account.setCopy(at(13), { html: '<p>Changed at Raindrop</p>' });
}

describe('the mirror of Raindrop', () => {
  it('takes fifty at a time, an hour apart, and then waits for a day', async () => {
    server.account.fillWith(134);
    const batches = await run();
    expect(batches.map(({ processed, delay, isDone }) => [processed, delay, isDone])).toEqual([
      [50, hour, false],
      [50, hour, false],
      [34, day, true],
    ]);
    const cursors = batches.map(({ cursor }) => cursor);
    expect([...cursors].sort()).toEqual(cursors);
    expectMirrored(memory, server);
    expect(memory.state.get(stateKeys.cursor)).toBe(
      server.account
        .all()
        .map(({ lastUpdate }) => lastUpdate)
        .sort()
        .at(-1),
    );
  });

  it('asks six to ten times in a minute, and again only for what is new', async () => {
    server.account.fillWith(60);
    await run();
    const times = server.requests.filter(({ host: where }) => where === 'api').map(({ at }) => at);
    for (const [n, at] of times.entries())
      expect(times.slice(n).filter((other) => other < at + 60_000).length).toBeLessThanOrEqual(10);
    const gaps = times
      .slice(1)
      .map((at, n) => at - (times[n] as number))
      .filter((gap) => gap < hour / 2);
    const average = gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length;
    expect(60_000 / average).toBeGreaterThanOrEqual(6);
    expect(60_000 / average).toBeLessThanOrEqual(10);
    server.requests.clear();
    const again = await run();
    expect(again).toHaveLength(1);
    const waiting = server.account.all().filter(({ cache }) => cache?.status === 'retry');
    expect(server.requests.map(({ path }) => path).sort()).toEqual(
      [
        '/collections',
        '/collections/childrens',
        '/raindrops/-99',
        '/raindrops/0',
        '/user/stats',
        ...waiting.map(({ _id }) => `/raindrop/${_id}`),
      ].sort(),
    );
  });

  it('gives the token to Raindrop and to nobody else', async () => {
    server.account.fillWith(20);
    await run();
    const ofStore = server.requests.filter(({ host: where }) => where === 'store');
    expect(ofStore.length).toBeGreaterThan(5);
    for (const { headers, status } of ofStore) {
      expect(headers.authorization).toBeUndefined();
      expect(status).toBe(200);
    }
  });

  it('keeps what is written in the layout, to the letter', async () => {
    const collection = server.account.addCollection({ title: 'Sea' });
    const { _id: id } = server.account.add({
      link: 'https://example.org/tide',
      title: 'Low water',
      excerpt: 'Of tides',
      tags: ['sea', 'two words'],
      domain: 'example.org',
      collectionId: collection._id,
      created: '2025-01-02T03:04:05.678Z',
      lastUpdate: '2025-02-03T04:05:06.789Z',
      copy: { html: '<h1>Low water</h1><script>no()</script><p>Curlews &amp; mud.</p>' },
    });
    await run();
    const read = (name: string) => text(memory.objects.get(`raindrops/${id}/${name}`));
    expect(read('permacopy.html')).toBe('<h1>Low water</h1><script>no()</script><p>Curlews &amp; mud.</p>');
    expect(read('plain.txt')).toBe('Low water\nCurlews & mud.');
    expect(JSON.parse(read('chunks.jsonl'))).toEqual({
      k: `rd-${id}-c00`,
      t: 'Low water\nCurlews & mud.',
      s: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect(JSON.parse(read('meta.json'))).toMatchObject({
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      content_type: expect.stringContaining('text/html'),
      content_length: read('permacopy.html').length,
      fetched_at: expect.stringMatching(/^2026-03-01T05:1/),
    });
    expect(JSON.parse(text(memory.objects.get('manifests/2025-02.jsonl')))).toEqual({
      id,
      updated_at: '2025-02-03T04:05:06.789Z',
      tags: ['sea', 'two words'],
      domain: 'example.org',
      title: 'Low water',
      excerpt: 'Of tides',
    });
    expect(memory.collections).toMatchObject([{ id: collection._id, title: 'Sea', parentId: null }]);
  });

  it('asks again for a copy only when Raindrop has made another', async () => {
    const { _id: id } = server.account.add({ link: 'https://a.example/', copy: { html: '<p>One</p>' } });
    await run();
    server.account.retag(id, ['later']);
    server.requests.clear();
    await run();
    expect(server.requests.filter(({ path }) => path.endsWith('/cache'))).toEqual([]);
    server.account.setCopy(id, { html: '<p>Two</p>' });
    server.account.edit(id, { note: 'seen' });
    await run();
    expect(text(memory.objects.get(`raindrops/${id}/plain.txt`))).toBe('Two');
    expectMirrored(memory, server);
  });

  it('keeps a copy that Raindrop has no more, as when its paid plan ends', async () => {
    const { _id: id } = server.account.add({ link: 'https://a.example/', copy: { html: '<p>One</p>' } });
    await run();
    server.switches.pro = false;
    server.account.edit(id, { title: 'After' });
    await run();
    expect(text(memory.objects.get(`raindrops/${id}/permacopy.html`))).toBe('<p>One</p>');
    expect(memory.rows.get(id)).toMatchObject({ title: 'After', copy: 'stored', text: 'One' });
  });

  it('says what became of each copy, and asks again for those that were to come', async () => {
    const add = (name: string, more: object) =>
      server.account.add({ link: `https://${name}.example/`, title: name, excerpt: 'E', ...more })._id;
    const none = add('none', {});
    const pending = add('pending', { cacheStatus: 'retry' });
    const refused = add('refused', { cacheStatus: 'invalid-size' });
    const broken = add('broken', { copy: { html: '<p>Broken</p>' } });
    server.faults.always(({ path }) => path === `/raindrop/${broken}/cache`, { status: 500 });
    await run();
    const states = () => [none, pending, refused, broken].map((id) => memory.rows.get(id)?.copy);
    expect(states()).toEqual(['none', 'pending', 'refused', 'failed']);
    expect(memory.rows.get(none)?.text).toBe('none\nE');
    server.faults.clear();
    server.account.setCopy(pending, { html: '<p>There it is</p>' });
    await run();
    expect(states()).toEqual(['none', 'stored', 'refused', 'stored']);
    expect(memory.rows.get(pending)?.text).toBe('There it is');
    expectMirrored(memory, server);
    expect(JSON.parse(memory.state.get(stateKeys.copies) as string)).toEqual([]);
  });

  it('has one chain, however often it is called for', async () => {
    server.account.fillWith(120);
    const first = (await startRun(host())) ?? expect.fail();
    const result = (await takeMessage(host(), first)) ?? expect.fail();
    // Sent twice, sent early, and the daily call in between.
    expect(await takeMessage(host(), first)).toBeUndefined();
    expect(await takeMessage(host(), result.next)).toBeUndefined();
    expect(await startRun(host())).toBeUndefined();
    time.ms += result.delay;
    expect(await takeMessage(host(), first)).toBeUndefined();
    expect((await takeMessage(host(), result.next))?.cursor).not.toBe(result.cursor);
    // A message that was lost: the daily call goes on from the cursor.
    time.ms += day;
    const resumed = (await startRun(host())) ?? expect.fail();
    expect(resumed.cursor).toBe(memory.state.get(stateKeys.cursor));
    await takeMessage(host(), resumed);
    expectMirrored(memory, server);
  });

  it('begins anew each day, whatever the hour at which the last run ended', async () => {
    server.account.fillWith(10);
    await run();
    time.ms -= 10 * 60_000;
    server.account.add({ link: 'https://b.example/' });
    expect(await run()).toHaveLength(1);
    expectMirrored(memory, server);
  });

  it('neither skips nor loops where a hundred and thirty share one moment', async () => {
    for (let n = 0; n < 40; n++)
      server.account.add({ link: `https://a.example/${n}`, lastUpdate: '2025-01-01T00:00:00.000Z' });
    for (let n = 0; n < 130; n++)
      server.account.add({ link: `https://b.example/${n}`, lastUpdate: '2025-01-02T00:00:00.000Z' });
    for (let n = 0; n < 20; n++)
      server.account.add({ link: `https://c.example/${n}`, lastUpdate: '2025-01-03T00:00:00.000Z' });
    const batches = await run();
    expect(batches.map(({ processed }) => processed)).toEqual([50, 50, 50, 40]);
    expect(batches.map(({ next }) => next.page)).toEqual([0, 1, 2, 0]);
    expectMirrored(memory, server);
  });

  it('misses nothing that moves while it pages', async () => {
    server.account.fillWith(180);
    let turns = 0;
    server.faults.onRequest(({ path }) => {
      if (path !== '/raindrops/0' || ++turns > 12) return;
      const live = server.account.all().filter(({ removed }) => !removed);
      // Behind the cursor and ahead of it: edited, deleted and added.
      server.account.edit(live[turns * 2]?._id as number, { title: `Edited in turn ${turns}` });
      if (turns % 3 === 0) server.account.trash(live[turns * 5]?._id as number);
      if (turns % 4 === 0) server.account.purge(live[turns * 3 + 1]?._id as number);
      server.account.add({ link: `https://during.example/${turns}` });
    });
    await run();
    server.faults.clear();
    await run();
    expectMirrored(memory, server);
  });

  it.each([
    ['an empty list', { result: true, items: [], count: 0 }],
    ['an answer without a list', { result: true }],
    ['a list without a count', { result: true, items: [] }],
  ])('takes nothing for deleted because of %s', async (_, body) => {
    server.account.fillWith(120);
    await run();
    time.ms += 8 * day;
    const isList = ({ path, query }: { path: string; query: Readonly<Record<string, string>> }) =>
      path === '/raindrops/0' && query.sort === 'created';
    server.faults.always(isList, { status: 200, body });
    server.faults.always(({ path }) => path === '/collections', { status: 200, body: { result: true } });
    await runToEnd(host(), time, 5).catch((error) => expect(error.message).toBe('the run does not end'));
    expect([...memory.rows.values()].filter(({ removedAt }) => removedAt !== null)).toEqual([]);
    expect(memory.collections.length).toBeGreaterThan(0);
    server.faults.clear();
    await run();
    expectMirrored(memory, server);
  });

  it('takes nothing for deleted that a sweep has missed while as many were deleted as saved', async () => {
    server.account.fillWith(160);
    await run();
    time.ms += 8 * day;
    let isDone = false;
    server.faults.onRequest(({ path, query }) => {
      if (isDone || path !== '/raindrops/0' || query.sort !== 'created' || query.page !== '1') return;
      isDone = true;
      const live = server.account.all();
      for (let n = 0; n < 45; n++) server.account.purge(live[n]?._id as number);
      for (let n = 0; n < 45; n++) server.account.add({ link: `https://new.example/${n}` });
    });
    await run();
    server.faults.clear();
    const there = [...memory.rows.values()].filter(({ id }) => server.account.find(id) !== undefined);
    expect(there.filter(({ removedAt }) => removedAt !== null)).toEqual([]);
    await run();
    expectMirrored(memory, server);
  });

  it('lets go of what was deleted even when something is saved during every sweep', async () => {
    server.account.fillWith(110);
    await run();
    server.account.purge(server.account.all()[10]?._id as number);
    let n = 0;
    server.faults.onRequest(({ path, query }) => {
      if (path === '/raindrops/0' && query.sort === 'created' && query.page === '1')
        server.account.add({ link: `https://new.example/${n++}` });
    });
    await run();
    server.faults.clear();
    await run();
    expectMirrored(memory, server);
  });

  it('passes no edit that comes while the same batch goes on', async () => {
    server.account.fillWith(20);
    await run();
    const [first] = server.account.all();
    server.account.edit(first?._id as number, { title: 'Once' });
    server.faults.onRequest(({ path }) => {
      if (path !== '/user/stats') return;
      server.faults.clear();
      server.account.edit(first?._id as number, { title: 'Twice' });
      // What is saved after it carries the cursor past it.
      time.ms += 1_000;
      server.account.add({ link: 'https://meanwhile.example/' });
    });
    await run();
    await run();
    expect(memory.rows.get(first?._id as number)?.title).toBe('Twice');
    expectMirrored(memory, server);
  });

  it('ends a batch within the time that a Worker has, whatever fails, and goes on in the next', async () => {
    for (let n = 0; n < 60; n++)
      server.account.add({ link: `https://a.example/${n}`, copy: { html: `<p>Copy ${n}</p>` } });
    server.faults.always(({ host: where }) => where === 'store', { status: 503 });
    const begun = time.ms;
    const first = (await startRun(host())) ?? expect.fail();
    const result = (await takeMessage(host(), first)) ?? expect.fail();
    expect(time.ms - begun).toBeLessThan(12 * 60_000);
    expect(result).toMatchObject({ isDone: false, delay: hour });
    expect(result.processed).toBeGreaterThan(10);
    server.faults.clear();
    time.ms += result.delay;
    await run();
    time.ms += day;
    await run();
    expectMirrored(memory, server);
  });

  it('reads on behind a page that shows less than it counts', async () => {
    server.account.fillWith(180);
    server.faults.onRequest(({ path, query }) => {
      if (path !== '/raindrops/0' || query.page !== '0') return;
      // One that is counted and not shown.
      const all = server.account.all().filter(({ removed }) => !removed);
      const by = query.sort === 'lastUpdate' ? 'lastUpdate' : 'created';
      const items = all
        .toSorted((a, b) => (a[by] < b[by] ? -1 : a[by] > b[by] ? 1 : a._id - b._id))
        .slice(0, 49);
      server.faults.next(({ path: asked }) => asked === '/raindrops/0', {
        status: 200,
        body: { result: true, items, count: all.length, collectionId: 0 },
      });
    });
    await run();
    server.faults.clear();
    expect(memory.rows.size).toBeGreaterThanOrEqual(179);
    time.ms += 8 * day;
    await run();
    expectMirrored(memory, server);
  });

  it('is not carried away by a raindrop from the future', async () => {
    server.account.add({ link: 'https://future.example/', lastUpdate: '2030-01-01T00:00:00.000Z' });
    server.account.fillWith(5);
    await run();
    expect((memory.state.get(stateKeys.cursor) as string) < '2027').toBe(true);
    const [edited] = server.account.all().filter(({ link }) => !link.includes('future'));
    server.account.edit(edited?._id as number, { title: 'Edited' });
    await run();
    expect(memory.rows.get(edited?._id as number)?.title).toBe('Edited');
  });

  it('waits for a day at most, whatever a server says', async () => {
    server.account.fillWith(3);
    server.faults.next(({ path }) => path === '/raindrops/0', {
      status: 429,
      headers: { 'x-ratelimit-reset': String(time.ms * 1_000) },
    });
    const result = await takeMessage(host(), (await startRun(host())) ?? expect.fail());
    expect(result?.delay).toBe(day);
  });

  it('heeds what Raindrop allows even where its own pauses are left out', async () => {
    await start({ rateLimit: 5 });
    server.account.fillWith(12);
    const hurried = {
      ...host(),
      pause: async (ms: number, required?: boolean) => {
        if (required) await time.pause(ms);
      },
    };
    await runToEnd(hurried, time);
    expect(server.requests.filter(({ status }) => status === 429)).toEqual([]);
    expectMirrored(memory, server);
  });

  it('removes nothing when it cannot see everything', async () => {
    server.account.fillWith(60);
    await run();
    const [gone] = server.account.all();
    server.account.purge(gone?._id as number);
    // While a sweep goes on, something is always deleted before it: pages move up, and one is not seen.
    server.faults.onRequest(({ path, query }) => {
      if (path === '/raindrops/0' && query.sort === 'created' && query.page === '1') {
        const first = server.account.all().find(({ removed }) => !removed);
        server.account.purge(first?._id as number);
      }
    });
    await run();
    // What was asked for by its name and is not there is gone; nothing else is.
    const removed = [...memory.rows.values()].filter(({ removedAt }) => removedAt !== null);
    expect(removed.filter(({ id }) => server.account.find(id) !== undefined)).toEqual([]);
    server.faults.clear();
    time.ms += 8 * day;
    await run();
    expectMirrored(memory, server);
  });

  it('waits when it is asked to, and as long as it is asked to', async () => {
    server.account.fillWith(10);
    await run();
    server.account.add({ link: 'https://later.example/' });
    const reset = Math.ceil((time.ms + 90_000) / 1_000);
    server.faults.next(({ path }) => path === '/raindrops/0', {
      status: 429,
      headers: { 'x-ratelimit-reset': String(reset), 'x-ratelimit-remaining': '0' },
    });
    server.requests.clear();
    await run();
    const [, , limited, next] = server.requests;
    expect(limited?.status).toBe(429);
    expect(next?.at).toBeGreaterThanOrEqual(reset * 1_000);
    expectMirrored(memory, server);
  });

  it('leaves the rest for later when the wait would be long, and says why', async () => {
    server.account.fillWith(10);
    const reset = Math.ceil((time.ms + 3 * hour) / 1_000);
    server.faults.next(({ path }) => path === '/raindrops/0', {
      status: 429,
      headers: { 'x-ratelimit-reset': String(reset) },
    });
    const first = (await startRun(host())) ?? expect.fail();
    const result = await takeMessage(host(), first);
    expect(result).toMatchObject({ isDone: false, processed: 0, cursor: beginning });
    expect(time.ms + (result?.delay ?? 0)).toBeGreaterThanOrEqual(reset * 1_000);
    expect(JSON.parse(memory.state.get(stateKeys.run) as string).problem).toMatch(/left alone/);
    time.ms += result?.delay ?? 0;
    await takeMessage(host(), result?.next ?? expect.fail());
    expectMirrored(memory, server);
  });

  it('heeds an allowance that is used up before it is told off', async () => {
    await start({ rateLimit: 5 });
    server.account.fillWith(8);
    await run();
    expect(server.requests.filter(({ status }) => status === 429)).toEqual([]);
    expectMirrored(memory, server);
  });

  it('says that the token is refused, and goes on when there is a better one', async () => {
    server.account.fillWith(3);
    server.switches.token = 'another';
    const wrong = { ...host(), api: { url: server.apiUrl, token: 'wrong' } };
    const first = (await startRun(wrong)) ?? expect.fail();
    expect(await takeMessage(wrong, first)).toMatchObject({ isDone: false, processed: 0 });
    expect(JSON.parse(memory.state.get(stateKeys.run) as string).problem).toMatch(/token/);
    await run();
    expectMirrored(memory, server);
  });
});

/** What is unknown about the real API, in each position. The first position of every switch is the default. */
const positions = [
  ['every switch', 'at its default'],
  ...Object.entries(switchPositions).flatMap(([name, [, ...others]]) =>
    others.map((value: unknown) => [name, value] as const),
  ),
] as const;
describe.each(sampleOf(positions, 4))('where %s is %s', (name, value) => {
  it('everything is mirrored, and what a day brings follows in one run', async () => {
    await start(name in switchPositions ? { [name]: value } : {});
    server.account.fillWith(113);
    const batches = await run();
    expect(batches.reduce((sum, { processed }) => sum + processed, 0)).toBeGreaterThanOrEqual(113);
    changeMuch();
    await run();
    const trashed = server.account.all().filter(({ removed }) => removed);
    expect(trashed).toHaveLength(2);
    for (const { _id } of trashed) expect(memory.rows.get(_id)?.removedAt).not.toBeNull();
    expectMirrored(memory, server);
    for (const { _id } of trashed) server.account.restore(_id);
    await run();
    expectMirrored(memory, server);
    const ids = batches.map(({ cursor }) => cursor);
    expect([...ids].sort()).toEqual(ids);
  });
});
