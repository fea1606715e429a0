import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Invalid } from '../errors.ts';
import type { SearchPhrase } from '../model/search.ts';
import { parseQuery } from './parse-query.ts';

const shown = ({ terms, prefix }: SearchPhrase) => terms.join('_') + (prefix ? '*' : '');

describe('parseQuery', () => {
  it.each<[q: string, all: string[][], none: string[]]>([
    ['fox', [['fox']], []],
    ['  Quick\tFOX\n', [['quick'], ['fox']], []],
    ['"quick fox" dog', [['quick_fox'], ['dog']], []],
    ['fox -dog -"lazy cat"', [['fox']], ['dog', 'lazy_cat']],
    ['fox OR dog', [['fox', 'dog']], []],
    ['a fox OR dog OR "old cat" b', [['a'], ['fox', 'dog', 'old_cat'], ['b']], []],
    ['fox or dog', [['fox'], ['or'], ['dog']], []],
    ['foxg* "quick fox"*', [['foxg*'], ['quick_fox*']], []],
    ["don't well-known", [['don_t'], ['well_known']], []],
    ['日本 日', [['日本'], ['日*']], []],
    ['fox - dog !!', [['fox'], ['dog']], []],
    ['fox OR ++', [['fox']], []],
    ['title:fox', [['title_fox']], []],
    ['fox"dog"', [['fox'], ['dog']], []],
  ])('reads %j', (q, all, none) => {
    const query = parseQuery(q);
    expect(query.all.map((group) => group.map(shown))).toEqual(all);
    expect(query.none.map(shown)).toEqual(none);
  });

  it.each([
    ['', 'q: expected at least one word to look for'],
    ['!? ""', 'q: expected at least one word to look for'],
    ['-fox', 'q: expected at least one word to look for'],
    ['"quick fox', 'q: expected a closing " at the end of the phrase'],
    ['OR fox', 'q: expected a word before OR'],
    ['fox OR', 'q: expected a word after OR'],
    ['fox OR OR dog', 'q: expected a word after OR'],
    ['fox OR -dog', 'q: expected a word to look for after OR, not one to leave out'],
    ['-fox OR dog', 'q: expected a word to look for before OR, not one to leave out'],
    ['fo*', 'q: expected at least 3 letters before the * of "fo*"'],
    ['x'.repeat(1_001), 'q: expected at most 1000 characters'],
    ['a '.repeat(51), 'q: expected at most 50 words and phrases'],
    [`"${'a '.repeat(33)}"`, 'q: expected at most 32 words in a phrase'],
  ])('refuses %j: %s', (q, message) => {
    expect(() => parseQuery(q)).toThrow(new Invalid(message));
  });

  it('reads or refuses whatever it is given', () => {
    const pieces = fc.constantFrom(
      '"',
      '-',
      '*',
      ' ',
      'OR',
      ' OR ',
      'fox',
      '日本',
      "'",
      '\0',
      '(',
      ':',
      '\\',
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.array(pieces).map((all) => all.join('')),
          fc.string({ unit: 'binary' }),
        ),
        (q) => {
          try {
            const { all } = parseQuery(q);
            expect(all.length).toBeGreaterThan(0);
            for (const group of all) {
              expect(group.length).toBeGreaterThan(0);
              for (const { terms } of group) expect(terms.length).toBeGreaterThan(0);
            }
          } catch (error) {
            expect(error).toBeInstanceOf(Invalid);
          }
        },
      ),
      { numRuns: 2_000 },
    );
  });
});
