import { expect, it } from 'vitest';
import { countWords, isClearlyLonger } from './full-text-policy.ts';

it.each([
  [0, 0, false],
  [99, 0, false],
  [100, 0, true],
  [199, 100, false],
  [200, 100, true],
  [1_100, 1_000, false],
  [1_199, 1_000, false],
  [1_200, 1_000, true],
  [500, 900, false],
])('a page of %i words is better than a feed of %i: %s', (ofPage, ofFeed, expected) => {
  expect(isClearlyLonger(ofPage, ofFeed)).toBe(expected);
});

it('words are counted in scripts without spaces, too', () => {
  expect(countWords('One, two; three.')).toBe(3);
  expect(countWords('東京タワーは高い')).toBe(8);
});
