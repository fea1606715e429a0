// newsboat, the program that people have, against the program that we are: it lists feeds, reads articles and marks them
// read, and our own API shows the marks.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { onEachEngine } from '../support/engines.ts';
import { missingPrograms } from '../support/installed.ts';
import { databaseUrl, jsonRequest, type LecternProcess, useLectern } from '../support/lectern-process.ts';
import { Newsboat } from '../support/newsboat.ts';
import { until } from '../support/until.ts';

interface Item {
  readonly id: number;
  readonly title: string;
  readonly unread: boolean;
}

const item = (site: string, n: number) => `<item><title>${site} article ${n}</title>
  <link>https://example.org/${site}/${n}</link><guid>${site}-${n}</guid><author>Ada</author>
  <description>&lt;p&gt;What ${site} wrote in number ${n}.&lt;/p&gt;</description>
  <pubDate>Mon, 0${n} Jun 2026 12:00:00 GMT</pubDate></item>`;
const document = (site: string) =>
  `<?xml version="1.0"?><rss version="2.0"><channel><title>The ${site}</title><link>https://example.org/</link>${[
    1, 2, 3,
  ]
    .map((n) => item(site, n))
    .join('')}</channel></rss>`;

onEachEngine('newsboat', (engine) => {
  const lectern = useLectern(afterAll);
  const missing = missingPrograms('newsboat', 'script');
  let server: LecternProcess;
  let token: string;
  let headers: Record<string, string>;

  /** Follows two feeds, and has their entries. */
  beforeAll(async () => {
    if (missing) return;
    const site = createServer((request, response) => response.end(document((request.url ?? '/').slice(1))));
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
    const origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
    const env = {
      LECTERN_DATABASE_URL: databaseUrl(await engine.freshTarget({ empty: true })),
      LECTERN_PASSWORD: 'correct horse',
      LECTERN_ALLOW_PRIVATE_NETWORKS: 'true',
    };
    server = await lectern.serve({ role: 'all', env });
    const { stdout } = await lectern.run(
      ['token', 'create', '--name', 'newsboat', '--scope', 'write', '--json'],
      {
        env,
      },
    );
    ({ token } = JSON.parse(stdout) as { token: string });
    headers = { Authorization: `Bearer ${token}` };
    for (const name of ['gazette', 'courier'])
      await server.request(
        '/api/feeds',
        jsonRequest('POST', { link: `${origin}/${name}`, name: `The ${name}` }, headers),
      );
    await until('the entries are there', async () => (await items()).length === 6);
    return () => site.close();
  });

  const items = async (): Promise<Item[]> =>
    ((await (await server.request('/api/items?limit=100', { headers })).json()) as { data: Item[] }).data;
  const unreadTitles = async () =>
    (await items())
      .filter(({ unread }) => unread)
      .map(({ title }) => title)
      .sort();
  const markUnread = async () => {
    const ids = (await items()).map(({ id }) => id);
    await server.request('/api/items/-/unread', jsonRequest('PATCH', { ids }, headers));
  };

  const everything = ['courier', 'gazette'].flatMap((site) => [1, 2, 3].map((n) => `${site} article ${n}`));

  const settings = {
    miniflux: () => ({
      'urls-source': 'miniflux',
      'miniflux-url': server.url,
      'miniflux-login': 'owner',
      'miniflux-password': token,
    }),
    feedhq: () => ({
      'urls-source': 'feedhq',
      'feedhq-url': server.url,
      'feedhq-login': 'owner',
      'feedhq-password': token,
      // Their addresses are those of feedhq.org, whatever is set here.
      'feedhq-show-special-feeds': 'no',
    }),
  };

  it.for(['miniflux', 'feedhq'] as const)(
    'lists, reads and marks by %s',
    async (mode, { skip, onTestFinished }) => {
      if (missing) skip(missing);
      const newsboat = new Newsboat(settings[mode]());
      onTestFinished(() => newsboat.end());

      // All that is there, with its text.
      await newsboat.execute('reload');
      expect(await newsboat.execute('print-unread')).toContain('6 unread articles');
      const cached = newsboat.cached();
      expect(cached.map(({ title }) => title)).toEqual(everything);
      expect(cached[0]).toMatchObject({ unread: 1 });
      expect(cached[0]?.content).toContain('What courier wrote in number 1.');
      expect(await unreadTitles()).toEqual(everything);

      // In its lists: a feed, its newest article, and back.
      newsboat.open();
      await newsboat.shows('The gazette');
      newsboat.type('\n');
      await newsboat.shows('article 3');
      newsboat.type('\n');
      await newsboat.shows('wrote in number 3.');
      // It says so when the article is left.
      newsboat.type('q');
      await newsboat.shows('article 2');
      await until('the article is read', async () => (await unreadTitles()).length === 5);
      expect((await unreadTitles()).filter((title) => title.endsWith('3'))).toHaveLength(1);

      // Unread again by its key, and then the whole feed read.
      newsboat.type('N');
      await until('the article is unread again', async () => (await unreadTitles()).length === 6);
      newsboat.type('A');
      await until('the feed is read', async () => (await unreadTitles()).length === 3);
      expect(new Set((await unreadTitles()).map((title) => title.split(' ')[0])).size).toBe(1);
      await newsboat.quit();

      // What is marked here is marked there.
      await markUnread();
      await newsboat.execute('reload');
      expect(await newsboat.execute('print-unread')).toContain('6 unread articles');
    },
  );
});
