import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyCharacter } from '../../test/support/any-character.ts';
import { propertyRuns } from '../../test/support/depth.ts';
import { Invalid } from '../errors.ts';
import type { SearchPhrase } from '../model/search.ts';
import { parseQuery } from './parse-query.ts';
import { dateOf } from './query-filters.ts';
import { writeQuery } from './write-query.ts';

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

  it.each<[q: string, words: string[], filters: string[], inTitle?: boolean]>([
    ['tag:work', [], ['tag:work']],
    ['fox tag:"long reads" -site:Example.ORG', ['fox'], ['tag:long reads', '-site:example.org']],
    ['-tag:"long reads" kind:raindrop', [], ['-tag:long reads', 'kind:raindrop']],
    ['site:https://user.example.org:8080/a?b=c', [], ['site:user.example.org']],
    ['site:bücher.example', [], ['site:xn--bcher-kva.example']],
    ['Tag:a TAG:b', [], ['tag:a', 'tag:b']],
    ['tag:a OR tag:b fox', ['fox'], ['tag:a', 'tag:b']],
    ['fox in:title', ['fox'], [], true],
    [
      'lang:de-AT after:7d before:Today is:unread',
      [],
      ['lang:de-at', 'after:7d', 'before:today', 'is:unread'],
    ],
    ['author:"Ann Author" feed:12', [], ['author:Ann Author', 'feed:12']],
    ['http://example.org/x C:\\temp todo:', ['http_example_org_x', 'c_temp', 'todo'], []],
    ['"tag:work"', ['tag_work'], []],
    ['tag:c++', [], ['tag:c++']],
    ['fox tag:a"b c"', ['fox', 'b_c'], ['tag:a']],
  ])('reads the filters of %j', (q, words, filters, inTitle = false) => {
    const query = parseQuery(q);
    expect(query.all.flat().map(shown)).toEqual(words);
    expect(query.filters.map(({ name, value, not }) => `${not ? '-' : ''}${name}:${value}`)).toEqual(filters);
    expect(query.inTitle).toBe(inTitle);
  });

  it.each([
    ['tag:', 'tag: expected the name of a tag'],
    ['tag:" "', 'tag: expected the name of a tag'],
    ['site:-', 'site: expected a host such as example.org'],
    ['site:a@b', 'site: expected a host such as example.org'],
    ['feed:""', 'feed: expected the id of a feed, or a part of its name'],
    ['kind:page', 'kind: expected item, bookmark, entry, feed, annotation, note, deframed or raindrop'],
    ['author:++', 'author: expected words of a name'],
    ['lang:german!', 'lang: expected a language such as en or de-AT'],
    ['before:2026-02-30', 'before: expected a date such as 2026-03-12, 2026-03, 2026, 7d or today'],
    ['after:soon', 'after: expected a date such as 2026-03-12, 2026-03, 2026, 7d or today'],
    ['-after:123456d', 'after: expected a date such as 2026-03-12, 2026-03, 2026, 7d or today'],
    ['is:red', 'is: expected unread, bookmarked, archived or highlighted'],
    ['fox in:text', 'in: expected title'],
    ['fox -in:title', 'in: expected in:title, which cannot be left out'],
    ['fox OR tag:a', 'q: expected a word after OR'],
    ['tag:a OR site:b.example', 'q: expected a word before OR'],
    ['in:title', 'q: expected at least one word to look for'],
    ['tag:a '.repeat(31), 'q: expected at most 30 filters'],
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
    ['a '.repeat(33), 'q: expected at most 32 words and phrases'],
    [`"${'a '.repeat(33)}"`, 'q: expected at most 32 words in a phrase'],
  ])('refuses %j: %s', (q, message) => {
    expect(() => parseQuery(q)).toThrow(new Invalid(message));
  });

  it('reads or refuses whatever it is given', () => {
    const pieces = fc.constantFrom(
      ...['tag:', '-tag:', 'in:title', 'is:unread', 'after:7d', ' site:a.b', 'x:', ' '],
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
          fc.string({ unit: anyCharacter }),
        ),
        (q) => {
          try {
            const query = parseQuery(q);
            const { all, filters } = query;
            expect(all.length + filters.length).toBeGreaterThan(0);
            expect(parseQuery(writeQuery(query))).toEqual(query);
            for (const group of all) {
              expect(group.length).toBeGreaterThan(0);
              for (const { terms } of group) expect(terms.length).toBeGreaterThan(0);
            }
          } catch (error) {
            expect(error).toBeInstanceOf(Invalid);
          }
        },
      ),
      propertyRuns(2_000),
    );
  });
});

describe('dateOf', () => {
  const now = Date.UTC(2026, 2, 12, 15, 30);
  it.each<[text: string, at: string | undefined]>([
    ['2026-03-12', '2026-03-12T00:00:00.000Z'],
    ['2026-03', '2026-03-01T00:00:00.000Z'],
    ['2026', '2026-01-01T00:00:00.000Z'],
    ['today', '2026-03-12T00:00:00.000Z'],
    ['7d', '2026-03-05T15:30:00.000Z'],
    ['2w', '2026-02-26T15:30:00.000Z'],
    ['0d', '2026-03-12T15:30:00.000Z'],
    ['2026-13', undefined],
    ['2026-04-31', undefined],
    ['26', undefined],
    ['-7d', undefined],
    ['', undefined],
  ])('takes %j for %s', (text, at) => {
    const found = dateOf(text, now);
    expect(found === undefined ? undefined : new Date(found).toISOString()).toBe(at);
  });
});
