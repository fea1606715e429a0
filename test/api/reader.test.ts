import { beforeEach, expect, it } from 'vitest';
import { searchSources } from '../../src/cli/search-sources.ts';
import { Upstream } from '../../src/errors.ts';
import { createIndexer, indexEverything } from '../../src/search/index-pending.ts';
import { answerOf, type Client, jsonOf, openEmptyApi, type TestApi } from '../support/api.ts';
import { onBothEngines } from '../support/engines.ts';
import { fill, published } from '../support/reader.ts';
import { noFiles } from '../support/search-docs.ts';

interface Body {
  id: number;
  [field: string]: unknown;
}
interface Page {
  data: Body[];
  total: number;
  next_cursor: string | null;
}

const link = 'https://example.org/feed';

onBothEngines('the reader API', (engine) => {
  let api: TestApi;
  let anna: Client;

  beforeEach(async () => {
    api = await openEmptyApi(engine, {
      discoverFeeds: async (address) => {
        if (address === 'down') throw new Upstream('The site does not answer.');
        return [
          {
            title: 'Found',
            link: `https://${address}/feed`,
            siteUrl: null,
            description: 'What it says',
            entries: 2,
            newest: [
              { title: 'New', pubDate: 1_700_000_000_999 },
              { title: 'Undated', pubDate: null },
            ],
          },
        ];
      },
    });
    await api.addUser('anna');
    anna = await api.program('anna', 'write');
  });

  const seconds = () => Math.floor(api.clock.now() / 1000);
  const one = async (response: Response) => (await jsonOf<{ data: Body }>(response)).data;
  const page = async (path: string) => jsonOf<Page>(await anna.get(path));
  const addFeed = async (over = {}) => one(await anna.post('/api/feeds', { link, ...over }));
  const publish = (...guids: string[]) =>
    fill(
      api.opened.store,
      link,
      guids.map((guid, n) => published(guid, { pubDate: 1_700_000_000_000 + n * 1000 })),
    );

  it('adds a feed and shows it with everything that is known of it', async () => {
    const at = seconds();
    const response = await anna.post('/api/feeds', {
      group_id: 1,
      name: 'News',
      link,
      site_url: 'https://example.org',
      proxy: '',
    });
    const body = {
      id: expect.any(Number),
      group_id: 1,
      name: 'News',
      link,
      site_url: 'https://example.org/',
      suspended: false,
      proxy: '',
      keep_entries: null,
      full_text: false,
      gone_at: null,
      moved_from: '',
      moved_at: null,
      created_at: at,
      updated_at: at,
      fetch_state: {
        etag: '',
        last_modified: '',
        cache_control: '',
        expires_at: 0,
        last_checked_at: 0,
        next_check_at: 0,
        last_http_status: 0,
        retry_after_until: 0,
        last_success_at: 0,
        last_error_at: 0,
        last_error: '',
        consecutive_failures: 0,
        moved_to: '',
      },
      icon: false,
      unread_count: 0,
      item_count: 0,
    };
    expect(await answerOf(response)).toEqual({ status: 200, body: { data: body } });
    expect((await page('/api/feeds')).data).toEqual([body]);
  });

  it('fetches a new feed in the background, and so a refresh', async () => {
    const { id } = await addFeed();
    const jobs = () => api.opened.store.jobs.list({ limit: 10 });
    expect(await jobs()).toMatchObject([
      { name: 'pull-feed', lane: 'interactive', payload: { link, manual: true } },
    ]);
    expect((await anna.post(`/api/feeds/${id}/refresh`, undefined)).status).toBe(202);
    expect((await anna.post('/api/feeds/refresh', undefined)).status).toBe(202);
    expect((await anna.post('/api/feeds/refresh', undefined)).status).toBe(202);
    expect(await jobs()).toHaveLength(1);
  });

  it.each([
    ['link', { link: 'ftp://example.org/' }],
    ['link', { link: 'example.org' }],
    ['link', {}],
    ['group_id', { link, group_id: 'x' }],
    ['proxy', { link, proxy: 'gopher://x' }],
    ['name', { link, name: '' }],
  ])('names the field %s when it is wrong, as in %o', async (field, input) => {
    const { status, body } = await answerOf(await anna.post('/api/feeds', input));
    expect(status).toBe(400);
    expect(JSON.stringify(body)).toContain(field);
  });

  it('answers 409 for a feed that is followed already, and 404 for a group that is not there', async () => {
    await addFeed();
    expect((await anna.post('/api/feeds', { link })).status).toBe(409);
    expect((await anna.post('/api/feeds', { link: `${link}/2`, group_id: 99 })).status).toBe(404);
  });

  it('changes a feed and leaves what is not named', async () => {
    const { id } = await addFeed({ name: 'Old' });
    expect(
      await one(await anna.patch(`/api/feeds/${id}`, { suspended: true, keep_entries: 50 })),
    ).toMatchObject({
      name: 'Old',
      suspended: true,
      keep_entries: 50,
      full_text: false,
    });
    expect(await one(await anna.patch(`/api/feeds/${id}`, { full_text: true }))).toMatchObject({
      suspended: true,
      full_text: true,
    });
    const wrong = await anna.patch(`/api/feeds/${id}`, { full_text: 'yes' });
    expect(wrong.status).toBe(400);
    expect(await wrong.text()).toContain('full_text');
    expect((await anna.delete(`/api/feeds/${id}`)).status).toBe(204);
    expect((await anna.get(`/api/feeds/${id}`)).status).toBe(404);
  });

  it('takes many feeds at once, and says of each that it could not take why', async () => {
    await addFeed();
    const feeds = Array.from({ length: 3_000 }, (_, n) => ({
      group_id: 1,
      name: `Feed ${n}`,
      link: `https://${n}.example/feed`,
    }));
    const response = await anna.post('/api/feeds/batch', {
      feeds: [
        ...feeds,
        { link },
        { link: 'nonsense' },
        { link: 'https://x.example', group_id: 99 },
        { link: 'https://y.example', name: '' },
      ],
    });
    expect(await answerOf(response)).toEqual({
      status: 200,
      body: {
        data: {
          created: 3_001,
          failed: 3,
          errors: [
            'nonsense: expected an http(s) address',
            'https://x.example/: there is no such group',
            `${link}: you follow it already`,
          ],
        },
      },
    });
    const listed = await anna.get('/api/feeds');
    expect(listed.headers.get('content-type')).toBe('application/json');
    const parts = await Array.fromAsync(listed.body as ReadableStream<Uint8Array>);
    // It is written in batches, between which others are answered.
    expect(parts.length).toBeGreaterThanOrEqual(6);
    const { data, total } = JSON.parse(Buffer.concat(parts).toString());
    expect(total).toBe(3_002);
    expect(new Set(data.map((feed: { link: string }) => feed.link)).size).toBe(3_002);
    const found = await jsonOf<{ data: { feeds: object[] } }>(await anna.get('/api/search?q=FEED%202999'));
    expect(found.data.feeds).toEqual([expect.objectContaining({ name: 'Feed 2999' })]);
  });

  it('finds the feeds of an address, and says when the site does not answer', async () => {
    expect(await answerOf(await anna.post('/api/feeds/validate', { url: 'example.org' }))).toEqual({
      status: 200,
      body: {
        data: {
          feeds: [
            {
              title: 'Found',
              link: 'https://example.org/feed',
              site_url: null,
              description: 'What it says',
              item_count: 2,
              newest: [
                { title: 'New', pub_date: 1_700_000_000 },
                { title: 'Undated', pub_date: null },
              ],
              feed_id: null,
            },
          ],
        },
      },
    });
    const { id } = await addFeed();
    expect(await jsonOf(await anna.post('/api/feeds/validate', { url: 'example.org' }))).toMatchObject({
      data: { feeds: [{ feed_id: id }] },
    });
    expect(await answerOf(await anna.post('/api/feeds/validate', { url: 'down' }))).toEqual({
      status: 502,
      body: { error: 'The site does not answer.' },
    });
  });

  it('lists entries by pages that lead from one to the next', async () => {
    await addFeed();
    await publish('a', 'b', 'c', 'd', 'e');
    const first = await page('/api/items?limit=2');
    expect(first).toMatchObject({ total: 5, next_cursor: expect.stringMatching(/^\d+_\d+$/) });
    const second = await page(`/api/items?limit=2&before=${first.next_cursor}`);
    const third = await page(`/api/items?limit=2&before=${second.next_cursor}`);
    expect([first, second, third].flatMap(({ data }) => data.map(({ guid }) => guid))).toEqual([
      'e',
      'd',
      'c',
      'b',
      'a',
    ]);
    expect(third.next_cursor).toBeNull();
    expect(first.data[0]).toEqual({
      id: expect.any(Number),
      feed_id: expect.any(Number),
      guid: 'e',
      title: 'Title of e',
      link: 'https://example.org/e',
      author: '',
      content: '<p>e</p>',
      enclosures: [],
      categories: [],
      pub_date: 1_700_000_004,
      unread: true,
      bookmark_id: null,
      created_at: seconds(),
      updated_at: seconds(),
    });
    expect(await one(await anna.get(`/api/items/${first.data[0]?.id}`))).toEqual(first.data[0]);
  });

  it('lists entries from the oldest on by the same pages', async () => {
    const group = await one(await anna.post('/api/groups', { name: 'Others' }));
    const feed = await addFeed({ group_id: group.id });
    await publish('a', 'b', 'c', 'd', 'e');
    const scopes = [
      '',
      '&unread=true',
      `&feed_id=${feed.id}`,
      `&group_id=${group.id}`,
      `&group_id=${group.id}&unread=true`,
    ];
    for (const scope of scopes) {
      const guids: unknown[] = [];
      for (let cursor: string | null = ''; cursor !== null; ) {
        const some: Page = await page(
          `/api/items?order=oldest&limit=2${scope}${cursor && `&before=${cursor}`}`,
        );
        guids.push(...some.data.map(({ guid }) => guid));
        cursor = some.next_cursor;
      }
      expect(guids, scope).toEqual(['a', 'b', 'c', 'd', 'e']);
    }
    const { data } = await page('/api/items?order=oldest&order_by=created_at&limit=1');
    expect(data).toMatchObject([{ guid: 'a' }]);
  });

  it('lists entries in brief: how each begins, and nothing more of its content', async () => {
    await addFeed();
    await fill(api.opened.store, link, [
      published('long', { content: `<p>First &amp; foremost</p><p>${'word '.repeat(5_000)}</p>` }),
      published('empty', { content: '' }),
    ]);
    const { data } = await page('/api/items?view=brief&order=oldest&order_by=created_at');
    expect(data).toMatchObject([
      { guid: 'long', content: '', excerpt: expect.stringMatching(/^First & foremost (word ){30,40}word…$/) },
      { guid: 'empty', content: '', excerpt: '' },
    ]);
    for (const { excerpt } of data) expect(String(excerpt).length).toBeLessThanOrEqual(201);
    expect((await page('/api/items')).data[0]).not.toHaveProperty('excerpt');
    expect((await anna.get('/api/items?view=short')).status).toBe(400);
  });

  it('takes up to 200 entries in brief and up to 100 in full', async () => {
    await addFeed();
    await publish(...Array.from({ length: 210 }, (_, n) => `g${n}`));
    expect((await page('/api/items?limit=500')).data).toHaveLength(100);
    expect((await page('/api/items?limit=500')).next_cursor).not.toBeNull();
    expect((await page('/api/items?limit=500&view=brief')).data).toHaveLength(200);
  });

  it('says of an entry which bookmark it has', async () => {
    await addFeed();
    await publish('a', 'b');
    const [b, a] = (await page('/api/items')).data;
    const bookmark = await one(await anna.post('/api/bookmarks', { item_id: a?.id }));
    expect((await page('/api/items?view=brief')).data.map((entry) => entry.bookmark_id)).toEqual([
      null,
      bookmark.id,
    ]);
    expect(await one(await anna.get(`/api/items/${a?.id}`))).toMatchObject({ bookmark_id: bookmark.id });
    expect(await one(await anna.get(`/api/items/${b?.id}`))).toMatchObject({ bookmark_id: null });
    await anna.delete(`/api/bookmarks/${bookmark.id}`);
    expect(await one(await anna.get(`/api/items/${a?.id}`))).toMatchObject({ bookmark_id: null });
  });

  it('takes a limit over 100 for 100, and refuses what makes no sense', async () => {
    expect((await anna.get('/api/items?limit=5000')).status).toBe(200);
    for (const query of [
      'limit=0',
      'limit=x',
      'before=nonsense',
      'before=1_1&order_by=created_at',
      'order_by=size',
      'order=first',
      'unread=maybe',
      'feed_id=x',
    ])
      expect((await anna.get(`/api/items?${query}`)).status, query).toBe(400);
    expect((await anna.get('/api/items?order_by=created_at')).status).toBe(200);
  });

  it('marks entries read and unread, and everything at once', async () => {
    const feed = await addFeed();
    await publish('a', 'b', 'c');
    const ids = (await page('/api/items')).data.map(({ id }) => id);
    expect((await anna.patch('/api/items/-/read', { ids: ids.slice(0, 2) })).status).toBe(204);
    expect((await page('/api/items?unread=true')).total).toBe(1);
    expect((await page('/api/items?unread=false')).data).toHaveLength(2);
    expect((await anna.patch('/api/items/-/unread', { ids })).status).toBe(204);
    expect((await page('/api/items?unread=1')).total).toBe(3);
    expect((await anna.post('/api/items/-/read-all', { feed_id: feed.id })).status).toBe(204);
    expect(await page(`/api/items?unread=true&feed_id=${feed.id}`)).toMatchObject({ total: 0, data: [] });
    expect(await one(await anna.get(`/api/feeds/${feed.id}`))).toMatchObject({
      unread_count: 0,
      item_count: 3,
    });
    for (const ids of [[], [0], ['x'], Array.from({ length: 1_001 }, (_, n) => n + 1)])
      expect((await anna.patch('/api/items/-/read', { ids })).status).toBe(400);
  });

  it('bookmarks an entry once, however often it is asked, and keeps it without its feed', async () => {
    const feed = await addFeed({ name: 'News' });
    await publish('a');
    const [entry] = (await page('/api/items')).data;
    const bookmark = await one(await anna.post('/api/bookmarks', { item_id: entry?.id }));
    expect(bookmark).toEqual({
      id: expect.any(Number),
      item_id: entry?.id,
      feed_id: feed.id,
      link: 'https://example.org/a',
      title: 'Title of a',
      content: '<p>a</p>',
      pub_date: 1_700_000_000,
      feed_name: 'News',
      unread: true,
      created_at: seconds(),
    });
    expect(await one(await anna.post('/api/bookmarks', { item_id: entry?.id }))).toEqual(bookmark);
    expect(
      await one(await anna.post('/api/bookmarks', { link: 'https://EXAMPLE.org/a?utm_source=x' })),
    ).toEqual(bookmark);
    expect((await anna.delete(`/api/feeds/${feed.id}`)).status).toBe(204);
    expect((await page('/api/bookmarks')).data).toEqual([
      { ...bookmark, item_id: null, feed_id: null, unread: false },
    ]);
  });

  it('bookmarks a page, lists bookmarks by pages, and takes them away', async () => {
    for (let n = 0; n < 3; n++) {
      api.clock.advance(n * 700);
      const input = {
        link: `https://example.org/${n}`,
        title: `${n}`,
        content: 'c',
        feed_name: 'f',
        pub_date: 5,
      };
      expect((await anna.post('/api/bookmarks', input)).status).toBe(200);
    }
    const first = await page('/api/bookmarks?limit=2');
    const second = await page(`/api/bookmarks?limit=2&before=${first.next_cursor}`);
    expect([...first.data, ...second.data].map(({ title }) => title)).toEqual(['2', '1', '0']);
    expect(first.total).toBe(3);
    const id = first.data[0]?.id;
    expect((await anna.delete(`/api/bookmarks/${id}`)).status).toBe(204);
    expect((await anna.get(`/api/bookmarks/${id}`)).status).toBe(404);
    expect((await anna.post('/api/bookmarks', { item_id: 12345 })).status).toBe(404);
    expect((await anna.post('/api/bookmarks', { link: 'javascript:alert(1)' })).status).toBe(400);
    expect((await page('/api/bookmarks?group_id=77')).data).toEqual([]);
  });

  it("finds feeds by name and entries by their text, and only what is one's own", async () => {
    await api.addUser('ben');
    const ben = await api.program('ben', 'write');
    await addFeed({ name: 'Weather news' });
    await fill(api.opened.store, link, [
      published('a', { title: 'Storm over the coast', content: '<p>Wind and <b>rain</b> all day.</p>' }),
      published('b', { title: 'Sunshine', content: '<p>No rain at all.</p>' }),
    ]);
    const { searchIndex, leases } = api.opened.store;
    const sources = Object.values(searchSources(api.opened.store, noFiles));
    const indexer = createIndexer({ searchIndex, leases, sources }, 'test');
    await indexEverything(indexer);

    const found = await jsonOf<{ data: { feeds: Body[]; items: Body[] } }>(
      await anna.get('/api/search?q=rain'),
    );
    expect(found.data.feeds).toEqual([]);
    expect(found.data.items.map(({ title }) => title).sort()).toEqual(['Storm over the coast', 'Sunshine']);
    expect(Object.keys(found.data.items[0] ?? {}).sort()).toEqual(['feed_id', 'id', 'pub_date', 'title']);
    const named = await jsonOf<{ data: { feeds: Body[] } }>(await anna.get('/api/search?q=weather'));
    expect(named.data.feeds).toEqual([{ id: expect.any(Number), name: 'Weather news', link, site_url: '' }]);

    const hits = await page('/api/v1/search?q=wind+rain&kind=entry');
    expect(hits).toMatchObject({
      data: [
        {
          kind: 'entry',
          title: 'Storm over the coast',
          url: 'https://example.org/a',
          snippet: {
            text: 'Wind and rain all day.',
            hits: [
              [0, 4],
              [9, 13],
            ],
          },
        },
      ],
      found: 1,
      next_cursor: null,
    });
    expect((await anna.get('/api/v1/search?q=')).status).toBe(400);
    expect((await anna.get('/api/search')).status).toBe(400);
    expect(await jsonOf(await ben.get('/api/search?q=rain'))).toEqual({ data: { feeds: [], items: [] } });

    const [entry] = (await page('/api/items?limit=1')).data;
    await anna.patch('/api/items/-/read', { ids: [entry?.id] });
    expect(await searchIndex.pending('entry', 10)).toEqual([]);
    await anna.delete(`/api/feeds/${(await page('/api/feeds')).data[0]?.id}`);
    await indexEverything(indexer);
    expect((await page('/api/v1/search?q=rain')).data).toEqual([]);
  });
});
