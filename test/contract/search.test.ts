import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { parseQuery } from '../../src/search/parse-query.ts';
import type { Database } from '../../src/store/database.ts';
import type { Store } from '../../src/store/store.ts';
import { onEachEngine, openEmptyStore, openFreshStore } from '../support/engines.ts';
import { foundIds, indexAll, MemorySource, ofKinds } from '../support/search-docs.ts';

onEachEngine('search', (engine) => {
  let store: Store;
  let anna: number;
  let ben: number;
  let entries: MemorySource;
  let items: MemorySource;
  const find = async (q: string, kinds?: string[]) => foundIds(store, anna, parseQuery(q), kinds);

  beforeAll(async () => {
    ({ store } = await openFreshStore(engine));
    anna = (await store.users.create({ username: 'anna', passwordHash: null, role: 'owner' })).id;
    ben = (await store.users.create({ username: 'ben', passwordHash: null, role: 'member' })).id;
    entries = new MemorySource('entry');
    items = new MemorySource('item');
    entries.put({ refId: 1, userId: anna, title: 'The quick fox', text: 'jumps over the lazy dog' });
    entries.put({ refId: 2, userId: anna, title: 'Lazy Sunday', text: 'a fox, quick as ever; Crème brûlée' });
    entries.put({ refId: 3, userId: anna, title: '日本語の本', text: '東京タワーは高い。한국어' });
    entries.put({ refId: 4, userId: ben, title: 'Secret fox', text: 'quick lazy dog' });
    items.put({ refId: 1, userId: anna, title: 'An item', text: 'about foxes and a fox' });
    await indexAll(store, entries, items);
    return () => store.close();
  });

  it.each<[q: string, entries: number[]]>([
    ['fox', [1, 2]],
    ['FOX lazy', [1, 2]],
    ['"quick fox"', [1]],
    ['"fox jumps"', []],
    ['"dog lazy"', []],
    ['fox -sunday', [1]],
    ['fox -"lazy dog"', [2]],
    ['dog OR creme', [1, 2]],
    ['lazy dog OR brulee', [1, 2]],
    ['lazy dog OR brulee -fox', []],
    ['sun*', [2]],
    ['"lazy sun"*', [2]],
    ['unheard', []],
    ['日本', [3]],
    ['本', [3]],
    ['語の', [3]],
    ['語本', []],
    ['東京タワー', [3]],
    ['국어', [3]],
    ['어', [3]],
  ])('finds for %s the entries %j', async (q, expected) => {
    expect(await find(q, ['entry'])).toEqual(expected);
  });

  it('finds every kind unless some are named, and each kind by its name', async () => {
    const { hits } = await store.forUser(anna).search.find(parseQuery('fox'), { order: 'newest', limit: 10 });
    expect(hits.map(({ kind, refId }) => `${kind} ${refId}`).sort()).toEqual([
      'entry 1',
      'entry 2',
      'item 1',
    ]);
    expect(await find('fox', ['item'])).toEqual([1]);
    expect(await find('fox', ['item', 'entry'])).toEqual([1, 1, 2]);
    expect(await find('fox', ['note'])).toEqual([]);
  });

  it('shows nobody the documents of another, and counts none of them', async () => {
    expect(await find('secret')).toEqual([]);
    const page = await store.forUser(ben).search.find(parseQuery('fox'), { order: 'rank', limit: 10 });
    expect(page).toMatchObject({ found: 1, atLeast: false });
    expect(page.hits.map((hit) => hit.title)).toEqual(['Secret fox']);
  });

  it('ranks a word in the title above one in the text', async () => {
    const { hits } = await store.forUser(anna).search.find(parseQuery('lazy'), { order: 'rank', limit: 10 });
    expect(hits.map((hit) => hit.refId)).toEqual([2, 1]);
  });

  it.each<[what: string, q: string]>([
    ['a lone quote', '"'],
    ['a lone apostrophe', "'"],
    ['lexemes and operators', "a' | 'b"],
    ['a quote and an operator', 'x":* NOT y'],
    ['a closing bracket', 'fox) OR 1=1 --'],
    ['a column', 'title:fox'],
    ['columns', '{title} : fox'],
    ['a function', 'NEAR(fox dog, 3)'],
    ['U+0000', 'fox\0dog'],
    ['a backslash', "\\'fox"],
    ['an anchor', '^fox'],
    ['operators as words', 'fox AND NOT dog'],
    ['operators as signs', '!fox & dog <-> x:*'],
    ['half a character', 'fox\ud800'],
    ['the mark of a kind', '\ue000kindentry'],
    ['the mark of a user', '\ue000user2'],
    ['many words', 'fox '.repeat(40)],
    ['a long phrase', `"${'fox '.repeat(32)}"`],
    ['a phrase that is too long', `"${'fox '.repeat(33)}"`],
    ['many words to leave out', `${'-fox '.repeat(40)}dog`],
    ['many alternatives', `${'fox OR '.repeat(40)}dog`],
    ['many brackets', '(fox '.repeat(40)],
    ['many quotes', `${'"'.repeat(300)}fox`],
    ['one long word', 'x'.repeat(1_000)],
    ['a long run of characters', '日'.repeat(30)],
    ['10 KB', 'fox '.repeat(2_500)],
  ])('takes %s as words, or refuses it', async (_what, q) => {
    const outcome = await find(q).catch((error) => error);
    if (!Array.isArray(outcome)) expect(outcome).toMatchObject({ status: 400 });
    else expect(outcome).not.toContain(4);
  });
});

