// What a question is answered from: what has its words, and what is sure to mean the same.
import { beforeEach, expect, it } from 'vitest';
import type { SearchSources } from '../../src/model/search.ts';
import { findPassages } from '../../src/search/answer/find-passages.ts';
import type { MeaningSearch } from '../../src/search/search-library.ts';
import type { Store } from '../../src/store/store.ts';
import { onEachEngine, openEmptyStore } from '../support/engines.ts';
import { indexAll, MemorySource } from '../support/search-docs.ts';

onEachEngine('the passages for a question', (engine) => {
  let store: Store;
  let entries: MemorySource;

  beforeEach(async () => {
    ({ store } = await openEmptyStore(engine));
    await store.users.create({ username: 'anna', passwordHash: null, role: 'owner' });
    await store.users.create({ username: 'ben', passwordHash: null, role: 'member' });
    entries = new MemorySource('entry');
    entries.put({ refId: 1, title: 'Herons', text: 'A heron at the pond eats frogs.' });
    entries.put({ refId: 2, title: 'Ponds', text: 'Frogs live in a pond.' });
    entries.put({ refId: 3, title: 'Wading birds', text: 'They stand still and stab.' });
    entries.put({ refId: 4, title: 'Trains', text: 'Late again.' });
    entries.put({ refId: 5, userId: 2, title: 'Herons', text: 'A heron at the pond eats frogs.' });
    for (let n = 10; n < 60; n++) entries.put({ refId: n, title: `Ledger ${n}`, text: 'Figures.' });
    await indexAll(store, entries);
  });

  const passages = async (q: string, meaning?: MeaningSearch, limit = 3) => {
    const sources = { entry: entries } as unknown as SearchSources;
    const found = await findPassages({ store, sources, now: () => 0, meaning }, { userId: 1, q, limit });
    return found.passages.map(({ id }) => Number(id));
  };
  const unsure = (scores: Record<number, number>): MeaningSearch => ({
    find: async () =>
      Object.entries(scores).map(([refId, score]) => ({ kind: 'entry', refId: Number(refId), score })),
  });
  const alike = (scores: Record<number, number>) => ({ ...unsure(scores), sureScore: 0.5 });

  it('have all of its telling words, and then half of them', async () => {
    expect(await passages('What does a heron at the pond do with frogs?')).toEqual([1, 2]);
    expect(await passages('What does a heron at the pond do with frogs?', undefined, 1)).toEqual([1]);
    expect(await passages('Which trains carry iron ore to Sweden?')).toEqual([]);
    expect(await passages('Quantum chromodynamics?')).toEqual([]);
  });

  it('may have none of them when the model is sure, and not when it is not', async () => {
    const q = 'How do long-legged hunters catch prey?';
    expect(await passages(q, alike({ 3: 0.6, 4: 0.4, 5: 0.9 }))).toEqual([3]);
    expect(await passages(q, unsure({ 3: 0.6 }))).toEqual([]);
  });

  it('are not crowded out by what is a little alike', async () => {
    const crowd = Object.fromEntries(Array.from({ length: 8 }, (_, n) => [n + 10, 0.4]));
    expect(await passages('Do frogs like a muddy pond?', alike(crowd))).toEqual(
      await passages('Do frogs like a muddy pond?'),
    );
  });
});
