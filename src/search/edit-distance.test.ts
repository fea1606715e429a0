import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { editDistance } from './edit-distance.ts';

describe('editDistance', () => {
  it.each<[a: string, b: string, distance: number | undefined]>([
    ['heron', 'heron', 0],
    ['heron', 'hern', 1],
    ['heron', 'herons', 1],
    ['heron', 'haron', 1],
    ['heron', 'ehron', 1],
    ['heron', 'hreno', 2],
    ['heron', 'egret', undefined],
    ['a', 'abcd', undefined],
    ['ёлка', 'елка', 1],
    ['', 'ab', 2],
  ])('of %j and %j is %s', (a, b, distance) => {
    expect(editDistance(a, b, 2)).toBe(distance);
  });

  it('is the same both ways, and nothing for the same word', () => {
    const word = fc.string({ maxLength: 6 });
    fc.assert(
      fc.property(word, word, (a, b) => {
        expect(editDistance(a, b, 2)).toBe(editDistance(b, a, 2));
        expect(editDistance(a, a, 2)).toBe(0);
      }),
    );
  });
});
