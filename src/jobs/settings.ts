// How a worker behaves. Tests choose shorter times.
import { jobsMs } from '../model/stop-limits.ts';

export interface RunnerSettings {
  /** So many jobs at once in this process. */
  readonly concurrency: number;
  readonly leaseMs: number;
  /** After its time is up, a handler has this long to end before the whole process is ended. */
  readonly graceMs: number;
  /** A stopping worker gives running jobs this long before it interrupts them. */
  readonly drainMs: number;
  /** An event loop that has not turned for this long is taken for dead. Shorter than the lease. */
  readonly stallMs: number;
  /** A process that has taken more memory for itself than this is ended; see anonymous-memory.ts. */
  readonly memoryBytes: number;
  readonly maxCrashes: number;
  readonly suspectDelayMs: number;
}

export const usualSettings: RunnerSettings = {
  concurrency: 8,
  leaseMs: 30_000,
  graceMs: 10_000,
  drainMs: jobsMs,
  stallMs: 20_000,
  memoryBytes: 1024 * 1024 * 1024,
  maxCrashes: 3,
  suspectDelayMs: 2_000,
};
