// Articles as documents of their own, shown in a frame.
import { beforeEach, expect, it } from 'vitest';
import { sanitiseHtml } from '../../src/html/sanitise-html.ts';
import { type Client, jsonOf, openEmptyApi, type TestApi } from '../support/api.ts';
import { onEachEngine } from '../support/engines.ts';
import { harmsOf } from '../support/harmful-html.ts';
import { htmlAttacks } from '../support/html-attacks.ts';
import { fill, listAll, published } from '../support/reader.ts';

const link = 'https://example.org/feed';

const policy =
  "sandbox allow-same-origin allow-popups allow-popups-to-escape-sandbox; default-src 'none'; img-src http: https: data:; media-src http: https:; style-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'";

onEachEngine('an article as a document', (engine) => {
  let api: TestApi;
  let anna: Client;

  beforeEach(async () => {
    api = await openEmptyApi(engine);
    const { id } = await api.addUser('anna');
    anna = await api.program('anna', 'write');
    await anna.post('/api/feeds', { link });
    await fill(api.opened.store, link, [
      published('a', {
        title: '<script>alert(1)</script>',
        content: '<p>Wind <a href="https://a.example/">x</a></p>',
      }),
      ...htmlAttacks.map((attack, n) =>
        published(`attack ${n}`, { content: sanitiseHtml(attack, { baseUrl: link }) }),
      ),
    ]);
    rows = api.opened.store.forUser(id);
  });

  let rows: ReturnType<TestApi['opened']['store']['forUser']>;
  const firstPath = async () => {
    const [first] = await listAll(rows, { oldestFirst: true });
    return `/api/items/${first?.id}/content`;
  };
  const articleOf = (html: string) => {
    const [, inner] = /<article dir="auto">(.*)<\/article>\n<\/body>\n<\/html>\n$/s.exec(html) ?? [];
    if (inner === undefined) throw new Error(`no article in ${html}`);
    return inner;
  };
  /** The judge knows no target, which nothing but the document itself may set. */
  const harms = (html: string) => harmsOf(articleOf(html).replaceAll(' target="_blank"', ''));

  it('comes under a policy that lets nothing run, and is asked for again every time', async () => {
    const response = await anna.get(await firstPath());
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': policy,
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
      etag: expect.stringMatching(/^"[\w-]{43}"$/),
    });
    const html = await response.text();
    expect(html).toContain('<link rel="stylesheet" href="/reading.css">');
    expect(html).toContain('<title>&lt;script&gt;alert(1)&lt;/script&gt;</title>');
    expect(articleOf(html)).toBe(
      '<p>Wind <a href="https://a.example/" rel="noopener noreferrer" target="_blank">x</a></p>',
    );
  });

  it('may be stored by a browser over HTTPS alone, where a log-out removes it', async () => {
    const secure = anna.at(api.again({ publicUrl: 'https://read.example.org' }));
    expect((await secure.get(await firstPath())).headers.get('Cache-Control')).toBe('private, no-cache');
  });

  it('is not sent again to one who has it, and is when it has changed', async () => {
    const path = await firstPath();
    const etag = (await anna.get(path)).headers.get('ETag') ?? '';
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const response = await anna.get(path, { headers: { 'If-None-Match': known } });
      expect([response.status, await response.text()]).toEqual([304, '']);
      expect(response.headers.get('Content-Security-Policy')).toBe(policy);
      expect(response.headers.get('ETag')).toBe(etag);
    }
    await fill(api.opened.store, link, [published('a', { content: '<p>Rain</p>', contentHash: 'new' })]);
    const response = await anna.get(path, { headers: { 'If-None-Match': etag } });
    expect([response.status, articleOf(await response.text())]).toEqual([200, '<p>Rain</p>']);
  });

  it('lets no attack through, neither from a feed nor from what a program bookmarks', async () => {
    let seen = 0;
    let before: { pubDate: number; id: number } | undefined;
    for (;;) {
      const entries = await listAll(rows, { before });
      for (const { id } of entries) {
        expect(harms(await (await anna.get(`/api/items/${id}/content`)).text())).toEqual([]);
        seen += 1;
      }
      before = entries.at(-1);
      if (entries.length < 100) break;
    }
    expect(seen).toBe(htmlAttacks.length + 1);
    for (const [n, content] of htmlAttacks.entries()) {
      const made = await anna.post('/api/bookmarks', { link: `https://example.org/saved/${n}`, content });
      const { data } = await jsonOf<{ data: { id: number } }>(made);
      const html = await (await anna.get(`/api/bookmarks/${data.id}/content`)).text();
      expect(harms(html), content).toEqual([]);
    }
  });

  it("is not found when it is another user's", async () => {
    await api.addUser('ben');
    const ben = await api.program('ben', 'write');
    expect((await ben.get(await firstPath())).status).toBe(404);
    expect((await anna.get('/api/items/999999/content')).status).toBe(404);
    expect((await api.visitor().get(await firstPath())).status).toBe(401);
  });
});
