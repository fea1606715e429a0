import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { every } from './every.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

it('does the task again a period after it last ended, also when it fails', async () => {
  const errors: unknown[] = [];
  let runs = 0;
  const task = every(
    100,
    async () => {
      runs += 1;
      if (runs === 2) throw new Error('once');
    },
    (error) => errors.push(error),
  );
  await vi.advanceTimersByTimeAsync(350);
  expect(runs).toBe(3);
  expect(errors).toEqual([new Error('once')]);
  await task.stop();
});

it('waits for a run under way when it is stopped, and never starts another', async () => {
  const gate = Promise.withResolvers<void>();
  let runs = 0;
  const task = every(
    100,
    () => {
      runs += 1;
      return gate.promise;
    },
    () => {},
  );
  await vi.advanceTimersByTimeAsync(100);
  let stopped = false;
  const stopping = task.stop().then(() => {
    stopped = true;
  });
  await vi.advanceTimersByTimeAsync(1000);
  expect(stopped).toBe(false);
  gate.resolve();
  await stopping;
  await vi.advanceTimersByTimeAsync(1000);
  expect(runs).toBe(1);
});

it('aborts the signal of a running task when it is stopped', async () => {
  let signal: AbortSignal | undefined;
  const task = every(
    100,
    async (given) => {
      signal = given;
    },
    () => {},
  );
  await vi.advanceTimersByTimeAsync(100);
  expect(signal?.aborted).toBe(false);
  await task.stop();
  expect(signal?.aborted).toBe(true);
});
