// What a kind of job is, apart from how it is done: its name, what its payload looks like, how patient to be. It
// stands beside the code that does the work; `jobs/registry.ts` puts the two together.
import type { z } from 'zod';
import type { Lane } from '../../model/job.ts';

export interface JobKind<P = unknown> {
  readonly name: string;
  readonly schema: z.ZodType<P>;
  readonly lane: Lane;
  /** How long one attempt may take. */
  readonly timeoutMs: number;
  readonly maxAttempts: number;
  readonly backoff: Backoff;
  /** Pulls and saved pages wait for other servers most of the time, and have places of their own in a worker. */
  readonly pool: 'jobs' | 'pulls' | 'pages';
}

/** The pause before the next attempt: doubled each time, and shortened by chance so that failures do not march in step. */
export interface Backoff {
  readonly firstMs: number;
  readonly longestMs: number;
}

type Choices = Partial<Pick<JobKind, 'lane' | 'timeoutMs' | 'maxAttempts' | 'backoff' | 'pool'>>;

export function jobKind<P>(kind: { name: string; schema: z.ZodType<P> } & Choices): JobKind<P> {
  return {
    lane: 'normal',
    timeoutMs: 5 * 60_000,
    maxAttempts: 8,
    backoff: { firstMs: 5_000, longestMs: 3_600_000 },
    pool: 'jobs',
    ...kind,
  };
}
