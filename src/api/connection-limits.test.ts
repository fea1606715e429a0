import { expect, it, vi } from 'vitest';
import { connectionLimits } from './connection-limits.ts';

it.each([
  [Number.POSITIVE_INFINITY, 1_000],
  [65_536, 1_000],
  [1_024, 824],
  [100, 50],
])('a process that may open %d files accepts %d connections', (openFiles, total) => {
  expect(connectionLimits(openFiles)).toEqual({ total, perAddress: 100 });
});

it('the limit is read without asking the network for names', () => {
  const report = process.report as typeof process.report & { excludeNetwork: boolean };
  const before = report.excludeNetwork;
  const getReport = report.getReport.bind(report);
  const settings: boolean[] = [];
  const spy = vi.spyOn(report, 'getReport').mockImplementation(() => {
    settings.push(report.excludeNetwork);
    return getReport();
  });
  connectionLimits();
  spy.mockRestore();
  expect(settings).toEqual([true]);
  expect(report.excludeNetwork).toBe(before);
});

it('reads the limit of this process', () => {
  const { total } = connectionLimits();
  expect(total).toBeGreaterThanOrEqual(50);
  expect(total).toBeLessThanOrEqual(1_000);
});
