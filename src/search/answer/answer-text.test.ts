import fc from 'fast-check';
import { expect, it } from 'vitest';
import { AnswerText } from './answer-text.ts';

function shown(pieces: readonly string[], known = [1, 2, 3]) {
  const text = new AnswerText(known);
  const parts = pieces.map((piece) => text.push(piece));
  return { text: [...parts, text.end()].join(''), citations: text.citations };
}

it.each([
  ['It is red [1].', 'It is red [1].', [1]],
  ['It is red [9].', 'It is red.', []],
  ['Both [1, 9; 2] say so [3][3].', 'Both [1, 2] say so [3][3].', [1, 2, 3]],
  ['See [here](https://evil.example/?q=a) now', 'See [here] now', []],
  ['![x](//evil.example/p.png) a', '![x] a', []],
  ['<img src="https://evil.example/a"> b', '<img src=""> b', []],
  ['go to www.evil.example or javascript:alert(1) now', 'go to  or ) now', []],
  ['[x]: //evil.example/p?q=a b', '[x]:  b', []],
  ['<img src=//evil.example/a> \\\\evil.example/b https:evil.example/c d', '<img src=>   d', []],
  ['So says the data: five [1]. He/she // or', 'So says the data: five [1]. He/she // or', [1]],
  ['a\u001b[31mb\u202ec', 'a[31mbc', []],
  ['灯塔很高[1]。没有人数过[7]。', '灯塔很高[1]。没有人数过。', [1]],
  ['an [open bracket that never ends', 'an [open bracket that never ends', []],
])('shows %s as it may be shown', (given, text, citations) => {
  expect(shown([given])).toEqual({ text, citations });
});

it('is the same in whatever pieces it came', () => {
  const words = fc.array(
    fc.constantFrom(
      'word',
      ' ',
      '\n',
      '[1]',
      '[9]',
      ' [1, 2]',
      '[',
      ']',
      '(',
      'https://evil.example/x',
      ' //evil.example/x',
      '长',
      '. ',
    ),
    { maxLength: 30 },
  );
  fc.assert(
    fc.property(words, fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 1 }), (parts, sizes) => {
      const whole = parts.join('');
      const pieces: string[] = [];
      for (let at = 0, n = 0; at < whole.length; n++) {
        const size = sizes[n % sizes.length] ?? 1;
        pieces.push(whole.slice(at, at + size));
        at += size;
      }
      const { text, citations } = shown(pieces);
      expect(text).not.toContain('evil');
      expect(text).not.toContain('[9]');
      for (const n of citations) expect([1, 2]).toContain(n);
    }),
  );
});

it('does not wait for the end to show something', () => {
  const text = new AnswerText([1]);
  expect(text.push('One word, ano')).toBe('One word,');
  expect(text.push('ther [')).toBe(' another');
  expect(text.push('1] more ')).toBe(' [1] more');
});
