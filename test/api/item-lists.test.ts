// Lists of saved items: what is on a page, how pages follow each other, and what a page costs.
import fc from 'fast-check';
import { sql } from 'kysely';
import { beforeAll, describe, expect, it } from 'vitest';
import { bookmarkPage } from '../../src/feeds/bookmark.ts';
import { saveItem } from '../../src/items/save-item.ts';
import type { ItemFilter } from '../../src/model/item.ts';
import { pageOf } from '../../src/store/owned/item-page.ts';
import { ownedBy } from '../../src/store/owned/owned-rows.ts';
import { createStore } from '../../src/store/store.ts';
import { answerOf, type Client, jsonOf, openApi, type TestApi } from '../support/api.ts';
import { countedDatabase } from '../support/counted-database.ts';
import { propertyRuns } from '../support/depth.ts';
import { onEachEngine } from '../support/engines.ts';
import { highlightPage } from '../support/highlights.ts';
import type { ItemJson } from '../support/items.ts';

const path = '/api/v1/items';
interface Page {
  readonly items: ItemJson[];
  readonly nextCursor: string | null;
  readonly hasMore: boolean;
}

onEachEngine('lists of saved items', (engine) => {
  let api: TestApi;
  let anna: Client;
  let annaId: number;
  let inner: number;
  let outer: number;

  /** 60 of Anna's, of every sort, and three at a time saved in the same millisecond; Ben has some that look the same. */
  beforeAll(async () => {
    api = await openApi(engine);
    annaId = (await api.addUser('anna')).id;
    const benId = (await api.addUser('ben')).id;
    anna = await api.program('anna', 'write');
    for (const userId of [annaId, benId]) {
      const rows = api.opened.store.forUser(userId);
      outer = (await rows.collections.create({ name: 'Outer', description: '', parentId: null })).id;
      inner = (await rows.collections.create({ name: 'Inner', description: '', parentId: outer })).id;
      for (let n = 0; n < (userId === annaId ? 60 : 9); n++) {
        if (n % 3 === 0) api.clock.advance(1_000);
        const url = `https://example.org/${n}`;
        if (n % 10 === 9) {
          await bookmarkPage(rows, {
            link: url,
            title: `Title ${n}`,
            content: '<p>x</p>',
            feedName: '',
            pubDate: 0,
          });
          continue;
        }
        const { item } = await saveItem(rows, {
          url,
          title: `Title ${n}`,
          tags: [...(n % 2 === 0 ? ['even'] : []), ...(n % 3 === 0 ? ['third'] : [])],
          status: n % 4 === 0 ? 'archived' : 'unread',
          isFavorite: n % 5 === 0,
          collectionId: n % 6 === 1 ? inner : n % 6 === 2 ? outer : null,
        });
        if (n % 10 === 8) await highlightPage(rows, { source: `test ${n}`, url });
        await api.opened.database.write(async (trx) => {
          const status = n % 7 === 0 ? null : n % 7 === 1 ? 'failed' : n % 7 === 2 ? 'pending' : 'succeeded';
          await sql`UPDATE items SET enrichment_status = ${status} WHERE id = ${item.id}`.execute(trx);
          if (n % 8 === 0)
            await sql`INSERT INTO item_links (item_id, user_id, next_check_at, checked_at, state, sentence)
              VALUES (${item.id}, ${userId}, 0, 1, 'dead', 'It is gone.')`.execute(trx);
        });
        if (n % 13 === 12) await rows.items.delete(item.id);
      }
    }
    // Those of Anna, the first user.
    [outer, inner] = (await api.opened.store.forUser(annaId).collections.list())
      .sort((a, b) => b.name.localeCompare(a.name))
      .map(({ id }) => id) as [number, number];
    return () => api.close();
  });

  async function all(query: string, limit = 50): Promise<ItemJson[]> {
    const found: ItemJson[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const asked = `${path}?${query}&limit=${limit}${cursor && `&cursor=${cursor}`}`;
      const page: Page = await jsonOf<Page>(await anna.get(asked));
      expect(page.items.length).toBeLessThanOrEqual(limit);
      expect(page.hasMore).toBe(page.nextCursor !== null);
      if (page.hasMore) expect(page.items).toHaveLength(limit);
      found.push(...page.items);
      cursor = page.nextCursor;
    }
    return found;
  }
  const numberOf = ({ url }: Pick<ItemJson, 'url'>) => Number(url.split('/').pop());
  const isDeleted = (n: number) => n % 13 === 12 && n % 10 !== 9;
  const isStarOnly = (n: number) => n % 10 === 9;
  const wanted = (test: (n: number) => boolean) =>
    Array.from({ length: 60 }, (_, n) => n)
      .filter((n) => !isDeleted(n) && test(n))
      .reverse();

  it('come 20 at a time and at most 50, the newest first', async () => {
    const first = await jsonOf<Page>(await anna.get(path));
    expect(first.items.map(numberOf)).toEqual(wanted(() => true).slice(0, 20));
    expect(first).toMatchObject({ hasMore: true, nextCursor: expect.any(String) });
    const most = await jsonOf<Page>(await anna.get(`${path}?limit=1000`));
    expect(most.items).toHaveLength(50);
    expect((await anna.get(`${path}?limit=0`)).status).toBe(400);
  });

  it.each([1, 2, 7, 50])('miss nothing and repeat nothing, by pages of %i', async (limit) => {
    expect((await all('', limit)).map(numberOf)).toEqual(wanted(() => true));
    expect((await all('sort=oldest', limit)).map(numberOf)).toEqual(wanted(() => true).reverse());
  });

  it('stay whole while items come and go', async () => {
    const first = await jsonOf<Page>(await anna.get(`${path}?limit=5`));
    const { id } = await jsonOf<ItemJson>(await anna.post(path, { url: 'https://example.org/999' }));
    await anna.delete(`${path}/${first.items[4]?.id}`);
    const next = await jsonOf<Page>(await anna.get(`${path}?limit=5&cursor=${first.nextCursor}`));
    expect(next.items.map(numberOf)).toEqual(wanted(() => true).slice(5, 10));
    await anna.post(`${path}/${first.items[4]?.id}/restore`, undefined);
    await anna.delete(`${path}/${id}`);
  });

  const cases: [query: string, test: (n: number) => boolean][] = [
    ['status=unread', (n) => n % 4 !== 0 || isStarOnly(n)],
    ['status=archived', (n) => n % 4 === 0 && !isStarOnly(n)],
    ['isFavorite=true', (n) => n % 5 === 0 && !isStarOnly(n)],
    ['isFavorite=false', (n) => n % 5 !== 0 || isStarOnly(n)],
    ['tag=even', (n) => n % 2 === 0 && !isStarOnly(n)],
    ['tag=EVEN&tag=third', (n) => n % 6 === 0 && !isStarOnly(n)],
    ['tag=third&tag=even', (n) => n % 6 === 0 && !isStarOnly(n)],
    ['tag=even&tag=nothing', () => false],
    ['untagged=true', (n) => (n % 2 !== 0 && n % 3 !== 0) || isStarOnly(n)],
    ['collectionId=none', (n) => ![1, 2].includes(n % 6) || isStarOnly(n)],
    ['collectionId=INNER', (n) => n % 6 === 1 && !isStarOnly(n)],
    ['collectionId=OUTER', (n) => n % 6 === 2 && !isStarOnly(n)],
    ['collectionId=OUTER&nested=true', (n) => [1, 2].includes(n % 6) && !isStarOnly(n)],
    ['enrichmentStatus=pending', (n) => [0, 2].includes(n % 7) && !isStarOnly(n)],
    ['enrichmentStatus=failed', (n) => n % 7 === 1 && !isStarOnly(n)],
    ['enrichmentStatus=succeeded', (n) => n % 7 > 2 || isStarOnly(n)],
    ['origin=manual', (n) => !isStarOnly(n)],
    ['origin=bookmark', isStarOnly],
    ['origin=highlight', (n) => n % 10 === 8],
    ['link=dead', (n) => n % 8 === 0 && !isStarOnly(n)],
    ['link=dead&status=archived&tag=third', (n) => n % 24 === 0],
    [
      'status=unread&isFavorite=true&collectionId=none',
      (n) => n % 5 === 0 && n % 4 !== 0 && ![1, 2].includes(n % 6),
    ],
    [
      'collectionId=OUTER&nested=true&tag=even&enrichmentStatus=pending',
      (n) => n % 6 === 2 && [0, 2].includes(n % 7),
    ],
    ['collectionId=999999', () => false],
  ];

  it.each(cases)('%s', async (query, test) => {
    const asked = query.replace('INNER', String(inner)).replace('OUTER', String(outer));
    const numbers = wanted(test);
    expect((await all(asked)).map(numberOf)).toEqual(numbers);
    expect((await all(`${asked}&sort=oldest`, 3)).map(numberOf)).toEqual(numbers.reverse());
  });

  it('are the same for any two filters at once, whichever the index that answers them', async () => {
    await fc.assert(
      fc.asyncProperty(fc.subarray(cases, { minLength: 2, maxLength: 3 }), async (chosen) => {
        const names = chosen.flatMap(([query]) => query.split('&').map((pair) => pair.split('=')[0]));
        fc.pre(new Set(names).size === names.length);
        const asked = chosen
          .map(([query]) => query)
          .join('&')
          .replace('INNER', String(inner))
          .replace('OUTER', String(outer));
        const numbers = wanted((n) => chosen.every(([, test]) => test(n)));
        expect((await all(asked, 20)).map(numberOf)).toEqual(numbers);
      }),
      propertyRuns(30),
    );
  });

  it('the bin has what was deleted, the last first', async () => {
    const deleted = Array.from({ length: 60 }, (_, n) => n).filter(isDeleted);
    const bin = await all('deleted=true', 2);
    expect(bin.map(numberOf).filter((n) => n < 60)).toEqual(deleted.reverse());
    expect((await all('deleted=true&tag=even')).map(numberOf)).toEqual(deleted.filter((n) => n % 2 === 0));
    expect((await all('deleted=true&sort=oldest', 1)).map(numberOf).filter((n) => n < 60)).toEqual(
      deleted.reverse(),
    );
  });

  it('counts are of the same items as lists', async () => {
    const counts = await jsonOf<Record<string, number>>(await anna.get(`${path}/counts`));
    const length = async (query: string) => (await all(query)).length;
    expect(counts).toEqual({
      all: await length(''),
      unread: await length('status=unread'),
      archived: await length('status=archived'),
      favorite: await length('isFavorite=true'),
      untagged: await length('untagged=true'),
      unsorted: await length('collectionId=none'),
      pending: await length('enrichmentStatus=pending'),
      failed: await length('enrichmentStatus=failed'),
      deleted: await length('deleted=true'),
      dead: await length('link=dead'),
    });
    expect(counts.dead).toBeGreaterThan(0);
  });

  it('details say what is known of each', async () => {
    const [dead] = await all('link=dead&include=details');
    expect(dead?.details).toMatchObject({
      link: {
        state: 'dead',
        checkedAt: '1970-01-01T00:00:00.001Z',
        deadSince: null,
        sentence: 'It is gone.',
      },
    });
    const [starred] = await all('origin=bookmark&include=details');
    expect(starred?.details).toMatchObject({ origins: ['bookmark'], hasContent: true });
    const [highlighted] = await all('origin=highlight&include=details');
    expect(highlighted?.details).toMatchObject({ origins: ['manual', 'highlight'] });
  });

  describe('refuses by name', () => {
    it.each([
      ['cursor=made-up', 'cursor: expected the nextCursor of a page'],
      ['cursor=%00', 'cursor: '],
      ['status=all', 'status: '],
      ['collectionId=box', 'collectionId: '],
      ['isFavorite=1', 'isFavorite: '],
      ['enrichmentStatus=processing', 'enrichmentStatus: '],
      ['tag=a%2Cb', 'tag.0: '],
      ['origin=mirror', 'origin: '],
      ['link=ok', 'link: '],
      ['sort=title', 'sort: '],
      ['limit=many', 'limit: '],
      ['include=everything', 'include: '],
    ])('%s', async (query, message) => {
      expect(await answerOf(await anna.get(`${path}?${query}`))).toEqual({
        status: 400,
        body: { error: { code: 'invalid', message: expect.stringContaining(message) } },
      });
    });

    it('a cursor of another order', async () => {
      const { nextCursor } = await jsonOf<Page>(await anna.get(`${path}?limit=5`));
      for (const query of ['sort=oldest', 'deleted=true'])
        expect((await anna.get(`${path}?${query}&cursor=${nextCursor}`)).status).toBe(400);
    });
  });

  it.each([5, 50])('a page of %i costs as many statements as any other', async (limit) => {
    const counted = countedDatabase(api.opened.database);
    const store = createStore(counted.database, api.clock.now);
    const client = anna.at(api.again({ store }));
    const cost = async (query: string) => {
      const before = counted.statements();
      expect((await client.get(`${path}?limit=${limit}&${query}`)).status).toBe(200);
      return counted.statements() - before;
    };
    await cost('');
    const token = 1;
    expect(await cost('')).toBeLessThanOrEqual(1 + token);
    expect(await cost('include=details&tag=even')).toBeLessThanOrEqual(1 + token);
    expect(await cost('tag=even&tag=third&status=unread')).toBeLessThanOrEqual(2 + token);
  });

  it('a save is a few statements in one transaction', async () => {
    const counted = countedDatabase(api.opened.database);
    const rows = createStore(counted.database, api.clock.now).forUser(annaId);
    const cost = async (n: number, tags: string[]) => {
      const before = counted.statements();
      await saveItem(rows, { url: `https://example.org/cost/${n}`, tags });
      return counted.statements() - before;
    };
    expect(await cost(1, [])).toBeLessThanOrEqual(5);
    expect(await cost(1, [])).toBeLessThanOrEqual(2);
    // One of them for a bookmark of the page, which is found by these tags too.
    expect(await cost(2, ['a', 'b', 'c'])).toBeLessThanOrEqual(9);
    const ids = (await rows.items.list({ limit: 5 }))
      .filter(({ url }) => url.includes('cost'))
      .map(({ id }) => id);
    for (const id of ids) await rows.items.delete(id);
  });

  const ranges: [string, Partial<ItemFilter>][] = [
    ['all', {}],
    ['a status', { status: 'unread' }],
    ['favourites', { isFavorite: true }],
    ['a collection', { collectionId: 1 }],
    ['no collection', { collectionId: null }],
    ['a tag', { tags: ['even'] }],
    ['what failed', { enrichmentStatus: 'failed' }],
    ['what is pending', { enrichmentStatus: 'pending' }],
    ['the bin', { deleted: true }],
  ];

  it.each(ranges)('the list of %s is a range of an index, in its order', async (_what, filter) => {
    const { read, write } = api.opened.database;
    const now = api.clock.now();
    const after = { at: now, id: 5 };
    const { ids, isRange } = pageOf(
      ownedBy(api.opened.database, annaId),
      { ...filter, after, limit: 21 },
      now,
    );
    expect(isRange).toBe(true);
    if (engine.name === 'sqlite') {
      const { rows } = await sql<{ detail: string }>`EXPLAIN QUERY PLAN ${ids}`.execute(read);
      const plan = rows.map(({ detail }) => detail).join('\n');
      expect(plan).not.toMatch(/SCAN [it]\b/);
      expect(plan).toMatch(/SEARCH [it] USING (COVERING )?INDEX .*(created_at|deleted_at)/);
      // Of the two ranges of what is pending, one page each is merged.
      if (filter.enrichmentStatus !== 'pending') expect(plan).not.toContain('TEMP B-TREE');
      return;
    }
    // A small table is read whole and sorted at less cost: what counts is that there is another way.
    const plan = await write(async (trx) => {
      await sql`SET LOCAL enable_seqscan = off`.execute(trx);
      await sql`SET LOCAL enable_bitmapscan = off`.execute(trx);
      await sql`SET LOCAL enable_sort = off`.execute(trx);
      const { rows } = await sql<Record<string, string>>`EXPLAIN ${ids}`.execute(trx);
      return rows.map((row) => row['QUERY PLAN']).join('\n');
    });
    expect(plan).not.toMatch(/Seq Scan/);
    expect(plan).toMatch(/Index (Only )?Scan/);
    if (filter.enrichmentStatus !== 'pending') expect(plan).not.toMatch(/Sort/);
  });
});
