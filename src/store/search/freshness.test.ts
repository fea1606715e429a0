import { describe, expect, it } from 'vitest';
import { freshness } from './freshness.ts';

const day = 24 * 60;

describe('freshness', () => {
  it.each([
    [0, 1.25],
    [180 * day, 1.125],
    [540 * day, 1.0625],
  ])('of %d minutes is %d', (age, expected) => {
    expect(freshness(age)).toBeCloseTo(expected, 12);
  });

  it('never grows with age, and stays within its bounds', () => {
    let before = Number.POSITIVE_INFINITY;
    for (let age = 0; age < 100 * 365 * day; age += 1_000_003) {
      const now = freshness(age);
      expect(now).toBeLessThan(before);
      expect(now).toBeGreaterThan(1);
      expect(now).toBeLessThanOrEqual(1.25);
      before = now;
    }
  });

  it('takes what is dated in the future for new', () => {
    expect(freshness(-5 * day)).toBe(freshness(0));
  });
});
