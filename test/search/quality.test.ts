// A hundred written queries over 2,000 written documents: by words, exactly what should be found, on either engine. How
// well meaning does on the same set is measured by `npm run conformance -- search`, since its model takes minutes.
import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { filterNames, searchKinds } from '../../src/model/search.ts';
import { parseQuery } from '../../src/search/parse-query.ts';
import { searchLibrary } from '../../src/search/search-library.ts';
import { tellingWords } from '../../src/search/telling-words.ts';
import { splitTerms } from '../../src/search/terms.ts';
import type { Store } from '../../src/store/store.ts';
import { onEachEngine, openFreshStore } from '../support/engines.ts';
import { isMeant, shownOnce } from '../support/is-meant.ts';
import { documentOf, documents, feeds, setNow, setSize } from '../support/quality/documents.ts';
import { type PlacedSet, placeDocuments } from '../support/quality/place-documents.ts';
import { queries } from '../support/quality/queries.ts';
import { questions } from '../support/quality/questions.ts';

/** By a plain reading of the query and of every document. */
function meant(q: string): string[] {
  const query = parseQuery(q);
  const matches = documents.filter(({ kind, isUnread, text }) =>
    isMeant(query, { ...text, kind, isUnread }, { feeds, now: setNow }),
  );
  return shownOnce(query, matches, documents).map(({ name }) => name);
}

describe('the fixed set', () => {
  it('is 2,000 documents of every kind, always the same', () => {
    expect(documents.length).toBe(setSize);
    expect(documentOf.size).toBe(setSize);
    expect(new Set(documents.map(({ kind }) => kind))).toEqual(new Set(searchKinds));
    // Whoever changes it measures anew, and says so here.
    expect(createHash('sha256').update(JSON.stringify(documents)).digest('hex')).toBe(
      '27d7ae7e01edc1294ba981c9c217830472ed4822f1be5de1798c2ef8f19ed146',
    );
  });

  it('has sixty queries in its own words, of all that the language of queries has', () => {
    expect(queries.length).toBe(60);
    expect(new Set(queries.map(({ q }) => q)).size).toBe(60);
    const parsed = queries.map(({ q }) => parseQuery(q));
    for (const not of [false, true]) {
      const used = parsed.flatMap(({ filters }) => filters).filter((filter) => filter.not === not);
      expect(new Set(used.map(({ name }) => name))).toEqual(new Set(filterNames));
    }
    expect(parsed.some(({ inTitle }) => inTitle)).toBe(true);
    expect(parsed.some(({ none }) => none.length > 0)).toBe(true);
    expect(parsed.some(({ all }) => all.some((group) => group.length > 1))).toBe(true);
    expect(parsed.some(({ all }) => all.flat().some(({ startsWith }) => startsWith))).toBe(true);
    for (const { q, finds, suggests } of queries)
      expect(finds.length > 0 || suggests !== undefined, q).toBe(true);
  });

  it('has forty questions that share at most one telling word with what answers them', () => {
    expect(questions.length).toBe(40);
    for (const { q, answers } of questions) {
      for (const name of answers) {
        const { title = '', text = '' } = documentOf.get(name)?.text ?? {};
        const terms = new Set(splitTerms(`${title} ${text}`));
        expect(terms.size, name).toBeGreaterThan(0);
        const shared = tellingWords(q).filter((word) => splitTerms(word).some((term) => terms.has(term)));
        expect(shared.length, `${q}: ${name} has ${shared}`).toBeLessThanOrEqual(1);
      }
    }
  });

  it.each(queries)('is read plainly as it is written down: $q', ({ q, finds }) => {
    expect(meant(q).sort()).toEqual(finds.toSorted());
  });
});

onEachEngine('search by words over the fixed set', (engine) => {
  let store: Store;
  let placed: PlacedSet;

  beforeAll(async () => {
    const opened = await openFreshStore(engine);
    store = opened.store;
    placed = await placeDocuments(store, opened.database);
    return () => store.close();
  });

  /** Every page, in order. */
  async function search(q: string) {
    const names: string[] = [];
    let suggestion: string | undefined;
    let cursor: string | undefined;
    do {
      const page = await searchLibrary(
        { store, sources: placed.sources, now: () => setNow },
        { userId: placed.userId, q, mode: 'text', limit: 4, ...(cursor !== undefined && { cursor }) },
      );
      names.push(...page.hits.map(placed.nameOf));
      suggestion ??= page.suggestion;
      cursor = page.nextCursor;
      if (!cursor) expect([page.found, page.atLeast], q).toEqual([names.length, false]);
    } while (cursor);
    return { names, suggestion };
  }

  it.each(queries)('finds what is written down: $q', async ({ q, finds, first, suggests }) => {
    const { names, suggestion } = await search(q);
    expect(names.toSorted()).toEqual(finds.toSorted());
    if (first !== undefined) expect(names[0]).toBe(first);
    expect(suggestion).toBe(suggests);
  });

  it.each(questions)('finds what has all words of the question, and nothing else: $q', async ({ q }) => {
    const { names } = await search(q);
    expect(names.toSorted()).toEqual(meant(q).sort());
  });
});
