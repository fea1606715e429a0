import fc from 'fast-check';
import { beforeEach, expect, it } from 'vitest';
import { TemporaryFailure } from '../../src/errors.ts';
import { createEmbedFollower, embedEverything } from '../../src/search/meaning/embed-pending.ts';
import type { Embedder } from '../../src/search/meaning/embedder.ts';
import { createLocalEmbedder } from '../../src/search/meaning/local-embedder.ts';
import { createMeaning, type Meaning } from '../../src/search/meaning/meaning.ts';
import { VectorScan } from '../../src/search/meaning/vector-scan.ts';
import type { Store } from '../../src/store/store.ts';
import { propertyRuns } from '../support/depth.ts';
import { onEachEngine, openEmptyStore } from '../support/engines.ts';
import { indexAll, MemorySource } from '../support/search-docs.ts';
import { TestTimers } from '../support/timers.ts';
import { createWordEmbedder, type WordEmbedder, wordVector } from '../support/word-embedder.ts';

const never = new AbortController().signal;
const alike = (a: string, b: string) => {
  const [one, other] = [wordVector(a, 48), wordVector(b, 48)];
  return one.reduce((sum, value, n) => sum + value * (other[n] ?? 0), 0);
};

onEachEngine('finding by meaning', (engine) => {
  let store: Store;
  let entries: MemorySource;
  let items: MemorySource;
  let embedder: WordEmbedder;
  let meaning: Meaning;

  beforeEach(async () => {
    ({ store } = await openEmptyStore(engine));
    for (const username of ['anna', 'ben', 'cleo'])
      await store.users.create({ username, passwordHash: null, role: 'member' });
    entries = new MemorySource('entry');
    items = new MemorySource('item');
    embedder = createWordEmbedder();
    meaning = createMeaning({ store, embedder });
    return () => meaning.close();
  });

  const settle = async (by: Embedder = embedder) => {
    for (const source of [entries, items]) await store.searchIndex.note(source.kind, [...source.docs.keys()]);
    await indexAll(store, entries, items);
    await embedEverything(
      createEmbedFollower({ ...store, sources: [entries, items], embedder: by, alone: true }, 'test'),
      never,
    );
  };
  const find = async (text: string, more: { userId?: number; kinds?: string[]; limit?: number } = {}) =>
    (await meaning.find({ userId: 1, limit: 10, text, ...more })).map(
      ({ kind, refId }) => `${kind} ${refId}`,
    );

  it('gives the documents that are nearest, the best first, each by its best passage', async () => {
    entries.put({ refId: 1, title: 'apples and pears' });
    entries.put({ refId: 2, title: 'apples', text: `${'other words entirely here. '.repeat(30)} apples` });
    entries.put({ refId: 3, title: 'quantum chromodynamics' });
    await settle();
    const hits = await meaning.find({ userId: 1, text: 'apples pears', limit: 10 });
    expect(hits[0]).toMatchObject({
      kind: 'entry',
      refId: 1,
      chunkKey: 'en-1-c00',
      title: 'apples and pears',
    });
    expect(hits.map(({ refId }) => refId)).not.toContain(3);
    expect(new Set(hits.map(({ refId }) => refId)).size).toBe(hits.length);
    expect(hits.map(({ score }) => score)).toEqual(hits.map(({ score }) => score).toSorted((a, b) => b - a));
  });

  it('finds nothing for what the model cannot read, and for nothing', async () => {
    entries.put({ refId: 1, title: 'apples' });
    await settle();
    embedder.texts.length = 0;
    expect(await find('漢字')).toEqual([]);
    expect(await find(' ?! ')).toEqual([]);
    expect(embedder.texts).toEqual([]);
    expect(await find('apples', { userId: 2 })).toEqual([]);
  });

  it('asks the model once for a question', async () => {
    entries.put({ refId: 1, title: 'apples' });
    await settle();
    embedder.texts.length = 0;
    for (let n = 0; n < 3; n++) expect(await find('apples')).toEqual(['entry 1']);
    expect(embedder.texts).toEqual(['apples']);
  });

  it('sees at once what came, changed and went', async () => {
    entries.put({ refId: 1, title: 'apples' });
    await settle();
    expect(await find('apples')).toEqual(['entry 1']);
    entries.put({ refId: 2, title: 'apples' });
    await settle();
    expect((await find('apples')).sort()).toEqual(['entry 1', 'entry 2']);
    entries.put({ refId: 1, title: 'bananas' });
    await settle();
    expect(await find('apples')).toEqual(['entry 2']);
    expect(await find('bananas')).toEqual(['entry 1']);
    entries.docs.delete(2);
    await store.searchIndex.note('entry', [2]);
    await indexAll(store, entries, items);
    expect(await find('apples')).toEqual([]);
  });

  it('finds a document by what it says now, though what it said before was nearer', async () => {
    entries.put({ refId: 1, title: 'apples' });
    entries.put({ refId: 2, title: 'apples figs' });
    await settle();
    expect(await find('apples')).toEqual(['entry 1', 'entry 2']);
    for (const title of ['apples pears', 'apples pears plums']) {
      entries.put({ refId: 1, title });
      await settle();
      const hits = await meaning.find({ userId: 1, text: 'apples', limit: 10 });
      expect(hits.map(({ refId }) => refId).toSorted(), title).toEqual([1, 2]);
      expect(hits.find(({ refId }) => refId === 1)?.score).toBeCloseTo(alike('apples', title), 1);
    }
  });

  it('finds nothing that is not in search at the moment, and all of it after a rebuild', async () => {
    entries.put({ refId: 1, title: 'apples' });
    await settle();
    expect(await find('apples')).toEqual(['entry 1']);
    await store.searchIndex.clear();
    expect(await find('apples')).toEqual([]);
    await settle();
    expect(await find('apples')).toEqual(['entry 1']);
  });

  it('compares no vectors of different models', async () => {
    entries.put({ refId: 1, title: 'apples' });
    await settle();
    const other = createWordEmbedder({ model: 'words/2' });
    const later = createMeaning({ store, embedder: other });
    expect(await later.find({ userId: 1, text: 'apples', limit: 5 })).toEqual([]);
    await settle(other);
    expect(await later.find({ userId: 1, text: 'apples', limit: 5 })).toHaveLength(1);
    expect(await find('apples')).toEqual([]);
    await later.close();
  });

  it('keeps to the kinds that are asked for, and shows a page once when none is', async () => {
    entries.put({ refId: 1, title: 'apples', urlKey: 'a.example/1' });
    items.put({ refId: 1, title: 'apples', urlKey: 'a.example/1' });
    entries.put({ refId: 2, title: 'apples pie', urlKey: 'a.example/2' });
    await settle();
    expect(await find('apples')).toEqual(['item 1', 'entry 2']);
    expect(await find('apples', { kinds: ['entry'] })).toEqual(['entry 1', 'entry 2']);
    expect(await find('apples', { kinds: [] })).toEqual([]);
  });

  it('goes on until there are as many as are asked for, though most of what is near is gone', async () => {
    for (let refId = 1; refId <= 120; refId++) entries.put({ refId, title: 'apples' });
    for (let refId = 121; refId <= 130; refId++) entries.put({ refId, title: `apples number ${refId}` });
    await settle();
    await find('apples');
    for (let refId = 1; refId <= 120; refId++) entries.docs.delete(refId);
    await store.searchIndex.note(
      'entry',
      Array.from({ length: 120 }, (_, n) => n + 1),
    );
    await indexAll(store, entries, items);
    expect(await find('apples', { limit: 5 })).toHaveLength(5);
  });

  it('gives documents like one, without it and without copies of its page', async () => {
    entries.put({ refId: 1, title: 'apples pears', urlKey: 'a.example/1' });
    items.put({ refId: 9, title: 'apples pears', urlKey: 'a.example/1' });
    entries.put({ refId: 2, title: 'apples pears plums', urlKey: 'a.example/2' });
    entries.put({ refId: 3, title: 'apples pears', userId: 2 });
    await settle();
    const like = async (userId: number, refId: number) =>
      (await meaning.findLike({ userId, kind: 'entry', refId, limit: 5 }))?.map(
        ({ kind, refId }) => `${kind} ${refId}`,
      );
    expect(await like(1, 1)).toEqual(['entry 2']);
    expect(await like(2, 3)).toEqual([]);
    // Another user's, and one that is not there.
    expect(await like(2, 1)).toBeUndefined();
    expect(await like(1, 77)).toBeUndefined();
  });

  it('never gives anybody what is another’s, whatever comes and goes in between', async () => {
    const words = fc.constantFrom('apples', 'pears', 'plums', 'figs');
    const step = fc.oneof(
      fc.record({
        put: fc.record({
          refId: fc.integer({ min: 1, max: 12 }),
          title: fc.array(words, { minLength: 1, maxLength: 3 }).map((w) => w.join(' ')),
        }),
      }),
      fc.record({ drop: fc.integer({ min: 1, max: 12 }) }),
      fc.record({ ask: words, userId: fc.integer({ min: 1, max: 3 }) }),
      fc.record({ like: fc.integer({ min: 1, max: 12 }), userId: fc.integer({ min: 1, max: 3 }) }),
    );
    const ownerOf = (refId: number) => (refId % 3) + 1;
    const expectOwnHits = (
      userId: number,
      asked: string | undefined,
      hits: readonly { refId: number; title: string; score: number }[],
    ) => {
      for (const { refId, title, score } of hits) {
        expect(ownerOf(refId)).toBe(userId);
        expect(entries.docs.get(refId)?.title).toBe(title);
        // The score of its own vector, not of another one with the same number.
        if (asked !== undefined) expect(score).toBeCloseTo(alike(asked, title), 1);
      }
    };
    const ask = async (userId: number, text: string) => {
      const hits = await meaning.find({ userId, text, limit: 20 });
      expectOwnHits(userId, text, hits);
      const wanted = [...entries.docs.values()].filter(
        (doc) => doc.userId === userId && doc.title.split(' ').includes(text),
      );
      expect(hits.length).toBeGreaterThanOrEqual(Math.min(wanted.length, 20));
    };
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
        for (const one of steps) {
          if ('put' in one) {
            entries.put({ ...one.put, userId: ownerOf(one.put.refId) });
            await settle();
          } else if ('drop' in one) {
            entries.docs.delete(one.drop);
            await store.searchIndex.note('entry', [one.drop]);
            await indexAll(store, entries, items);
          } else if ('ask' in one) await ask(one.userId, one.ask);
          else {
            const { userId, like: refId } = one;
            const hits = await meaning.findLike({ userId, kind: 'entry', refId, limit: 20 });
            expectOwnHits(userId, undefined, hits ?? []);
          }
        }
        for (const userId of [1, 2, 3]) await ask(userId, 'apples');
      }),
      propertyRuns(12),
    );
  });

  it('reads everything again when its thread has ended, and says so when it is closed', async () => {
    entries.put({ refId: 1, title: 'apples' });
    await settle();
    const timers = new TestTimers();
    const scan = new VectorScan({ after: timers.after });
    const other = createMeaning({ store, embedder, scan });
    const ask = () => other.find({ userId: 1, text: 'apples', limit: 5 });
    expect(await ask()).toHaveLength(1);
    await timers.advance(30 * 60_000);
    expect(await ask()).toHaveLength(1);
    await other.close();
    await expect(ask()).rejects.toThrow(TemporaryFailure);
  });

  it('holds no more than it may: others are read again when they ask', async () => {
    for (let refId = 1; refId <= 6; refId++) entries.put({ refId, title: 'apples', userId: (refId % 3) + 1 });
    await settle();
    const other = createMeaning({ store, embedder, scan: new VectorScan({ maxBytes: 1 }) });
    for (const round of [1, 2])
      for (const userId of [1, 2, 3])
        expect(await other.find({ userId, text: 'apples', limit: 5 }), `round ${round}`).toHaveLength(2);
    const all = await Promise.all(
      [1, 2, 3, 1, 2, 3].map((userId) => other.find({ userId, text: 'apples', limit: 5 })),
    );
    expect(all.map((hits) => hits.length)).toEqual([2, 2, 2, 2, 2, 2]);
    await other.close();
  });

  it('finds what is said in other words, with the model that comes with Lectern', async () => {
    const local = createLocalEmbedder();
    const real = createMeaning({ store, embedder: local });
    items.put({
      refId: 1,
      title: 'Rates',
      text: 'The central bank raised interest rates to fight inflation.',
    });
    items.put({ refId: 2, title: 'Frogs', text: 'Scientists found a new species of frog in Ecuador.' });
    items.put({ refId: 3, title: '日本', text: '日本語のテキスト' });
    await settle(local);
    const [first] = await real.find({ userId: 1, text: 'unknown amphibian discovered', limit: 3 });
    expect(first).toMatchObject({ kind: 'item', refId: 2 });
    const [other] = await real.find({ userId: 1, text: 'borrowing money got more expensive', limit: 3 });
    expect(other).toMatchObject({ kind: 'item', refId: 1 });
    await real.close();
  });
});
