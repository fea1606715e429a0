// The stand-in for Raindrop behaves as Raindrop was documented and recorded: what is tried on it, is tried on something.
import { once } from 'node:events';
import { get as httpGet, type IncomingMessage } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { TestClock } from '../support/clock.ts';
import { pdfOf } from '../support/pdf.ts';
import type { Raindrop } from '../support/raindrop-account.ts';
import type { Fault } from '../support/raindrop-faults.ts';
import type { RaindropServer } from '../support/raindrop-server.ts';
import { startRaindropServer, switchPositions } from '../support/raindrop-server.ts';
import type { RaindropSwitches } from '../support/raindrop-switches.ts';

const minute = 60_000;
const day = 24 * 60 * minute;
const auth = { authorization: 'Bearer test-token' };
const open: RaindropServer[] = [];

afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.close()));
});

async function start(switches: Partial<RaindropSwitches> = {}) {
  const clock = new TestClock(Date.UTC(2026, 0, 10, 12));
  const server = await startRaindropServer({ now: clock.now, rateLimit: 10_000, ...switches });
  open.push(server);
  const get = (path: string, headers: Record<string, string> = auth) =>
    fetch(server.apiUrl + path, { headers, redirect: 'manual' });
  // biome-ignore lint/suspicious/noExplicitAny: whatever the API answers
  const json = async (path: string): Promise<any> => (await get(path)).json();
  const idsOf = async (path: string): Promise<number[]> => {
    const { items } = await json(path);
    return items.map(({ _id }: Raindrop) => _id);
  };
  return { ...server, clock, get, json, idsOf };
}

/** As they are sent. */
async function bytesFrom(url: string, headers: Record<string, string>) {
  const [answer] = (await once(httpGet(url, { headers }), 'response')) as [IncomingMessage];
  const chunks: Buffer[] = [];
  for await (const chunk of answer) chunks.push(chunk);
  return { headers: answer.headers, bytes: Buffer.concat(chunks) };
}

/** Every page of fifty, until one is not full. */
async function allPages(idsOf: (path: string) => Promise<number[]>, path: string): Promise<number[]> {
  const ids: number[] = [];
  for (let page = 0; ; page++) {
    const more = await idsOf(`${path}&perpage=50&page=${page}`);
    ids.push(...more);
    if (more.length < 50) return ids;
  }
}

