import { expect, it } from 'vitest';
import { leaseTtlMs } from '../library/journal/flush.ts';
import {
  defaultDrainMs,
  delayForDrain,
  drainDelayMs,
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

it('a drain of the default length leaves running requests two seconds, and the stop is no longer', () => {
  expect(delayForDrain(serverDeadlines, defaultDrainMs)).toEqual(serverDeadlines);
  expect(requestsMs - defaultDrainMs).toBeGreaterThanOrEqual(2_000);
});

it('a longer drain makes the stop longer by the difference, and leaves each step the same time', () => {
  const drainPeriodMs = 15_000;
  const deadlines = delayForDrain(serverDeadlines, drainPeriodMs);
  expect(lastStepMs(deadlines)).toBe(lastStepMs(serverDeadlines) + 13_000);
  expect(requestsMs + drainDelayMs(drainPeriodMs)).toBeLessThan(deadlines.drainMs);
  expect(deadlines.flushMs - deadlines.upkeepMs).toBe(serverDeadlines.flushMs - serverDeadlines.upkeepMs);
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
