// How long the steps of a stop may take. `docker stop` kills a container 10 s after it asks it to stop, so a whole stop takes less.

/** Deadlines in milliseconds after the request to stop. A step that ends early leaves its time to the next ones. */
export interface StopDeadlines {
  /** Opening the index, which may migrate for minutes. */
  readonly openMs: number;
  /** Requests, jobs and the worker process. */
  readonly drainMs: number;
  /** Regular tasks, of which one may be a flush. */
  readonly upkeepMs: number;
  readonly flushMs: number;
  /** Leases, locks and connections to other hosts. */
  readonly closeMs: number;
  /** Counting the changes that are not in the library. */
  readonly countMs: number;
  readonly storeMs: number;
}

export const serverDeadlines: StopDeadlines = {
  openMs: 3_000,
  drainMs: 4_500,
  upkeepMs: 5_000,
  flushMs: 7_500,
  closeMs: 8_000,
  countMs: 8_500,
  storeMs: 9_000,
};

/** For a worker process that an API has started: the API flushes after it. */
export const workerDeadlines: StopDeadlines = {
  openMs: 3_000,
  drainMs: 2_750,
  upkeepMs: 3_250,
  flushMs: 3_250,
  closeMs: 3_500,
  countMs: 3_500,
  storeMs: 3_750,
};

/** Default drain of an API without a worker beside it. It is part of the deadlines above. */
export const defaultDrainMs = 2_000;
export const maxDrainMs = 60_000;

/** A longer drain delays every later step by the difference, and a supervisor has to wait for that much longer. */
export function delayForDrain(deadlines: StopDeadlines, drainPeriodMs: number): StopDeadlines {
  const delayMs = drainDelayMs(drainPeriodMs);
  return {
    openMs: deadlines.openMs,
    drainMs: deadlines.drainMs + delayMs,
    upkeepMs: deadlines.upkeepMs + delayMs,
    flushMs: deadlines.flushMs + delayMs,
    closeMs: deadlines.closeMs + delayMs,
    countMs: deadlines.countMs + delayMs,
    storeMs: deadlines.storeMs + delayMs,
  };
}

export function drainDelayMs(drainPeriodMs: number): number {
  return Math.max(0, drainPeriodMs - defaultDrainMs);
}

/** A step that begins after its deadline still gets this time. */
export const minStepMs = 250;

/** After the request to stop: then connections are closed, and the worker process is killed. */
export const requestsMs = 4_000;
export const workerProcessMs = 4_000;

/** After a drain, how long a load balancer's request may take to arrive on a connection that it opened just before the port was closed. */
export const arrivalMs = 500;

/** During the drain of a worker: then jobs are interrupted, and have `interruptedJobsMs` before they are returned to the queue. */
export const jobsMs = 2_000;
export const interruptedJobsMs = 500;

/** The flush after the index was deleted: there is no other chance to write the changes, and no supervisor waits. */
export const lostIndexFlushMs = 60_000;
