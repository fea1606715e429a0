// What the library keeps of an item, over HTTP: its picture, its readable copy; and the icon of its site.
import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { beforeAll, describe, expect, it } from 'vitest';
import { Unavailable } from '../../src/errors.ts';
import { bookmarkPage } from '../../src/feeds/bookmark.ts';
import { saveItem } from '../../src/items/save-item.ts';
import { answerOf, type Client, openApi, type TestApi } from '../support/api.ts';
import { onEachEngine } from '../support/engines.ts';
import { addEnriched, jpeg } from '../support/items.ts';

const path = '/api/v1/items';
const etag = `"${createHash('sha256').update(jpeg).digest('hex')}"`;

onEachEngine('the files of items', (engine) => {
  let api: TestApi;
  let anna: Client;
  let ben: Client;
  let annaId: number;
  let benId: number;
  let pages = 0;

  beforeAll(async () => {
    api = await openApi(engine);
    annaId = (await api.addUser('anna')).id;
    benId = (await api.addUser('ben')).id;
    anna = await api.program('anna', 'write');
    ben = await api.program('ben', 'write');
    return () => api.close();
  });

  const enriched = (userId = annaId) => addEnriched(api.opened, userId, `https://example.org/${pages++}`);
  const change = (id: number, what: ReturnType<typeof sql>) =>
    api.opened.database.write((trx) => sql`UPDATE items SET ${what} WHERE id = ${id}`.execute(trx));

  describe('the thumbnail', () => {
    it('is a JPEG for its owner alone, that a browser keeps and nothing can run in', async () => {
      const id = await enriched();
      const response = await anna.get(`${path}/${id}/thumbnail`);
      expect(response.status).toBe(200);
      expect(Object.fromEntries(response.headers)).toMatchObject({
        'content-type': 'image/jpeg',
        'x-content-type-options': 'nosniff',
        'content-security-policy': "default-src 'none'; sandbox",
        'cache-control': expect.stringMatching(/^private, max-age=\d+$/),
        etag,
      });
      expect(Buffer.from(await response.arrayBuffer())).toEqual(jpeg);
      expect((await ben.get(`${path}/${id}/thumbnail`)).status).toBe(404);
      expect((await api.visitor().get(`${path}/${id}/thumbnail`)).status).toBe(401);
    });

    it('is not sent again to one who has it', async () => {
      const id = await enriched();
      const asked = (tag: string) =>
        anna.get(`${path}/${id}/thumbnail`, { headers: { 'If-None-Match': tag } });
      const response = await asked(etag);
      expect([response.status, await response.text(), response.headers.get('etag')]).toEqual([304, '', etag]);
      expect((await asked('"another"')).status).toBe(200);
    });

    it('is asked for in the library only when the item is theirs', async () => {
      const id = await enriched();
      const asked: string[] = [];
      const read = (key: string) => {
        asked.push(key);
        return api.opened.files.read(key);
      };
      const watched = api.again({ files: { read } });
      await ben.at(watched).get(`${path}/${id}/thumbnail`);
      await ben.at(watched).get(`${path}/${id}/content`);
      expect(asked).toEqual([]);
      await anna.at(watched).get(`${path}/${id}/thumbnail`);
      expect(asked).toEqual([`thumbnails/${annaId}/${id}.jpg`]);
    });

    it('says nothing of where the library is when that does not answer', async () => {
      const id = await enriched();
      const read = async () => {
        const publicMessage = 'The library cannot be reached at the moment.';
        throw new Unavailable('library', 'LECTERN_LIBRARY_URL: s3://bucket at http://10.0.0.7', {
          publicMessage,
        });
      };
      const response = await anna.at(api.again({ files: { read } })).get(`${path}/${id}/thumbnail`);
      expect(await answerOf(response)).toEqual({
        status: 503,
        body: { error: { code: 'unavailable', message: 'The library cannot be reached at the moment.' } },
      });
    });

    it.each([
      ["somebody else's", (id: number) => `${benId}/${id}.jpg`],
      ["another item's", (id: number) => `${annaId}/${id + 1}.jpg`],
      ['a way out', () => '../library.json'],
    ])('is not shown where the row names %s', async (_what, keyOf) => {
      const id = await enriched();
      for (const key of [`${benId}/${id}`, `${annaId}/${id + 1}`])
        await api.opened.files.put(`thumbnails/${key}.jpg`, 'not to be shown');
      await change(id, sql`thumbnail_key = ${keyOf(id)}`);
      expect((await anna.get(`${path}/${id}/thumbnail`)).status).toBe(404);
    });

    it('is not found where there is none, or where its file is missing', async () => {
      const { item } = await saveItem(api.opened.store.forUser(annaId), {
        url: `https://example.org/${pages++}`,
      });
      expect((await anna.get(`${path}/${item.id}/thumbnail`)).status).toBe(404);
      const id = await enriched();
      await api.opened.files.delete(`thumbnails/${annaId}/${id}.jpg`);
      expect((await anna.get(`${path}/${id}/thumbnail`)).status).toBe(404);
    });

    it('can be looked at in the bin, as long as the item can be had back', async () => {
      const id = await enriched();
      await anna.delete(`${path}/${id}`);
      expect((await anna.get(`${path}/${id}/thumbnail`)).status).toBe(200);
      api.clock.advance(30 * 24 * 3_600_000);
      expect((await anna.get(`${path}/${id}/thumbnail`)).status).toBe(404);
    });
  });

  describe('the readable copy', () => {
    it('is a document under a policy that lets nothing run', async () => {
      const id = await enriched();
      await api.opened.files.put(
        `items/${id}/readable.html`,
        '<p onclick="x()">What the page says.</p><script>alert(1)</script>',
      );
      const response = await anna.get(`${path}/${id}/content`);
      expect(response.status).toBe(200);
      expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(response.headers.get('content-security-policy')).toMatch(/^sandbox .*default-src 'none'/);
      expect(response.headers.get('content-security-policy')).not.toContain('allow-scripts');
      const html = await response.text();
      expect(html).toContain('<p>What the page says.</p>');
      expect(html).not.toMatch(/onclick|alert/);
      expect((await ben.get(`${path}/${id}/content`)).status).toBe(404);
      const tag = response.headers.get('etag') ?? '';
      const again = await anna.get(`${path}/${id}/content`, { headers: { 'If-None-Match': tag } });
      expect(again.status).toBe(304);
    });

    it('stands before what a bookmark brought, which serves where there is no copy', async () => {
      const rows = api.opened.store.forUser(annaId);
      const link = `https://example.org/${pages++}`;
      const page = { link, title: '', content: '<p>Of the entry.</p>', feedName: '', pubDate: 0 };
      await bookmarkPage(rows, page);
      const { item } = await saveItem(rows, { url: link });
      expect(await (await anna.get(`${path}/${item.id}/content`)).text()).toContain('<p>Of the entry.</p>');
      await addEnriched(api.opened, annaId, link);
      expect(await (await anna.get(`${path}/${item.id}/content`)).text()).toContain('What the page says.');
    });

    it('is not found where there is neither', async () => {
      const rows = api.opened.store.forUser(annaId);
      const link = `https://example.org/${pages++}`;
      const { item } = await saveItem(rows, { url: link });
      expect((await anna.get(`${path}/${item.id}/content`)).status).toBe(404);
      await bookmarkPage(rows, { link, title: '', content: '', feedName: '', pubDate: 0 });
      expect((await anna.get(`${path}/${item.id}/content`)).status).toBe(404);
    });

    it.each(['items/1', '../items', 'thumbnails'])('is not looked for in %s', async (key) => {
      const id = await enriched();
      await change(id, sql`snapshot_key = ${key}`);
      expect((await anna.get(`${path}/${id}/content`)).status).toBe(404);
    });
  });

  it('the icon is that of its site', async () => {
    const id = await enriched();
    const response = await anna.get(`${path}/${id}/icon`);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('image/png');
    expect(response.headers.get('content-security-policy')).toContain('sandbox');
    expect(Buffer.from(await response.arrayBuffer())).toEqual(Buffer.from([1]));
    expect((await anna.get(`${path}/${id}/icon`, { headers: { 'If-None-Match': '"1"' } })).status).toBe(304);
    expect((await ben.get(`${path}/${id}/icon`)).status).toBe(404);
    await change(id, sql`site_origin = 'https://iconless.example'`);
    expect((await anna.get(`${path}/${id}/icon`)).status).toBe(404);
  });
});
