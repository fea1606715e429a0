// The parts of the search page that need no page.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Invalid } from '../../src/errors.ts';
import { parseQuery } from '../../src/search/parse-query.ts';
import { liveQuery, looserQueries } from '../../web/src/search/live-query.ts';
import { queryProblem } from '../../web/src/search/query-problem.ts';
import { splitSnippet } from '../../web/src/search/split-snippet.ts';

describe('a query that is still being typed', () => {
  it.each([
    ['', ''],
    ['   ', ''],
    ['cl', 'cl'],
    ['clim', 'clim*'],
    ['clim ', 'clim'],
    ['climate cha', 'climate cha*'],
    ['climate*', 'climate*'],
    ['coffee -mach', 'coffee -mach'],
    ['bread OR', 'bread'],
    ['bread OR ', 'bread'],
    ['OR', 'OR'],
    ['bread OR cak', 'bread OR cak*'],
    ['"night tr', '"night tr"'],
    ['"night train', '"night train"*'],
    ['"night train ', '"night train"'],
    ['"night train"', '"night train"'],
    ['coffee "', 'coffee'],
    ['coffee -"', 'coffee'],
    ['c++ c#', 'c++ c#'],
    ['北京图书', '北京图书'],
  ])('%j asks for %j', (typed, q) => {
    expect(liveQuery(typed)).toBe(q);
  });

  it('never has an open phrase or a prefix that the server refuses', () => {
    const part = fc.constantFrom(
      '"',
      ' ',
      '-',
      '*',
      'OR',
      'a',
      'bread',
      'ü',
      'a\u0301\u0308',
      '北京',
      '한',
      'ﬁ',
      "don't",
      '.',
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 8 }), (parts) => {
        const typed = parts.join('');
        const q = liveQuery(typed);
        // A star that somebody typed is theirs to mend.
        if (q === '' || typed.includes('*')) return;
        expect(problemOf(q)).not.toMatch(/closing|letters before/);
      }),
    );
  });
});

function problemOf(q: string): string {
  try {
    parseQuery(q);
    return '';
  } catch (error) {
    if (error instanceof Invalid) return error.message;
    throw error;
  }
}

describe('what is wrong with a query', () => {
  it.each([
    ['"night train', { kind: 'quote' }],
    ['OR bread', { kind: 'or' }],
    ['bread OR', { kind: 'or' }],
    ['bread OR -cake', { kind: 'or-not' }],
    ['-cake', { kind: 'no-word' }],
    ['ca*', { kind: 'prefix', prefix: 'ca' }],
  ] as const)('is known of %j', (q, problem) => {
    expect(queryProblem(problemOf(q))).toEqual(problem);
  });

  it('is known of too many characters, of too many words, and of too long a phrase', () => {
    const words = Array.from({ length: 60 }, (_, n) => `word${n}`).join(' ');
    for (const q of ['a'.repeat(1_001), words, `"${'so '.repeat(40)}"`])
      expect(queryProblem(problemOf(q))).toEqual({ kind: 'too-long' });
  });

  it('is not made up where the server says something else', () => {
    expect(queryProblem('the index does not answer')).toBeUndefined();
  });
});

describe('what to search for instead', () => {
  it.each([
    ['bread', []],
    ['"night train"', ['night train', 'night OR train']],
    ['coffee -machine', ['coffee', 'coff*']],
    ['coffee -"old machine"', ['coffee', 'coff*']],
    ['winter garden', ['winter OR garden', 'wint* gard*']],
  ])('of %j is %j', (typed, queries) => {
    expect(looserQueries(typed)).toEqual(queries);
  });

  it('is always something that the server takes, or nothing', () => {
    for (const typed of ['a', '"', '- -', 'OR', '"a b" -"c d"', 'straße OR', 'xyz* why*', '""', '-a "b c"'])
      for (const q of looserQueries(typed)) expect(problemOf(q), `${typed} to ${q}`).toBe('');
  });
});

describe('a snippet with its hits', () => {
  it('is cut where they begin and end', () => {
    expect(
      splitSnippet('the night train to Vienna', [
        [4, 9],
        [19, 25],
      ]),
    ).toEqual([
      { text: 'the ', hit: false },
      { text: 'night', hit: true },
      { text: ' train to ', hit: false },
      { text: 'Vienna', hit: true },
    ]);
  });

  it('keeps every character in its place, whatever the hits are', () => {
    const hit = fc.tuple(fc.integer({ min: -5, max: 50 }), fc.integer({ min: -5, max: 50 }));
    fc.assert(
      fc.property(fc.string({ maxLength: 40 }), fc.array(hit, { maxLength: 5 }), (text, hits) => {
        expect(
          splitSnippet(text, hits)
            .map((piece) => piece.text)
            .join(''),
        ).toBe(text);
      }),
    );
  });
});
