// What Fever answers, list by list and mark by mark.
import { beforeAll, describe, expect, it } from 'vitest';
import { feverKey } from '../../src/accounts/secrets.ts';
import { createToken } from '../../src/accounts/tokens.ts';
import type { User } from '../../src/model/user.ts';
import type { UserRows } from '../../src/store/store.ts';
import { answerOf, openApi, type TestApi } from '../support/api.ts';
import { onEachEngine } from '../support/engines.ts';
import { type FeverBody, idsOf } from '../support/fever-clients.ts';
import { fill, fillMany, giveIcon, listAll, newFeed, published, takeFence } from '../support/reader.ts';

const hour = 3_600_000;
const icon = { type: 'image/png', etag: '"1"', bytes: new Uint8Array([137, 80, 78, 71]) };

onEachEngine('the Fever API', (engine) => {
  let api: TestApi;
  let anna: User;
  let rows: UserRows;
  let key: string;
  let work: number;
  let feeds: number[];
  let ids: number[];
  let begun: number;

  beforeAll(async () => {
    api = await openApi(engine);
    anna = await api.addUser('anna');
    rows = api.opened.store.forUser(anna.id);
    key = await keyOf(anna, 'write');
    work = (await rows.groups.create({ name: 'Wörk & "more"' })).id;
    feeds = [];
    for (const [link, groupId] of [
      ['https://a.example/1', 1],
      ['https://a.example/2', work],
      ['https://c.example/', work],
    ] as const)
      feeds.push((await rows.feeds.create(newFeed(link, groupId))).id);
    const { store } = api.opened;
    await giveIcon(store, 'https://a.example/1', icon);
    await giveIcon(store, 'https://a.example/2', icon);
    for (let n = 0; n < 4; n += 1) {
      await fill(store, 'https://a.example/1', [
        published(`a${n}`, { author: 'Ada', pubDate: 1_700_000_000_000 - n * 1000 }),
      ]);
      await fill(store, 'https://c.example/', [published(`c${n}`, { title: '<b>"\u{1F600}"' })]);
      api.clock.advance(hour);
    }
    begun = api.clock.now();
    ids = (await listAll(rows)).map(({ id }) => id).sort((a, b) => a - b);
    return () => api.close();
  });

  async function keyOf(user: User, scope: 'read' | 'write'): Promise<string> {
    const { secret } = await createToken(api.accounts, user, { name: 'an app', scope });
    return feverKey(user.username, secret);
  }

  const form = (fields: Record<string, string>) => ({
    body: new URLSearchParams(fields).toString(),
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
  });
  const post = (query: string, fields: Record<string, string> = {}, path = '/fever/') =>
    api.visitor().send('POST', `${path}?api&${query}`, form({ api_key: key, ...fields }));
  async function ask(query: string, fields: Record<string, string> = {}): Promise<FeverBody> {
    const response = await post(query, fields);
    expect(response.status).toBe(200);
    return (await response.json()) as FeverBody;
  }
  const unread = async () => idsOf((await ask('unread_item_ids')).unread_item_ids);
  const seconds = () => Math.floor(api.clock.now() / 1000);

  describe('logging in', () => {
    const unknown = { status: 200, body: { api_version: 3, auth: 0 } };
    const known = { api_version: 3, auth: 1, last_refreshed_on_time: expect.any(Number) };

    it.each(['/fever/', '/fever', '/fever.php', '/api/fever.php'])('is possible at %s', async (path) => {
      expect(await answerOf(await post('', {}, path))).toEqual({ status: 200, body: known });
      const inQuery = await api.visitor().get(`${path}?api&api_key=${key}`);
      expect(await answerOf(inQuery)).toEqual({ status: 200, body: known });
      expect(inQuery.headers.get('content-type')).toBe('application/json; charset=utf-8');
    });

    it('takes the key in capitals, in a body of several parts, and under a wrong Content-Type', async () => {
      const parts = new FormData();
      parts.set('api_key', key.toUpperCase());
      parts.set('unread_item_ids', '');
      const { status, body } = await answerOf(
        await api.visitor().send('POST', '/fever/?api', { body: parts }),
      );
      expect({ status, body }).toEqual({
        status: 200,
        body: { ...known, unread_item_ids: expect.any(String) },
      });
      const asText = { body: `api_key=${key}`, headers: { 'Content-Type': 'text/plain' } };
      expect((await answerOf(await api.visitor().send('POST', '/fever/?api', asText))).body).toEqual(known);
    });

    it('answers 200 and auth 0 to whoever it does not know', async () => {
      const visitor = api.visitor();
      expect(await answerOf(await visitor.get('/fever/?api'))).toEqual(unknown);
      expect(await answerOf(await visitor.get('/fever/?api&items&api_key='))).toEqual(unknown);
      expect(await answerOf(await visitor.get(`/fever/?api&items&api_key=${'0'.repeat(32)}`))).toEqual(
        unknown,
      );
      const bySession = await (await api.logIn('anna')).get('/fever/?api&items');
      expect(await answerOf(bySession)).toEqual(unknown);
    });

    it('throttles wrong keys of an address, never one that is right or missing, and locks nobody out of the web app', async () => {
      const strict = api.again({ loginLimits: { rateLimit: 2 } });
      // What was tried before is over by then.
      api.clock.advance(hour);
      const visitor = strict.visitor();
      const from = '203.0.113.77';
      const tryLogin = () =>
        visitor
          .post('/api/sessions', { username: 'anna', password: 'wrong' }, { from })
          .then(({ status }) => status);
      for (let n = 0; n < 5; n += 1) {
        await visitor.get(`/fever/?api&api_key=${key}`, { from });
        await visitor.get('/fever/?api', { from });
      }
      for (let n = 0; n < 4; n += 1)
        expect(await answerOf(await visitor.get('/fever/?api&api_key=wrong', { from }))).toEqual(unknown);
      const { status } = await visitor.get('/v1/me', { from, headers: { 'X-Auth-Token': 'wrong' } });
      expect(status).toBe(429);
      expect(await tryLogin()).toBe(401);
      expect(await answerOf(await visitor.get(`/fever/?api&api_key=${key}`, { from }))).toMatchObject({
        body: { auth: 1 },
      });
    });

    it('knows no key of a token that was revoked', async () => {
      const { token, secret } = await createToken(api.accounts, anna, { name: 'lost', scope: 'write' });
      const lost = feverKey('anna', secret);
      const auth = async () =>
        ((await (await api.visitor().get(`/fever/?api&api_key=${lost}`)).json()) as FeverBody).auth;
      expect(await auth()).toBe(1);
      await rows.tokens.delete(token.id);
      expect(await auth()).toBe(0);
    });
  });

  it('says when a feed was last asked for, and not when that was asked', async () => {
    expect((await ask('')).last_refreshed_on_time).toBe(0);
    const at = api.clock.now() - hour;
    const target = { link: 'https://c.example/', proxy: '' };
    const found = (await api.opened.store.pulls.findFeeds(target)).map(({ id }) => id);
    await api.opened.store.pulls.settle(
      await takeFence(api.opened.store),
      target,
      found,
      () => ({ state: { last_checked_at: at } }),
      () => false,
    );
    expect((await ask('')).last_refreshed_on_time).toBe(Math.floor(at / 1000));
  });

  it('lists groups and feeds, and which are of which, all in one call', async () => {
    const { groups, feeds: listed, feeds_groups } = await ask('groups&feeds');
    expect(groups).toEqual([
      { id: 1, title: 'Default' },
      { id: work, title: 'Wörk & "more"' },
    ]);
    expect(listed).toEqual([
      {
        id: feeds[0],
        favicon_id: feeds[0],
        title: 'https://a.example/1',
        url: 'https://a.example/1',
        site_url: '',
        is_spark: 0,
        last_updated_on_time: expect.any(Number),
      },
      expect.objectContaining({ id: feeds[1], favicon_id: feeds[0] }),
      expect.objectContaining({ id: feeds[2], favicon_id: 0, title: 'https://c.example/' }),
    ]);
    expect(feeds_groups).toEqual([
      { group_id: 1, feed_ids: `${feeds[0]}` },
      { group_id: work, feed_ids: `${feeds[1]},${feeds[2]}` },
    ]);
    expect(Object.keys(await ask('groups'))).toEqual(expect.arrayContaining(['groups', 'feeds_groups']));
    expect(Object.keys(await ask('feeds'))).toEqual(expect.arrayContaining(['feeds', 'feeds_groups']));
  });

  it('gives the icon of a site once, as what follows "data:"', async () => {
    expect((await ask('favicons')).favicons).toEqual([{ id: feeds[0], data: 'image/png;base64,iVBORw==' }]);
  });

  it('has no hot links', async () => {
    expect((await ask('links&offset=0&range=7&page=1')).links).toEqual([]);
  });

  describe('the items', () => {
    it('say all that is known of them', async () => {
      const [first] = ids;
      const { items, total_items } = await ask(`items&with_ids=${first}`);
      expect(total_items).toBe(8);
      expect(items).toEqual([
        {
          id: first,
          feed_id: feeds[0],
          title: 'Title of a0',
          author: 'Ada',
          html: '<p>a0</p>',
          url: 'https://example.org/a0',
          is_saved: 0,
          is_read: 0,
          created_on_time: 1_700_000_000,
        },
      ]);
    });

    it.each([
      { what: 'up from the oldest', query: '', expected: () => ids },
      { what: 'up from what the app has', query: () => `&since_id=${ids[2]}`, expected: () => ids.slice(3) },
      { what: 'none above the newest', query: () => `&since_id=${ids.at(-1)}`, expected: () => [] },
      { what: 'down from the newest', query: '&max_id=0', expected: () => ids.toReversed() },
      {
        what: 'down from what the app has',
        query: () => `&max_id=${ids[2]}`,
        expected: () => [ids[1], ids[0]],
      },
      {
        what: 'those that are named',
        query: () => `&with_ids=${ids[5]},%20${ids[1]},999`,
        expected: () => [ids[5], ids[1]],
      },
      { what: 'all for an empty argument', query: '&since_id=&max_id=&with_ids=', expected: () => ids },
      { what: 'those of a feed', query: () => `&feed_ids=${feeds[0]}`, expected: () => every(0) },
      {
        what: 'those of a group',
        query: () => `&group_ids=${work}&since_id=${ids[2]}`,
        expected: () => every(1).slice(1),
      },
      {
        what: 'those of several',
        query: () => `&group_ids=1&feed_ids=${feeds[2]},99&max_id=0`,
        expected: () => ids.toReversed(),
      },
    ])('come as asked: $what', async ({ query, expected }) => {
      const { items } = await ask(`items${typeof query === 'string' ? query : query()}`);
      expect(items.map(({ id }) => id)).toEqual(expected());
    });

    const every = (rest: number) => ids.filter((_, n) => n % 2 === rest);

    it('come by 50, and the app sees each of them once', async () => {
      const ben = await api.addUser('many');
      const own = api.opened.store.forUser(ben.id);
      const { id: feedId } = await own.feeds.create(newFeed('https://many.example/'));
      await fillMany(api.opened.database, { userId: ben.id, feedId, count: 120 });
      const bensKey = await keyOf(ben, 'read');
      const page = async (query: string) =>
        (await (
          await api.visitor().get(`/fever/?api&api_key=${bensKey}&items&${query}`)
        ).json()) as FeverBody;
      for (const [name, next] of [
        ['since_id', (seen: number[]) => Math.max(0, ...seen)],
        ['max_id', (seen: number[]) => (seen.length === 0 ? 0 : Math.min(...seen))],
      ] as const) {
        const seen: number[] = [];
        for (;;) {
          const { items, total_items } = await page(`${name}=${next(seen)}`);
          expect(total_items).toBe(120);
          if (items.length === 0) break;
          expect(items.length).toBeLessThanOrEqual(50);
          seen.push(...items.map(({ id }) => id));
        }
        expect(seen).toHaveLength(120);
        expect(new Set(seen).size).toBe(120);
      }
      const all = (await own.stream.ids({ limit: 120 })).join(',');
      expect((await page(`with_ids=${all}`)).items).toHaveLength(50);
    });
  });

  describe('marks', () => {
    const markOf = async (id: number) => (await rows.entries.get(id)).unread;

    it('read and unread one item, or several, and answer with what is unread then', async () => {
      const [one = 0, two = 0, three = 0] = ids;
      const read = await ask('', { mark: 'item', as: 'read', id: `${one}` });
      expect(idsOf(read.unread_item_ids)).toEqual(ids.slice(1));
      expect(read).not.toHaveProperty('saved_item_ids');
      expect(await markOf(one)).toBe(false);
      const many = await post('', {}).then(() =>
        ask(`id=${two}`, { mark: 'item', as: 'read', id: `${three},${one}` }),
      );
      expect(idsOf(many.unread_item_ids)).toEqual(ids.slice(3));
      const { items } = await ask(`items&with_ids=${one}`);
      expect(items[0]).toMatchObject({ is_read: 1 });
      const back = await ask('', { mark: 'item', as: 'unread', id: `${one},${two},${three}` });
      expect(idsOf(back.unread_item_ids)).toEqual(ids);
    });

    it('save and unsave an item, as often as one likes, and answer with what is saved then', async () => {
      const [one] = ids;
      for (const _ of [1, 2]) {
        const saved = await ask('', { mark: 'item', as: 'saved', id: `${one}` });
        expect(saved.saved_item_ids).toBe(`${one}`);
        expect(saved).not.toHaveProperty('unread_item_ids');
      }
      expect(await rows.bookmarks.list({ limit: 10 })).toMatchObject({ total: 1 });
      expect((await ask(`items&with_ids=${one}`)).items[0]).toMatchObject({ is_saved: 1 });
      expect((await ask('saved_item_ids')).saved_item_ids).toBe(`${one}`);
      for (const _ of [1, 2])
        expect((await ask('', { mark: 'item', as: 'unsaved', id: `${one}` })).saved_item_ids).toBe('');
      expect(await rows.bookmarks.list({ limit: 10 })).toMatchObject({ total: 0 });
    });

    it('may stand in the address, and beside what is asked for', async () => {
      const [one] = ids;
      const query = `/fever/?api&api_key=${key}&mark=item&as=read&id=${one}&feeds`;
      const body = (await (await api.visitor().get(query)).json()) as FeverBody;
      expect(idsOf(body.unread_item_ids)).toEqual(ids.slice(1));
      expect(body.feeds).toHaveLength(3);
      await ask('', { mark: 'item', as: 'unread', id: `${one}` });
    });

    it('pass over items that are gone', async () => {
      const body = await ask('', { mark: 'item', as: 'read', id: '999999999' });
      expect(idsOf(body.unread_item_ids)).toEqual(ids);
      expect((await ask('', { mark: 'item', as: 'saved', id: '999999999' })).saved_item_ids).toBe('');
    });

    describe('of a feed or a group', () => {
      /** The first second of which the nth pair of entries is not. */
      const cameBefore = (n: number) => String((begun - (4 - n) * hour) / 1000);
      const restore = () => ask('', { mark: 'item', as: 'unread', id: ids.join(',') });
      const of = (rest: number, from: number, to: number) =>
        ids.filter((_, n) => n % 2 === rest && n >= from * 2 && n < to * 2);

      it.each([
        { what: 'a feed', fields: () => ({ mark: 'feed', id: `${feeds[0]}` }), rest: [0] },
        { what: 'a group', fields: () => ({ mark: 'group', id: `${work}` }), rest: [1] },
        { what: 'everything', fields: () => ({ mark: 'group', id: '0' }), rest: [0, 1] },
        {
          what: 'the sparks, of which there are none',
          fields: () => ({ mark: 'group', id: '-1' }),
          rest: [],
        },
        { what: 'a feed that is not there', fields: () => ({ mark: 'feed', id: '999' }), rest: [] },
        { what: 'a group that is not there', fields: () => ({ mark: 'group', id: '999' }), rest: [] },
      ])('read $what, by when the items came', async ({ fields, rest }) => {
        const marked = (to: number) => rest.flatMap((one) => of(one, 0, to));
        for (const to of [0, 1, 3]) {
          const body = await ask('', { ...fields(), as: 'read', before: cameBefore(to) });
          expect(idsOf(body.unread_item_ids)).toEqual(ids.filter((id) => !marked(to).includes(id)));
        }
        const all = await ask('', { ...fields(), as: 'read' });
        expect(idsOf(all.unread_item_ids)).toEqual(ids.filter((id) => !marked(4).includes(id)));
        expect(idsOf((await restore()).unread_item_ids)).toEqual(ids);
      });

      it('leave what has come since, whatever its date', async () => {
        const before = seconds();
        api.clock.advance(2000);
        await fill(api.opened.store, 'https://c.example/', [
          published('late', { pubDate: 1_000_000_000_000 }),
        ]);
        await ask('', { mark: 'group', as: 'read', id: '0', before: String(before) });
        const [late, ...rest] = await unread();
        expect(rest).toEqual([]);
        expect(await rows.entries.get(late ?? 0)).toMatchObject({ guid: 'late' });
        await ask('', { mark: 'group', as: 'read', id: '0', before: '999999999999999' });
        expect(await unread()).toEqual([]);
        await restore();
      });

      it('leave what came in the very second, which the app may not have seen', async () => {
        const [newest] = await rows.stream.ids({ limit: 1 });
        const { createdAt } = await rows.entries.get(newest ?? 0);
        await rows.entries.mark([newest ?? 0], { read: false });
        const second = Math.floor(createdAt / 1000);
        await ask('', { mark: 'group', as: 'read', id: '0', before: String(second) });
        expect(await unread()).toEqual([newest]);
        await ask('', { mark: 'group', as: 'read', id: '0', before: `${second + 1}.7` });
        expect(await unread()).toEqual([]);
        await restore();
      });
    });

    it('know nothing of what was read recently, and say what is unread', async () => {
      const before = await unread();
      const body = await ask('', { unread_recently_read: '1' });
      expect(idsOf(body.unread_item_ids)).toEqual(before);
      expect(body.auth).toBe(1);
    });

    it.each([
      { fields: { mark: 'item', as: 'burnt', id: '1' }, field: 'as' },
      { fields: { mark: 'item', id: '1' }, field: 'as' },
      { fields: { mark: 'item', as: 'read' }, field: 'id' },
      { fields: { mark: 'item', as: 'read', id: 'x' }, field: 'id' },
      { fields: { mark: 'item', as: 'read', id: '1e99' }, field: 'id' },
      { fields: { mark: 'feed', as: 'read' }, field: 'id' },
      { fields: { mark: 'feed', as: 'saved', id: '1' }, field: 'as' },
      { fields: { mark: 'group', as: 'unread', id: '1' }, field: 'as' },
      { fields: { mark: 'group', as: 'read', id: '0', before: 'now' }, field: 'before' },
      { fields: { mark: 'shelf', as: 'read', id: '1' }, field: 'mark' },
      { fields: { items: '', since_id: 'x' }, field: 'since_id' },
      { fields: { items: '', max_id: '9'.repeat(40) }, field: 'max_id' },
      { fields: { items: '', with_ids: '1,two' }, field: 'with_ids' },
      { fields: { items: '', feed_ids: "1' OR 1=1" }, field: 'feed_ids' },
      {
        fields: { items: '', group_ids: Array.from({ length: 101 }, (_, n) => n).join(',') },
        field: 'group_ids',
      },
    ])('and lists name the field $field when it is wrong, as in $fields', async ({ fields, field }) => {
      const before = await unread();
      const { status, body } = await answerOf(await post('', fields as unknown as Record<string, string>));
      expect({ status, body }).toEqual({
        status: 400,
        body: { api_version: 3, auth: 1, error: expect.stringMatching(`^${field}: `) },
      });
      expect(await unread()).toEqual(before);
    });

    it('of a read-only token are refused, and its reading is not', async () => {
      const readOnly = await keyOf(anna, 'read');
      const [one] = ids;
      const answer = await post('', { api_key: readOnly, mark: 'item', as: 'read', id: `${one}` });
      expect(await answerOf(answer)).toEqual({
        status: 403,
        body: { api_version: 3, auth: 1, error: 'this token may only read' },
      });
      expect(await unread()).toContain(one);
      expect((await ask('items', { api_key: readOnly })).items).not.toEqual([]);
    });
  });

  it('lists what is unread, however much that is', async () => {
    const user = await api.addUser('behind');
    const own = api.opened.store.forUser(user.id);
    const { id: feedId } = await own.feeds.create(newFeed('https://behind.example/'));
    await fillMany(api.opened.database, { userId: user.id, feedId, count: 10_001 });
    const usersKey = await keyOf(user, 'read');
    const all = await own.stream.ids({ oldestFirst: true, limit: 20_000 });
    for (const read of [0, 1, 1]) {
      await own.entries.mark(all.splice(0, read), { read: true });
      const { unread_item_ids } = await ask('unread_item_ids', { api_key: usersKey });
      expect(unread_item_ids).toBe(all.join(','));
    }
  });

  it('shows and marks nothing of another user', async () => {
    const other = await api.addUser('other');
    const others = await keyOf(other, 'write');
    const before = await api.rows();
    const body = await ask('groups&feeds&favicons&items&unread_item_ids&saved_item_ids', { api_key: others });
    expect(body).toMatchObject({
      groups: [{ id: 1, title: 'Default' }],
      feeds: [],
      feeds_groups: [],
      favicons: [],
      items: [],
      total_items: 0,
      unread_item_ids: '',
      saved_item_ids: '',
    });
    expect((await ask(`items&with_ids=${ids.join(',')}`, { api_key: others })).items).toEqual([]);
    for (const fields of [
      { mark: 'item', as: 'read', id: ids.join(',') },
      { mark: 'item', as: 'unread', id: ids.join(',') },
      { mark: 'item', as: 'saved', id: ids.join(',') },
      { mark: 'item', as: 'unsaved', id: ids.join(',') },
      { mark: 'feed', as: 'read', id: `${feeds[0]}` },
      { mark: 'group', as: 'read', id: `${work}` },
      { mark: 'group', as: 'read', id: '0' },
    ])
      await ask('', { ...fields, api_key: others });
    expect(await api.rows()).toEqual(before);
  });

  it('refuses a body that is too large, and one that is no form', async () => {
    expect((await post('', { filler: 'x'.repeat(2 * 1024 * 1024) })).status).toBe(413);
    const headers = { 'Content-Type': 'multipart/form-data; boundary=x' };
    expect((await api.visitor().send('POST', '/fever/?api', { body: '--y\r\n', headers })).status).toBe(400);
  });
});