describe('lists of the stand-in for Raindrop', () => {
  it('give a raindrop with every field that was recorded', async () => {
    const { account, json, clock } = await start();
    const { _id } = account.add({
      link: 'https://www.example.com/a',
      title: 'A title',
      tags: ['one', 'two words'],
    });
    const at = new Date(clock.now()).toISOString();
    expect(await json('/raindrops/0')).toEqual({
      result: true,
      count: 1,
      collectionId: 0,
      items: [
        {
          _id: 1001,
          link: 'https://www.example.com/a',
          title: 'A title',
          excerpt: '',
          note: '',
          type: 'link',
          user: { $ref: 'users', $id: 4711 },
          cover: '',
          tags: ['one', 'two words'],
          removed: false,
          collection: { $ref: 'collections', $id: -1, oid: -1 },
          media: [],
          created: at,
          lastUpdate: at,
          domain: 'example.com',
          creatorRef: { _id: 4711, name: 'reader', avatar: '', email: 'reader@example.org' },
          sort: 1001,
          highlights: [],
          collectionId: -1,
        },
      ],
    });
    expect(await json(`/raindrop/${_id}`)).toMatchObject({ result: true, author: true, item: { _id } });
  });

  it('come in pages, of fifty at most, and count all', async () => {
    const { account, json, idsOf } = await start();
    const ids = account.fillWith(120).map(({ _id }) => _id);
    expect(await allPages(idsOf, '/raindrops/0?sort=created')).toEqual(ids);
    expect(await json('/raindrops/0?perpage=7&page=2')).toMatchObject({ count: 120, items: { length: 7 } });
    expect(await idsOf('/raindrops/0?perpage=500')).toHaveLength(50);
    expect(await idsOf('/raindrops/0')).toHaveLength(25);
    expect(await json('/raindrops/0?perpage=50&page=3')).toMatchObject({ count: 120, items: [] });
  });

  it('are sorted by each of the keys, and by the newest without one', async () => {
    const { account, idsOf } = await start();
    const add = (title: string, host: string, created: number, lastUpdate: number) =>
      account.add({ title, link: `https://${host}/`, created: created * day, lastUpdate: lastUpdate * day })
        ._id;
    const one = add('beta', 'c.example', 1, 9);
    const two = add('Alpha', 'b.example', 3, 4);
    const three = add('gamma', 'a.example', 2, 5);
    const orders: Record<string, number[]> = {
      '': [two, three, one],
      created: [one, three, two],
      '-created': [two, three, one],
      title: [two, one, three],
      '-title': [three, one, two],
      domain: [three, two, one],
      '-domain': [one, two, three],
      lastUpdate: [two, three, one],
      '-lastUpdate': [one, three, two],
      'no such key': [two, three, one],
    };
    for (const [sort, ids] of Object.entries(orders)) {
      expect([sort, await idsOf(`/raindrops/0?sort=${sort}`)]).toEqual([sort, ids]);
    }
  });

  it('ignore a sort by the last update where the switch says so', async () => {
    const { account, idsOf } = await start({ sortByUpdate: 'ignored' });
    const old = account.add({ created: 1 * day, lastUpdate: 9 * day })._id;
    const young = account.add({ created: 2 * day, lastUpdate: 3 * day })._id;
    expect(await idsOf('/raindrops/0?sort=lastUpdate')).toEqual([young, old]);
    expect(await idsOf('/raindrops/0?sort=-lastUpdate')).toEqual([young, old]);
    expect(await idsOf('/raindrops/0?sort=created')).toEqual([old, young]);
  });

  it('keep those of the same key in the order of their ids', async () => {
    const { account, idsOf } = await start();
    const ids = Array.from({ length: 9 }, () => account.add({})._id);
    expect(await idsOf('/raindrops/0?sort=-lastUpdate')).toEqual(ids);
    expect(await idsOf('/raindrops/0?sort=lastUpdate')).toEqual(ids);
  });

  it('shuffle those of the same key, and the same way in every run, where the switch says so', async () => {
    const pagesOf = async () => {
      const { account, idsOf } = await start({ shuffleTies: true });
      for (let nth = 0; nth < 130; nth++) account.add({});
      account.add({ id: 7, lastUpdate: '2026-01-10T12:00:01.000Z' });
      return allPages(idsOf, '/raindrops/0?sort=-lastUpdate');
    };
    const ids = await pagesOf();
    expect(ids[0]).toBe(7);
    expect(ids).toHaveLength(131);
    expect(new Set(ids).size).toBeLessThan(131);
    expect(await pagesOf()).toEqual(ids);
  });

  it.each([2, 3, 4, 31])('shuffle %i of the same key anew each time', async (count) => {
    const { account, idsOf } = await start({ shuffleTies: true });
    for (let nth = 0; nth < count; nth++) account.add({});
    const [first, second] = [await idsOf('/raindrops/0?perpage=50'), await idsOf('/raindrops/0?perpage=50')];
    expect(second).not.toEqual(first);
    expect(new Set(second)).toEqual(new Set(first));
  });

  it('search by words, tags, phrases and times', async () => {
    const { account, idsOf } = await start();
    const one = account.add({
      title: 'Slow Food',
      tags: ['long reads'],
      created: '2025-03-04T10:00:00Z',
    })._id;
    const two = account.add({ excerpt: 'food, and slow', created: '2025-04-01T00:00:00Z', note: 'süß' })._id;
    const three = account.add({ created: '2026-01-02T23:59:59Z', copy: { html: '<p>' } })._id;
    const search = (text: string) => idsOf(`/raindrops/0?sort=created&search=${encodeURIComponent(text)}`);
    expect(await search('slow food')).toEqual([one, two]);
    expect(await search('"slow food"')).toEqual([one]);
    expect(await search('#"long reads"')).toEqual([one]);
    expect(await search('food -süß')).toEqual([one]);
    expect(await search('created:2025')).toEqual([one, two]);
    expect(await search('created:2025-03')).toEqual([one]);
    expect(await search('created:>2025-03-04')).toEqual([two, three]);
    expect(await search('created:<2025-04-01')).toEqual([one]);
    expect(await search('cache.status:ready')).toEqual([three]);
    expect(await search('created:2025 süß')).toEqual([two]);
  });

  it.each([
    { lastUpdateSearch: 'after', found: ['after'] },
    { lastUpdateSearch: 'from', found: ['on', 'after'] },
    { lastUpdateSearch: 'ignored', found: ['before', 'on', 'after'] },
  ] as const)('find by lastUpdate:>DATE $found when the switch is at $lastUpdateSearch', async (position) => {
    const { account, json } = await start({ lastUpdateSearch: position.lastUpdateSearch });
    account.add({ title: 'before', lastUpdate: '2026-01-04T23:59:59.999Z' });
    account.add({ title: 'on', lastUpdate: '2026-01-05T00:00:00.000Z' });
    account.add({ title: 'after', lastUpdate: '2026-01-06T00:00:00.000Z' });
    const { items, count } = await json('/raindrops/0?sort=lastUpdate&search=lastUpdate:%3E2026-01-05');
    expect(items.map(({ title }: Raindrop) => title)).toEqual(position.found);
    expect(count).toBe(position.found.length);
    const exact = await json('/raindrops/0?search=lastUpdate:2026-01-05');
    expect(exact.items).toMatchObject([{ title: 'on' }]);
  });

  it('are those of one collection, of the trash, or of neither', async () => {
    const { account, idsOf, json } = await start();
    const { _id: outer } = account.addCollection({ title: 'Outer' });
    const { _id: inner } = account.addCollection({ title: 'Inner', parentId: outer });
    const loose = account.add({})._id;
    const sorted = account.add({ collectionId: outer })._id;
    const deep = account.add({ collectionId: inner })._id;
    const gone = account.add({ collectionId: outer })._id;
    account.trash(gone);
    expect(await idsOf('/raindrops/0')).toEqual([loose, sorted, deep]);
    expect(await idsOf('/raindrops/-1')).toEqual([loose]);
    expect(await idsOf(`/raindrops/${outer}`)).toEqual([sorted]);
    expect(await idsOf(`/raindrops/${outer}?nested=true`)).toEqual([sorted, deep]);
    expect(await json('/raindrops/-99')).toMatchObject({
      collectionId: -99,
      items: [{ _id: gone, removed: true, collectionId: -99 }],
    });
    account.restore(gone);
    expect(await idsOf(`/raindrops/${outer}`)).toEqual([sorted, gone]);
    account.purge(gone);
    expect(await idsOf('/raindrops/-99')).toEqual([]);
    account.removeCollection(outer);
    expect(await idsOf('/raindrops/-99')).toEqual([sorted, deep]);
  });
});

