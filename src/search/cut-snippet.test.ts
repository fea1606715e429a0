import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyCharacter } from '../../test/support/any-character.ts';
import { cutSnippet, cutSnippetInTurns } from './cut-snippet.ts';
import { parseQuery } from './parse-query.ts';

const marked = (text: string, q: string, maxCharacters = 240) => {
  const snippet = cutSnippet(text, parseQuery(q), { maxCharacters });
  let shown = '';
  let at = 0;
  for (const [start, end] of snippet.hits) {
    shown += `${snippet.text.slice(at, start)}[${snippet.text.slice(start, end)}]`;
    at = end;
  }
  return `${snippet.cutBefore ? '…' : ''}${shown}${snippet.text.slice(at)}${snippet.cutAfter ? '…' : ''}`;
};

describe('cutSnippet', () => {
  it.each([
    ['The quick Fox.', 'fox', 'The quick [Fox].'],
    ['Crème brûlée', 'creme', '[Crème] brûlée'],
    ['foxes and foxgloves', 'fox*', '[foxes] and [foxgloves]'],
    ['no such word', 'fox', 'no such word'],
    ['東京タワーは高い', '東京タワー', '[東京タワー]は高い'],
    ['東京タワーは高い', '高', '東京タワーは[高]い'],
    ["I don't know", "don't", "I [don]'[t] know"],
    ['fox dog', 'fox -dog', '[fox] dog'],
  ])('marks in %j for %s', (text, q, expected) => {
    expect(marked(text, q)).toBe(expected);
  });

  it('begins where it is told to, and marks what stands there', () => {
    const text = 'A heron stands. Nothing here. Then another heron wades, and more is said of it.';
    const from = text.indexOf('Then');
    const snippet = cutSnippet(text, parseQuery('heron'), { maxCharacters: 30, from });
    expect(snippet).toMatchObject({ text: 'Then another heron wades, and', cutBefore: true, cutAfter: true });
    expect(snippet.hits.map(([start, end]) => snippet.text.slice(start, end))).toEqual(['heron']);
  });

  it('is cut around the place where the most of the words stand', () => {
    const filler = 'some other words that nobody looks for at all '.repeat(20);
    const shown = marked(`fox ${filler} the fox and the dog met ${filler}`, 'fox dog', 80);
    expect(shown).toContain('[fox] and the [dog] met');
    expect(shown.startsWith('…')).toBe(true);
    expect(shown.endsWith('…')).toBe(true);
    expect(shown.length).toBeLessThan(80 + 10);
  });

  it('marks the first hit of a run of two hundred thousand characters without a space', () => {
    expect(marked(`${'月'.repeat(100)}${'日'.repeat(200_000)}`, '日', 80)).toMatch(/^…月+\[日+\]/);
  });

  it('lets others in while it goes through a long text, and cuts the same', async () => {
    const text = 'words that nobody looks for '.repeat(2_000).concat('a fox');
    let turns = 0;
    const count = () => {
      turns += 1;
      timer = setImmediate(count);
    };
    let timer = setImmediate(count);
    const snippet = await cutSnippetInTurns(text, parseQuery('fox'));
    clearImmediate(timer);
    expect(turns).toBeGreaterThan(5);
    expect(snippet).toEqual(cutSnippet(text, parseQuery('fox')));
    expect(snippet.hits).toHaveLength(1);
  });

  it('is a piece of the text with its hits inside, whatever the text', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: anyCharacter, maxLength: 400 }),
        fc.integer({ min: 20, max: 100 }),
        (text, width) => {
          const snippet = cutSnippet(text, parseQuery('aaa* OR a OR 1'), { maxCharacters: width });
          expect(text).toContain(snippet.text);
          expect(snippet.text.length).toBeLessThanOrEqual(width);
          let before = 0;
          for (const [start, end] of snippet.hits) {
            expect(start).toBeGreaterThanOrEqual(before);
            expect(end).toBeGreaterThan(start);
            before = end;
          }
          expect(before).toBeLessThanOrEqual(snippet.text.length);
        },
      ),
    );
  });
});
