import { sql } from 'kysely';
import { beforeAll, beforeEach, expect, it } from 'vitest';
import { saveItem } from '../../src/items/save-item.ts';
import type { UserRows } from '../../src/store/store.ts';
import { answerOf, type Client, jsonOf, openApi, type TestApi } from '../support/api.ts';
import { onEachEngine } from '../support/engines.ts';
import { addMany, type ItemJson } from '../support/items.ts';

const path = '/api/v1/tags';
interface Page {
  readonly tags: { name: string; itemCount: number }[];
  readonly nextCursor: string | null;
  readonly hasMore: boolean;
}

onEachEngine('tags', (engine) => {
  let api: TestApi;
  let people = 0;
  let client: Client;
  let rows: UserRows;
  let userId: number;

  beforeAll(async () => {
    api = await openApi(engine);
    await api.addUser('owner');
    return () => api.close();
  });

  beforeEach(async () => {
    const name = `person${people++}`;
    userId = (await api.addUser(name)).id;
    client = await api.program(name, 'write');
    rows = api.opened.store.forUser(userId);
  });

  const save = async (n: number, ...tags: string[]) =>
    (await saveItem(rows, { url: `https://example.org/${n}`, tags })).item;
  const list = async (query = '') => jsonOf<Page>(await client.get(`${path}?${query}`));
  const names = async (query = '') => (await list(query)).tags.map(({ name }) => name);

  it('are listed with their items, by name or by number', async () => {
    await save(1, 'b', 'a');
    await save(2, 'b', 'c');
    await save(3, 'b', 'c');
    expect(await list()).toEqual({
      tags: [
        { name: 'a', itemCount: 1 },
        { name: 'b', itemCount: 3 },
        { name: 'c', itemCount: 2 },
      ],
      nextCursor: null,
      hasMore: false,
    });
    expect(await names('sort=count')).toEqual(['b', 'c', 'a']);
  });

  it('of deleted items are not counted, and are back with them', async () => {
    const { id } = await save(1, 'a', 'b');
    await save(2, 'b');
    await rows.items.delete(id);
    expect((await list()).tags).toEqual([{ name: 'b', itemCount: 1 }]);
    expect((await client.delete(`${path}/a`)).status).toBe(404);
    await client.post(`/api/v1/items/${id}/restore`, undefined);
    expect(await names()).toEqual(['a', 'b']);
  });

  it('are found by a part of their name, however it is written', async () => {
    await save(1, 'rust', 'trust', 'über uns', '100%', 'a_b');
    expect(await names('q=RUST')).toEqual(['rust', 'trust']);
    expect(await names(`q=${encodeURIComponent('ÜBER')}`)).toEqual(['über uns']);
    expect(await names('q=%25')).toEqual(['100%']);
    expect(await names('q=_')).toEqual(['a_b']);
    expect(await names('q=zzz')).toEqual([]);
  });

  it.each(['name', 'count'])('come by pages, by %s, and none twice', async (sort) => {
    for (let n = 0; n < 12; n++) await save(n, ...Array.from({ length: n + 1 }, (_, k) => `t${k}`));
    const whole = await names(`sort=${sort}`);
    expect(whole).toHaveLength(12);
    const found: string[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page: Page = await list(`sort=${sort}&limit=5${cursor && `&cursor=${cursor}`}`);
      found.push(...page.tags.map(({ name }) => name));
      cursor = page.nextCursor;
      expect(page.hasMore).toBe(cursor !== null);
    }
    expect(found).toEqual(whole);
    const { nextCursor } = await list(`sort=${sort}&limit=5`);
    const other = sort === 'name' ? 'count' : 'name';
    for (const query of [
      `sort=${other}&cursor=${nextCursor}`,
      'cursor=made-up',
      'cursor=W10',
      'sort=age',
      'limit=x',
    ])
      expect((await client.get(`${path}?${query}`)).status).toBe(400);
  });

  it('are renamed everywhere, in deleted items too', async () => {
    const first = await save(1, 'old', 'other');
    const second = await save(2, 'old');
    const deleted = await save(3, 'old');
    await rows.items.delete(deleted.id);
    api.clock.advance(1_000);
    const response = await client.patch(`${path}/OLD`, { newName: ' Brand  New ' });
    expect(await answerOf(response)).toEqual({
      status: 200,
      body: { oldName: 'old', newName: 'brand new', itemsUpdated: 2 },
    });
    expect((await list()).tags).toEqual([
      { name: 'brand new', itemCount: 2 },
      { name: 'other', itemCount: 1 },
    ]);
    const shown = await jsonOf<ItemJson>(await client.get(`/api/v1/items/${first.id}`));
    expect(shown).toMatchObject({
      tags: ['brand new', 'other'],
      updatedAt: new Date(api.clock.now()).toISOString(),
    });
    await client.post(`/api/v1/items/${deleted.id}/restore`, undefined);
    const page = await jsonOf<{ items: ItemJson[] }>(await client.get('/api/v1/items?tag=brand%20new'));
    expect(page.items.map(({ id }) => id)).toEqual([deleted.id, second.id, first.id].map(String));
  });

  it('are joined with one of that name', async () => {
    await save(1, 'a', 'b');
    await save(2, 'a');
    await save(3, 'b');
    expect(await jsonOf(await client.patch(`${path}/a`, { newName: 'b' }))).toMatchObject({
      itemsUpdated: 2,
    });
    expect((await list()).tags).toEqual([{ name: 'b', itemCount: 3 }]);
    expect(await jsonOf(await client.patch(`${path}/b`, { newName: 'B' }))).toMatchObject({
      itemsUpdated: 0,
    });
    expect((await list()).tags).toEqual([{ name: 'b', itemCount: 3 }]);
  });

  it('are taken away from everything', async () => {
    await save(1, 'a', 'b');
    await save(2, 'a');
    expect(await answerOf(await client.delete(`${path}/a`))).toEqual({
      status: 200,
      body: { oldName: 'a', newName: null, itemsUpdated: 2 },
    });
    expect(await names()).toEqual(['b']);
  });

  it.each(['a/b', 'c++', '50%', 'ünï cödé', '📚', 'קריאה', '..', 'a?b#c'])(
    'may be called %j',
    async (name) => {
      await save(1, name);
      const renamed = await client.patch(`${path}/${encodeURIComponent(name)}`, { newName: 'plain' });
      // A browser resolves a path of two dots before it asks.
      if (name === '..') return expect(renamed.status).toBe(404);
      expect(await jsonOf(renamed)).toEqual({ oldName: name, newName: 'plain', itemsUpdated: 1 });
    },
  );

  it('of many items are changed without a long wait for others', async () => {
    await addMany(api.opened.database, userId, 450, { tag: 'many' });
    let turns = 0;
    const count = () => {
      turns += 1;
      counting = setImmediate(count);
    };
    let counting = setImmediate(count);
    expect(await jsonOf(await client.patch(`${path}/many`, { newName: 'few' }))).toMatchObject({
      itemsUpdated: 450,
    });
    clearImmediate(counting);
    expect(turns).toBeGreaterThanOrEqual(3);
    expect((await list()).tags).toEqual([{ name: 'few', itemCount: 450 }]);
  });

  it("are nobody else's to see or change", async () => {
    await save(1, 'mine');
    const owner = await api.program('owner', 'write');
    expect(await jsonOf<Page>(await owner.get(path))).toMatchObject({ tags: [] });
    expect((await owner.patch(`${path}/mine`, { newName: 'theirs' })).status).toBe(404);
    expect((await owner.delete(`${path}/mine`)).status).toBe(404);
    expect(await names()).toEqual(['mine']);
  });

  it.each([{}, { newName: '' }, { newName: 'a,b' }, { newName: 'x'.repeat(51) }, { newName: 7 }])(
    'are not renamed to %j, and the field is named',
    async (body) => {
      await save(1, 'a');
      expect(await answerOf(await client.patch(`${path}/a`, body))).toEqual({
        status: 400,
        body: { error: { code: 'invalid', message: expect.stringContaining('newName: ') } },
      });
    },
  );

  it('stand in the index as their items do', async () => {
    const { id } = await save(1, 'a');
    await rows.items.delete(id);
    api.clock.advance(5_000);
    await save(1);
    const { rows: found } = await sql`
      SELECT t.name FROM item_tags t JOIN items i ON i.id = t.item_id AND i.created_at <> t.created_at`.execute(
      api.opened.database.read,
    );
    expect(found).toEqual([]);
  });
});
