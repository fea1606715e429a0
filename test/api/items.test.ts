// Saved items over HTTP: the acceptance lines of enrichment, as far as the API keeps them.
import { sql } from 'kysely';
import { beforeAll, describe, expect, it } from 'vitest';
import { bookmarkPage } from '../../src/feeds/bookmark.ts';
import { answerOf, type Client, jsonOf, openApi, type TestApi } from '../support/api.ts';
import { onEachEngine } from '../support/engines.ts';
import { addEnriched, type ItemJson, jobsOf } from '../support/items.ts';

const path = '/api/v1/items';
const day = 24 * 3_600_000;

onEachEngine('saved items', (engine) => {
  let api: TestApi;
  let people = 0;

  beforeAll(async () => {
    api = await openApi(engine);
    await api.addUser('owner');
    return () => api.close();
  });

  /** Nobody else has anything to do with what they save. */
  async function somebody(): Promise<{ client: Client; id: number; rows: ReturnType<typeof rowsOf> }> {
    const name = `person${people++}`;
    const { id } = await api.addUser(name);
    return { client: await api.program(name, 'write'), id, rows: rowsOf(id) };
  }
  const rowsOf = (id: number) => api.opened.store.forUser(id);
  const save = async (client: Client, body: object) => jsonOf<ItemJson>(await client.post(path, body));

  /** As the job leaves it in the end. */
  async function settle(
    id: string,
    status: 'succeeded' | 'failed',
    error: string | null = null,
  ): Promise<void> {
    await api.opened.database.write(async (trx) => {
      await sql`UPDATE items SET enrichment_status = ${status}, enrichment_error = ${error} WHERE id = ${Number(id)}`.execute(
        trx,
      );
      await sql`UPDATE jobs SET state = 2, finished_at = 0 WHERE unique_key = ${`enrich ${id}`}`.execute(trx);
    });
  }

  describe('saving', () => {
    it('a new item is answered with 201 and pending, exactly as the contract says', async () => {
      const { client, id: userId } = await somebody();
      const url = 'https://Example.org/Article/?utm_source=feed&b=2&a=1#part';
      const response = await client.post(path, { url, title: 'Mine', tags: ['Rust'] });
      expect(response.status).toBe(201);
      const item = await jsonOf<ItemJson>(response);
      expect(response.headers.get('location')).toBe(`${path}/${item.id}`);
      const now = new Date(api.clock.now()).toISOString();
      expect(item).toEqual({
        id: expect.stringMatching(/^\d+$/),
        url,
        normalizedUrl: 'https://example.org/Article?a=1&b=2',
        title: 'Mine',
        excerpt: null,
        status: 'unread',
        isFavorite: false,
        collectionId: null,
        tags: ['rust'],
        createdAt: now,
        updatedAt: now,
        thumbnailUrl: null,
        enrichmentStatus: 'pending',
        enrichmentError: null,
        enrichedAt: null,
      });
      expect(await jobsOf(api.opened.database, item.id)).toEqual([
        {
          name: 'enrich-item',
          lane: 1,
          state: 0,
          payload: { itemId: item.id, userId: String(userId), url, enqueuedAt: now },
        },
      ]);
    });

    it('with everything that can be given, and with its details where they are asked for', async () => {
      const { client } = await somebody();
      const box = await jsonOf<{ id: string }>(await client.post('/api/v1/collections', { name: 'Box' }));
      const body = {
        url: 'https://example.org/all',
        title: null,
        excerpt: 'What it is about',
        tags: ['b', 'a'],
        collectionId: box.id,
        isFavorite: true,
        status: 'archived',
        unknown: 'is not looked at',
      };
      const response = await client.post(`${path}?include=details`, body);
      expect(await jsonOf(response)).toMatchObject({
        title: null,
        excerpt: 'What it is about',
        tags: ['a', 'b'],
        collectionId: box.id,
        isFavorite: true,
        status: 'archived',
        details: {
          author: '',
          siteName: '',
          language: '',
          publishedAt: null,
          canonicalUrl: '',
          wordCount: 0,
          origins: ['manual'],
          hasContent: false,
          hasIcon: false,
          bookmarkId: null,
          deletedAt: null,
          link: null,
        },
      });
    });

    it('an address that is there already is answered with 200 and the same item, and starts no job', async () => {
      const { client } = await somebody();
      const first = await save(client, { url: 'https://example.org/twice', tags: ['a'] });
      await settle(first.id, 'succeeded');
      api.clock.advance(1_000);
      const response = await client.post(path, {
        url: 'http://EXAMPLE.org/twice/#again',
        title: 'A better title',
        tags: ['b'],
        status: 'archived',
      });
      expect(response.status).toBe(200);
      expect(await jsonOf(response)).toEqual({
        ...first,
        title: 'A better title',
        tags: ['a', 'b'],
        enrichmentStatus: 'succeeded',
        updatedAt: new Date(api.clock.now()).toISOString(),
      });
      expect(await jobsOf(api.opened.database, first.id)).toMatchObject([{ state: 2 }]);
      const again = await save(client, {
        url: 'https://example.org/twice',
        title: 'Yet another',
        tags: ['a'],
      });
      expect(again).toMatchObject({ id: first.id, title: 'A better title', tags: ['a', 'b'] });
    });

    it('what is saved twice and changed by nothing is as it was', async () => {
      const { client } = await somebody();
      const first = await save(client, { url: 'https://example.org/same', tags: ['a'] });
      api.clock.advance(1_000);
      expect(await save(client, { url: 'https://example.org/same', tags: ['A'] })).toEqual(first);
    });

    it('one address that is sent twice at the same moment is one item with one job', async () => {
      const { client } = await somebody();
      for (const n of [1, 2, 3, 4, 5]) {
        const url = `https://example.org/race/${n}`;
        const responses = await Promise.all([client.post(path, { url }), client.post(path, { url })]);
        expect(responses.map(({ status }) => status).sort()).toEqual([200, 201]);
        const [one, other] = await Promise.all(responses.map((response) => jsonOf<ItemJson>(response)));
        expect(one?.id).toBe(other?.id);
        expect(await jobsOf(api.opened.database, one?.id ?? '')).toHaveLength(1);
      }
    });

    it('an address that is a bookmark already is that item, saved by hand as well', async () => {
      const { client, rows } = await somebody();
      const link = 'https://example.org/starred';
      await bookmarkPage(rows, {
        link,
        title: 'Of the entry',
        content: '<p>x</p>',
        feedName: '',
        pubDate: 0,
      });
      const response = await client.post(`${path}?include=details`, { url: link });
      expect(response.status).toBe(200);
      expect(await jsonOf(response)).toMatchObject({
        title: 'Of the entry',
        enrichmentStatus: 'succeeded',
        details: {
          origins: ['manual', 'bookmark'],
          hasContent: true,
          bookmarkId: expect.stringMatching(/^\d+$/),
        },
      });
    });

    it('the same address is an item of its own for each user', async () => {
      const [one, other] = [await somebody(), await somebody()];
      const url = 'https://example.org/shared';
      expect((await one.client.post(path, { url })).status).toBe(201);
      expect((await other.client.post(path, { url })).status).toBe(201);
    });

    it('a deleted one is revived: 201, pending, with a job, and what it had', async () => {
      const { client } = await somebody();
      const url = 'https://example.org/revived';
      const first = await save(client, { url, title: 'Mine', tags: ['a'], status: 'archived' });
      await settle(first.id, 'failed', 'The page is gone.');
      expect((await client.delete(`${path}/${first.id}`)).status).toBe(204);
      api.clock.advance(1_000);
      const response = await client.post(path, { url, tags: ['b'] });
      expect(response.status).toBe(201);
      const now = new Date(api.clock.now()).toISOString();
      expect(await jsonOf(response)).toEqual({
        ...first,
        status: 'unread',
        tags: ['a', 'b'],
        createdAt: now,
        updatedAt: now,
      });
      expect(await jobsOf(api.opened.database, first.id)).toMatchObject([{ state: 2 }, { state: 0 }]);
      const page = await jsonOf<{ items: ItemJson[] }>(await client.get(`${path}?tag=a`));
      expect(page.items).toMatchObject([{ id: first.id, createdAt: now }]);
    });

    it('nothing is kept of a save that fails, and no job either', async () => {
      const { client, id } = await somebody();
      const body = { url: 'https://example.org/no', collectionId: '999999999' };
      expect(await answerOf(await client.post(path, body))).toEqual({
        status: 400,
        body: { error: { code: 'invalid', message: 'collectionId: there is no such collection' } },
      });
      const { rows } = await sql`SELECT id FROM items WHERE user_id = ${id}`.execute(
        api.opened.database.read,
      );
      expect(rows).toEqual([]);
    });

    it.each([
      [{}, 'url: '],
      [{ url: '' }, 'url: '],
      [{ url: 'example.org' }, 'url: expected an http(s) address'],
      [{ url: 'ftp://example.org/' }, 'url: expected an http(s) address'],
      [{ url: 'javascript:alert(1)' }, 'url: expected an http(s) address'],
      [{ url: 'file:///etc/passwd' }, 'url: expected an http(s) address'],
      [{ url: `https://example.org/${'a'.repeat(9_000)}` }, 'url: '],
      [{ url: 'https://example.org/', title: 'x'.repeat(201) }, 'title: expected at most 200 characters'],
      [{ url: 'https://example.org/', excerpt: 'x'.repeat(501) }, 'excerpt: expected at most 500 characters'],
      [{ url: 'https://example.org/', title: 7 }, 'title: '],
      [{ url: 'https://example.org/', tags: ['ok', 'a,b'] }, 'tags.1: expected 1 to 50 characters'],
      [{ url: 'https://example.org/', tags: ['x'.repeat(51)] }, 'tags.0: expected 1 to 50 characters'],
      [{ url: 'https://example.org/', tags: [' '] }, 'tags.0: expected 1 to 50 characters'],
      [
        { url: 'https://example.org/', tags: Array.from({ length: 51 }, (_, n) => `t${n}`) },
        'tags: expected at most 50',
      ],
      [{ url: 'https://example.org/', tags: 'a' }, 'tags: '],
      [{ url: 'https://example.org/', status: 'read' }, 'status: '],
      [{ url: 'https://example.org/', isFavorite: 'yes' }, 'isFavorite: '],
      [{ url: 'https://example.org/', collectionId: 'x' }, 'collectionId: '],
      [{ url: 'https://example.org/', collectionId: '0' }, 'collectionId: '],
    ])('%j is refused by name', async (body, message) => {
      const client = await api.program('owner', 'write');
      const answer = await answerOf(await client.post(path, body));
      expect(answer).toEqual({
        status: 400,
        body: { error: { code: 'invalid', message: expect.stringContaining(message) } },
      });
    });

    it('text is kept as a person would read it, whatever the script', async () => {
      const { client } = await somebody();
      const item = await save(client, {
        url: 'https://example.org/text',
        title: '  A &amp; B:\n<b>bold</b>\u0000 <script>alert(1)</script>&lt;3 📚 ',
        excerpt: 'קרא <i>زيد</i> &eacute; \t Vec<T>',
        tags: ['📚', 'קריאה', 'Ünï  Cödé', 'ünï cödé', 'a\u0000b'],
      });
      expect(item).toMatchObject({
        title: 'A & B: bold <3 📚',
        excerpt: 'קרא زيد é Vec<T>',
        tags: ['ab', 'ünï cödé', 'קריאה', '📚'],
      });
      expect(await jsonOf(await client.get(`${path}/${item.id}`))).toEqual(item);
    });

    it('200 characters are 200 of what people call characters', async () => {
      const { client } = await somebody();
      const title = '📚'.repeat(200);
      expect(await save(client, { url: 'https://example.org/long', title })).toMatchObject({ title });
      expect(
        (await client.post(path, { url: 'https://example.org/longer', title: `${title}x` })).status,
      ).toBe(400);
    });
  });

  describe('changing', () => {
    it('fields one by one, and the others stay', async () => {
      const { client } = await somebody();
      const item = await save(client, { url: 'https://example.org/change', tags: ['a', 'b'] });
      const patch = async (change: object) =>
        jsonOf<ItemJson>(await client.patch(`${path}/${item.id}`, change));
      api.clock.advance(1_000);
      const updatedAt = new Date(api.clock.now()).toISOString();
      const titled = await patch({ title: 'Mine' });
      expect(titled).toEqual({ ...item, title: 'Mine', updatedAt });
      expect(await patch({ status: 'archived', isFavorite: true })).toEqual({
        ...titled,
        status: 'archived',
        isFavorite: true,
      });
      expect(await patch({ tags: ['B', 'c'] })).toMatchObject({ tags: ['b', 'c'], title: 'Mine' });
      expect(await patch({ tags: [] })).toMatchObject({ tags: [], isFavorite: true });
      expect(await patch({ excerpt: 'Words' })).toMatchObject({ excerpt: 'Words', status: 'archived' });
    });

    it("a person's title and excerpt are theirs, and handed back when they are emptied", async () => {
      const { client } = await somebody();
      const { id } = await save(client, { url: 'https://example.org/whose' });
      const from = async () =>
        (
          await sql`SELECT title, title_from, excerpt, excerpt_from FROM items WHERE id = ${Number(id)}`.execute(
            api.opened.database.read,
          )
        ).rows[0];
      await client.patch(`${path}/${id}`, { title: 'Mine', excerpt: 'My words' });
      expect(await from()).toEqual({
        title: 'Mine',
        title_from: 'person',
        excerpt: 'My words',
        excerpt_from: 'person',
      });
      expect(await jsonOf(await client.patch(`${path}/${id}`, { title: null, excerpt: '' }))).toMatchObject({
        title: null,
        excerpt: null,
      });
      expect(await from()).toEqual({ title: '', title_from: '', excerpt: '', excerpt_from: '' });
    });

    it('into a collection and out of it', async () => {
      const { client } = await somebody();
      const { id } = await save(client, { url: 'https://example.org/box' });
      const box = await jsonOf<{ id: string }>(await client.post('/api/v1/collections', { name: 'Box' }));
      const move = async (collectionId: unknown) =>
        jsonOf<ItemJson>(await client.patch(`${path}/${id}`, { collectionId }));
      expect(await move(box.id)).toMatchObject({ collectionId: box.id });
      expect(await move('')).toMatchObject({ collectionId: null });
      await move(box.id);
      expect(await move(null)).toMatchObject({ collectionId: null });
    });

    it("another's collection is refused as one that is not there, by name", async () => {
      const [one, other] = [await somebody(), await somebody()];
      const box = await jsonOf<{ id: string }>(
        await other.client.post('/api/v1/collections', { name: 'Box' }),
      );
      const { id } = await save(one.client, { url: 'https://example.org/foreign' });
      const theirs = await answerOf(await one.client.patch(`${path}/${id}`, { collectionId: box.id }));
      const nobodys = await answerOf(await one.client.patch(`${path}/${id}`, { collectionId: '999999999' }));
      expect(theirs).toEqual(nobodys);
      expect(theirs).toMatchObject({
        status: 400,
        body: { error: { message: expect.stringContaining('collectionId') } },
      });
    });

    it.each([
      [{}, 'at least one field'],
      [{ unknown: 1 }, 'at least one field'],
      [{ title: 'x'.repeat(201) }, 'title: '],
      [{ status: 'deleted' }, 'status: '],
      [{ tags: null }, 'tags: '],
    ])('%j is refused', async (change, message) => {
      const { client } = await somebody();
      const { id } = await save(client, { url: 'https://example.org/refused' });
      expect(await answerOf(await client.patch(`${path}/${id}`, change))).toEqual({
        status: 400,
        body: { error: { code: 'invalid', message: expect.stringContaining(message) } },
      });
    });

    it('50 tags are enough for an item, however they come', async () => {
      const { client } = await somebody();
      const url = 'https://example.org/tags';
      const tags = Array.from({ length: 50 }, (_, n) => `t${n}`);
      const { id } = await save(client, { url, tags });
      expect((await client.post(path, { url, tags: ['one more'] })).status).toBe(400);
      expect(
        (await client.post(`${path}/bulk`, { ids: [id], action: 'addTags', tags: ['one more'] })).status,
      ).toBe(400);
      expect(await jsonOf<ItemJson>(await client.get(`${path}/${id}`))).toMatchObject({ tags: tags.sort() });
    });
  });

  describe('deleting', () => {
    it('it is gone, and can be had back for 30 days', async () => {
      const { client } = await somebody();
      const item = await save(client, { url: 'https://example.org/gone', tags: ['a'] });
      expect((await client.delete(`${path}/${item.id}`)).status).toBe(204);
      for (const response of [
        await client.get(`${path}/${item.id}`),
        await client.delete(`${path}/${item.id}`),
        await client.patch(`${path}/${item.id}`, { title: 'x' }),
        await client.post(`${path}/${item.id}/enrich`, undefined),
        await client.get(`${path}/${item.id}/content`),
      ])
        expect(response.status).toBe(404);
      const bin = await jsonOf<{ items: ItemJson[] }>(
        await client.get(`${path}?deleted=true&include=details`),
      );
      expect(bin.items).toMatchObject([
        { id: item.id, details: { deletedAt: new Date(api.clock.now()).toISOString() } },
      ]);
      expect(await jsonOf(await client.get('/api/v1/tags'))).toMatchObject({ tags: [] });
      api.clock.advance(29 * day);
      const restored = await client.post(`${path}/${item.id}/restore`, undefined);
      expect(restored.status).toBe(200);
      expect(await jsonOf(restored)).toMatchObject({ id: item.id, createdAt: item.createdAt, tags: ['a'] });
      expect((await client.post(`${path}/${item.id}/restore`, undefined)).status).toBe(200);
      await client.delete(`${path}/${item.id}`);
      api.clock.advance(30 * day);
      expect((await client.post(`${path}/${item.id}/restore`, undefined)).status).toBe(404);
      expect(await jsonOf(await client.get(`${path}?deleted=true`))).toMatchObject({ items: [] });
    });

    it('the star goes with it and comes back with it', async () => {
      const { client, rows } = await somebody();
      const link = 'https://example.org/star';
      const star = await bookmarkPage(rows, {
        link,
        title: '',
        content: '<p>kept</p>',
        feedName: '',
        pubDate: 0,
      });
      const { id } = await save(client, { url: link });
      await client.delete(`${path}/${id}`);
      expect((await client.get(`/api/bookmarks/${star.id}`)).status).toBe(404);
      await client.post(`${path}/${id}/restore`, undefined);
      expect(await jsonOf(await client.get(`/api/bookmarks/${star.id}`))).toMatchObject({
        data: { content: '<p>kept</p>' },
      });
    });

    it('one that was deleted while it waited for its job has a job when it is back', async () => {
      const { client } = await somebody();
      const { id } = await save(client, { url: 'https://example.org/waiting' });
      await client.delete(`${path}/${id}`);
      // The job has found it gone.
      await api.opened.database.write((trx) =>
        sql`UPDATE jobs SET state = 2, finished_at = 0 WHERE unique_key = ${`enrich ${id}`}`.execute(trx),
      );
      await client.post(`${path}/${id}/restore`, undefined);
      expect(await jobsOf(api.opened.database, id)).toMatchObject([{ state: 2 }, { state: 0 }]);
    });
  });

  describe('enriching anew', () => {
    it.each(['failed', 'succeeded'] as const)(
      'from %s: 202, back to pending, with a job for now',
      async (status) => {
        const { client } = await somebody();
        const { id } = await save(client, { url: `https://example.org/${status}` });
        await settle(id, status, status === 'failed' ? 'The page is gone.' : null);
        const response = await client.post(`${path}/${id}/enrich`, undefined);
        expect(await answerOf(response)).toEqual({
          status: 202,
          body: { message: expect.any(String), itemId: id, status: 'pending' },
        });
        expect(await jsonOf(await client.get(`${path}/${id}`))).toMatchObject({
          enrichmentStatus: 'pending',
          enrichmentError: null,
        });
        expect(await jobsOf(api.opened.database, id)).toMatchObject([{ state: 2 }, { state: 0, lane: 0 }]);
      },
    );

    it('while it is pending there is no second job, and the one that waits is hurried', async () => {
      const { client } = await somebody();
      const { id } = await save(client, { url: 'https://example.org/pending' });
      expect((await client.post(`${path}/${id}/enrich`, undefined)).status).toBe(202);
      expect((await client.post(`${path}/${id}/enrich`, undefined)).status).toBe(202);
      expect(await jobsOf(api.opened.database, id)).toMatchObject([{ state: 0, lane: 0 }]);
    });

    it('an entry without an address has no page to fetch', async () => {
      const { client, id, rows } = await somebody();
      const { id: item } = (await save(client, { url: 'https://example.org/urn' })) as { id: string };
      await api.opened.database.write((trx) =>
        sql`UPDATE items SET url = 'urn:sha256:1' WHERE id = ${Number(item)} AND user_id = ${id}`.execute(
          trx,
        ),
      );
      expect((await client.post(`${path}/${item}/enrich`, undefined)).status).toBe(400);
      expect((await rows.items.get(Number(item))).url).toBe('urn:sha256:1');
    });
  });

  it('the log says what was queued, and for whom', async () => {
    const { client, id: user } = await somebody();
    const told = () =>
      api.logLines
        .map((line) => JSON.parse(line))
        .filter(({ msg, user: whose }) => /enrichment queued/.test(msg) && whose === user)
        .map(({ item }) => String(item));
    const { id } = await save(client, { url: 'https://example.org/logged' });
    expect(told()).toEqual([id]);
    await save(client, { url: 'https://example.org/logged' });
    expect(told()).toEqual([id]);
    await client.post(`${path}/${id}/enrich`, undefined);
    expect(told()).toEqual([id, id]);
  });

  it('an item without a status reads as pending', async () => {
    const { client } = await somebody();
    const { id } = await save(client, { url: 'https://example.org/older' });
    await api.opened.database.write((trx) =>
      sql`UPDATE items SET enrichment_status = NULL WHERE id = ${Number(id)}`.execute(trx),
    );
    expect(await jsonOf(await client.get(`${path}/${id}`))).toMatchObject({ enrichmentStatus: 'pending' });
    const page = await jsonOf<{ items: ItemJson[] }>(await client.get(`${path}?enrichmentStatus=pending`));
    expect(page.items.map((item) => item.id)).toEqual([id]);
    expect(await jsonOf(await client.get(`${path}/counts`))).toMatchObject({ pending: 1, failed: 0 });
  });

  it('a failure is shown in the words that were kept of it', async () => {
    const { client } = await somebody();
    const { id } = await save(client, { url: 'https://example.org/failed' });
    await settle(id, 'failed', 'The page could not be found.');
    expect(await jsonOf(await client.get(`${path}/${id}`))).toMatchObject({
      enrichmentStatus: 'failed',
      enrichmentError: 'The page could not be found.',
    });
  });

  it.each([
    ['LECTERN_PUBLIC_URL', { publicUrl: 'https://lectern.example' }, {}, 'https://lectern.example'],
    ['the request', {}, {}, 'http://reader.example'],
    [
      'a proxy that is trusted',
      { trustedProxies: [{ address: '198.51.100.1', prefix: 32, family: 'ipv4' as const }] },
      { 'X-Forwarded-Proto': 'https', 'X-Forwarded-Host': 'books.example' },
      'https://books.example',
    ],
    [
      'nobody who only says so',
      {},
      { 'X-Forwarded-Proto': 'https', 'X-Forwarded-Host': 'evil.example' },
      'http://reader.example',
    ],
  ])('the address of a thumbnail begins as %s says', async (_who, options, headers, base) => {
    const { client, id: userId } = await somebody();
    const id = await addEnriched(api.opened, userId, 'https://example.org/picture');
    const response = await client.at(api.again(options)).get(`${path}/${id}`, { headers });
    expect(await jsonOf(response)).toMatchObject({ thumbnailUrl: `${base}/api/v1/items/${id}/thumbnail` });
  });
});
