import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { barsOf, greatestAt, keepInside, sharesOf } from '../../web/src/lib/chart-scale.ts';

describe('the bars of a chart', () => {
  it('stand on the ground, the greatest as high as the box', () => {
    const [low, high, none] = barsOf([5, 10, 0], { width: 90, height: 40 });
    expect(low).toMatchObject({ y: 20, height: 20 });
    expect(high).toMatchObject({ y: 0, height: 40 });
    expect(none).toMatchObject({ height: 0 });
  });

  it('share a scale when they are given one', () => {
    expect(barsOf([5], { width: 10, height: 40, top: 20 })[0]).toMatchObject({ height: 10 });
  });

  it('can be seen when there is anything at all', () => {
    expect(barsOf([1, 1_000_000], { width: 20, height: 100 })[0]?.height).toBeGreaterThan(1);
  });

  it('never leave their box or lie over each other', () => {
    const value = fc.nat({ max: 1_000_000 });
    fc.assert(
      fc.property(
        fc.array(value, { maxLength: 366 }),
        fc.integer({ min: 1, max: 2_000 }),
        (values, width) => {
          const bars = barsOf(values, { width, height: 100 });
          expect(bars).toHaveLength(values.length);
          for (const [n, bar] of bars.entries()) {
            expect(bar.y).toBeGreaterThanOrEqual(0);
            expect(bar.y + bar.height).toBeCloseTo(100, 6);
            expect(bar.x + bar.width).toBeLessThanOrEqual((bars[n + 1]?.x ?? width) + 1e-6);
          }
        },
      ),
    );
  });
});

describe('the numbers in a chart', () => {
  it('are that of the greatest, and of the latest where several are', () => {
    expect(greatestAt([1, 7, 7, 2])).toBe(2);
  });

  it('are left out where there was nothing', () => {
    expect(greatestAt([0, 0])).toBeUndefined();
    expect(greatestAt([])).toBeUndefined();
  });

  it('stay inside the chart', () => {
    expect(keepInside(2, 48, 300)).toBe(24);
    expect(keepInside(150, 48, 300)).toBe(150);
    expect(keepInside(299, 48, 300)).toBe(276);
  });
});

describe('shares', () => {
  it('are of the greatest, and nothing where there is nothing', () => {
    expect(sharesOf([1, 4, 2])).toEqual([0.25, 1, 0.5]);
    expect(sharesOf([0, 0])).toEqual([0, 0]);
  });
});
