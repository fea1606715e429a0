import { expect, it } from 'vitest';
import { connectionLimits } from './connection-limits.ts';

it.each([
  [Number.POSITIVE_INFINITY, 1_000],
  [65_536, 1_000],
  [1_024, 824],
  [100, 50],
])('a process that may open %d files accepts %d connections', (openFiles, total) => {
  expect(connectionLimits(openFiles)).toEqual({ total, perAddress: 100 });
});

it('reads the limit of this process', () => {
  const { total } = connectionLimits();
  expect(total).toBeGreaterThanOrEqual(50);
  expect(total).toBeLessThanOrEqual(1_000);
});