onEachEngine('pages of search', (engine) => {
  let store: Store;
  let database: Database;
  let source: MemorySource;

  beforeEach(async () => {
    ({ store, database } = await openEmptyStore(engine));
    await store.users.create({ username: 'anna', passwordHash: null, role: 'owner' });
    source = new MemorySource('entry');
  });

  describe.each(['rank', 'newest'] as const)('by %s', (order) => {
    it(`follow each other without a gap or a repetition, ${order} first`, async () => {
      for (let n = 1; n <= 47; n++)
        source.put({
          refId: n,
          title: `doc ${n % 3 ? '' : 'word'}`,
          text: 'word '.repeat(1 + (n % 5)),
          publishedAt: (n % 20) * 60_000,
        });
      await indexAll(store, source);
      const whole = await store.forUser(1).search.find(parseQuery('word'), { order, limit: 100 });
      expect(whole).toMatchObject({ found: 47, atLeast: false });
      expect(whole.next).toBeUndefined();
      for (const kinds of [undefined, ['entry', 'item']]) {
        const refs: number[] = [];
        let after: typeof whole.next;
        do {
          const page = await store.forUser(1).search.find(parseQuery('word'), {
            order,
            limit: 10,
            ...(after && { after }),
            ...(kinds && { scope: ofKinds(kinds) }),
          });
          expect(page.found).toBe(47);
          refs.push(...page.hits.map((hit) => hit.refId));
          after = page.next;
        } while (after);
        expect(refs).toEqual(whole.hits.map((hit) => hit.refId));
      }
    });
  });

  it('give the newest first by the time of publication, whenever it was indexed', async () => {
    const times = [5, 1, 9, 3, 7].map((minute) => minute * 60_000);
    for (const [n, publishedAt] of times.entries()) {
      source.put({ refId: n + 1, title: 'word', publishedAt });
      await store.searchIndex.note('entry', [n + 1]);
      await indexAll(store, source);
    }
    const { hits } = await store.forUser(1).search.find(parseQuery('word'), { order: 'newest', limit: 9 });
    expect(hits.map(({ refId }) => (times[refId - 1] ?? 0) / 60_000)).toEqual([9, 7, 5, 3, 1]);
  });

  it('of a common word come from its newest matches, and say that there are more', async () => {
    for (let n = 1; n <= 2_050; n++)
      source.put({ refId: n, title: `t${n}`, text: 'common', publishedAt: n * 60_000 });
    await indexAll(store, source);
    const page = await store.forUser(1).search.find(parseQuery('common'), { order: 'rank', limit: 3_000 });
    expect(page).toMatchObject({ found: 2_000, atLeast: true });
    expect(page.hits.map((hit) => hit.refId).sort((a, b) => a - b)).toEqual(
      Array.from({ length: 2_000 }, (_, n) => 51 + n),
    );
    expect(await foundIds(store, 1, parseQuery('common t7'))).toEqual([7]);
    expect((await database.read.selectFrom('search_pending').selectAll().execute()).length).toBe(0);
  });
});
