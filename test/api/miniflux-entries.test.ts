// The entries that Miniflux's API gives, and what is done to them.
import { beforeAll, describe, expect, it } from 'vitest';
import { createToken } from '../../src/accounts/tokens.ts';
import { searchSources } from '../../src/cli/search-sources.ts';
import type { User } from '../../src/model/user.ts';
import { createIndexer, indexEverything } from '../../src/search/index-pending.ts';
import type { UserRows } from '../../src/store/store.ts';
import { openApi, type TestApi } from '../support/api.ts';
import { onEachEngine } from '../support/engines.ts';
import {
  type MinifluxApp,
  type MinifluxEntry,
  minifluxApps,
  newsboatLike,
} from '../support/miniflux-client.ts';
import { fill, fillMany, newFeed, published } from '../support/reader.ts';
import { noFiles } from '../support/search-docs.ts';

const begin = Date.UTC(2026, 0, 1);
const hour = 3_600_000;
const seconds = (millis: number) => Math.floor(millis / 1000);

interface List {
  total: number;
  entries: MinifluxEntry[];
}

onEachEngine('the entries of the Miniflux API', (engine) => {
  let api: TestApi;
  let anna: User;
  let rows: UserRows;
  let app: MinifluxApp;
  let work: number;
  let feeds: number[];
  /** Of a to f, by name: a to c in one feed, and each later by its date than the one before, though it came earlier. */
  let ids: Record<string, number>;

  beforeAll(async () => {
    api = await openApi(engine);
    anna = await api.addUser('anna');
    rows = api.opened.store.forUser(anna.id);
    const { secret } = await createToken(api.accounts, anna, { name: 'an app', scope: 'write' });
    app = newsboatLike(api.visitor(), { username: 'anna', secret });
    work = (await rows.groups.create({ name: 'Work' })).id;
    feeds = [];
    for (const [link, groupId] of [
      ['https://a.example/', 1],
      ['https://b.example/', work],
    ] as const)
      feeds.push((await rows.feeds.create(newFeed(link, groupId))).id);
    for (const [n, guid] of ['f', 'e', 'd', 'c', 'b', 'a'].entries()) {
      const entry = published(guid, {
        author: `Author ${guid}`,
        categories: guid === 'a' ? ['Space', 'Mars'] : ['Space'],
        content: `<p>${guid === 'b' ? 'umbrella' : 'words'}</p>`,
        enclosures:
          guid === 'a' ? [{ url: 'https://a.example/a.mp3', type: 'audio/mpeg', lengthBytes: 9 }] : [],
        pubDate: begin - n * 24 * hour,
      });
      await fill(api.opened.store, 'abc'.includes(guid) ? 'https://a.example/' : 'https://b.example/', [
        entry,
      ]);
      api.clock.advance(hour);
    }
    const all = await rows.entries.list({ order: 'pub_date', limit: 10 });
    ids = Object.fromEntries(all.map(({ guid, id }) => [guid, id]));
    await rows.entries.mark([id('b'), id('e')], { read: true });
    await app.star([id('c')]);
    const { searchIndex, leases } = api.opened.store;
    const sources = Object.values(searchSources(api.opened.store, noFiles));
    await indexEverything(createIndexer({ searchIndex, leases, sources }, 'test'));
    return () => api.close();
  });

  const id = (guid: string) => ids[guid] ?? 0;
  const list = async (query: string) => {
    const { status, body } = await app.call<List>('GET', query);
    expect(status).toBe(200);
    const names = new Map(Object.entries(ids).map(([guid, one]) => [one, guid]));
    return { total: body.total, guids: body.entries.map((entry) => names.get(entry.id)).join('') };
  };

  /** What is not known before the tests run. */
  function standsFor(name: string): number | undefined {
    const [unit, count] = name.split(' ');
    if (unit === 'day') return seconds(begin + Number(count) * 24 * hour);
    if (unit === 'hour') return seconds(begin + Number(count) * hour);
    return { ...ids, work, one: feeds[0], two: feeds[1] }[name];
  }

  it('say all that is known of them', async () => {
    const { body } = await app.call<List>('GET', `/entries/${id('a')}`);
    expect(body).toEqual({
      id: id('a'),
      user_id: anna.id,
      feed_id: feeds[0],
      status: 'unread',
      hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      title: 'Title of a',
      url: 'https://example.org/a',
      comments_url: '',
      published_at: '2025-12-27T00:00:00Z',
      created_at: '2026-01-01T05:00:00Z',
      changed_at: '2026-01-01T05:00:00Z',
      content: '<p>words</p>',
      author: 'Author a',
      share_code: '',
      starred: false,
      reading_time: 1,
      enclosures: [
        {
          id: expect.any(Number),
          user_id: anna.id,
          entry_id: id('a'),
          url: 'https://a.example/a.mp3',
          mime_type: 'audio/mpeg',
          size: 9,
          media_progression: 0,
        },
      ],
      feed: expect.objectContaining({
        id: feeds[0],
        category: expect.objectContaining({ id: 1, title: 'Default' }),
      }),
      tags: ['Space', 'Mars'],
    });
    const { enclosures } = body as unknown as { enclosures: { id: number }[] };
    expect((await app.call('GET', `/enclosures/${enclosures[0]?.id}`)).body).toEqual(enclosures[0]);
    expect((await app.call('GET', `/enclosures/${(enclosures[0]?.id ?? 0) + 1}`)).status).toBe(404);
    expect((await app.call<List>('GET', '/entries')).body.entries).toContainEqual(body);
    expect((await app.call('GET', `/feeds/${feeds[0]}/entries/${id('a')}`)).body).toEqual(body);
    expect((await app.call('GET', `/feeds/${feeds[1]}/entries/${id('a')}`)).status).toBe(404);
    expect((await app.call('GET', `/categories/1/entries/${id('a')}`)).body).toEqual(body);
    expect((await app.call('GET', `/categories/${work}/entries/${id('a')}`)).status).toBe(404);
  });

  it.each([
    { query: '/entries', guids: 'abcdef' },
    { query: '/entries?direction=desc', guids: 'fedcba' },
    { query: '/entries?order=published_at&direction=ASC', guids: 'abcdef' },
    { query: '/entries?order=id', guids: 'fedcba' },
    { query: '/entries?order=created_at&direction=desc', guids: 'abcdef' },
    { query: '/entries?order=changed_at', guids: 'fedcba' },
    { query: '/entries?order=title&direction=desc', guids: 'fedcba' },
    { query: '/entries?order=author', guids: 'abcdef' },
    { query: '/entries?order=status', guids: 'fdcaeb' },
    { query: '/entries?order=category_title', guids: 'cbafed' },
    { query: '/entries?order=category_id&direction=desc', guids: 'defabc' },
    { query: '/entries?status=unread', guids: 'acdf' },
    { query: '/entries?status=read', guids: 'be' },
    { query: '/entries?status=read&status=unread', guids: 'abcdef' },
    { query: '/entries?status=removed', guids: '' },
    { query: '/entries?status=unread&order=title&direction=desc', guids: 'fdca' },
    { query: '/entries?status=unread&order=id', guids: 'fdca' },
    { query: '/entries?starred=true', guids: 'c' },
    { query: '/entries?starred=1&status=read', guids: '' },
    { query: '/entries?starred=false&status=unread', guids: 'adf' },
    { query: '/entries?search=umbrella', guids: 'b' },
    { query: '/entries?search=umbrella&status=unread', guids: '' },
    { query: '/entries?search=nowhere', guids: '' },
    { query: '/entries?search=words&direction=desc', guids: 'fedca' },
    { query: '/entries?tags=Mars', guids: 'a' },
    { query: '/entries?tags=Space&tags=Mars', guids: 'a' },
    { query: '/entries?tags=Venus', guids: '' },
    { query: '/entries?status=unread&tags=Space', guids: 'acdf' },
    { query: '/entries?after_entry_id={d}', guids: 'abc' },
    { query: '/entries?before_entry_id={d}&status=unread', guids: 'f' },
    { query: '/entries?published_after={day -3}', guids: 'def' },
    { query: '/entries?after={day -3}&before={day 0}', guids: 'de' },
    { query: '/entries?published_before={day -4}', guids: 'a' },
    { query: '/entries?changed_after={hour 3}', guids: 'ab' },
    { query: '/entries?changed_before={hour 2}&status=unread', guids: 'f' },
    { query: '/entries?before=0&after=0&changed_after=0&before_entry_id=0', guids: 'abcdef' },
    { query: '/entries?after=999999999999999', guids: '' },
    { query: '/entries?category_id={work}', guids: 'def' },
    { query: '/entries?category_id={work}&status=unread&direction=desc', guids: 'fd' },
    { query: '/entries?feed_id={one}&category_id={work}', guids: '' },
    { query: '/entries?feed_id={one}&status=unread', guids: 'ac' },
    { query: '/feeds/{two}/entries?order=published_at&direction=desc', guids: 'fed' },
    { query: '/feeds/{two}/entries?status=unread&feed_id={one}', guids: 'df' },
    { query: '/categories/1/entries?status=read', guids: 'b' },
    { query: '/categories/{work}/entries?order=id', guids: 'fed' },
  ])('come as asked: $query', async ({ query, guids }) => {
    const path = query.replaceAll(/\{(.*?)\}/g, (_, name) => String(standsFor(name)));
    expect(await list(path)).toEqual({ total: guids.length, guids });
    const ampersand = path.includes('?') ? '&' : '?';
    expect(await list(`${path}${ampersand}limit=2&offset=1`)).toEqual({
      total: guids.length,
      guids: guids.slice(1, 3),
    });
  });

  it.each([
    { query: 'status=burnt', field: 'status' },
    { query: 'order=colour', field: 'order' },
    { query: 'direction=up', field: 'direction' },
    { query: 'limit=-1', field: 'limit' },
    { query: 'limit=x', field: 'limit' },
    { query: 'offset=1e9', field: 'offset' },
    { query: 'starred=perhaps', field: 'starred' },
    { query: "before=1'--", field: 'before' },
    { query: 'after_entry_id=99999999999999999999', field: 'after_entry_id' },
    { query: 'category_id=999', field: 'category_id' },
    { query: 'feed_id=999', field: 'feed_id' },
  ])('name the field $field when it is wrong, as in $query', async ({ query, field }) => {
    expect(await app.call('GET', `/entries?${query}`)).toEqual({
      status: 400,
      body: { error_message: expect.stringMatching(`^${field}: `) },
    });
  });

  it('come by their ids alone', async () => {
    const all = ['a', 'b', 'c', 'd', 'e', 'f'].map(id);
    expect((await app.call('GET', '/entries/ids')).body).toEqual({ total: 6, entry_ids: all });
    expect((await app.call('GET', '/entries/ids?status=read&limit=1')).body).toEqual({
      total: 2,
      entry_ids: [id('b')],
    });
    expect((await app.call('GET', '/entries/ids?starred=true')).body).toEqual({
      total: 1,
      entry_ids: [id('c')],
    });
  });

  it('come by 100 where no limit is named, and never by more than 1,000', async () => {
    const many = await api.addUser('many');
    const own = api.opened.store.forUser(many.id);
    const { id: feedId } = await own.feeds.create(newFeed('https://many.example/'));
    await fillMany(api.opened.database, { userId: many.id, feedId, count: 1_100 });
    const { secret } = await createToken(api.accounts, many, { name: 'an app', scope: 'read' });
    const reader = newsboatLike(api.visitor(), { username: 'many', secret });
    const read = async (query: string) => (await reader.call<List>('GET', query)).body;
    const newest = await read(`/feeds/${feedId}/entries?order=published_at&direction=desc`);
    expect(newest.total).toBe(1_100);
    expect(newest.entries.map(({ title }) => title)).toEqual(
      Array.from({ length: 100 }, (_, n) => `Title of guid ${1_099 - n}`),
    );
    for (const limit of ['1000', '0', '5000'])
      expect((await read(`/entries?limit=${limit}`)).entries).toHaveLength(1_000);
    const all = await reader.listEntries('order=id');
    expect(new Set(all.map((entry) => entry.id)).size).toBe(1_100);
  });

  describe('are changed', () => {
    const state = async (guid: string) => {
      const { unread, bookmarkId } = await rows.entries.get(id(guid));
      return { unread, starred: bookmarkId !== null };
    };

    it('in their status, many at once, whatever the body is called', async () => {
      expect(
        await app.call('PUT', '/entries', { entry_ids: [id('a'), id('d'), 999_999], status: 'read' }),
      ).toEqual({
        status: 204,
        body: undefined,
      });
      expect(await state('a')).toMatchObject({ unread: false });
      expect(await state('d')).toMatchObject({ unread: false });
      await app.call('PUT', '/entries', { entry_ids: [id('a'), id('d')], status: 'unread', starred: null });
      expect(await list('/entries?status=unread')).toEqual({ total: 4, guids: 'acdf' });
    });

    it('by a star that is put or taken', async () => {
      for (const word of ['bookmark', 'star']) {
        expect(await app.call('PUT', `/entries/${id('a')}/${word}`)).toEqual({
          status: 204,
          body: undefined,
        });
        expect(await state('a')).toEqual({ unread: true, starred: true });
        expect((await app.call('PUT', `/entries/${id('a')}/${word}`)).status).toBe(204);
        expect(await state('a')).toEqual({ unread: true, starred: false });
      }
      const stars = { entry_ids: [id('a'), id('c')], starred: true };
      for (const _ of [1, 2]) expect((await app.call('PUT', '/entries', stars)).status).toBe(204);
      expect(await list('/entries?starred=true')).toEqual({ total: 2, guids: 'ac' });
      await app.call('PUT', '/entries', { entry_ids: [id('a')], starred: false });
      expect(await list('/entries?starred=true')).toEqual({ total: 1, guids: 'c' });
      expect((await app.call('PUT', '/entries/999999/bookmark')).status).toBe(404);
    });

    it.each([
      { body: { entry_ids: [], status: 'read' }, field: 'entry_ids' },
      { body: { entry_ids: [1] }, field: 'status' },
      { body: { entry_ids: [1], status: 'removed' }, field: 'status' },
      { body: { entry_ids: [1.5], status: 'read' }, field: 'entry_ids' },
      { body: { entry_ids: [1e300], status: 'read' }, field: 'entry_ids' },
      { body: { entry_ids: [-1], status: 'read' }, field: 'entry_ids' },
      { body: { status: 'read' }, field: 'entry_ids' },
    ])('and say what is wrong with $body', async ({ body, field }) => {
      expect(await app.call('PUT', '/entries', body)).toEqual({
        status: 400,
        body: { error_message: expect.stringContaining(field) },
      });
    });

    it('by saving the page to the library', async () => {
      // newsboat sends an empty text of JSON along.
      expect(await app.call('POST', `/entries/${id('d')}/save`, '')).toEqual({
        status: 202,
        body: undefined,
      });
      expect(await app.call('POST', `/entries/${id('d')}/save`)).toEqual({ status: 202, body: undefined });
      const items = await api.opened.database.read.selectFrom('items').selectAll().execute();
      expect(items.filter(({ url }) => url === 'https://example.org/d')).toMatchObject([
        { user_id: anna.id, enrichment_status: 'pending', saved_at: expect.any(Number) },
      ]);
      expect((await app.call('POST', '/entries/999999/save')).status).toBe(404);
    });
  });

  it.each(Object.entries(minifluxApps))('are synchronised by a client: %s', async (name, create) => {
    const user = await api.addUser(name.toLowerCase());
    const own = api.opened.store.forUser(user.id);
    const { secret } = await createToken(api.accounts, user, { name: 'an app', scope: 'write' });
    const client = create(api.visitor(), { username: user.username, secret });
    const link = `https://${name.toLowerCase()}.example/`;
    const { id: feedId } = await own.feeds.create(newFeed(link));
    await fillMany(api.opened.database, { userId: user.id, feedId, count: 20 });
    expect(await client.listFeeds()).toEqual([{ id: feedId, title: link, url: link, groupId: 1 }]);
    const all = await client.syncUnread();
    expect(all).toEqual(await own.stream.ids({ oldestFirst: true, limit: 50 }));
    await client.markRead(all.slice(0, 12));
    await client.markUnread(all.slice(0, 2));
    await client.star(all.slice(3, 6));
    await client.unstar(all.slice(3, 5));
    expect(await client.syncUnread()).toEqual([...all.slice(0, 2), ...all.slice(12)]);
    expect(await own.stream.ids({ unread: true, oldestFirst: true, limit: 50 })).toEqual(
      await client.syncUnread(),
    );
    expect(await client.syncSaved()).toEqual([all[5]]);
    const until = api.clock.now();
    api.clock.advance(5_000);
    await fill(api.opened.store, link, [published('new')]);
    await client.markAllRead({ feedId }, until);
    expect(await client.syncUnread()).toHaveLength(1);
    await client.markAllRead('all', api.clock.now());
    expect(await client.syncUnread()).toEqual([]);
    for (const scope of [{ feedId }, { groupId: 1 }, 'all'] as const) {
      await client.markUnread(all);
      await client.markAllRead(scope);
      expect(await client.syncUnread()).toEqual([]);
    }
  });

  it('are nobody else’s to see or to change', async () => {
    const other = await api.addUser('other');
    const { secret } = await createToken(api.accounts, other, { name: 'an app', scope: 'write' });
    const client = newsboatLike(api.visitor(), { username: 'other', secret });
    const before = await api.rows();
    for (const query of [
      '',
      '?starred=true',
      '?status=unread',
      '?search=words',
      `?after_entry_id=${id('f')}`,
    ])
      expect((await client.call('GET', `/entries${query}`)).body).toEqual({ total: 0, entries: [] });
    const all = Object.values(ids);
    for (const body of [{ status: 'read' }, { status: 'unread' }, { starred: true }, { starred: false }])
      expect((await client.call('PUT', '/entries', { entry_ids: all, ...body })).status).toBe(204);
    expect((await client.call('PUT', `/users/${other.id}/mark-all-as-read`)).status).toBe(204);
    expect(await api.rows()).toEqual(before);
  });
});
