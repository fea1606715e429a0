import { beforeAll, beforeEach, expect, it } from 'vitest';
import { saveItem } from '../../src/items/save-item.ts';
import type { UserRows } from '../../src/store/store.ts';
import { answerOf, type Client, jsonOf, openApi, type TestApi } from '../support/api.ts';
import { onEachEngine } from '../support/engines.ts';
import { addMany, type ItemJson } from '../support/items.ts';

const path = '/api/v1/collections';
interface Collection {
  readonly id: string;
  readonly name: string;
  readonly parentId: string | null;
  readonly itemCount: number;
}

onEachEngine('collections', (engine) => {
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

  const create = async (name: string, parentId?: string, by = client) =>
    jsonOf<Collection>(await by.post(path, { name, parentId }));
  const list = async () => (await jsonOf<{ collections: Collection[] }>(await client.get(path))).collections;
  const save = async (n: number, collection?: Collection) => {
    const collectionId = collection ? Number(collection.id) : null;
    return String((await saveItem(rows, { url: `https://example.org/${n}`, collectionId })).item.id);
  };
  const item = async (id: string) => jsonOf<ItemJson>(await client.get(`/api/v1/items/${id}`));

  it('are made, shown, renamed and described', async () => {
    const response = await client.post(path, { name: ' Box ', description: 'For things' });
    expect(response.status).toBe(201);
    const box = await jsonOf<Collection>(response);
    const now = new Date(api.clock.now()).toISOString();
    expect(box).toEqual({
      id: expect.stringMatching(/^\d+$/),
      name: 'Box',
      description: 'For things',
      parentId: null,
      itemCount: 0,
      createdAt: now,
      updatedAt: now,
    });
    expect(response.headers.get('location')).toBe(`${path}/${box.id}`);
    expect(await jsonOf(await client.get(`${path}/${box.id}`))).toEqual(box);
    await save(1, box);
    api.clock.advance(1_000);
    expect(
      await jsonOf(await client.patch(`${path}/${box.id}`, { name: 'Chest', description: null })),
    ).toEqual({
      ...box,
      name: 'Chest',
      description: null,
      itemCount: 1,
      updatedAt: new Date(api.clock.now()).toISOString(),
    });
    expect(await list()).toMatchObject([{ name: 'Chest' }]);
  });

  it('stand inside each other, and count their own items', async () => {
    const outer = await create('Outer');
    const inner = await create('Inner', outer.id);
    await save(1, outer);
    await save(2, inner);
    const gone = await save(3, inner);
    await client.delete(`/api/v1/items/${gone}`);
    expect(await list()).toMatchObject([
      { name: 'Inner', parentId: outer.id, itemCount: 1 },
      { name: 'Outer', parentId: null, itemCount: 1 },
    ]);
  });

  it('have one name for each under one parent', async () => {
    const box = await create('Box');
    expect(await answerOf(await client.post(path, { name: 'Box' }))).toEqual({
      status: 409,
      body: { error: { code: 'conflict', message: 'name: a collection named "Box" is there already' } },
    });
    const inner = await create('Box', box.id);
    expect((await client.patch(`${path}/${inner.id}`, { parentId: null })).status).toBe(409);
    const other = await create('Other');
    expect((await client.patch(`${path}/${other.id}`, { name: 'Box' })).status).toBe(409);
    expect((await client.patch(`${path}/${box.id}`, { name: 'Box' })).status).toBe(200);
  });

  it('are moved, but not into themselves', async () => {
    const a = await create('a');
    const b = await create('b', a.id);
    const c = await create('c', b.id);
    for (const parentId of [a.id, b.id, c.id])
      expect(await answerOf(await client.patch(`${path}/${a.id}`, { parentId }))).toEqual({
        status: 400,
        body: { error: { code: 'invalid', message: 'parentId: a collection cannot be inside itself' } },
      });
    expect(await jsonOf(await client.patch(`${path}/${c.id}`, { parentId: a.id }))).toMatchObject({
      parentId: a.id,
    });
    expect(await jsonOf(await client.patch(`${path}/${b.id}`, { parentId: '' }))).toMatchObject({
      parentId: null,
    });
    expect(await jsonOf(await client.patch(`${path}/${a.id}`, { parentId: b.id }))).toMatchObject({
      parentId: b.id,
    });
  });

  it('that are moved into each other at the same moment are not lost in a circle', async () => {
    for (let n = 0; n < 10; n++) {
      const [a, b] = [await create(`a${n}`), await create(`b${n}`)];
      const low = await create('low', (await create('middle', a.id)).id);
      const responses = await Promise.all([
        client.patch(`${path}/${b.id}`, { parentId: low.id }),
        client.patch(`${path}/${a.id}`, { parentId: b.id }),
      ]);
      expect(responses.map(({ status }) => status).sort()).toEqual([200, 400]);
    }
  });

  it('leave their items and sub-collections behind when they go', async () => {
    const top = await create('top');
    const middle = await create('middle', top.id);
    const low = await create('low', middle.id);
    await create('low', top.id);
    const [one, two] = [await save(1, middle), await save(2, low)];
    const deleted = await save(3, middle);
    await client.delete(`/api/v1/items/${deleted}`);
    api.clock.advance(1_000);
    expect((await client.delete(`${path}/${middle.id}`)).status).toBe(204);
    expect(await list()).toMatchObject([
      { name: 'low', parentId: top.id, itemCount: 0 },
      { id: low.id, name: 'low (2)', parentId: top.id, itemCount: 1 },
      { name: 'top' },
    ]);
    expect(await item(one)).toMatchObject({
      collectionId: null,
      updatedAt: new Date(api.clock.now()).toISOString(),
    });
    expect(await item(two)).toMatchObject({ collectionId: low.id });
    const restored = await client.post(`/api/v1/items/${deleted}/restore`, undefined);
    expect(await jsonOf(restored)).toMatchObject({ collectionId: null });
  });

  it('leave one behind that has their own name', async () => {
    const outer = await create('News');
    const inner = await create('News', outer.id);
    expect((await client.delete(`${path}/${outer.id}`)).status).toBe(204);
    expect(await list()).toEqual([expect.objectContaining({ id: inner.id, name: 'News', parentId: null })]);
  });

  it('take all that is inside them along with mode=cascade, and items can be had back', async () => {
    const top = await create('top');
    const low = await create('low', (await create('middle', top.id)).id);
    const other = await create('other');
    const ids = [await save(1, top), await save(2, low)];
    const [kept, loose] = [await save(3, other), await save(4)];
    expect((await client.delete(`${path}/${top.id}?mode=cascade`)).status).toBe(204);
    expect(await list()).toMatchObject([{ name: 'other', itemCount: 1 }]);
    for (const id of ids) expect((await client.get(`/api/v1/items/${id}`)).status).toBe(404);
    expect(await item(kept)).toMatchObject({ collectionId: other.id });
    expect(await item(loose)).toMatchObject({ collectionId: null });
    for (const id of ids)
      expect(await jsonOf(await client.post(`/api/v1/items/${id}/restore`, undefined))).toMatchObject({
        collectionId: null,
      });
  });

  it('go with many items by portions, and whole', async () => {
    const box = await create('box');
    await addMany(api.opened.database, userId, 450, { collectionId: Number(box.id) });
    expect((await client.delete(`${path}/${box.id}?mode=cascade`)).status).toBe(204);
    expect(await jsonOf(await client.get('/api/v1/items/counts'))).toMatchObject({ all: 0, deleted: 450 });
  });

  it('are not put into by one who saves while they go', async () => {
    for (let n = 0; n < 5; n++) {
      const box = await create(`box ${n}`);
      const body = { url: `https://example.org/race/${n}`, collectionId: box.id };
      const [saved, gone] = await Promise.all([
        client.post('/api/v1/items', body),
        client.delete(`${path}/${box.id}`),
      ]);
      expect(gone.status).toBe(204);
      expect([201, 400]).toContain(saved.status);
    }
    const page = await jsonOf<{ items: ItemJson[] }>(await client.get('/api/v1/items'));
    expect(page.items.filter(({ collectionId }) => collectionId !== null)).toEqual([]);
  });

  it("are nobody else's to see, to change or to stand in", async () => {
    const mine = await create('mine');
    const owner = await api.program('owner', 'write');
    const theirs = await create(`theirs ${people}`, undefined, owner);
    expect(await list()).toMatchObject([{ name: 'mine' }]);
    for (const response of [
      await client.get(`${path}/${theirs.id}`),
      await client.patch(`${path}/${theirs.id}`, { name: 'x' }),
      await client.delete(`${path}/${theirs.id}`),
      await client.delete(`${path}/${theirs.id}?mode=cascade`),
    ])
      expect(response.status).toBe(404);
    for (const response of [
      await client.post(path, { name: 'x', parentId: theirs.id }),
      await client.patch(`${path}/${mine.id}`, { parentId: theirs.id }),
      await client.post(path, { name: 'x', parentId: '999999999' }),
    ])
      expect(await answerOf(response)).toEqual({
        status: 400,
        body: { error: { code: 'invalid', message: 'parentId: there is no such collection' } },
      });
  });

  it.each([
    [{}, 'name: '],
    [{ name: '' }, 'name: '],
    [{ name: 'x'.repeat(101) }, 'name: '],
    [{ name: 'a\nb' }, 'name: '],
    [{ name: 'a', description: 'x'.repeat(501) }, 'description: '],
    [{ name: 'a', parentId: 'top' }, 'parentId: '],
  ])('%j is refused by name', async (body, message) => {
    expect(await answerOf(await client.post(path, body))).toEqual({
      status: 400,
      body: { error: { code: 'invalid', message: expect.stringContaining(message) } },
    });
  });

  it('do not go in a way that is not known', async () => {
    const { id } = await create('box');
    const refused = await answerOf(await client.delete(`${path}/${id}?mode=all`));
    expect(refused).toMatchObject({
      status: 400,
      body: { error: { message: expect.stringContaining('mode: ') } },
    });
    expect((await client.patch(`${path}/${id}`, {})).status).toBe(400);
    expect(await list()).toHaveLength(1);
  });
});
