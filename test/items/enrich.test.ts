// A saved page, from the pending item to its copy in the library, against servers on the loopback. The clock is ours.
import { createServer } from 'node:http';
import { describe, expect, it } from 'vitest';
import { bookmarkEntry } from '../../src/feeds/bookmark.ts';
import { sha256Of } from '../../src/library/files/files.ts';
import { onEachEngine } from '../support/engines.ts';
import { pageOf, simpleReader } from '../support/enriching.ts';
import { image, type SitePage, url, useEnrichment } from '../support/enrichment-suite.ts';
import { listen } from '../support/outbound.ts';
import { httpProxy } from '../support/proxies.ts';
import { fill, listAll, newFeed, published } from '../support/reader.ts';

const hour = 3_600_000;

onEachEngine('enrichment', (engine) => {
  const t = useEnrichment(engine);

  describe('of a page that is there', () => {
    it('fills what is known of it, keeps a copy and a thumbnail, and ends the job', async () => {
      t.pages['/i.png'] = image();
      const id = await t.savePage(pageOf({ title: 'A title', description: 'An excerpt', image: '/i.png' }));
      expect(await t.work.work()).toEqual(['done']);
      expect(await t.work.item(t.anna, id)).toMatchObject({
        title: 'A title',
        title_from: 'page',
        excerpt: 'An excerpt',
        excerpt_from: 'page',
        language: 'en',
        canonical_url: url,
        word_count: 2,
        snapshot_key: `items/${id}`,
        thumbnail_key: `${t.anna}/${id}.jpg`,
        enrichment_status: 'succeeded',
        enrichment_error: null,
        enriched_at: t.clock.now(),
        updated_at: t.clock.now(),
      });
      expect(await t.work.keys()).toEqual([
        `items/${id}/chunks.jsonl`,
        `items/${id}/meta.json`,
        `items/${id}/plain.txt`,
        `items/${id}/readable.html`,
        `thumbnails/${t.anna}/${id}.jpg`,
      ]);
      await t.expectNamedFiles(id);
      expect(await t.work.text(`items/${id}/plain.txt`)).toBe('Some words.');
      expect(t.asked).toEqual(['/a', '/i.png']);
    });

    it('leaves in meta.json what it is, when it was fetched, and the hash of every other file', async () => {
      t.pages['/old'] = { status: 301, headers: { location: '/a' } };
      t.pages['/a'] = { body: pageOf({ title: 'A title' }) };
      const id = await t.work.save(t.anna, 'http://site.example/old');
      await t.work.work();
      const meta = JSON.parse((await t.work.text(`items/${id}/meta.json`)) ?? '');
      const readable = (await t.work.files.read(`items/${id}/readable.html`)) ?? new Uint8Array();
      expect(meta).toMatchObject({
        url: 'http://site.example/old',
        finalUrl: url,
        canonicalUrl: url,
        title: 'A title',
        mediaType: 'text/html',
        fetchedAt: new Date(t.clock.now()).toISOString(),
        thumbnail: null,
      });
      expect(meta.files['readable.html']).toEqual({ sha256: sha256Of(readable), bytes: readable.length });
      expect(Object.keys(meta.files).sort()).toEqual(['chunks.jsonl', 'plain.txt', 'readable.html']);
    });

    it('stores the source of the page nowhere', async () => {
      const id = await t.savePage(
        pageOf({ title: 'A title' }).replace('</head>', '<!-- a secret --></head>'),
      );
      await t.work.work();
      for (const key of await t.work.keys()) expect(await t.work.text(key)).not.toContain('a secret');
      expect(JSON.stringify(await t.work.item(t.anna, id))).not.toContain('a secret');
    });

    it('has the icon of the site that it was found at, unless it is to have none', async () => {
      await t.world.site('moved.example', (_request, response) =>
        response.writeHead(200, { 'content-type': 'text/html' }).end(pageOf({})),
      );
      t.pages['/a'] = { status: 301, headers: { location: 'http://moved.example/' } };
      const id = await t.work.save(t.anna, url);
      expect((await t.work.item(t.anna, id)).site_origin).toBe('http://site.example');
      await t.work.work();
      expect((await t.work.item(t.anna, id)).site_origin).toBe('http://moved.example');
      await t.work.set(t.anna, id, { site_origin: '' });
      await t.work.enrichAgain(t.anna, id);
      await t.work.work();
      expect((await t.work.item(t.anna, id)).site_origin).toBe('');
    });

    it('is asked for through the proxy of the feed that it is known by, and no other way', async () => {
      const through: string[] = [];
      const behind = createServer((request, response) => {
        through.push(request.url ?? '');
        response
          .writeHead(200, { 'content-type': 'text/html' })
          .end(pageOf({ title: 'Behind', image: '/i.png' }));
      });
      const port = await listen(behind);
      const proxy = 'http://proxy.example:8080';
      await t.world.rawSite('proxy.example', httpProxy(() => port).serve);
      const rows = t.store.forUser(t.anna);
      const link = 'http://site.example/feed';
      const [group] = await rows.groups.list();
      const feed = await rows.feeds.create({ ...newFeed(link, group?.id), proxy });
      await fill(t.store, link, [published('a', { link: url })], undefined, proxy);
      const [entry] = await listAll(rows);
      await bookmarkEntry(rows, entry?.id ?? 0);
      const [{ id } = { id: 0 }] = await rows.items.list({ limit: 1 });
      await t.work.enrichAgain(t.anna, id);
      expect(await t.work.work()).toEqual(['done']);
      expect(through).toEqual(['/a', '/i.png']);
      expect(await t.work.item(t.anna, id)).toMatchObject({
        title: 'Behind',
        enrichment_status: 'succeeded',
      });

      await rows.feeds.delete(feed.id);
      await t.work.enrichAgain(t.anna, id);
      expect(await t.work.work()).toEqual(['done']);
      expect(await t.work.item(t.anna, id)).toMatchObject({
        title: 'Behind',
        enrichment_status: 'failed',
        enrichment_error: expect.stringContaining('proxy of a feed that is gone'),
      });
      expect(t.asked).toEqual([]);
      // A person who saves the page wants it asked for.
      t.pages['/a'] = { body: pageOf({ title: 'Seen' }) };
      await t.work.save(t.anna, url);
      await t.work.enrichAgain(t.anna, id);
      expect(await t.work.work()).toEqual(['done']);
      expect(t.asked).toEqual(['/a']);
    });

    it('is known by what it says of itself, though there is nothing to read in it', async () => {
      const id = await t.savePage(pageOf({ title: 'x', body: '' }));
      await t.work.work();
      expect(await t.work.item(t.anna, id)).toMatchObject({
        ...{ title: 'x', language: 'en', canonical_url: url, word_count: 0, snapshot_key: null },
      });
    });

    it('is noted for the search', async () => {
      const id = await t.savePage(pageOf({}));
      await t.work.work();
      const noted = await t.database.read.selectFrom('search_pending').selectAll().execute();
      expect(noted).toContainEqual(expect.objectContaining({ kind: 'item', ref_id: id }));
    });

    it.each<[string, SitePage]>([
      ['has no title', { body: pageOf({}) }],
      ['has no image', { body: pageOf({ title: 'x' }) }],
      ['has an image that is not there', { body: pageOf({ image: '/none.png' }) }],
      ['has an image that is none', { body: pageOf({ image: '/a' }) }],
      ['has an image on a host that is not there', { body: pageOf({ image: 'http://nowhere.example/i' }) }],
      ['has nothing to read', { body: pageOf({ title: 'x', body: '' }) }],
      ['is a film', { body: 'film', headers: { 'content-type': 'video/mp4' } }],
      ['is of no known kind', { body: '\0\0', headers: { 'content-type': 'application/octet-stream' } }],
    ])('succeeds though it %s', async (_what, page) => {
      t.pages['/a'] = page;
      const id = await t.work.save(t.anna, url);
      expect(await t.work.work()).toEqual(['done']);
      const row = await t.work.item(t.anna, id);
      expect(row).toMatchObject({ enrichment_status: 'succeeded', thumbnail_key: null });
      await t.expectNamedFiles(id);
    });

    it('tells an image from its bytes where the server says nothing, however small its pieces', async () => {
      const bytes = Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), Buffer.alloc(2_000)]);
      await t.world.site('pieces.example', async (_request, response) => {
        response.writeHead(200, { 'content-type': 'application/octet-stream' });
        for (let at = 0; at < 8; at += 1)
          await new Promise((done) => response.write(bytes.subarray(at, at + 1), done));
        response.end(bytes.subarray(8));
      });
      const seen: Uint8Array[] = [];
      await t.rework({
        page: {
          ...simpleReader,
          thumbnail: async (given) => {
            seen.push(given);
            return Buffer.from('a thumbnail');
          },
        },
      });
      const id = await t.work.save(t.anna, 'http://pieces.example/');
      expect(await t.work.work()).toEqual(['done']);
      expect(Buffer.concat(seen)).toEqual(bytes);
      expect((await t.work.item(t.anna, id)).thumbnail_key).toBe(`${t.anna}/${id}.jpg`);
    });

    it('takes the first of its images that gives a thumbnail, and asks for three at most', async () => {
      t.pages['/3.png'] = image('an image 3');
      const first = await t.savePage(pageOf({ image: '/1.png /2.png /3.png' }));
      await t.work.work();
      expect((await t.work.item(t.anna, first)).thumbnail_key).toBe(`${t.anna}/${first}.jpg`);
      expect(await t.work.text(`thumbnails/${t.anna}/${first}.jpg`)).toBe('a thumbnail of an image 3');
      t.pages['/b'] = { body: pageOf({ image: '/1.png /2.png /none.png /3.png' }) };
      const second = await t.work.save(t.anna, 'http://site.example/b');
      await t.work.work();
      expect((await t.work.item(t.anna, second)).thumbnail_key).toBeNull();
    });

    it('is its own thumbnail when it is an image', async () => {
      t.pages['/a'] = image();
      const id = await t.work.save(t.anna, url);
      await t.work.work();
      expect(await t.work.text(`thumbnails/${t.anna}/${id}.jpg`)).toBe('a thumbnail of an image');
    });

    it('is looked at through a browser only where it names no picture and has had none', async () => {
      const looked: string[] = [];
      await t.rework({
        screenshots: {
          take: async ({ url: at }) => {
            looked.push(at);
            return Buffer.from('an image of the page');
          },
        },
      });
      const id = await t.savePage(pageOf({ image: '/none.png' }));
      await t.work.work();
      expect(looked).toEqual([url]);
      expect(await t.work.text(`thumbnails/${t.anna}/${id}.jpg`)).toBe('a thumbnail of an image of the page');
      await t.work.enrichAgain(t.anna, id);
      await t.work.work();
      t.pages['/b'] = { body: pageOf({ image: '/i.png' }) };
      t.pages['/i.png'] = image();
      await t.work.save(t.anna, 'http://site.example/b');
      t.pages['/c'] = { body: 'text', headers: { 'content-type': 'text/plain' } };
      await t.work.save(t.anna, 'http://site.example/c');
      await t.work.work();
      expect(looked).toEqual([url]);
    });

    it('succeeds when the browser fails', async () => {
      await t.rework({
        screenshots: {
          take: async () => {
            throw new Error('no browser');
          },
        },
      });
      const id = await t.savePage(pageOf({}));
      expect(await t.work.work()).toEqual(['done']);
      expect((await t.work.item(t.anna, id)).enrichment_status).toBe('succeeded');
    });

    it('keeps what it says within the limits of the contract', async () => {
      const id = await t.savePage(
        pageOf({ title: `${'a'.repeat(199)}💥b`, description: 'word '.repeat(200) }),
      );
      await t.work.work();
      const { title, excerpt } = await t.work.item(t.anna, id);
      expect(title).toBe('a'.repeat(199));
      expect(excerpt).toHaveLength(499);
    });
  });

  describe('of titles and excerpts', () => {
    it("leaves a person's own alone, at first and ever after", async () => {
      t.pages['/a'] = { body: pageOf({ title: 'Of the page', description: 'Of the page' }) };
      const id = await t.work.save(t.anna, url, 'Of a person');
      await t.work.set(t.anna, id, { excerpt: 'Of a person', excerpt_from: 'person' });
      await t.work.work();
      await t.work.enrichAgain(t.anna, id);
      await t.work.work();
      expect(await t.work.item(t.anna, id)).toMatchObject({
        title: 'Of a person',
        title_from: 'person',
        excerpt: 'Of a person',
        excerpt_from: 'person',
        enrichment_status: 'succeeded',
      });
    });

    it.each([
      ['', 'page'],
      ['entry', 'page'],
      ['page', 'page'],
      ['raindrop', 'raindrop'],
      ['person', 'person'],
    ] as const)('one from "%s" is from "%s" after', async (before, after) => {
      const id = await t.savePage(pageOf({ title: 'Of the page' }));
      await t.work.set(t.anna, id, { title: 'Of before', title_from: before });
      await t.work.work();
      const row = await t.work.item(t.anna, id);
      expect(row.title_from).toBe(after);
      expect(row.title).toBe(after === 'page' ? 'Of the page' : 'Of before');
    });

    it('keeps the one of before when the page has none any more', async () => {
      const id = await t.savePage(pageOf({ title: 'Before', description: 'Before' }));
      await t.work.work();
      t.pages['/a'] = { body: pageOf({}) };
      await t.work.enrichAgain(t.anna, id);
      await t.work.work();
      expect(await t.work.item(t.anna, id)).toMatchObject({ title: 'Before', excerpt: 'Before' });
    });

    it('is not overwritten when a person gives one while the page is being read', async () => {
      const id = await t.savePage(pageOf({ title: 'Of the page' }));
      await t.rework({
        page: {
          ...simpleReader,
          read: async (page) => {
            await t.work.set(t.anna, id, { title: 'Of a person', title_from: 'person' });
            return simpleReader.read(page);
          },
        },
      });
      await t.work.work();
      expect((await t.work.item(t.anna, id)).title).toBe('Of a person');
    });
  });

  describe('once more', () => {
    it('takes in what has changed', async () => {
      const id = await t.savePage(pageOf({ title: 'Before' }));
      await t.work.work();
      const before = await t.work.item(t.anna, id);
      t.clock.advance(hour);
      t.pages['/a'] = { body: pageOf({ title: 'After', body: '<p>Other words.' }) };
      await t.work.enrichAgain(t.anna, id);
      await t.work.work();
      const after = await t.work.item(t.anna, id);
      expect(after).toMatchObject({ title: 'After', enriched_at: (before.enriched_at ?? 0) + hour });
      expect(after.text_sha256).not.toBe(before.text_sha256);
      expect(await t.work.text(`items/${id}/plain.txt`)).toBe('Other words.');
      await t.expectNamedFiles(id);
    });

    it('writes no file when nothing has changed', async () => {
      t.pages['/i.png'] = image();
      const id = await t.savePage(pageOf({ title: 'The same', image: '/i.png' }));
      await t.work.work();
      const before = await t.work.item(t.anna, id);
      const meta = await t.work.text(`items/${id}/meta.json`);
      let writes = 0;
      const files = {
        ...t.work.files,
        put: (...args: Parameters<typeof t.work.files.put>) => {
          writes += 1;
          return t.work.files.put(...args);
        },
      };
      await t.rework({ library: { files, requireWriter: async () => {} } });
      t.clock.advance(hour);
      await t.work.enrichAgain(t.anna, id);
      await t.work.work();
      expect(writes).toBe(0);
      expect(await t.work.text(`items/${id}/meta.json`)).toBe(meta);
      expect(await t.work.item(t.anna, id)).toEqual({
        ...before,
        enriched_at: t.clock.now(),
        updated_at: t.clock.now(),
      });
    });

    it('writes anew what is missing in the library', async () => {
      const id = await t.savePage(pageOf({ title: 'The same' }));
      await t.work.work();
      await t.work.files.delete(`items/${id}/plain.txt`);
      await t.work.enrichAgain(t.anna, id);
      await t.work.work();
      await t.expectNamedFiles(id);
    });

    it('keeps what is known of a copy when nothing can be read any more', async () => {
      const id = await t.savePage(pageOf({ title: 'Before' }));
      await t.work.work();
      await t.work.set(t.anna, id, { author: 'Anna', site_name: 'A site' });
      t.pages['/a'] = { body: 'film', headers: { 'content-type': 'video/mp4' } };
      await t.work.enrichAgain(t.anna, id);
      await t.work.work();
      expect(await t.work.item(t.anna, id)).toMatchObject({
        ...{ title: 'Before', author: 'Anna', site_name: 'A site', language: 'en', word_count: 2 },
        enrichment_status: 'succeeded',
        snapshot_key: `items/${id}`,
      });
      await t.expectNamedFiles(id);
    });

    it('keeps the thumbnail of a page that has no image any more', async () => {
      t.pages['/i.png'] = image();
      const id = await t.savePage(pageOf({ title: 'Before', image: '/i.png' }));
      await t.work.work();
      t.pages['/a'] = { body: pageOf({ title: 'After' }) };
      await t.work.enrichAgain(t.anna, id);
      await t.work.work();
      expect(await t.work.item(t.anna, id)).toMatchObject({
        title: 'After',
        thumbnail_key: `${t.anna}/${id}.jpg`,
      });
      await t.expectNamedFiles(id);
    });

    it('keeps everything when it fails, and says why', async () => {
      t.pages['/i.png'] = image();
      const id = await t.savePage(pageOf({ title: 'Before', image: '/i.png' }));
      await t.work.work();
      const before = await t.work.item(t.anna, id);
      t.pages['/a'] = { status: 404 };
      t.clock.advance(hour);
      await t.work.enrichAgain(t.anna, id);
      expect(await t.work.work()).toEqual(['done']);
      expect(await t.work.item(t.anna, id)).toEqual({
        ...before,
        enrichment_status: 'failed',
        enrichment_error: 'The server has nothing at this address.',
        updated_at: t.clock.now(),
      });
      await t.expectNamedFiles(id);
      t.pages['/a'] = { body: pageOf({ title: 'After' }) };
      await t.work.enrichAgain(t.anna, id);
      await t.work.work();
      expect(await t.work.item(t.anna, id)).toMatchObject({ title: 'After', enrichment_error: null });
    });
  });
});
