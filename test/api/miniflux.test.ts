// The API of Miniflux: who is asking, categories, feeds and what is done to them.
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createToken } from '../../src/accounts/tokens.ts';
import { Upstream } from '../../src/errors.ts';
import type { User } from '../../src/model/user.ts';
import type { UserRows } from '../../src/store/store.ts';
import { answerOf, openApi, password, type TestApi } from '../support/api.ts';
import { onBothEngines } from '../support/engines.ts';
import { type MinifluxApp, minifluxApps, newsboatLike, withApiToken } from '../support/miniflux-client.ts';
import { fill, giveIcon, newFeed, published } from '../support/reader.ts';

const icon = { type: 'image/png', etag: '"1"', bytes: new Uint8Array([137, 80, 78, 71]) };

interface Named {
  id: number;
  [field: string]: unknown;
}

onBothEngines('the Miniflux API', (engine) => {
  let api: TestApi;
  /** Somebody new in each test, who follows nothing yet. */
  let anna: User;
  let link: string;
  let count = 0;
  let rows: UserRows;
  let secret: string;
  let app: MinifluxApp;

  beforeAll(async () => {
    api = await openApi(engine, {
      discoverFeeds: async (address) => {
        if (address === 'down') throw new Upstream('The site does not answer.');
        const found = { title: 'Found', link: `https://${address}/feed`, siteUrl: null, description: '' };
        return address === 'none' ? [] : [{ ...found, entries: 2, newest: [] }];
      },
    });
    await api.addUser('owner');
    return () => api.close();
  });

  beforeEach(async () => {
    // Who failed to log in is forgotten by then.
    api.clock.advance(3_600_000);
    count += 1;
    anna = await api.addUser(`anna${count}`);
    link = `https://a${count}.example/feed`;
    rows = api.opened.store.forUser(anna.id);
    secret = await secretOf(anna, 'write');
    app = withApiToken(api.visitor(), { username: anna.username, secret });
  });

  const secretOf = async (user: User, scope: 'read' | 'write') =>
    (await createToken(api.accounts, user, { name: 'an app', scope })).secret;
  const get = (path: string) => app.call<never>('GET', path);
  const jobs = async () =>
    (await api.opened.store.jobs.list({ limit: 100 })).filter(
      ({ name, payload }) => name === 'pull-feed' && JSON.stringify(payload).includes(link),
    );

  describe('logging in', () => {
    const basic = (text: string) => ({ Authorization: `Basic ${Buffer.from(text).toString('base64')}` });

    it('is possible by username and token, by token alone, and by our own header', async () => {
      for (const headers of [
        basic(`${anna.username}:${secret}`),
        basic(`${anna.username.toUpperCase()}:${secret}`),
        { 'X-Auth-Token': secret },
        { Authorization: `Bearer ${secret}` },
      ])
        expect(await answerOf(await api.visitor().get('/v1/me', { headers }))).toMatchObject({
          status: 200,
          body: { id: anna.id, username: anna.username, is_admin: false },
        });
    });

    it.each([
      { what: 'nothing', headers: () => ({}) },
      { what: 'another name', headers: () => basic(`owner:${secret}`) },
      { what: 'the password of the person', headers: () => basic(`${anna.username}:${password}`) },
      { what: 'a wrong token', headers: () => ({ 'X-Auth-Token': 'wrong' }) },
      { what: 'no Basic at all', headers: () => ({ Authorization: 'Basic !' }) },
    ])('is not possible by $what', async ({ headers }) => {
      const response = await api.visitor().get('/v1/me', { headers: headers() as Record<string, string> });
      expect(response.headers.get('www-authenticate')).toBe('Basic realm="Lectern"');
      expect(await answerOf(response)).toEqual({ status: 401, body: { error_message: expect.any(String) } });
    });

    it('counts wrong ones, and says when to come again', async () => {
      const strict = api.again({ loginLimits: { rateLimit: 1 } });
      const tried = () => strict.visitor().get('/v1/me', { headers: { 'X-Auth-Token': 'wrong' } });
      expect((await tried()).status).toBe(401);
      const response = await tried();
      expect(await answerOf(response)).toMatchObject({
        status: 429,
        body: { error_message: expect.any(String) },
      });
      expect(response.headers.get('retry-after')).toBe('300');
    });

    it.each(Object.entries(minifluxApps))('is what a client does: %s', async (_, create) => {
      const login = create(api.visitor(), { username: anna.username, secret }).login();
      await expect(login).resolves.toBeUndefined();
    });
  });

  it('says of which version it is, and that there is where to save to', async () => {
    expect(await get('/version')).toEqual({
      status: 200,
      body: expect.objectContaining({
        version: expect.stringMatching(/^2\.\d+\.\d+$/),
        commit: 'Lectern 0.0.0-test',
      }),
    });
    expect(await get('/integrations/status')).toEqual({ status: 200, body: { has_integrations: true } });
  });

  describe('categories', () => {
    it('are the groups', async () => {
      const made = await app.call<Named>('POST', '/categories', { title: 'Work' });
      const work = { id: expect.any(Number), title: 'Work', user_id: anna.id, hide_globally: false };
      expect(made).toEqual({ status: 201, body: work });
      expect(await get('/categories')).toEqual({
        status: 200,
        body: [{ id: 1, title: 'Default', user_id: anna.id, hide_globally: false }, work],
      });
      const { id } = made.body;
      expect(await app.call('PUT', `/categories/${id}`, { title: 'Play', hide_globally: null })).toEqual({
        status: 201,
        body: { ...work, title: 'Play' },
      });
      expect(await app.call('PUT', `/categories/${id}`, {})).toMatchObject({ body: { title: 'Play' } });
      expect((await rows.groups.get(id)).name).toBe('Play');
      const { id: feedId } = await rows.feeds.create(newFeed(link, id));
      await fill(api.opened.store, link, [published('a'), published('b')]);
      expect((await get('/categories?counts=true')).body).toMatchObject([
        { id: 1, feed_count: 0, total_unread: 0 },
        { id, feed_count: 1, total_unread: 2 },
      ]);
      expect((await get(`/categories/${id}/feeds`)).body).toMatchObject([{ id: feedId }]);
      expect((await get('/categories/1/feeds')).body).toEqual([]);
      expect(await app.call('DELETE', `/categories/${id}`)).toEqual({ status: 204, body: undefined });
      expect((await rows.feeds.get(feedId)).groupId).toBe(1);
    });

    it('are read as a whole, and fetched', async () => {
      const { id } = await rows.groups.create({ name: 'Work' });
      await rows.feeds.create(newFeed(link, id));
      await rows.feeds.create(newFeed(`${link}/2`));
      for (const one of [link, `${link}/2`])
        await fill(api.opened.store, one, [published('a'), published('b')]);
      expect(await app.call('PUT', `/categories/${id}/mark-all-as-read`)).toEqual({
        status: 204,
        body: undefined,
      });
      expect((await rows.feeds.list()).map(({ unread }) => unread)).toEqual([0, 2]);
      expect(await app.call('PUT', `/categories/${id}/refresh`)).toEqual({ status: 204, body: undefined });
      expect(await jobs()).toMatchObject([{ payload: { link } }]);
    });

    it.each([
      { method: 'POST', path: '', body: { title: 'Default' }, status: 400, says: 'exists already' },
      { method: 'POST', path: '', body: { title: ' ' }, status: 400, says: 'title' },
      { method: 'POST', path: '', body: {}, status: 400, says: 'title' },
      { method: 'POST', path: '', body: [], status: 400, says: 'expected' },
      { method: 'PUT', path: '/999', body: { title: 'x' }, status: 404, says: 'not found' },
      { method: 'PUT', path: '/x', body: { title: 'x' }, status: 400, says: 'id' },
      { method: 'DELETE', path: '/1', body: undefined, status: 400, says: 'cannot be deleted' },
      { method: 'DELETE', path: '/0', body: undefined, status: 400, says: 'id' },
      { method: 'GET', path: '/999/feeds', body: undefined, status: 404, says: 'not found' },
      { method: 'GET', path: '/999/entries', body: undefined, status: 404, says: 'not found' },
    ])('say what is wrong: $method $path $body', async ({ method, path, body, status, says }) => {
      const answer = await app.call(method, `/categories${path}`, body);
      expect(answer).toEqual({ status, body: { error_message: expect.stringContaining(says) } });
    });
  });

  describe('feeds', () => {
    it('show all that is known of them', async () => {
      const { id } = await rows.feeds.create({ ...newFeed(link), name: 'A', siteUrl: 'https://a.example/' });
      await fill(api.opened.store, link, [published('a')]);
      await giveIcon(api.opened.store, link, icon);
      const feed = {
        id,
        user_id: anna.id,
        feed_url: link,
        site_url: 'https://a.example/',
        title: 'A',
        checked_at: '0001-01-01T00:00:00Z',
        parsing_error_count: 0,
        parsing_error_message: '',
        disabled: false,
        crawler: false,
        category: { id: 1, title: 'Default', user_id: anna.id, hide_globally: false },
        icon: { feed_id: id, icon_id: id, external_icon_id: '' },
      };
      expect((await get('/feeds')).body).toEqual([expect.objectContaining(feed)]);
      expect((await get(`/feeds/${id}`)).body).toEqual(expect.objectContaining(feed));
      const data = { id, mime_type: 'image/png', data: 'image/png;base64,iVBORw==' };
      expect(await get(`/feeds/${id}/icon`)).toEqual({ status: 200, body: data });
      expect(await get(`/icons/${id}`)).toEqual({ status: 200, body: data });
      expect(await get('/feeds/counters')).toEqual({
        status: 200,
        body: { reads: {}, unreads: { [id]: 1 } },
      });
      const [entry = 0] = await rows.stream.ids({ limit: 1 });
      await rows.entries.mark([entry], { read: true });
      expect((await get('/feeds/counters')).body).toEqual({ reads: { [id]: 1 }, unreads: {} });
    });

    it('are followed, fetched in the background, and changed', async () => {
      const { id: group } = await rows.groups.create({ name: 'Work' });
      const made = await app.call<{ feed_id: number }>('POST', '/feeds', {
        feed_url: link,
        category_id: group,
        crawler: true,
      });
      expect(made).toEqual({ status: 201, body: { feed_id: expect.any(Number) } });
      const { feed_id: id } = made.body;
      expect(await rows.feeds.get(id)).toMatchObject({
        link,
        groupId: group,
        fullText: true,
        suspended: false,
      });
      expect(await jobs()).toMatchObject([{ name: 'pull-feed', lane: 'interactive', payload: { link } }]);
      const answer = await app.call('PUT', `/feeds/${id}`, {
        title: 'Renamed',
        site_url: '',
        category_id: 1,
        crawler: false,
        disabled: true,
        user_agent: 'ignored',
        feed_url: null,
      });
      expect(answer).toMatchObject({
        status: 201,
        body: { id, title: 'Renamed', feed_url: link, category: { id: 1 }, disabled: true, crawler: false },
      });
      expect(await app.call('PUT', `/feeds/${id}/refresh`)).toEqual({ status: 204, body: undefined });
      expect(await app.call('PUT', '/feeds/refresh')).toEqual({ status: 204, body: undefined });
      expect(await jobs()).toHaveLength(1);
      expect(await app.call('DELETE', `/feeds/${id}`)).toEqual({ status: 204, body: undefined });
      expect(await rows.feeds.list()).toEqual([]);
    });

    it('are followed in the default category by a client that knows none', async () => {
      for (const [n, category_id] of [0, null, undefined].entries())
        expect((await app.call('POST', '/feeds', { feed_url: `${link}/${n}`, category_id })).status).toBe(
          201,
        );
      expect((await rows.feeds.list()).map(({ groupId }) => groupId)).toEqual([1, 1, 1]);
    });

    it('are read as a whole, one or all', async () => {
      const feeds: number[] = [];
      for (const one of [link, `${link}/2`]) {
        feeds.push((await rows.feeds.create(newFeed(one))).id);
        await fill(api.opened.store, one, [published('a'), published('b')]);
      }
      const unread = async () => (await rows.feeds.list()).map((feed) => feed.unread);
      expect((await app.call('PUT', `/feeds/${feeds[0]}/mark-all-as-read`)).status).toBe(204);
      expect(await unread()).toEqual([0, 2]);
      const ben = await api.addUser(`ben${count}`);
      expect((await app.call('PUT', `/users/${ben.id}/mark-all-as-read`)).status).toBe(403);
      expect(await unread()).toEqual([0, 2]);
      expect(await app.call('PUT', `/users/${anna.id}/mark-all-as-read`)).toEqual({
        status: 204,
        body: undefined,
      });
      expect(await unread()).toEqual([0, 0]);
    });

    it.each([
      { method: 'POST', path: '', body: { feed_url: 'ftp://x.example/' }, status: 400, says: 'feed_url' },
      { method: 'POST', path: '', body: {}, status: 400, says: 'feed_url' },
      { method: 'POST', path: '', body: { feed_url: 'LINK' }, status: 400, says: 'LINK' },
      {
        method: 'POST',
        path: '',
        body: { feed_url: 'LINK/2', category_id: 99 },
        status: 400,
        says: 'category_id',
      },
      {
        method: 'POST',
        path: '',
        body: { feed_url: 'LINK/2', category_id: 'x' },
        status: 400,
        says: 'category_id',
      },
      { method: 'PUT', path: '/1', body: { category_id: 99 }, status: 400, says: 'category_id' },
      { method: 'PUT', path: '/1', body: { disabled: 'yes' }, status: 400, says: 'disabled' },
      { method: 'PUT', path: '/1', body: { feed_url: 'x' }, status: 400, says: 'feed_url' },
      { method: 'PUT', path: '/999', body: { title: 'x' }, status: 404, says: 'not found' },
      { method: 'GET', path: '/1.5', body: undefined, status: 400, says: 'id' },
      { method: 'GET', path: '/9999999999999999999999', body: undefined, status: 400, says: 'id' },
      { method: 'GET', path: '/1/icon', body: undefined, status: 404, says: 'icon' },
      { method: 'DELETE', path: '/999', body: undefined, status: 404, says: 'not found' },
    ])(
      'say what is wrong: $method $path $body.feed_url $body.category_id ($says)',
      async ({ method, path, body, status, says }) => {
        const { id } = await rows.feeds.create(newFeed(link));
        const sent = body && JSON.parse(JSON.stringify(body).replace('LINK', link));
        const answer = await app.call(method, `/feeds${path.replace(/^\/1(?=$|\/)/, `/${id}`)}`, sent);
        const message = expect.stringContaining(says.replace('LINK', link));
        expect(answer).toEqual({ status, body: { error_message: message } });
      },
    );

    it('are found at an address', async () => {
      const found = [{ title: 'Found', url: 'https://blog.example/feed', type: 'rss' }];
      expect(await app.call('POST', '/discover', { url: 'blog.example' })).toEqual({
        status: 200,
        body: found,
      });
      expect(await app.call('POST', '/discover', { url: 'none' })).toMatchObject({ status: 404 });
      expect(await app.call('POST', '/discover', { url: 'down' })).toEqual({
        status: 502,
        body: { error_message: 'The site does not answer.' },
      });
      expect(await app.call('POST', '/discover', {})).toMatchObject({ status: 400 });
    });
  });

  it.each(['PUT', 'DELETE'])(
    'keeps what was read, and says so to a %s that would flush it',
    async (method) => {
      await rows.feeds.create(newFeed(link));
      await fill(api.opened.store, link, [published('a')]);
      await rows.entries.markAllRead();
      expect(await app.call(method, '/flush-history')).toEqual({
        status: 403,
        body: { error_message: expect.stringContaining('kept') },
      });
      expect(await rows.entries.count({})).toBe(1);
    },
  );

  it('lets a read-only token read, and change nothing', async () => {
    const reader = newsboatLike(api.visitor(), {
      username: anna.username,
      secret: await secretOf(anna, 'read'),
    });
    expect((await reader.call('GET', '/feeds')).status).toBe(200);
    expect(await reader.call('PUT', '/entries', { entry_ids: [1], status: 'read' })).toEqual({
      status: 403,
      body: { error_message: 'this token may only read' },
    });
  });

  it.each(['{', '', '"text"', 'null', '[]', '1', '{"entry_ids":{}}', '{"entry_ids":["1"],"status":"read"}'])(
    'names what is wrong with the body %s',
    async (body) => {
      for (const [method, path] of [
        ['PUT', '/v1/entries'],
        ['POST', '/v1/categories'],
        ['POST', '/v1/feeds'],
        ['POST', '/v1/discover'],
      ] as const) {
        const response = await api
          .visitor()
          .send(method, path, { body, headers: { 'X-Auth-Token': secret } });
        expect(await answerOf(response)).toEqual({
          status: 400,
          body: { error_message: expect.any(String) },
        });
      }
    },
  );
});
