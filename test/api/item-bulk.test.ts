// Many items at once: all of those that are there, or none.
import { sql } from 'kysely';
import { beforeAll, beforeEach, expect, it } from 'vitest';
import { bookmarkPage } from '../../src/feeds/bookmark.ts';
import { saveItem } from '../../src/items/save-item.ts';
import type { UserRows } from '../../src/store/store.ts';
import { answerOf, type Client, jsonOf, openApi, type TestApi } from '../support/api.ts';
import { onBothEngines } from '../support/engines.ts';
import { type ItemJson, jobsOf } from '../support/items.ts';

const path = '/api/v1/items';

onBothEngines('many items at once', (engine) => {
  let api: TestApi;
  let people = 0;
  let client: Client;
  let rows: UserRows;
  let ids: string[];
  let foreign: string;

  beforeAll(async () => {
    api = await openApi(engine);
    const owner = await api.addUser('owner');
    const { item } = await saveItem(api.opened.store.forUser(owner.id), {
      url: 'https://example.org/theirs',
    });
    foreign = String(item.id);
    return () => api.close();
  });

  /** Three items, of which one is archived and a favourite already. */
  beforeEach(async () => {
    const name = `person${people++}`;
    const { id } = await api.addUser(name);
    client = await api.program(name, 'write');
    rows = api.opened.store.forUser(id);
    ids = [];
    for (const n of [0, 1, 2]) {
      const change = n === 0 ? ({ status: 'archived', isFavorite: true, tags: ['a'] } as const) : {};
      const { item } = await saveItem(rows, { url: `https://example.org/${n}`, ...change });
      ids.push(String(item.id));
    }
  });

  const bulk = async (action: string, more: object = {}) =>
    answerOf(await client.post(`${path}/bulk`, { ids, action, ...more }));
  const changed = (n: number, notFound: string[] = []) => ({ status: 200, body: { changed: n, notFound } });
  const items = () => Promise.all(ids.map(async (id) => jsonOf<ItemJson>(await client.get(`${path}/${id}`))));
  const each = async (name: keyof ItemJson) => (await items()).map((item) => item[name]);

  it('are archived and taken out again, and marked and unmarked as favourites', async () => {
    expect(await bulk('archive')).toEqual(changed(2));
    expect(await each('status')).toEqual(['archived', 'archived', 'archived']);
    expect(await bulk('unarchive')).toEqual(changed(3));
    expect(await each('status')).toEqual(['unread', 'unread', 'unread']);
    expect(await bulk('favorite')).toEqual(changed(2));
    expect(await each('isFavorite')).toEqual([true, true, true]);
    expect(await bulk('unfavorite')).toEqual(changed(3));
    expect(await bulk('unfavorite')).toEqual(changed(0));
  });

  it('are tagged and untagged', async () => {
    api.clock.advance(1_000);
    expect(await bulk('addTags', { tags: ['A', 'b'] })).toEqual(changed(3));
    expect(await each('tags')).toEqual([
      ['a', 'b'],
      ['a', 'b'],
      ['a', 'b'],
    ]);
    expect(new Set(await each('updatedAt'))).toEqual(new Set([new Date(api.clock.now()).toISOString()]));
    expect(await bulk('addTags', { tags: ['a'] })).toEqual(changed(0));
    expect(await bulk('removeTags', { tags: ['b', 'none'] })).toEqual(changed(3));
    expect(await each('tags')).toEqual([['a'], ['a'], ['a']]);
  });

  it('are moved into a collection and out of it', async () => {
    const { id } = await rows.collections.create({ name: 'Box', description: '', parentId: null });
    expect(await bulk('move', { collectionId: String(id) })).toEqual(changed(3));
    expect(await each('collectionId')).toEqual([String(id), String(id), String(id)]);
    expect(await bulk('move', { collectionId: null })).toEqual(changed(3));
    expect(await bulk('move', { collectionId: '' })).toEqual(changed(0));
  });

  it("are not moved into another's collection: nothing is changed, and the field is named", async () => {
    const owner = await api.opened.store.users.findByName('owner');
    const theirs = await api.opened.store
      .forUser(owner?.id ?? 0)
      .collections.create({ name: `Box ${people}`, description: '', parentId: null });
    const before = await items();
    for (const collectionId of [String(theirs.id), '999999999'])
      expect(await bulk('move', { collectionId })).toEqual({
        status: 400,
        body: { error: { code: 'invalid', message: 'collectionId: there is no such collection' } },
      });
    expect(await items()).toEqual(before);
  });

  it('are deleted, with their stars, and had back', async () => {
    await bookmarkPage(rows, {
      link: 'https://example.org/1',
      title: '',
      content: 'x',
      feedName: '',
      pubDate: 0,
    });
    expect(await bulk('delete')).toEqual(changed(3));
    expect((await rows.bookmarks.list({ limit: 10 })).total).toBe(0);
    expect(await bulk('delete')).toEqual(changed(0, ids));
    expect(await bulk('restore')).toEqual(changed(3));
    expect((await rows.bookmarks.list({ limit: 10 })).total).toBe(1);
    expect(await bulk('restore')).toEqual(changed(0, ids));
    expect(await items()).toHaveLength(3);
  });

  it('are enriched anew, each with one job', async () => {
    const [first = ''] = ids;
    await api.opened.database.write(async (trx) => {
      await sql`UPDATE items SET enrichment_status = 'failed', enrichment_error = 'x' WHERE id = ${Number(first)}`.execute(
        trx,
      );
      await sql`UPDATE jobs SET state = 3, finished_at = 0 WHERE unique_key = ${`enrich ${first}`}`.execute(
        trx,
      );
    });
    expect(await bulk('enrich')).toEqual(changed(3));
    expect(await each('enrichmentStatus')).toEqual(['pending', 'pending', 'pending']);
    expect(await each('enrichmentError')).toEqual([null, null, null]);
    const jobs = await Promise.all(ids.map((id) => jobsOf(api.opened.database, id)));
    expect(jobs.map((of) => of.map(({ state }) => state))).toEqual([[3, 0], [0], [0]]);
    expect(jobs[0]?.[1]?.payload).toMatchObject({ itemId: first, url: 'https://example.org/0' });
  });

  it('are no longer saved by hand, and stay where there is another route', async () => {
    const [, starred = ''] = ids;
    await bookmarkPage(rows, {
      link: 'https://example.org/1',
      title: '',
      content: 'x',
      feedName: '',
      pubDate: 0,
    });
    expect(await bulk('unsave')).toEqual(changed(3));
    const left = await jsonOf<{ items: ItemJson[] }>(await client.get(`${path}?include=details`));
    expect(left.items).toMatchObject([{ id: starred, details: { origins: ['bookmark'] } }]);
  });

  it('that are not there, or not theirs, are named, and the others are changed', async () => {
    const [first = '', second = '', third = ''] = ids;
    await client.delete(`${path}/${third}`);
    ids = [first, '999999999', foreign, second, third, first];
    expect(await bulk('archive')).toEqual(changed(1, ['999999999', foreign, third]));
    const owner = await api.program('owner', 'write');
    expect(await jsonOf(await owner.get(`${path}/${foreign}`))).toMatchObject({ status: 'unread' });
    expect(await bulk('delete')).toEqual(changed(2, ['999999999', foreign, third]));
    expect((await owner.get(`${path}/${foreign}`)).status).toBe(200);
  });

  it('are 500 at most', async () => {
    ids = Array.from({ length: 500 }, (_, n) => String(n + 100_000));
    expect(await bulk('archive')).toEqual(changed(0, ids));
    ids.push('7');
    expect((await bulk('archive')).status).toBe(400);
  });

  it.each([
    [{ ids: [] }, 'ids: '],
    [{ ids: ['x'] }, 'ids.0: '],
    [{ ids: [1] }, 'ids.0: '],
    [{ action: 'purge' }, 'action: '],
    [{ action: 'addTags' }, 'tags: '],
    [{ action: 'removeTags', tags: [] }, 'tags: '],
    [{ action: 'addTags', tags: ['a,b'] }, 'tags.0: '],
    [{ action: 'move' }, 'collectionId: '],
  ])('%j is refused by name', async (wrong, message) => {
    const answer = await answerOf(
      await client.post(`${path}/bulk`, { ids: ['1'], action: 'archive', ...wrong }),
    );
    expect(answer).toEqual({
      status: 400,
      body: { error: { code: 'invalid', message: expect.stringContaining(message) } },
    });
  });
});