describe('the rest of the stand-in for Raindrop', () => {
  it('lists collections at the root and below it', async () => {
    const { account, json } = await start();
    const { _id: outer } = account.addCollection({ title: 'Outer' });
    const { _id: inner } = account.addCollection({ title: 'Inner', parentId: outer });
    account.add({ collectionId: inner });
    account.renameCollection(outer, 'Renamed');
    const roots = await json('/collections');
    expect(roots).toMatchObject({ result: true, items: [{ _id: outer, title: 'Renamed', count: 0 }] });
    expect(roots.items[0]).not.toHaveProperty('parent');
    const parent = { $ref: 'collections', $id: outer };
    expect((await json('/collections/childrens')).items).toMatchObject([{ _id: inner, count: 1, parent }]);
  });

  it('tells of the user, and counts', async () => {
    const { account, json, clock } = await start();
    account.add({ broken: true });
    account.add({ collectionId: account.addCollection({ title: 'Some' })._id });
    clock.advance(minute);
    account.trash(account.add({})._id);
    expect((await json('/user')).user).toMatchObject({ _id: 4711, pro: true });
    expect(await json('/user/stats')).toEqual({
      result: true,
      items: [
        { _id: 0, count: 2 },
        { _id: -1, count: 1 },
        { _id: -99, count: 1 },
      ],
      meta: {
        pro: true,
        _id: 4711,
        changedBookmarksDate: '2026-01-10T12:01:00.000Z',
        duplicates: { count: 0 },
        broken: { count: 1 },
      },
    });
  });

  it('lists highlights, and has them in their raindrops', async () => {
    const { account, json, clock } = await start();
    const { _id } = account.add({ title: 'Read', tags: ['t'] });
    const first = account.highlight(_id, { text: 'one', note: 'a note', color: 'blue' });
    clock.advance(1000);
    const second = account.highlight(_id, { text: 'two' });
    for (let nth = 0; nth < 60; nth++) account.highlight(account.add({})._id, { text: 'x', created: 0 });
    const { result, items, ...rest } = await json('/highlights');
    expect([result, items.length, rest]).toEqual([true, 25, {}]);
    expect(items.slice(0, 2)).toEqual([
      expect.objectContaining({ _id: second._id, text: 'two' }),
      {
        ...{ _id: first._id, text: 'one', note: 'a note', color: 'blue', created: first.created },
        ...{ tags: ['t'], raindropRef: _id, link: `https://example.org/${_id}`, title: 'Read' },
      },
    ]);
    expect((await json('/highlights?perpage=99')).items).toHaveLength(50);
    expect((await json('/highlights?perpage=50&page=1')).items).toHaveLength(12);
    account.highlight(_id, { _id: first._id, note: 'another' });
    account.highlight(_id, { _id: second._id, text: '' });
    const { item } = await json(`/raindrop/${_id}`);
    expect(item.highlights).toEqual([{ ...first, note: 'another', lastUpdate: '2026-01-10T12:00:01.000Z' }]);
  });

  it('lets nobody in without the token', async () => {
    const { get, json, switches } = await start({ token: 'secret' });
    for (const headers of [{}, auth]) {
      const answer = await get('/user', headers as Record<string, string>);
      expect([answer.status, await answer.text()]).toEqual([401, 'Unauthorized']);
    }
    switches.token = 'test-token';
    expect(await json('/user')).toMatchObject({ result: true });
  });

  it('has an error for what is not there', async () => {
    const { get } = await start();
    for (const path of ['/raindrop/7', '/raindrop/7/cache', '/nowhere']) {
      const answer = await get(path);
      expect(answer.status).toBe(404);
      expect(await answer.json()).toEqual({ result: false, error: 'not_found', errorMessage: 'Not found' });
    }
  });

  it('allows so many requests in a minute, and tells how many are left', async () => {
    const { get, clock } = await start({ rateLimit: 120 });
    const limits = ({ status, headers }: Response) => [
      status,
      ...['limit', 'remaining', 'reset'].map((name) => Number(headers.get(`x-ratelimit-${name}`))),
    ];
    const reset = (clock.now() + minute) / 1000;
    expect(limits(await get('/user'))).toEqual([200, 120, 119, reset]);
    expect(limits(await get('/user', {}))).toEqual([401, 120, 119, reset]);
    for (let nth = 1; nth < 119; nth++) await (await get('/user')).arrayBuffer();
    clock.advance(minute - 1);
    expect(limits(await get('/user'))).toEqual([200, 120, 0, reset]);
    const refused = await get('/user');
    expect(limits(refused)).toEqual([429, 120, 0, reset]);
    expect(refused.headers.get('retry-after')).toBeNull();
    expect(refused.headers.get('date')).toBe('Sat, 10 Jan 2026 12:00:59 GMT');
    expect(await refused.json()).toMatchObject({ result: false, error: 'rate_limit' });
    clock.advance(1);
    expect(limits(await get('/user'))).toEqual([200, 120, 119, reset + 60]);
  });

  it.each([
    { bodies: 'br', accepted: 'gzip, br', sent: 'br' },
    { bodies: 'br', accepted: 'gzip, deflate', sent: 'gzip' },
    { bodies: 'gzip', accepted: 'gzip, br', sent: 'gzip' },
    { bodies: 'gzip', accepted: 'br;q=1, gzip;q=0', sent: null },
    { bodies: 'gzip', accepted: 'identity', sent: null },
    { bodies: 'plain', accepted: 'gzip, br', sent: null },
  ] as const)('sends $bodies to those who accept $accepted as $sent', async ({ bodies, accepted, sent }) => {
    const { get } = await start({ bodies });
    const answer = await get('/user', { ...auth, 'accept-encoding': accepted });
    expect(answer.headers.get('content-encoding')).toBe(sent);
    expect(await answer.json()).toMatchObject({ result: true });
  });

  it('remembers what it was asked', async () => {
    const { get, requests, clock } = await start();
    await get('/raindrops/0?page=2&sort=created');
    await get('/user', { 'x-mine': 'yes' });
    expect(requests).toMatchObject([
      {
        ...{ at: clock.now(), host: 'api', method: 'GET', path: '/raindrops/0', status: 200 },
        query: { page: '2', sort: 'created' },
      },
      { path: '/user', query: {}, headers: { 'x-mine': 'yes' }, status: 401 },
    ]);
    requests.clear();
    expect(requests).toEqual([]);
  });
});

