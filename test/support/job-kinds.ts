// Kinds of job that tests enqueue and lectern-with-jobs.ts does.
import { z } from 'zod';
import type { RunnerSettings } from '../../src/jobs/settings.ts';
import { jobKind } from '../../src/store/job-queue/job-kind.ts';

export type WorkerSettings = Partial<RunnerSettings>;

/** Leaves a row in `effects`. */
export const countingKind = jobKind({ name: 'counting', schema: z.object({ n: z.int() }) });
/** The same, when the file `gate` is there. */
export const gatedKind = jobKind({
  name: 'gated',
  schema: z.object({ gate: z.string() }),
  timeoutMs: 60_000,
});
/** Never ends, and heeds no signal. */
export const hangingKind = jobKind({ name: 'hanging', schema: z.null(), timeoutMs: 200 });
/** Never lets the event loop turn. */
export const blockingKind = jobKind({ name: 'blocking', schema: z.null() });
/** Takes memory until there is none. */
export const eatingKind = jobKind({ name: 'eating', schema: z.null() });
export const quickKind = jobKind({ name: 'quick', schema: z.null() });
