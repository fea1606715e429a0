// What the deframer serves: /rss, /api/item and /api/site.
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Listening, listen } from '../../src/api/listen.ts';
import { itemHash } from '../../src/deframer/item-hash.ts';
import { answerOf, type Client, foreignOrigin, jsonOf, openApi, type TestApi } from '../support/api.ts';
import { addFeed, addRunFeed, type GivenFeed, runFeed } from '../support/deframed-feeds.ts';
import { onBothEngines } from '../support/engines.ts';
import { readRss, rssProblems, textOf } from '../support/rss-rules.ts';
import { until } from '../support/until.ts';

const builtAt = Date.UTC(2026, 2, 12, 14, 5, 6, 789);
const builtText = 'Thu, 12 Mar 2026 14:05:06 GMT';
const later = builtAt + 3_600_000;
let counter = 0;

const rss = (url: string, more = '') => `/rss?url=${encodeURIComponent(url)}${more}`;
const item = (url: string, more = '') => `/api/item?url=${encodeURIComponent(url)}${more}`;
const site = (root: string, more = '') => `/api/site?root=${encodeURIComponent(root)}${more}`;
const newSite = () => `https://site${counter++}.example`;

onBothEngines('what the deframer serves', (engine) => {
  let api: TestApi;
  let visitor: Client;

  beforeAll(async () => {
    api = await openApi(engine);
    await api.addUser('anna');
    visitor = api.visitor();
    return () => api.close();
  });

  /** A feed of its own, with articles of these scores. */
  async function feedOf(scores: readonly number[], given: Partial<GivenFeed> = {}): Promise<GivenFeed> {
    const at = newSite();
    const articles = scores.map((overall, n) => ({
      url: `${at}/${n}`,
      overall,
      pubDate: builtAt - n * 1000,
    }));
    const feed = { url: `${at}/feed.xml`, articles, builtAt, ...given };
    await addRunFeed(api.opened.store, feed);
    return feed;
  }

  const linksOf = async (response: Response) =>
    readRss(await response.text()).items.map((one) => textOf(one, 'link'));

  describe('/rss', () => {
    it('serves a feed as it was built', async () => {
      const { url, articles } = await feedOf([0.1, 0.9]);
      const response = await visitor.get(rss(url));
      expect(response.status).toBe(200);
      expect(response.headers.get('Content-Type')).toBe('application/rss+xml; charset=utf-8');
      expect(response.headers.get('Last-Modified')).toBe(builtText);
      expect(response.headers.get('ETag')).toMatch(/^W\/"[\w-]+"$/);
      expect(response.headers.get('Cache-Control')).toBe('public, no-cache');
      expect(response.headers.get('Vary')).toBe('Accept-Encoding');
      expect(response.headers.get('X-Content-Type-Options')).toBe('nosniff');
      const xml = await response.text();
      expect(response.headers.get('Content-Length')).toBe(String(Buffer.byteLength(xml)));
      expect(rssProblems(xml)).toEqual([]);
      const { channel, items } = readRss(xml);
      expect(textOf(channel, 'lastBuildDate')).toBe(builtText);
      expect(items.map((one) => textOf(one, 'link'))).toEqual(articles.map((one) => one.url));
    });

    it('knows a feed by every spelling of its address', async () => {
      const { url } = await feedOf([0.1]);
      for (const spelling of [`${url}#top`, url.replace('https://site', 'HTTPS://Site'), ` ${url}`])
        expect((await visitor.get(rss(spelling))).status).toBe(200);
      expect((await visitor.get(rss(`${url}?a=1`))).status).toBe(404);
    });

    it('refuses what it cannot take, and names the field', async () => {
      const refused: [path: string, field: string][] = [
        ['/rss', 'url: '],
        ['/rss?url=', 'url: '],
        ['/rss?url=example.com/feed', 'url: '],
        ['/rss?url=ftp%3A%2F%2Fexample.com%2F', 'url: '],
        ['/rss?url=javascript%3Aalert(1)', 'url: '],
        [rss(`https://example.com/${'x'.repeat(2000)}`), 'url: '],
        ['/rss?url=https%3A%2F%2Fa.example%2F&url=https%3A%2F%2Fb.example%2F', 'url: '],
        [rss('https://a.example/', '&max_score='), 'max_score: '],
        [rss('https://a.example/', '&max_score=1.01'), 'max_score: '],
        [rss('https://a.example/', '&max_score=-0.1'), 'max_score: '],
        [rss('https://a.example/', '&max_score=NaN'), 'max_score: '],
        [rss('https://a.example/', '&max_score=Infinity'), 'max_score: '],
        [rss('https://a.example/', '&max_score=0x1'), 'max_score: '],
        [rss('https://a.example/', '&max_score=.'), 'max_score: '],
        [rss('https://a.example/', '&max_score=0&max_score=1'), 'max_score: '],
      ];
      for (const [path, field] of refused) {
        const { status, body } = await answerOf(await visitor.get(path));
        expect({ path, status, body }).toEqual({
          path,
          status: 400,
          body: { error: expect.stringContaining(field) },
        });
      }
    });

    it('does not know what was never added, and what has nothing yet', async () => {
      const url = `${newSite()}/feed.xml`;
      expect((await visitor.get(rss(url))).status).toBe(404);
      await addFeed(api.opened.store, { url });
      expect((await visitor.get(rss(url))).status).toBe(404);
      await runFeed(api.opened.store, { url, articles: [], builtAt });
      expect((await visitor.get(rss(url))).status).toBe(404);
      for (const headers of [{ 'If-Modified-Since': builtText }, { 'If-None-Match': '*' }])
        expect((await visitor.get(rss(url), { headers })).status).toBe(404);
    });

    it('stops at once when a feed is disabled, and goes on when it is enabled', async () => {
      const { url } = await feedOf([0.1]);
      const { deframerFeeds } = api.opened.store;
      const headers = { 'If-None-Match': (await visitor.get(rss(url))).headers.get('ETag') ?? '' };
      await deframerFeeds.change(url, { enabled: false });
      expect((await visitor.get(rss(url))).status).toBe(403);
      expect((await visitor.get(rss(url), { headers })).status).toBe(403);
      await deframerFeeds.change(url, { enabled: true });
      expect((await visitor.get(rss(url))).status).toBe(200);
    });

    it('forgets a feed that is deleted, and serves the one that is added again once it has something', async () => {
      const { url, articles } = await feedOf([0.1]);
      const first = await visitor.get(rss(url));
      await api.opened.store.deframerFeeds.remove(url);
      expect((await visitor.get(rss(url))).status).toBe(404);
      await addFeed(api.opened.store, { url });
      expect((await visitor.get(rss(url))).status).toBe(404);
      await runFeed(api.opened.store, { url, articles, builtAt });
      const second = await visitor.get(rss(url));
      expect(second.status).toBe(200);
      expect(second.headers.get('ETag')).not.toBe(first.headers.get('ETag'));
    });

    it('serves what was built last', async () => {
      const feed = await feedOf([0.1]);
      const first = await visitor.get(rss(feed.url));
      const articles = [{ url: `${feed.url}/new` }, ...feed.articles];
      await runFeed(api.opened.store, { ...feed, articles, builtAt: later });
      const headers = {
        'If-None-Match': first.headers.get('ETag') ?? '',
        'If-Modified-Since': first.headers.get('Last-Modified') ?? '',
      };
      const second = await visitor.get(rss(feed.url), { headers });
      expect(second.status).toBe(200);
      expect(second.headers.get('ETag')).not.toBe(first.headers.get('ETag'));
      expect(second.headers.get('Last-Modified')).toBe('Thu, 12 Mar 2026 15:05:06 GMT');
      expect(await linksOf(second)).toEqual(articles.map(({ url }) => url));
    });

    it.each([
      { what: 'its ETag', headers: (etag: string) => ({ 'If-None-Match': etag }), status: 304 },
      {
        what: 'its ETag as a strong one',
        headers: (etag: string) => ({ 'If-None-Match': etag.slice(2) }),
        status: 304,
      },
      {
        what: 'its ETag among others',
        headers: (etag: string) => ({ 'If-None-Match': `"a", ${etag}` }),
        status: 304,
      },
      { what: 'any ETag', headers: () => ({ 'If-None-Match': '*' }), status: 304 },
      { what: 'another ETag', headers: () => ({ 'If-None-Match': '"a"' }), status: 200 },
      {
        what: 'half of its ETag',
        headers: (etag: string) => ({ 'If-None-Match': etag.slice(0, -5) }),
        status: 200,
      },
      { what: 'its date', headers: () => ({ 'If-Modified-Since': builtText }), status: 304 },
      {
        what: 'a later date',
        headers: () => ({ 'If-Modified-Since': 'Fri, 13 Mar 2026 00:00:00 GMT' }),
        status: 304,
      },
      {
        what: 'an earlier date',
        headers: () => ({ 'If-Modified-Since': 'Thu, 12 Mar 2026 14:05:05 GMT' }),
        status: 200,
      },
      { what: 'no date at all', headers: () => ({ 'If-Modified-Since': 'yesterday' }), status: 200 },
      {
        what: 'another ETag, which counts for more than its date',
        headers: () => ({ 'If-None-Match': '"a"', 'If-Modified-Since': builtText }),
        status: 200,
      },
      {
        what: 'its ETag, which counts for more than an earlier date',
        headers: (etag: string) => ({
          'If-None-Match': etag,
          'If-Modified-Since': 'Thu, 12 Mar 2020 14:05:05 GMT',
        }),
        status: 304,
      },
    ])('answers $status to whoever has $what', async ({ headers, status }) => {
      const { url } = await feedOf([0.1]);
      for (const path of [rss(url), rss(url, '&max_score=0.5')]) {
        const etag = (await visitor.get(path)).headers.get('ETag') ?? '';
        const response = await visitor.get(path, { headers: headers(etag) });
        expect(response.status).toBe(status);
        expect(response.headers.get('ETag')).toBe(etag);
        expect(response.headers.get('Last-Modified')).toBe(builtText);
        expect(response.headers.get('Cache-Control')).toBe('public, no-cache');
        expect((await response.text()) === '').toBe(status === 304);
      }
    });

    it('says the same to HEAD, without the feed', async () => {
      const { url } = await feedOf([0.1]);
      const get = await visitor.get(rss(url));
      const head = await visitor.send('HEAD', rss(url));
      expect(head.status).toBe(200);
      expect(await head.text()).toBe('');
      for (const name of ['ETag', 'Last-Modified', 'Content-Type', 'Content-Length', 'Cache-Control'])
        expect(head.headers.get(name)).toBe(get.headers.get(name));
      const headers = { 'If-None-Match': get.headers.get('ETag') ?? '' };
      expect((await visitor.send('HEAD', rss(url), { headers })).status).toBe(304);
    });

    it.each([
      { asked: '0', kept: [0, 3] },
      { asked: '0.0', kept: [0, 3] },
      { asked: '.35', kept: [0, 1, 3] },
      { asked: '0.35', kept: [0, 1, 3] },
      { asked: '0.349', kept: [0, 3] },
      { asked: '1', kept: [0, 1, 2, 3, 4] },
      { asked: '1.', kept: [0, 1, 2, 3, 4] },
    ])('keeps what has at most $asked', async ({ asked, kept }) => {
      const { url, articles } = await feedOf([0, 0.35, 0.9, 0, 1]);
      const response = await visitor.get(rss(url, `&max_score=${asked}`));
      expect(response.status).toBe(200);
      expect(await linksOf(response)).toEqual(kept.map((n) => articles[n]?.url));
    });

    it('serves a feed of which nothing is left as an empty one', async () => {
      const { url } = await feedOf([0.5, 0.9]);
      const response = await visitor.get(rss(url, '&max_score=0.1'));
      const xml = await response.text();
      expect(response.status).toBe(200);
      expect(rssProblems(xml)).toEqual([]);
      expect(readRss(xml).items).toEqual([]);
      expect(textOf(readRss(xml).channel, 'title')).toBe('Deframer: The Example');
    });

    it('has an ETag for each score, whatever it is written like', async () => {
      const { url } = await feedOf([0.5]);
      const etag = async (more: string) => (await visitor.get(rss(url, more))).headers.get('ETag');
      const etags = await Promise.all(['', '&max_score=0.5', '&max_score=.50', '&max_score=1'].map(etag));
      expect(etags[1]).toBe(etags[2]);
      expect(new Set(etags).size).toBe(3);
    });

    it.each([
      { accepted: 'gzip, deflate, br', encoding: 'br' },
      { accepted: 'gzip', encoding: 'gzip' },
      { accepted: 'GZIP;q=0.5, br;q=0', encoding: 'gzip' },
    ])('is sent compressed to whoever takes $accepted, once that is done', async ({ accepted, encoding }) => {
      const { url } = await feedOf(Array(20).fill(0.1));
      const headers = { 'Accept-Encoding': accepted };
      const plain = await visitor.get(rss(url));
      const xml = await plain.text();
      const first = await visitor.get(rss(url), { headers });
      // Nobody waits for it.
      expect(first.headers.get('Content-Encoding')).toBeNull();
      expect(await first.text()).toBe(xml);
      const response = await until('a compressed copy', async () => {
        const asked = await visitor.get(rss(url), { headers });
        return asked.headers.has('Content-Encoding') && asked;
      });
      expect(response.headers.get('Content-Encoding')).toBe(encoding);
      expect(response.headers.get('ETag')).toBe(plain.headers.get('ETag'));
      const bytes = Buffer.from(await response.arrayBuffer());
      expect(response.headers.get('Content-Length')).toBe(String(bytes.byteLength));
      expect(bytes.byteLength).toBeLessThan(xml.length / 2);
      expect(String(encoding === 'br' ? brotliDecompressSync(bytes) : gunzipSync(bytes))).toBe(xml);
      for (const refused of ['', 'identity', 'br;q=0', 'gzip;q=0.000, br; q=0', 'brotli'])
        expect(
          (await visitor.get(rss(url), { headers: { 'Accept-Encoding': refused } })).headers.get(
            'Content-Encoding',
          ),
        ).toBeNull();
    });
  });

  describe('/api/item', () => {
    it('tells what was made of an article', async () => {
      const at = newSite();
      const url = `${at}/a?b=1&c=ü`;
      const articles = [{ url, author: 'Anna', pubDate: builtAt, analysis: { speculative: 0 } }];
      const id = await addRunFeed(api.opened.store, { url: `${at}/feed.xml`, articles, builtAt });
      const response = await visitor.get(item(url));
      expect(response.status).toBe(200);
      expect(response.headers.get('Cache-Control')).toBe('public, no-cache');
      const body = await jsonOf<Record<string, unknown>>(response);
      expect(body).toEqual({
        id: expect.stringMatching(/^[\da-f-]{36}$/),
        feed_id: id,
        hash: itemHash(url),
        url,
        llm_model: 'test/1',
        title_original: 'You will not BELIEVE this',
        description_original: 'It is shocking.',
        title_corrected: 'A council has met',
        title_correction_reason: 'It says nothing.',
        description_corrected: 'The council has met on Monday.',
        description_correction_reason: 'It is no fact.',
        framing: 0.25,
        framing_reason: 'Some.',
        clickbait: 0.9,
        clickbait_reason: 'Much.',
        persuasive: 0,
        persuasive_reason: '',
        hyper_stimulus: 0.5,
        hyper_stimulus_reason: 'Half.',
        speculative: 0,
        speculative_reason: '',
        overall: 0.35,
        overall_reason: 'A little.',
        category: 'politics',
        rating: 0.35,
        authors: ['Anna'],
        pub_date: '2026-03-12T14:05:06.789Z',
        created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
        updated_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      });
    });

    it('knows an article by another spelling of its address', async () => {
      const { articles } = await feedOf([0.1]);
      const url = articles[0]?.url ?? '';
      for (const spelling of [url, `${url}#comments`, url.replace('https://s', 'HTTPS://S')])
        expect((await visitor.get(item(spelling))).status).toBe(200);
    });

    it('does not know others, nor those that are too bad, of a feed that is disabled or deleted', async () => {
      const { url: feedUrl, articles } = await feedOf([0.5]);
      const url = articles[0]?.url ?? '';
      const status = async (more = '') => (await visitor.get(item(url, more))).status;
      expect(await answerOf(await visitor.get(item(`${url}/other`)))).toEqual({
        status: 404,
        body: { error: 'article not found' },
      });
      expect([await status('&max_score=0.49'), await status('&max_score=0.5')]).toEqual([404, 200]);
      await api.opened.store.deframerFeeds.change(feedUrl, { enabled: false });
      expect(await status()).toBe(404);
      await api.opened.store.deframerFeeds.change(feedUrl, { enabled: true });
      expect(await status()).toBe(200);
      await api.opened.store.deframerFeeds.remove(feedUrl);
      expect(await status()).toBe(404);
    });

    it('refuses what it cannot take, and names the field', async () => {
      const refused: [path: string, field: string][] = [
        ['/api/item', 'url: '],
        ['/api/item?url=', 'url: '],
        [item('/relative'), 'url: '],
        [item('javascript:alert(1)'), 'url: '],
        [item(`https://a.example/${'x'.repeat(4100)}`), 'url: '],
        [item('https://a.example/', '&max_score=2'), 'max_score: '],
      ];
      for (const [path, field] of refused) {
        const { status, body } = await answerOf(await visitor.get(path));
        expect({ path, status, body }).toEqual({
          path,
          status: 400,
          body: { error: expect.stringContaining(field) },
        });
      }
    });
  });

  describe('/api/site', () => {
    const urlsOf = async (path: string) =>
      (await jsonOf<{ items: { url: string }[] }>(await visitor.get(path))).items.map(({ url }) => url);

    it('takes from each feed in turn, each article once', async () => {
      const root = `fair${counter++}.example`;
      const shared = `https://${root}/shared`;
      const feeds = [1000, ...Array<number>(9).fill(10)].map((length, feed) => ({
        url: `https://${root}/${feed}.xml`,
        rootDomain: root,
        builtAt,
        articles: Array.from({ length }, (_, n) => ({
          // The newest of the first two is the same.
          url: n === 0 && feed < 2 ? shared : `https://${root}/${feed}/${n}`,
          pubDate: builtAt - n * 1000,
        })),
      }));
      for (const feed of feeds) {
        api.clock.advance(1000);
        await addRunFeed(api.opened.store, feed);
      }
      const urls = await urlsOf(site(root));
      expect(urls).toHaveLength(50);
      expect(new Set(urls).size).toBe(50);
      const of = (url: string) => feeds.findIndex(({ articles }) => articles.some((one) => one.url === url));
      // The second has its turn too, with what the first has not.
      expect(urls.map((url) => (url.startsWith(`https://${root}/1/`) ? 1 : of(url)))).toEqual(
        Array.from({ length: 50 }, (_, n) => n % 10),
      );
      expect(urls.slice(0, 2)).toEqual([shared, `https://${root}/1/1`]);
      expect(await urlsOf(site(root, '&limit=3'))).toEqual(urls.slice(0, 3));
      expect(await urlsOf(site(root, '&limit=100000'))).toHaveLength(200);
    });

    it('finds a site by any address of it', async () => {
      const root = `found${counter++}.co.uk`;
      await feedOf([0.5], { rootDomain: root });
      const spellings = [
        root,
        root.toUpperCase(),
        `${root}.`,
        `${root}/`,
        `www.${root}`,
        `https://www.${root}/news?a=b#c`,
        `http://${root}:8080/`,
      ];
      for (const spelling of spellings) {
        const { status, body } = await answerOf(await visitor.get(site(spelling)));
        expect({ spelling, status }).toEqual({ spelling, status: 200 });
        expect(body).toEqual({ root, items: [expect.objectContaining({ overall: 0.5, rating: 0.5 })] });
      }
    });

    it('takes the domain as it is written where there is a feed of it', async () => {
      const root = `parts${counter++}.example`;
      const { articles: whole } = await feedOf([0.5], { rootDomain: root });
      const { articles: part } = await feedOf([0.5], { rootDomain: `blog.${root}` });
      expect(await urlsOf(site(`blog.${root}`))).toEqual(part.map(({ url }) => url));
      expect(await urlsOf(site(`www.${root}`))).toEqual(whole.map(({ url }) => url));
    });

    it('keeps what is good enough, and has an empty list where nothing is', async () => {
      const root = `good${counter++}.example`;
      const { articles } = await feedOf([0, 0.5, 0.9], { rootDomain: root });
      expect(await urlsOf(site(root, '&max_score=0.5'))).toEqual(articles.slice(0, 2).map(({ url }) => url));
      expect(await urlsOf(site(root, '&max_score=0'))).toEqual(articles.slice(0, 1).map(({ url }) => url));
      await feedOf([1], { rootDomain: `bad.${root}` });
      expect(await urlsOf(site(`bad.${root}`, '&max_score=0'))).toEqual([]);
    });

    it('does not know other sites, nor those whose feeds are disabled or deleted', async () => {
      const root = `gone${counter++}.example`;
      const { url } = await feedOf([0], { rootDomain: root });
      const status = async () => (await visitor.get(site(root))).status;
      expect((await visitor.get(site(`other${root}`))).status).toBe(404);
      await api.opened.store.deframerFeeds.change(url, { enabled: false });
      expect(await status()).toBe(404);
      await api.opened.store.deframerFeeds.change(url, { enabled: true });
      expect(await status()).toBe(200);
      await api.opened.store.deframerFeeds.remove(url);
      expect(await status()).toBe(404);
    });

    it('refuses what it cannot take, and names the field', async () => {
      const refused: [path: string, field: string][] = [
        ['/api/site', 'root: '],
        ['/api/site?root=', 'root: '],
        [site(' ./ '), 'root: '],
        [site('x'.repeat(5000)), 'root: '],
        [site('a.example', '&limit=0'), 'limit: '],
        [site('a.example', '&limit=many'), 'limit: '],
        [site('a.example', '&max_score=none'), 'max_score: '],
      ];
      for (const [path, field] of refused) {
        const { status, body } = await answerOf(await visitor.get(path));
        expect({ path, status, body }).toEqual({
          path,
          status: 400,
          body: { error: expect.stringContaining(field) },
        });
      }
    });
  });

  it('answers 304 where JSON has not changed', async () => {
    const root = `same${counter++}.example`;
    const feed = await feedOf([0.5], { rootDomain: root });
    for (const path of [item(feed.articles[0]?.url ?? ''), site(root)]) {
      const etag = (await visitor.get(path)).headers.get('ETag') ?? '';
      const again = await visitor.get(path, { headers: { 'If-None-Match': etag } });
      expect([again.status, await again.text(), again.headers.get('ETag')]).toEqual([304, '', etag]);
      expect(again.headers.get('Access-Control-Allow-Origin')).toBe('*');
      expect((await visitor.get(path, { headers: { 'If-None-Match': '"a"' } })).status).toBe(200);
    }
    const path = site(root);
    const etag = (await visitor.get(path)).headers.get('ETag') ?? '';
    const articles = [{ url: `https://${root}/new` }];
    await runFeed(api.opened.store, { ...feed, articles, builtAt: later });
    expect((await visitor.get(path, { headers: { 'If-None-Match': etag } })).status).toBe(200);
  });

  describe('a page of another origin', () => {
    const listed = 'https://app.example';
    const places = () => [
      { what: 'no origins', at: api },
      { what: 'a list of origins', at: api.again({ corsAllowedOrigins: [listed] }) },
      { what: 'users alone', at: api.again({ deframer: { open: false } }) },
    ];
    const corsOf = ({ headers }: Response) =>
      Object.fromEntries([...headers].filter(([name]) => name.startsWith('access-control-')));
    const open = {
      'access-control-allow-origin': '*',
      'access-control-expose-headers': 'ETag, Last-Modified',
    };

    it('may ask, whatever it wants to send along', async () => {
      for (const { at } of places())
        for (const path of ['/rss', '/api/item', '/api/site'])
          for (const Origin of [foreignOrigin, listed, 'null', 'moz-extension://0b5f']) {
            const headers = {
              Origin,
              'Access-Control-Request-Method': 'GET',
              'Access-Control-Request-Headers': 'authorization,if-none-match, x-plugin',
            };
            const response = await at.visitor().send('OPTIONS', `${path}?url=x`, { headers });
            expect(response.status).toBe(204);
            expect(corsOf(response)).toEqual({
              ...open,
              'access-control-allow-methods': 'GET, HEAD',
              'access-control-allow-headers': 'authorization,if-none-match, x-plugin',
              'access-control-max-age': '86400',
            });
            expect(response.headers.get('Vary')).toBe('Access-Control-Request-Headers');
          }
    });

    it.each([undefined, '', 'a b', 'x\u00e4', 'a,,b', 'a,'.repeat(40)])(
      'is told what it may send where it asks for %s',
      async (asked) => {
        const headers = { Origin: foreignOrigin, 'Access-Control-Request-Headers': asked };
        const response = await visitor.send('OPTIONS', '/rss', { headers });
        expect(response.headers.get('Access-Control-Allow-Headers')).toBe(
          'Authorization, If-None-Match, If-Modified-Since',
        );
      },
    );

    it('may read every answer, and refusals too', async () => {
      const root = `cors${counter++}.example`;
      const { url, articles } = await feedOf([0.5], { rootDomain: root });
      const disabled = await feedOf([0.5]);
      await api.opened.store.deframerFeeds.change(disabled.url, { enabled: false });
      const paths: [string, number][] = [
        [rss(url), 200],
        [rss(url, '&max_score=0'), 200],
        [item(articles[0]?.url ?? ''), 200],
        [site(root), 200],
        ['/rss', 400],
        ['/api/item', 400],
        ['/api/site', 400],
        [rss(disabled.url), 403],
        [rss('https://unknown.example/'), 404],
        [item('https://unknown.example/'), 404],
        [site('unknown.example'), 404],
      ];
      for (const { what, at } of places())
        for (const [path, status] of paths)
          for (const Origin of [foreignOrigin, listed]) {
            const response = await at.visitor().get(path, { headers: { Origin } });
            const expected = what === 'users alone' ? 401 : status;
            expect({ what, path, status: response.status }).toEqual({ what, path, status: expected });
            expect({ path, ...corsOf(response) }).toEqual({ path, ...open });
            expect(response.headers.get('Cross-Origin-Resource-Policy')).toBe('cross-origin');
            expect(response.headers.get('Vary') ?? '').not.toContain('Origin');
          }
    });

    it('can do nothing but read', async () => {
      for (const path of ['/rss', '/api/item', '/api/site']) {
        const response = await visitor.post(path, {}, { headers: { Origin: foreignOrigin } });
        expect(response.status).toBe(405);
        expect(corsOf(response)).toEqual(open);
      }
    });

    it('may not read anything else', async () => {
      for (const path of ['/api/items', '/api/sites', '/rss/', '/api/site/', '/api/me', '/healthz']) {
        expect(corsOf(await visitor.get(path, { headers: { Origin: foreignOrigin } }))).toEqual({});
        expect(corsOf(await visitor.send('OPTIONS', path, { headers: { Origin: foreignOrigin } }))).toEqual(
          {},
        );
      }
    });
  });

  describe('over a socket', () => {
    let listening: Listening;
    const fetchFeed = (url: string, headers: Record<string, string> = {}) =>
      fetch(`http://127.0.0.1:${listening.port}${rss(url)}`, { headers });

    beforeAll(async () => {
      listening = await listen(api.app.fetch as never, { host: '127.0.0.1', port: 0, trustedProxies: [] });
      return () => listening.stop();
    });

    it('it has the headers of its own and the common ones', async () => {
      const { url } = await feedOf([0.1]);
      const response = await fetchFeed(url, { Origin: foreignOrigin });
      expect(response.status).toBe(200);
      expect(rssProblems(await response.text())).toEqual([]);
      const expected = {
        'access-control-allow-origin': '*',
        'cross-origin-resource-policy': 'cross-origin',
        'cache-control': 'public, no-cache',
        'last-modified': builtText,
        'x-content-type-options': 'nosniff',
        'content-security-policy': expect.stringContaining("default-src 'none'"),
        'x-request-id': expect.any(String),
      };
      expect(Object.fromEntries(response.headers)).toMatchObject(expected);
      const again = await fetchFeed(url, { 'If-None-Match': response.headers.get('etag') ?? '' });
      expect([again.status, await again.text()]).toEqual([304, '']);
      expect(Object.fromEntries(again.headers)).toMatchObject(expected);
    });

    it('it stops with the next request after a feed was disabled, however many are under way', async () => {
      const { url } = await feedOf([0.1]);
      const { deframerFeeds } = api.opened.store;
      for (let round = 0; round < 10; round++) {
        await deframerFeeds.change(url, { enabled: true });
        const answered = await Promise.all(Array.from({ length: 10 }, () => fetchFeed(url)));
        expect(answered.map(({ status }) => status)).toEqual(Array(10).fill(200));
        await Promise.all(answered.map((response) => response.arrayBuffer()));
        await deframerFeeds.change(url, { enabled: false });
        const refused = await Promise.all(Array.from({ length: 10 }, () => fetchFeed(url)));
        expect(refused.map(({ status }) => status)).toEqual(Array(10).fill(403));
        await Promise.all(refused.map((response) => response.arrayBuffer()));
      }
    });
  });

  describe('where LECTERN_DEFRAMER_OPEN is false', () => {
    it('is for users and their programs, and for no cache that others share', async () => {
      const root = `closed${counter++}.example`;
      const { url, articles } = await feedOf([0.5], { rootDomain: root });
      const closed = api.again({ deframer: { open: false } });
      const clients = [
        (await api.logIn('anna')).at(closed),
        (await api.program('anna', 'read')).at(closed),
        (await api.program('anna', 'write')).at(closed),
      ];
      for (const path of [rss(url), item(articles[0]?.url ?? ''), site(root)]) {
        const etag = (await visitor.get(path)).headers.get('ETag') ?? '';
        const headers = { 'If-None-Match': etag };
        expect((await closed.visitor().get(path)).status).toBe(401);
        expect((await closed.visitor().get(path, { headers })).status).toBe(401);
        expect((await closed.holding('made-up').get(path)).status).toBe(401);
        for (const client of clients) {
          const response = await client.get(path);
          expect(response.status).toBe(200);
          expect(response.headers.get('Cache-Control')).toBe('private, no-cache');
          expect((await client.get(path, { headers })).status).toBe(304);
        }
      }
      expect((await closed.visitor().get('/rss')).status).toBe(401);
    });
  });
});
