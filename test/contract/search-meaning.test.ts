import fc from 'fast-check';
import { beforeAll, expect, it } from 'vitest';
import { Invalid } from '../../src/errors.ts';
import { parseQuery } from '../../src/search/parse-query.ts';
import { splitTerms } from '../../src/search/terms.ts';
import type { Store } from '../../src/store/store.ts';
import { propertyRuns } from '../support/depth.ts';
import { onEachEngine, openFreshStore } from '../support/engines.ts';
import { matchesQuery } from '../support/matches-query.ts';
import { foundIds, indexAll, MemorySource } from '../support/search-docs.ts';

/** Few, so that they meet: cases, accents, widths, scripts without spaces, and words that begin alike. */
const words = [
  ...['fox', 'FOX', 'foxes', 'foxglove', 'dog', 'Döner', 'doner', 'ﬁne', 'fine', 'naïve', 'Straße'],
  ...[
    '日',
    '日本',
    '本',
    '日本語',
    '東京タワー',
    '한국',
    '국어',
    'ｱｲｳ',
    'アイウ',
    '𠮷野',
    'ёлка',
    'ςίσυφος',
    "don't",
  ],
  ...['x1', '42', '3.14', 'हिन्दी', 'קָמָץ', 'e\u0301te', 'été', '\ue000kindentry', '☃', '😀'],
];
const word = fc.constantFrom(...words);
const text = fc
  .array(fc.tuple(word, fc.constantFrom(' ', ' ', ' ', ', ', '-', '', '\n', '.')), { maxLength: 12 })
  .map((pieces) => pieces.flat().join(''));
const doc = fc.record({ title: text, text, publishedAt: fc.integer({ min: 0, max: 300_000 }) });
const phrase = fc.oneof(
  { weight: 3, arbitrary: word },
  {
    weight: 2,
    arbitrary: fc.array(word, { minLength: 1, maxLength: 3 }).map((parts) => `"${parts.join(' ')}"`),
  },
  { weight: 1, arbitrary: word.map((start) => `${start.slice(0, 3)}*`) },
  { weight: 1, arbitrary: text.map((quoted) => `"${quoted}"`) },
);
const clause = fc.oneof(
  { weight: 4, arbitrary: phrase },
  { weight: 1, arbitrary: phrase.map((left) => `-${left}`) },
  { weight: 1, arbitrary: fc.tuple(phrase, phrase).map(([a, b]) => `${a} OR ${b}`) },
);
const q = fc.array(clause, { minLength: 1, maxLength: 4 }).map((clauses) => clauses.join(' '));

onEachEngine('what a query means', (engine) => {
  let store: Store;

  beforeAll(async () => {
    ({ store } = await openFreshStore(engine));
    await store.users.create({ username: 'anna', passwordHash: null, role: 'owner' });
    return () => store.close();
  });

  it('is the same to this engine as to a plain comparison of terms', async () => {
    const source = new MemorySource('entry');
    const runs = propertyRuns(60);
    let asked = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(doc, { minLength: 1, maxLength: 12 }),
        fc.array(q, { minLength: 5, maxLength: 15 }),
        async (docs, queries) => {
          await store.searchIndex.note('entry', [...source.docs.keys()]);
          source.docs.clear();
          for (const [n, each] of docs.entries()) source.put({ refId: n + 1, ...each });
          await store.searchIndex.note('entry', [...source.docs.keys()]);
          await indexAll(store, source);
          for (const each of queries) {
            const query = parsed(each);
            if (!query) continue;
            asked += 1;
            const expected = [...source.docs.values()]
              .filter((d) => matchesQuery(query, [splitTerms(d.title), splitTerms(d.text)]))
              .map((d) => d.refId);
            expect(await foundIds(store, 1, query), each).toEqual(expected);
          }
        },
      ),
      runs,
    );
    // At least five queries are generated per run, some of them invalid.
    expect(asked).toBeGreaterThan(2 * runs.numRuns);
  });
});

function parsed(text: string) {
  try {
    return parseQuery(text);
  } catch (error) {
    if (error instanceof Invalid) return undefined;
    throw error;
  }
}
