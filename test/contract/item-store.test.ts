import { sql } from 'kysely';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { bookmarkPage } from '../../src/feeds/bookmark.ts';
import { changeItems, enrichAgain, restoreItem, saveItem } from '../../src/items/save-item.ts';
import type { BulkAction } from '../../src/model/item.ts';
import type { Database } from '../../src/store/database.ts';
import type { Store, UserRows } from '../../src/store/store.ts';
import type { TestClock } from '../support/clock.ts';
import { onEachEngine, openFreshStore } from '../support/engines.ts';
import { highlightPage, removeHighlight } from '../support/highlights.ts';
import { addMany, jobsOf } from '../support/items.ts';
import { addUser } from '../support/reader.ts';

const url = 'https://example.org/page';

onEachEngine('the rows of saved items', (engine) => {
  let store: Store;
  let database: Database;
  let clock: TestClock;
  let anna: UserRows;
  let annaId: number;
  let people = 0;

  beforeAll(async () => {
    ({ store, database, clock } = await openFreshStore(engine));
    return () => store.close();
  });

  beforeEach(async () => {
    ({ rows: anna, id: annaId } = await addUser(store, `anna ${people++}`));
  });

  const star = (rows = anna) =>
    bookmarkPage(rows, { link: url, title: 'Starred', content: '<p>x</p>', feedName: '', pubDate: 0 });
  const highlight = (rows = anna, page = url) =>
    highlightPage(rows, { source: 'test', url: page, title: 'Highlighted' });
  const unhighlight = (rows = anna) => removeHighlight(rows, 'test');
  const bulk = (id: number, action: BulkAction, tags: string[] = []) =>
    changeItems(anna, { ids: [id], action, tags, collectionId: null });
  const saved = async (rows = anna) => (await saveItem(rows, { url })).item;
  const isThere = (id: number) =>
    anna.items.get(id).then(
      () => true,
      () => false,
    );

  describe('what a highlight does', () => {
    it('a page that was not saved is an item, and fetched', async () => {
      const { itemId } = await highlight();
      expect(await anna.items.get(itemId)).toMatchObject({
        title: 'Highlighted',
        origins: ['highlight'],
        enrichmentStatus: 'pending',
      });
      expect(await jobsOf(database, String(itemId))).toHaveLength(1);
    });

    it('one that comes again is the same, and one of a page that is saved starts nothing', async () => {
      const { id } = await saved();
      const first = await highlight();
      expect(await highlight()).toEqual(first);
      expect(first.itemId).toBe(id);
      expect(await jobsOf(database, String(id))).toHaveLength(1);
    });

    it('may be of another page when it comes again; no sync takes the page of before away, a person does', async () => {
      const { itemId, resourceId } = await highlight();
      const moved = await highlight(anna, 'https://example.org/other');
      expect(await anna.items.get(moved.itemId)).toMatchObject({ origins: ['highlight'] });
      expect(await anna.items.get(itemId)).toMatchObject({ origins: ['highlight'] });
      await anna.highlights.delete('resources', resourceId);
      expect(await isThere(itemId)).toBe(false);
      expect(await isThere(moved.itemId)).toBe(true);
    });

    it('is there anew after it was removed, as a row of its own', async () => {
      const first = await highlight();
      await unhighlight();
      await unhighlight();
      expect(await isThere(first.itemId)).toBe(false);
      const second = await highlight();
      expect(second.itemId).toBe(first.itemId);
      expect(second.id).not.toBe(first.id);
      expect(await isThere(second.itemId)).toBe(true);
    });

    it('does not bring back what a person has deleted, nor fetch it', async () => {
      const { id } = await saved();
      await anna.items.delete(id);
      await database.write((trx) => sql`DELETE FROM jobs`.execute(trx));
      await highlight();
      expect(await isThere(id)).toBe(false);
      expect(await jobsOf(database, String(id))).toEqual([]);
      expect((await saved()).origins).toEqual(['manual', 'highlight']);
    });

    it('is of its user alone', async () => {
      const berta = (await addUser(store, `berta ${people}`)).rows;
      const mine = await highlight();
      const hers = await highlight(berta);
      expect(hers.itemId).not.toBe(mine.itemId);
      await unhighlight(berta);
      expect(await isThere(mine.itemId)).toBe(true);
    });
  });

  describe('at the same moment', () => {
    it('all routes are removed, and the item goes', async () => {
      for (let n = 0; n < 5; n++) {
        const { id } = await saved();
        const { id: starId } = await star();
        await highlight();
        await Promise.all([bulk(id, 'unsave'), anna.bookmarks.delete(starId), unhighlight()]);
        expect(await isThere(id)).toBe(false);
      }
    });

    it('one route goes and another comes, and the item stays', async () => {
      for (let n = 0; n < 5; n++) {
        const { id } = await saved();
        const [, { id: starId }] = await Promise.all([bulk(id, 'unsave'), star()]);
        expect((await anna.items.get(id)).origins).toEqual(['bookmark']);
        await Promise.all([anna.bookmarks.delete(starId), highlight()]);
        expect((await anna.items.get(id)).origins).toEqual(['highlight']);
        await Promise.all([unhighlight(), saved()]);
        expect((await anna.items.get(id)).origins).toEqual(['manual']);
      }
    });

    it('it is saved by many, from every side, and is one item with one job', async () => {
      const made = await Promise.all([saved(), star(), highlight(), saved(), star(), highlight()]);
      expect(made).toHaveLength(6);
      const items = await anna.items.list({ limit: 10 });
      expect(items).toMatchObject([{ origins: ['manual', 'bookmark', 'highlight'] }]);
      expect((await jobsOf(database, String(items[0]?.id))).length).toBeLessThanOrEqual(1);
    });

    it('it is deleted, restored, enriched and changed, and nothing fails but what is not there', async () => {
      const { id } = await saved();
      const done = await Promise.allSettled([
        anna.items.delete(id),
        restoreItem(anna, id),
        enrichAgain(anna, id),
        anna.items.change(id, { tags: ['a'] }),
        bulk(id, 'addTags', ['b']),
        star(),
        highlight(),
      ]);
      for (const one of done)
        if (one.status === 'rejected') expect(one.reason).toMatchObject({ status: 404 });
      const { rows } = await sql`SELECT id FROM items WHERE user_id = ${annaId}`.execute(database.read);
      expect(rows).toHaveLength(1);
    });

    it('many are changed by two, in either order, and neither waits for the other for ever', async () => {
      const ids = await addMany(database, annaId, 200);
      const change = (of: number[], action: BulkAction, tags: string[] = []) =>
        changeItems(anna, { ids: of, action, tags, collectionId: null });
      const reversed = ids.toReversed();
      await Promise.all([
        change(ids, 'addTags', ['a', 'b']),
        change(reversed, 'addTags', ['b', 'a']),
        change(reversed, 'archive'),
        change(ids, 'favorite'),
        anna.tags.rename('a', 'c').catch(() => {}),
      ]);
      const counts = await anna.items.counts();
      expect(counts).toMatchObject({ archived: 200, favorite: 200, untagged: 0 });
    });
  });

  describe('what search is told', () => {
    /** The documents that are to be indexed anew after `work`. */
    async function noted(work: () => Promise<unknown>): Promise<string[]> {
      await database.write((trx) => sql`DELETE FROM search_pending`.execute(trx));
      await work();
      const { rows } = await sql<{ kind: string; ref_id: number }>`
        SELECT kind, ref_id FROM search_pending ORDER BY kind, ref_id`.execute(database.read);
      return rows.map(({ kind }) => kind);
    }

    it.each<[string, (id: number) => Promise<unknown>, string[]]>([
      ['its title', (id) => anna.items.change(id, { title: 'New' }), ['item']],
      ['its excerpt', (id) => anna.items.change(id, { excerpt: 'New' }), ['item']],
      ['its tags', (id) => anna.items.change(id, { tags: ['b'] }), ['bookmark', 'item']],
      ['more tags', (id) => bulk(id, 'addTags', ['b']), ['bookmark', 'item']],
      ['fewer tags', (id) => bulk(id, 'removeTags', ['a']), ['bookmark', 'item']],
      ['a tag with another name', () => anna.tags.rename('a', 'b'), ['bookmark', 'item']],
      ['a tag less', () => anna.tags.delete('a'), ['bookmark', 'item']],
      ['tags by a second save', () => saveItem(anna, { url, tags: ['z'] }), ['bookmark', 'item']],
      ['a title by a second save', () => saveItem(anna, { url, title: 'Mine' }), ['item']],
      ['the end', (id) => anna.items.delete(id), ['bookmark', 'item']],
      ['no save by hand any more', (id) => bulk(id, 'unsave'), ['item']],
      ['a highlight', () => highlight(), ['annotation', 'bookmark', 'item']],
      ['no longer marked as a favourite', (id) => anna.items.change(id, { isFavorite: false }), []],
      ['the archive', (id) => bulk(id, 'archive'), ['bookmark', 'item']],
      ['the archive, alone', (id) => anna.items.change(id, { status: 'archived' }), ['bookmark', 'item']],
    ])('%s', async (_what, change, kinds) => {
      await star();
      const { item } = await saveItem(anna, { url, tags: ['a'] });
      expect(await noted(() => change(item.id))).toEqual(kinds);
    });

    it('a new one, one that is back, and one without its highlight', async () => {
      expect(await noted(() => saved())).toEqual(['item']);
      const { id } = await saved();
      await star();
      await anna.items.delete(id);
      expect(await noted(() => restoreItem(anna, id))).toEqual(['bookmark', 'item']);
      await anna.items.delete(id);
      expect(await noted(() => saved())).toEqual(['bookmark', 'item']);
      await highlight();
      expect(await noted(() => unhighlight())).toEqual(['annotation', 'item']);
    });
  });

  it("another's items are as if they were not there, whatever is asked of them", async () => {
    const berta = (await addUser(store, `berta ${people}`)).rows;
    const { id } = await saved();
    const notFound = { status: 404 };
    await expect(berta.items.get(id)).rejects.toMatchObject(notFound);
    await expect(berta.items.getEvenDeleted(id)).rejects.toMatchObject(notFound);
    await expect(berta.items.getIcon(id)).rejects.toMatchObject(notFound);
    await expect(berta.items.change(id, { title: 'x' })).rejects.toMatchObject(notFound);
    await expect(berta.items.delete(id)).rejects.toMatchObject(notFound);
    await expect(restoreItem(berta, id)).rejects.toMatchObject(notFound);
    await expect(enrichAgain(berta, id)).rejects.toMatchObject(notFound);
    expect(await berta.items.getMany([id])).toEqual([]);
    expect(await berta.items.look([id])).toEqual([]);
    expect(await berta.items.changedSince({ updatedAt: 0, id: 0 }, 10)).toEqual([]);
    expect((await anna.items.getMany([id, 999])).map((item) => item.id)).toEqual([id]);
    const mark = { id, updatedAt: clock.now() };
    expect(await anna.items.changedSince({ ...mark, id: 0 }, 10)).toEqual([mark]);
    expect(await anna.items.changedSince(mark, 10)).toEqual([]);
  });
});
