import { expect, it } from 'vitest';
import { leaseTtlMs } from '../library/journal/flush.ts';
import {
  interruptedJobsMs,
  jobsMs,
  lostIndexFlushMs,
  minStepMs,
  requestsMs,
  type StopDeadlines,
  serverDeadlines,
  workerDeadlines,
  workerProcessMs,
} from './stop-limits.ts';

/** `docker stop` sends SIGKILL after this time. */
const dockerStopMs = 10_000;

function lastStepMs({ drainMs, upkeepMs, flushMs, closeMs, countMs, storeMs }: StopDeadlines): number {
  const inOrder = [drainMs, upkeepMs, flushMs, closeMs, countMs, storeMs];
  expect(inOrder).toEqual(inOrder.toSorted((a, b) => a - b));
  return storeMs;
}

it('a server stops a second before docker stop kills it', () => {
  expect(lastStepMs(serverDeadlines)).toBeLessThanOrEqual(dockerStopMs - 1_000);
});

it('a worker stops before its API kills it', () => {
  expect(lastStepMs(workerDeadlines)).toBeLessThan(workerProcessMs);
});

it('an API waits for its requests and for its worker, and then has two seconds to flush', () => {
  const { drainMs, upkeepMs, flushMs } = serverDeadlines;
  expect(Math.max(requestsMs, workerProcessMs)).toBeLessThan(drainMs);
  expect(flushMs - upkeepMs).toBeGreaterThanOrEqual(2_000);
});

it('a worker waits for its jobs, and has most of its time for a running flush when it has no job', () => {
  const { drainMs, upkeepMs } = workerDeadlines;
  expect(jobsMs + interruptedJobsMs).toBeLessThan(drainMs);
  expect(upkeepMs).toBeGreaterThan(workerProcessMs * 0.75);
});

it('an index that is opened late leaves time to flush and close it', () => {
  for (const { openMs, flushMs } of [serverDeadlines, workerDeadlines])
    expect(openMs + minStepMs).toBeLessThanOrEqual(flushMs);
});

it('the flush of a deleted index outlasts the journal lease of a process that was killed', () => {
  expect(lostIndexFlushMs).toBeGreaterThanOrEqual(2 * leaseTtlMs);
});
