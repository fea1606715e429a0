// Documents that are the same page are found once, unless a kind is named.
import fc from 'fast-check';
import { beforeEach, expect, it } from 'vitest';
import { searchKinds } from '../../src/model/search.ts';
import { parseQuery } from '../../src/search/parse-query.ts';
import type { Database } from '../../src/store/database.ts';
import type { Store } from '../../src/store/store.ts';
import { propertyRuns } from '../support/depth.ts';
import { onEachEngine, openEmptyStore } from '../support/engines.ts';
import { indexAll, MemorySource, ofKinds } from '../support/search-docs.ts';

onEachEngine('the same page', (engine) => {
  let store: Store;
  let database: Database;
  let entries: MemorySource;
  let bookmarks: MemorySource;

  beforeEach(async () => {
    ({ store, database } = await openEmptyStore(engine));
    await store.users.create({ username: 'anna', passwordHash: null, role: 'owner' });
    await store.users.create({ username: 'ben', passwordHash: null, role: 'member' });
    entries = new MemorySource('entry');
    bookmarks = new MemorySource('bookmark');
  });

  const index = async (...changed: [MemorySource, number][]) => {
    for (const [source, refId] of changed) await store.searchIndex.note(source.kind, [refId]);
    await indexAll(store, entries, bookmarks);
  };
  const find = async (q: string, { kinds, userId = 1 }: { kinds?: string[]; userId?: number } = {}) => {
    const shown: string[][] = [];
    for (const order of ['rank', 'newest'] as const) {
      const page = await store
        .forUser(userId)
        .search.find(parseQuery(q), { order, limit: 100, ...(kinds && { scope: ofKinds(kinds) }) });
      expect(page.found).toBe(page.hits.length);
      shown.push(page.hits.map(({ kind, refId }) => `${kind} ${refId}`).sort());
    }
    expect(shown[0]).toEqual(shown[1]);
    return shown[0];
  };

  it('is shown as the bookmark when both match, and by each kind as that kind', async () => {
    entries.put({ refId: 1, title: 'Foxes', text: 'a fox', urlKey: 'page' });
    bookmarks.put({ refId: 9, title: 'Foxes', text: 'a fox', urlKey: 'page' });
    entries.put({ refId: 2, title: 'More', text: 'another fox', urlKey: 'other' });
    await index();
    expect(await find('fox')).toEqual(['bookmark 9', 'entry 2']);
    expect(await find('fox', { kinds: ['entry'] })).toEqual(['entry 1', 'entry 2']);
    expect(await find('fox', { kinds: ['bookmark'] })).toEqual(['bookmark 9']);
  });

  it('is shown as the entry where the entry alone has the words', async () => {
    bookmarks.put({ refId: 9, title: 'Foxes', text: 'a fox', urlKey: 'page' });
    entries.put({ refId: 1, title: 'Foxes', text: 'a fox and a correction', urlKey: 'page' });
    await index();
    expect(await find('correction')).toEqual(['entry 1']);
    expect(await find('fox')).toEqual(['bookmark 9']);
  });

  it('is shown as the entry again when the bookmark is gone, or has become another page', async () => {
    bookmarks.put({ refId: 9, text: 'a fox', urlKey: 'page' });
    entries.put({ refId: 1, text: 'a fox', urlKey: 'page' });
    await index();
    bookmarks.put({ refId: 9, urlKey: 'elsewhere' });
    await index([bookmarks, 9]);
    expect(await find('fox')).toEqual(['bookmark 9', 'entry 1']);
    bookmarks.put({ refId: 9, urlKey: 'page' });
    await index([bookmarks, 9]);
    expect(await find('fox')).toEqual(['bookmark 9']);
    bookmarks.docs.delete(9);
    await index([bookmarks, 9]);
    expect(await find('fox')).toEqual(['entry 1']);
    expect(await database.read.selectFrom('search_twins').selectAll().execute()).toEqual([]);
  });

  it('is none any more for one that has no address now', async () => {
    bookmarks.put({ refId: 1, title: 'Foxes', text: 'a fox', urlKey: 'page' });
    bookmarks.put({ refId: 2, title: 'Foxes', text: 'a fox', urlKey: 'page' });
    entries.put({ refId: 3, title: 'Foxes', text: 'a fox', urlKey: 'page' });
    await index();
    expect(await find('fox')).toEqual(['bookmark 2']);
    bookmarks.put({ refId: 1, title: 'Foxes', text: 'a fox', urlKey: null });
    await index([bookmarks, 1]);
    expect(await find('fox')).toEqual(['bookmark 1', 'bookmark 2']);
  });

  it('of another user is none', async () => {
    bookmarks.put({ refId: 9, userId: 2, text: 'a fox', urlKey: 'page' });
    entries.put({ refId: 1, userId: 1, text: 'a fox', urlKey: 'page' });
    await index();
    expect(await find('fox')).toEqual(['entry 1']);
    expect(await find('fox', { userId: 2 })).toEqual(['bookmark 9']);
  });

  it('is known by its title too where several entries have one address, as in a list of changes', async () => {
    for (const refId of [1, 2, 3])
      entries.put({ refId, title: `Version ${refId}`, text: 'fox', urlKey: 'changes' });
    bookmarks.put({ refId: 9, title: 'Version 2', text: 'fox', urlKey: 'changes' });
    await index();
    expect(await find('fox')).toEqual(['bookmark 9', 'entry 1', 'entry 3']);
  });

  it('does not come twice on different pages of a search, nor take a place on one', async () => {
    for (let n = 1; n <= 30; n++) {
      // Other words around them, so that the two are ranked apart.
      entries.put({ refId: n, text: `fox ${'word '.repeat(n)}`, urlKey: `p${n}`, publishedAt: n * 60_000 });
      if (n < 20) bookmarks.put({ refId: n, text: `fox ${'word '.repeat(40 - n)}`, urlKey: `p${n}` });
    }
    await index();
    for (const order of ['rank', 'newest'] as const) {
      const shown: string[] = [];
      const sizes: number[] = [];
      let after: { id: number; score: number } | undefined;
      do {
        const page = await store
          .forUser(1)
          .search.find(parseQuery('fox'), { order, limit: 7, ...(after && { after }) });
        shown.push(...page.hits.map(({ kind, refId }) => `${kind} ${refId}`));
        sizes.push(page.hits.length);
        expect(page.found).toBe(30);
        after = page.next;
      } while (after);
      expect(new Set(shown).size).toBe(30);
      expect(shown.filter((hit) => hit.startsWith('entry')).length).toBe(11);
      expect(sizes).toEqual([7, 7, 7, 7, 2]);
    }
  });

  it('is found as a plain reading of the documents says, whatever came and went', async () => {
    const word = fc.constantFrom('fox', 'dog', 'cat');
    const change = fc.record({
      kind: fc.constantFrom('entry' as const, 'bookmark' as const),
      refId: fc.integer({ min: 1, max: 4 }),
      gone: fc.boolean(),
      userId: fc.constantFrom(1, 1, 1, 2),
      title: fc.constantFrom('a', 'b'),
      text: fc.array(word, { maxLength: 3 }).map((words) => words.join(' ')),
      urlKey: fc.constantFrom(null, 'p', 'p', 'q'),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(change, { maxLength: 6 }), { maxLength: 4 }), async (rounds) => {
        for (const source of [entries, bookmarks]) {
          await store.searchIndex.note(source.kind, [...source.docs.keys()]);
          source.docs.clear();
        }
        for (const round of rounds) {
          const changed = round.map(({ kind, refId, gone, ...doc }): [MemorySource, number] => {
            const source = kind === 'entry' ? entries : bookmarks;
            if (gone) source.docs.delete(refId);
            else source.put({ refId, ...doc });
            return [source, refId];
          });
          await index(...changed);
        }
        await index();
        for (const q of ['fox', 'dog']) expect(await find(q)).toEqual(plainly(q));
      }),
      propertyRuns(engine.name === 'sqlite' ? 40 : 12),
    );
  });

  /** What user 1 should see for a word. */
  function plainly(word: string): string[] {
    const docs = [entries, bookmarks]
      .flatMap(({ kind, docs }) => [...docs.values()].map((doc) => ({ kind, ...doc })))
      .filter(({ userId }) => userId === 1);
    const isShared = (urlKey: string | null) =>
      searchKinds.some((kind) => docs.filter((doc) => doc.kind === kind && doc.urlKey === urlKey).length > 1);
    const pageOf = (doc: (typeof docs)[number]) =>
      `${doc.urlKey}${isShared(doc.urlKey) ? ` ${doc.title}` : ''}`;
    const matching = docs
      .filter(({ text }) => text.split(' ').includes(word))
      .sort((a, b) => a.kind.localeCompare(b.kind) || b.refId - a.refId);
    return matching
      .filter((doc, n) => !doc.urlKey || matching.findIndex((other) => pageOf(other) === pageOf(doc)) === n)
      .map(({ kind, refId }) => `${kind} ${refId}`)
      .sort();
  }
});
