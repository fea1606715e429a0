import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { startWorker, type WorkerDeps } from './worker.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

it('logs once when a task begins to fail and once when it succeeds again, every time', async () => {
  const logged: string[] = [];
  const logAs =
    (level: string) =>
    ({ task }: { task: string }) =>
      task === 'write the journal' && logged.push(level);
  let isDiskFull = false;
  let attempts = 0;
  const flushIfDue = async () => {
    attempts += 1;
    // The message names a file, and so differs each time.
    if (isDiskFull) throw new Error(`ENOSPC: no space left on device, write ${attempts}`);
  };
  const nothing = async () => {};
  // Tasks without a stub here fail, and log under their own names.
  const worker = startWorker({
    store: {
      activity: { add: nothing },
      tidy: nothing,
      readerUpkeep: { settleUnread: nothing, sweepDeletedFeeds: nothing },
    },
    flusher: { flushIfDue },
    pullTally: { take: () => [] },
    log: { error: logAs('error'), info: logAs('info'), debug: () => {} },
    onFatal: () => {},
    raindrop: { token: undefined },
  } as unknown as WorkerDeps);
  for (const full of [false, true, false, true, false]) {
    isDiskFull = full;
    await vi.advanceTimersByTimeAsync(5_000);
  }
  await worker.stop();
  expect(attempts).toBeGreaterThan(20);
  expect(logged).toEqual(['error', 'info', 'error', 'info']);
});
