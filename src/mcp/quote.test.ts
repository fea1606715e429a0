import { expect, it } from 'vitest';
import { nearness } from './quote.ts';

const text = 'The lighthouse stands where the long road ends, and nobody has ever counted its steps.';

it.each([
  ['where the long road ends', 1],
  ['Where the LONG road “ends”', 1],
  [`He wrote: ${text} And so on.`, 1],
  ['where the long road ends nobody ever counted its steps', 0.98],
  ['where a long road ended, and nobody has counted its steps', 0.8],
  ['something else altogether about lighthouses and roads', 0],
  ['', 0],
])('%s', (quote, expected) => {
  expect(nearness(quote, text)).toBeCloseTo(expected, 0.5);
  if (expected === 1) expect(nearness(quote, text)).toBe(1);
  else expect(nearness(quote, text)).toBeLessThan(1);
});

it('does not take a highlight of one word for every quote that has it', () => {
  expect(nearness('where the long road ends', 'road')).toBe(0);
  expect(nearness('road', text)).toBe(1);
});

it('does not gather common words from all over a long text', () => {
  const long = Array.from(
    { length: 300 },
    (_, n) => `${['the', 'a', 'of', 'road'][n % 4]}${n % 7 ? n : ''}`,
  ).join(' ');
  expect(nearness('the road of a king', long)).toBeLessThan(0.7);
});

it('reads Chinese', () => {
  expect(nearness('灯塔在海边', '那座灯塔在海边站着')).toBeGreaterThan(0.7);
});
