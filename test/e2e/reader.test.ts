// Reading, with the real program and a real site: follow, fetch in the worker, read, lose the index, read on.

import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { onEachEngine } from '../support/engines.ts';
import { databaseUrl, jsonRequest, mainEntry, useLectern } from '../support/lectern-process.ts';
import { until } from '../support/until.ts';

const entry = (n: number) => `<item><title>Entry ${n}</title><link>/posts/${n}</link><guid>post-${n}</guid>
  <description>&lt;p onclick="x()"&gt;Text ${n}&lt;script&gt;bad()&lt;/script&gt;&lt;/p&gt;</description>
  <pubDate>Mon, 0${n} Jun 2026 12:00:00 GMT</pubDate></item>`;
const feed = `<?xml version="1.0"?><rss version="2.0"><channel><title>The site</title><link>/</link>${[1, 2, 3].map(entry).join('')}</channel></rss>`;

onEachEngine('reading', (engine) => {
  const lectern = useLectern(afterEach, mainEntry);

  it('goes from an address to entries, and on after the index is gone', async () => {
    const agents: (string | undefined)[] = [];
    const site = createServer((request, response) => {
      agents.push(request.headers['user-agent']);
      if (request.url === '/') {
        response.setHeader('content-type', 'text/html');
        return response.end('<link rel="alternate" type="application/rss+xml" href="/feed.xml">');
      }
      if (request.headers['if-none-match'] === '"1"') return response.writeHead(304).end();
      response.setHeader('etag', '"1"');
      return response.end(feed);
    });
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
    const origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
    const library = mkdtempSync(join(tmpdir(), 'lectern-reading-'));
    const index = async () => ({
      LECTERN_DATABASE_URL: databaseUrl(await engine.freshTarget({ empty: true })),
    });
    try {
      let env = {
        ...(await index()),
        LECTERN_LIBRARY_URL: `file:${library}`,
        LECTERN_PASSWORD: 'correct horse',
        LECTERN_ALLOW_PRIVATE_NETWORKS: 'true',
      };
      let server = await lectern.serve({ role: 'all', env });
      const { stdout } = await lectern.run(['token', 'create', '--name', 't', '--scope', 'write', '--json'], {
        env,
      });
      const headers = { Authorization: `Bearer ${JSON.parse(stdout).token}` };
      const post = async (path: string, body: unknown) => {
        const answer = await server.request(path, jsonRequest('POST', body, headers));
        expect(answer.status).toBe(200);
        return ((await answer.json()) as { data: Record<string, unknown> }).data;
      };
      const items = async (query = '') =>
        (
          (await (await server.request(`/api/items${query}`, { headers })).json()) as {
            data: Record<string, unknown>[];
          }
        ).data;

      const found = await post('/api/feeds/validate', { url: `${origin}/` });
      expect(found).toMatchObject({
        feeds: [{ title: 'The site', link: `${origin}/feed.xml`, item_count: 3, feed_id: null }],
      });
      await post('/api/feeds', { link: `${origin}/feed.xml` });
      await until('the entries are there', async () => (await items()).length === 3);
      const [newest] = await items();
      expect(newest).toMatchObject({
        title: 'Entry 3',
        link: `${origin}/posts/3`,
        content: '<p>Text 3</p>',
        unread: true,
        pub_date: Date.UTC(2026, 5, 3, 12) / 1000,
      });
      expect(agents.at(-1)).toMatch(/^Lectern\/.*1 subscriber\)$/);
      await server.request('/api/items/-/read', jsonRequest('PATCH', { ids: [newest?.id] }, headers));
      await post('/api/bookmarks', { item_id: newest?.id });
      const before = { unread: await items('?unread=true'), all: await items() };
      expect(await server.stop()).toMatchObject({ code: 0 });

      env = { ...env, ...(await index()) };
      expect(await lectern.run(['reinflate'], { env })).toMatchObject({ code: 0 });
      server = await lectern.serve({ role: 'all', env });
      expect({ unread: await items('?unread=true'), all: await items() }).toEqual(before);
      expect(before.unread).toHaveLength(2);
    } finally {
      await lectern.endAll();
      site.closeAllConnections();
      site.close();
      rmSync(library, { recursive: true, force: true });
    }
  });
});
