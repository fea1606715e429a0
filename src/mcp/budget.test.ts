import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyCharacter } from '../../test/support/any-character.ts';
import { cutLine, cutText, pageOf, takeFitting, wholeUrl } from './budget.ts';

describe('a text that is cut', () => {
  it('is as long as was said, as JSON has it', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: anyCharacter, maxLength: 300 }),
        fc.integer({ min: 5, max: 100 }),
        (text, most) => {
          const shown = cutText(text, most);
          expect(JSON.stringify(shown).length - 2).toBeLessThanOrEqual(most);
          expect(shown.isWellFormed()).toBe(true);
        },
      ),
    );
    expect(cutText('short', 5)).toBe('short');
    expect(cutText('longer', 5)).toBe('long…');
    expect(cutText('"'.repeat(50), 10)).toBe('""""…');
  });

  it('has nothing in it that nobody sees', () => {
    expect(cutLine('a\u0000b\u001b[2J\u202ec\u{e0041}\n\td', 50)).toBe('ab[2Jc d');
  });

  it('is no half address', () => {
    expect(wholeUrl('https://a.example/', 20)).toBe('https://a.example/');
    expect(wholeUrl('https://a.example/long', 20)).toBe(null);
  });
});

describe('the pages of a text', () => {
  it('are all of it, in order, each within its size', () => {
    const texts = fc
      .array(fc.constantFrom('word', ' ', '\n', '\n\n', '. ', '😀', '长'))
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(texts, fc.integer({ min: 2, max: 40 }), (text, size) => {
        const { pages = 0 } = pageOf(text, 1, size) ?? {};
        const shown = Array.from({ length: pages }, (_, n) => pageOf(text, n + 1, size)?.text ?? 'missing');
        expect(shown.join('').replace(/\s/g, '')).toBe(text.replace(/\s/g, ''));
        for (const one of shown) {
          expect(one.length).toBeLessThanOrEqual(size);
          expect(one.isWellFormed()).toBe(true);
        }
        expect(pageOf(text, pages + 1, size)).toBe(undefined);
      }),
    );
  });

  it('end with a paragraph rather than with a word', () => {
    expect(pageOf('One two.\n\nThree four', 1, 12)).toEqual({ text: 'One two.', page: 1, pages: 2 });
  });
});

it('takes as many rows as there is room for, and at least one', () => {
  expect(takeFitting(['aaaa', 'bbbb', 'cccc'], 14)).toEqual({ shown: ['aaaa', 'bbbb'], isCut: true });
  expect(takeFitting(['aaaa'], 1)).toEqual({ shown: ['aaaa'], isCut: false });
  expect(takeFitting([], 1)).toEqual({ shown: [], isCut: false });
});
