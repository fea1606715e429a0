import { Registry } from 'prom-client';
import { expect, it } from 'vitest';
import { showJournal, showQueue } from './queue-metrics.ts';

it('a scrape counts pending changes once, and job counters once', async () => {
  const registry = new Registry();
  let [lags, lists] = [0, 0];
  const lag = async () => {
    lags += 1;
    return { pending: lags, lagMs: 2_000, flushedAt: 3_000, sinceFlushMs: 0 };
  };
  const counters = {
    list: async () => {
      lists += 1;
      return [];
    },
  };
  showJournal(registry, () => ({ lag }) as never);
  showQueue(registry, () => ({ counters, count: async () => [], oldestReadyMs: async () => 0 }) as never);
  const first = await registry.metrics();
  expect([lags, lists]).toEqual([1, 1]);
  expect(first).toContain('lectern_journal_pending 1');
  expect(first).toContain('lectern_journal_lag_seconds 2');
  expect(await registry.metrics()).toContain('lectern_journal_pending 2');
  expect([lags, lists]).toEqual([2, 2]);
});