describe('times at the stand-in for Raindrop', () => {
  const touching = {
    trashTouches: ({ account }: RaindropServer, id: number) => account.trash(id),
    retagTouches: ({ account }: RaindropServer, id: number) => account.retag(id, ['new']),
    highlightTouches: ({ account }: RaindropServer, id: number) => account.highlight(id, { text: 'new' }),
    copyTouches: ({ account }: RaindropServer, id: number) => account.setCopy(id, { html: '<p>new' }),
  };

  it.each(Object.keys(touching) as (keyof typeof touching)[])('advance or stay as %s says', async (name) => {
    for (const position of [true, false]) {
      const server = await start({ [name]: position });
      const { _id, lastUpdate } = server.account.add({ cacheStatus: 'retry' });
      server.clock.advance(minute);
      touching[name](server, _id);
      const { item } = await server.json(`/raindrop/${_id}`);
      expect(item.lastUpdate).toBe(position ? '2026-01-10T12:01:00.000Z' : lastUpdate);
    }
  });

  it('advance with any edit, and leave what was given before as it was', async () => {
    const { account, clock } = await start();
    const before = account.add({ important: true });
    clock.advance(minute);
    const after = account.edit(before._id, {
      title: 'Another',
      link: 'https://new.example/',
      important: false,
    });
    expect(before).toMatchObject({ title: 'Raindrop 1001', important: true });
    expect(after).toMatchObject({ title: 'Another', domain: 'new.example', created: before.created });
    expect(after).not.toHaveProperty('important');
    expect(Date.parse(after.lastUpdate)).toBe(clock.now());
  });

  it.each([
    { changedDate: 'any-edit', minutes: '01' },
    { changedDate: 'not-tags', minutes: '00' },
  ] as const)('of the last change follow tags when the switch is at $changedDate', async (position) => {
    const { account, json, clock } = await start({ changedDate: position.changedDate });
    const { _id } = account.add({});
    const changed = async () => (await json('/user/stats')).meta.changedBookmarksDate;
    clock.advance(minute);
    account.retag(_id, ['new']);
    expect(await changed()).toBe(`2026-01-10T12:${position.minutes}:00.000Z`);
    clock.advance(minute);
    account.edit(_id, { note: 'new' });
    expect(await changed()).toBe('2026-01-10T12:02:00.000Z');
  });
});

