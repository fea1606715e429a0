// A job as those see it who watch the queue.
import type { Millis } from './glossary.ts';

/** In the order of their numbers in the table. */
export const jobStates = ['waiting', 'running', 'done', 'dead', 'cancelled'] as const;
export type JobState = (typeof jobStates)[number];

/** Who is served first: a person who waits, the usual, what can wait. In the order of their numbers in the table. */
export const lanes = ['interactive', 'normal', 'low'] as const;
export type Lane = (typeof lanes)[number];

export interface Job {
  readonly id: number;
  readonly name: string;
  readonly lane: Lane;
  readonly state: JobState;
  readonly payload: unknown;
  readonly uniqueKey: string | null;
  /** Not before this; in the past for one that is ready. */
  readonly runAt: Millis;
  /** How often it failed, and how often the worker ended while doing it. */
  readonly attempts: number;
  readonly maxAttempts: number;
  readonly crashes: number;
  readonly progress: JobProgress | undefined;
  readonly cancelRequested: boolean;
  /** A sentence for a person. */
  readonly lastError: string | null;
  readonly createdAt: Millis;
  readonly startedAt: Millis | null;
  readonly finishedAt: Millis | null;
}

export interface JobProgress {
  readonly done: number;
  readonly total: number | null;
  readonly note: string | null;
}

/** What a worker shows to prove that a job is still its own. */
export interface JobFence {
  readonly id: number;
  readonly epoch: number;
}
