// What nobody should send to the Google Reader API: each is answered, none breaks it, and nothing changes by it.
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { anyCharacter } from '../support/any-character.ts';
import { propertyRuns } from '../support/depth.ts';
import { onEachEngine } from '../support/engines.ts';
import { type Archive, openArchive } from '../support/greader-archive.ts';
import { type Form, type Ids, readingList, readState } from '../support/greader-session.ts';

const api0 = '/reader/api/0';

onEachEngine('the Google Reader API, sent what nobody should', (engine) => {
  let archive: Archive;

  beforeAll(async () => {
    archive = await openArchive(engine);
    return () => archive.api.close();
  });

  const streamPaths = [`${api0}/stream/items/ids`, `${api0}/stream/contents`, '/reader/atom'];

  it.each([
    ['n', '-1'],
    ['n', 'many'],
    ['n', '1.5'],
    ['n', '0x10'],
    ['n', '99999999999999999999'],
    ['c', 'made up'],
    ['c', '-1'],
    ['c', '1 OR 1=1'],
    ['c', '9'.repeat(30)],
    ['ot', 'yesterday'],
    ['ot', '-1'],
    ['nt', '9'.repeat(40)],
  ])('refuses %s=%s by name', async (name, value) => {
    for (const path of streamPaths) {
      const response = await archive.get(`${path}?${name}=${encodeURIComponent(value)}`);
      expect(response.status, path).toBe(400);
      expect(await response.text()).toMatch(new RegExp(`^${name}: expected`));
    }
  });

  it.each([
    ['n', '999999999'],
    ['n', '0'],
    ['n', ''],
    ['n', '007'],
    ['c', ''],
    ['c', '999999999999999'],
    ['c', '0'],
    ['ot', '0'],
    ['ot', ''],
    ['nt', '99999999999'],
    ['r', 'sideways'],
    ['xt', 'nonsense'],
    ['it', '__proto__'],
    ['output', 'xml'],
    ['__proto__', 'x'],
    ['constructor', 'x'],
  ])('makes the best of %s=%s', async (name, value) => {
    for (const path of streamPaths)
      expect((await archive.get(`${path}?${name}=${encodeURIComponent(value)}`)).status, path).toBe(200);
  });

  describe('labels of any name', () => {
    it.each([
      '__proto__',
      'constructor',
      'a/b',
      '/',
      'ünï ☃ 日本',
      '100%',
      'a+b',
      'a&b=c',
      '<x>"',
      "'; DROP TABLE feeds; --",
      '..',
      '%2F',
      'feed/1',
    ])('are kept as they are: %s', async (name) => {
      const label = `user/-/label/${name}`;
      const [, feed] = archive.feeds;
      const edit: Form = [
        ['ac', 'edit'],
        ['s', `feed/${feed}`],
        ['a', label],
      ];
      expect((await archive.post(`${api0}/subscription/edit`, edit)).status).toBe(200);
      expect((await archive.rows.groups.list()).map((group) => group.name)).toContain(name);
      const expected = await archive.rows.stream.ids({ feedId: feed, limit: 100 });
      expect(await archive.idsOf(`s=${encodeURIComponent(label)}`)).toEqual(expected);
      for (const path of [`${api0}/stream/contents`, '/reader/atom']) {
        const response = await archive.get(`${path}/${encodeURIComponent(label)}`);
        expect(response.status, path).toBe(200);
        expect((await response.text()).match(/reader\/item\//g)).toHaveLength(expected.length);
      }
      expect((await archive.post(`${api0}/disable-tag`, [['s', label]])).status).toBe(200);
    });

    it.each(['', ' ', 'x'.repeat(201), 'a\nb', '\u0000'])(
      'are refused if nobody could read them: %j',
      async (name) => {
        const edit: Form = [
          ['ac', 'edit'],
          ['s', `feed/${archive.feeds[0]}`],
          ['a', `user/-/label/${name}`],
        ];
        const response = await archive.post(`${api0}/subscription/edit`, edit);
        expect(response.status).toBe(400);
        expect(await response.text()).toMatch(/^a: /);
      },
    );
  });

  it('reads paths that are not what they should be', async () => {
    for (const path of [
      '/%E0%A4%A',
      '/%',
      '/%00',
      '/feed%2F%2F',
      '/feed/%2e%2e/1',
      '/user/-/label/%ff',
      `/${'a/'.repeat(500)}`,
      `/feed/${'9'.repeat(400)}`,
    ])
      for (const base of [`${api0}/stream/contents`, '/reader/atom'])
        expect((await archive.get(base + path)).status, path).toBe(404);
  });

  it('takes 10,000 ids, and a body that is too long for it with an answer', async () => {
    const many: Form = Array.from({ length: 10_000 }, (_, n) => ['i', String(n + 100_000)] as const);
    const contents = await archive.post(`${api0}/stream/items/contents`, many);
    expect(contents.status).toBe(200);
    expect(((await contents.json()) as { items: unknown[] }).items).toEqual([]);
    expect(await (await archive.post(`${api0}/edit-tag`, [...many, ['a', readState]])).text()).toBe('OK');
    const long = await archive.post(`${api0}/edit-tag`, [['i', 'x'.repeat(1_100_000)]]);
    expect(long.status).toBe(413);
    expect(await long.text()).toMatch(/too large/);
  });

  it('reads bodies that are no forms', async () => {
    const send = (body: RequestInit['body'], type: string) =>
      archive.api.visitor().send('POST', `${api0}/edit-tag`, {
        headers: { Authorization: `GoogleLogin auth=${archive.secret}`, 'Content-Type': type },
        body,
      });
    for (const [body, type] of [
      ['{"i": 1}', 'application/json'],
      ['%%%&&&===', 'application/x-www-form-urlencoded'],
      [new Uint8Array([0xff, 0xfe, 0x00, 0x80]), 'application/x-www-form-urlencoded'],
      ['no boundary', 'multipart/form-data'],
      ['--x\r\nnonsense', 'multipart/form-data; boundary=x'],
    ] as const)
      expect((await send(body, type)).status, type).toBe(400);
  });

  it('answers whatever comes as a query, without fail', async () => {
    const names = fc.constantFrom('s', 'n', 'c', 'r', 'xt', 'it', 'ot', 'nt', 'i', 'T', 'output', 'ck');
    const values = fc.oneof(
      fc.string({ unit: anyCharacter, maxLength: 30 }),
      fc.constantFrom(
        'feed/1',
        readingList,
        readState,
        'user/-/label/Work',
        '1',
        '0',
        '-1',
        '1e9',
        'feed/',
        'user///label/',
      ),
      fc.bigInt().map(String),
    );
    const paths = fc.constantFrom(...streamPaths, `${api0}/stream/items/contents`);
    await fc.assert(
      fc.asyncProperty(paths, fc.array(fc.tuple(names, values), { maxLength: 6 }), async (path, pairs) => {
        const query = new URLSearchParams(pairs).toString();
        const { status } = await archive.get(`${path}?${query}`);
        expect([200, 400, 404]).toContain(status);
      }),
      propertyRuns(150),
    );
  });

  it('changes nothing by whatever comes as a form that it refuses', async () => {
    const names = fc.constantFrom('s', 'a', 'r', 'i', 't', 'ts', 'ac', 'dest', 'quickadd', 'T');
    const values = fc.oneof(
      fc.string({ unit: anyCharacter, maxLength: 20 }),
      fc.constantFrom('feed/999999', 'edit', 'subscribe', 'unsubscribe', readState, 'user/-/label/', '-1'),
    );
    const paths = fc.constantFrom(
      'edit-tag',
      'mark-all-as-read',
      'rename-tag',
      'disable-tag',
      'subscription/edit',
    );
    const before = await archive.rows.feeds.list();
    await fc.assert(
      fc.asyncProperty(paths, fc.array(fc.tuple(names, values), { maxLength: 6 }), async (path, pairs) => {
        const { status } = await archive.post(`${api0}/${path}`, pairs);
        expect([200, 400, 404, 409]).toContain(status);
      }),
      propertyRuns(150),
    );
    expect(await archive.rows.feeds.list()).toEqual(before);
  });

  it('gives another user nothing, by whatever id or name', async () => {
    const berta = await archive.token('write', archive.otherUser);
    const theirs = await archive.other.stream.ids({ limit: 100 });
    for (const id of archive.feeds) {
      const response = await archive.get(`${api0}/stream/items/ids?s=feed/${id}`, berta);
      expect(response.status).toBe(404);
    }
    expect((await archive.get(`${api0}/stream/contents/user/-/label/Work`, berta)).status).toBe(404);
    const all = (await (await archive.get(`${api0}/stream/items/ids?n=100`, berta)).json()) as Ids;
    expect(all.itemRefs.map(({ id }) => Number(id))).toEqual(theirs);
    const query = archive.ids.map((id) => `i=${id}`).join('&');
    const contents = await archive.get(`${api0}/stream/items/contents?${query}`, berta);
    expect(((await contents.json()) as { items: unknown[] }).items).toEqual([]);
  });

  it('never fails on our side', () => {
    expect(archive.api.logLines.filter((line) => line.includes('request failed'))).toEqual([]);
  });
});