describe('permanent copies at the stand-in for Raindrop', () => {
  const html = `<p>${'Übung macht den Meister. '.repeat(40)}</p>`;

  it.each(switchPositions.redirectStatus)(
    'are led to by %i, and served compressed',
    async (redirectStatus) => {
      const { account, get, storeUrl, requests } = await start({ redirectStatus });
      const { _id, cache } = account.add({ copy: { html } });
      const redirect = await get(`/raindrop/${_id}/cache`);
      const location = redirect.headers.get('location') ?? '';
      expect(redirect.status).toBe(redirectStatus);
      expect(location.startsWith(`${storeUrl}/`)).toBe(true);
      const copy = await fetch(location);
      expect(copy.headers.get('content-encoding')).toBe('gzip');
      expect(copy.headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(Number(copy.headers.get('content-length'))).toBe(cache?.size);
      expect(cache).toEqual({
        status: 'ready',
        size: expect.any(Number),
        created: '2026-01-10T12:00:00.000Z',
      });
      expect(await copy.text()).toBe(html);
      expect(requests.map(({ host, status }) => [host, status])).toEqual([
        ['api', redirectStatus],
        ['store', 200],
      ]);
    },
  );

  it('may be PDFs, and their address may be asked for as JSON', async () => {
    const { account, json } = await start();
    const bytes = pdfOf({ pages: [['A page']] });
    const { _id } = account.add({ copy: { bytes, type: 'application/pdf' } });
    const { link } = await json(`/raindrop/${_id}/cache?json=1`);
    const copy = await fetch(link);
    expect(copy.headers.get('content-type')).toBe('application/pdf');
    expect(new Uint8Array(await copy.arrayBuffer())).toEqual(new Uint8Array(bytes));
  });

  it('are refused to those who bring their token, ask for the head, or have no signature', async () => {
    const { account, json, storeUrl } = await start();
    const { _id } = account.add({ copy: { html } });
    const { link } = await json(`/raindrop/${_id}/cache?json=1`);
    expect((await fetch(link, { headers: auth })).status).toBe(400);
    expect((await fetch(link, { method: 'HEAD' })).status).toBe(403);
    expect((await fetch(`${storeUrl}${new URL(link).pathname}`)).status).toBe(403);
    expect((await fetch(link.replace(`/${_id}?`, '/1?'))).status).toBe(403);
    expect((await fetch(link)).status).toBe(200);
  });

  it('are at their address for a minute', async () => {
    const { account, json, clock } = await start();
    const { _id } = account.add({ copy: { html } });
    clock.advance(777);
    const { link } = await json(`/raindrop/${_id}/cache?json=1`);
    clock.advance(minute);
    expect((await fetch(link)).status).toBe(200);
    clock.advance(1);
    expect((await fetch(link)).status).toBe(403);
    const again = await json(`/raindrop/${_id}/cache?json=1`);
    expect(again.link).not.toBe(link);
    account.purge(_id);
    expect((await fetch(again.link)).status).toBe(404);
  });

  it('may come later, or never', async () => {
    const { account, get, json } = await start();
    const { _id } = account.add({ cacheStatus: 'retry' });
    expect((await json(`/raindrop/${_id}`)).item.cache).toEqual({ status: 'retry' });
    expect((await get(`/raindrop/${_id}/cache`)).status).toBe(404);
    account.setCopy(_id, { html });
    expect((await json(`/raindrop/${_id}`)).item.cache.status).toBe('ready');
    expect((await get(`/raindrop/${_id}/cache`)).status).toBe(303);
    account.setCopy(_id, 'invalid-size');
    expect((await get(`/raindrop/${_id}/cache`)).status).toBe(404);
    account.setCopy(_id, undefined);
    expect((await json(`/raindrop/${_id}`)).item).not.toHaveProperty('cache');
  });

  it('are not part of the free plan', async () => {
    const { account, get, json } = await start({ pro: false });
    const { _id } = account.add({ copy: { html } });
    const answer = await get(`/raindrop/${_id}/cache`);
    expect(answer.status).toBe(403);
    expect(await answer.json()).toMatchObject({ result: false, error: 'pro_only' });
    expect((await json('/raindrops/0')).items[0]).not.toHaveProperty('cache');
    expect((await json('/user')).user.pro).toBe(false);
  });
});

describe('faults of the stand-in for Raindrop', () => {
  const isList = ({ path }: { path: string }) => path.startsWith('/raindrops/');

  it('meet the next request that matches, in turn, and no other', async () => {
    const { get, faults, json, requests } = await start();
    faults.next(isList, { status: 500 });
    faults.next(isList, { status: 429, body: 'slow down', headers: { 'X-RateLimit-Reset': '17' } });
    expect((await get('/user')).status).toBe(200);
    expect(await json('/raindrops/0')).toMatchObject({ result: false, error: 'error_500' });
    const second = await get('/raindrops/0');
    expect([second.status, second.headers.get('x-ratelimit-reset')]).toEqual([429, '17']);
    expect(await second.text()).toBe('slow down');
    expect((await get('/raindrops/0')).status).toBe(200);
    expect(requests.map(({ status }) => status)).toEqual([200, 500, 429, 200]);
  });

  it('stay until they are cleared', async () => {
    const { get, faults } = await start();
    faults.always(isList, { status: 503 });
    faults.next(isList, { status: 500 });
    const statuses = async () => [(await get('/raindrops/0')).status, (await get('/raindrops/0')).status];
    expect(await statuses()).toEqual([500, 503]);
    expect(await statuses()).toEqual([503, 503]);
    faults.clear();
    expect(await statuses()).toEqual([200, 200]);
  });

  it('tear connections down, or let them hang', async () => {
    const { get, faults, apiUrl, requests, close } = await start();
    faults.next(isList, 'reset');
    await expect(get('/raindrops/0')).rejects.toThrow('fetch failed');
    faults.next(isList, 'hang');
    const reached = new Promise<void>((resolve) => faults.onRequest(() => resolve()));
    const hanging = fetch(`${apiUrl}/raindrops/0`, { headers: auth });
    await Promise.all([reached, expect(hanging).rejects.toThrow('fetch failed'), reached.then(close)]);
    expect(requests.map(({ status }) => status)).toEqual([null, null]);
  });

  describe.each(['api', 'store'] as const)('of the %s', (host) => {
    async function faulty(fault: Fault): Promise<string> {
      const { account, apiUrl, json, faults } = await start({ bodies: 'plain' });
      const { _id } = account.add({ copy: { html: '<p>a page</p>'.repeat(50) } });
      const { link } = await json(`/raindrop/${_id}/cache?json=1`);
      faults.next((target) => target.host === host, fault);
      return host === 'api' ? `${apiUrl}/raindrops/0` : link;
    }
    const headers = host === 'api' ? auth : {};

    it('cut an answer short of the length that it announces', async () => {
      const answer = await fetch(await faulty('truncate'), { headers });
      expect(answer.status).toBe(200);
      await expect(answer.arrayBuffer()).rejects.toThrow('terminated');
    });

    // Asked for the bytes: fetch would hand out what it could decode, and not say that there was more.
    it('announce half of a stream as all of it', async () => {
      const answer = await bytesFrom(await faulty('truncate-gzip'), headers);
      expect(answer.headers).toMatchObject({
        'content-encoding': 'gzip',
        'content-length': String(answer.bytes.length),
      });
      expect(() => gunzipSync(answer.bytes)).toThrow('unexpected end of file');
    });
  });

  it('answer with what is no JSON', async () => {
    const { get, faults } = await start();
    faults.next(isList, 'garbage');
    const answer = await get('/raindrops/0');
    expect(answer.status).toBe(200);
    await expect(answer.json()).rejects.toThrow('JSON');
  });

  it('let a test change the account between two pages', async () => {
    const { account, idsOf, faults } = await start();
    account.fillWith(120);
    faults.onRequest(({ query }) => {
      if (query.page === '1') account.purge(1001);
    });
    const ids = await allPages(idsOf, '/raindrops/0?sort=created');
    // The pages after it moved up by one, over the one that would have been the first of the second page.
    expect(ids).toHaveLength(119);
    expect(ids).not.toContain(1051);
  });
});

describe('an account that the stand-in for Raindrop fills', () => {
  it('is the same for a seed, and another one for another', async () => {
    const filled = async (seed: number) => {
      const { account } = await start();
      const raindrops = account.fillWith(60, seed);
      return { raindrops, copies: raindrops.map(({ _id }) => account.copyOf(_id)?.gzip.toString('hex')) };
    };
    const [one, same, other] = [await filled(1), await filled(1), await filled(2)];
    expect(same).toEqual(one);
    expect(other).not.toEqual(one);
  });

  it('has all kinds in it', async () => {
    const { account, clock } = await start();
    const raindrops = account.fillWith(500);
    const share = (holds: (raindrop: Raindrop) => unknown) => raindrops.filter(holds).length;
    expect(share(({ cache }) => cache?.status === 'ready')).toBe(370);
    const statuses = new Set(raindrops.map(({ cache }) => cache?.status));
    expect(statuses).toEqual(
      new Set(['ready', 'retry', 'failed', 'invalid-origin', 'invalid-timeout', 'invalid-size', undefined]),
    );
    expect(new Set(raindrops.map(({ type }) => type))).toEqual(
      new Set(['link', 'article', 'video', 'image']),
    );
    for (const holds of [
      ({ important }: Raindrop) => important,
      ({ broken }: Raindrop) => broken,
      ({ title }: Raindrop) => /[äöüß]/.test(title),
      ({ title }: Raindrop) => /\p{Script=Hiragana}/u.test(title),
      ({ excerpt }: Raindrop) => /^[\p{Script=Han}。]+$/u.test(excerpt),
      ({ tags }: Raindrop) => tags.some((tag) => tag.includes(' ')),
      ({ highlights }: Raindrop) => highlights.length > 0,
      ({ collectionId }: Raindrop) => collectionId === -1,
    ]) {
      expect(share(holds)).toBeGreaterThan(3);
    }
    expect(new Set(raindrops.map(({ link }) => link)).size).toBe(499);
    expect(raindrops.every(({ created, lastUpdate }) => created <= lastUpdate)).toBe(true);
    expect(raindrops.every(({ lastUpdate }) => Date.parse(lastUpdate) <= clock.now())).toBe(true);
    const together = Map.groupBy(raindrops, ({ lastUpdate }) => lastUpdate);
    const sizes = [...together.values()].map(({ length }) => length);
    expect(sizes.filter((size) => size > 1).sort((one, other) => one - other)).toEqual([3, 60, 130]);
    const parents = new Map(account.collections().map(({ _id, parentId }) => [_id, parentId]));
    const depth = (id?: number): number => (id === undefined ? 0 : 1 + depth(parents.get(id)));
    expect(Math.max(...[...parents.keys()].map(depth))).toBe(3);
  });

  it('has copies of a few kilobytes', async () => {
    const { account } = await start();
    const pages = account.fillWith(200).flatMap(({ _id }) => account.copyOf(_id)?.gzip ?? []);
    for (const page of pages) {
      const bytes = gunzipSync(page);
      expect(bytes.length).toBeGreaterThan(2048);
      expect(bytes.length).toBeLessThan(6144);
      expect(bytes.toString()).toMatch(/^<!DOCTYPE html>.*<style>.*<script>.*<table>.*<\/html>\n$/s);
    }
  });
});
