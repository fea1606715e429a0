// What becomes of a job whose handler has failed, and what a person is told about it.
import { z } from 'zod';
import { DoNotRetry, LecternError, Upstream } from '../errors.ts';
import type { ClaimedJob } from '../store/job-queue/claim.ts';
import type { Backoff } from '../store/job-queue/job-kind.ts';
import type { Outcome } from '../store/job-queue/settle.ts';

const longestPauseMs = 30 * 24 * 3_600_000;

export interface FailedAttempt {
  readonly error: unknown;
  /** How often it had failed before. */
  readonly attempts: number;
  readonly maxAttempts: number;
  readonly backoff: Backoff;
}

export const internal = 'An internal error; the log has the details.';

export function outcomeOfFailure(attempt: FailedAttempt, random: () => number): Outcome {
  const { error, attempts, maxAttempts, backoff } = attempt;
  const sentence = sentenceFor(error);
  if (error instanceof DoNotRetry || attempts + 1 >= maxAttempts) return { kind: 'dead', error: sentence };
  const asked = error instanceof Upstream ? (error.retryAfterMs ?? 0) : 0;
  return {
    kind: 'failed',
    error: sentence,
    retryInMs: Math.max(writable(asked), writable(pauseBefore(attempts, backoff, random))),
  };
}

/** The last pause is short: the queue works again half a minute after the end of an outage, however long that took. */
const outageBackoff: Backoff = { firstMs: 1_000, longestMs: 30_000 };

/**
 * The index or the library was away: the job returns to the queue as if it had never been claimed. Each claim adds one to the epoch,
 * and each crash two, so the epoch tells how often the job has returned.
 */
export function outcomeOfOutage(
  { epoch, attempts, crashes }: Pick<ClaimedJob, 'epoch' | 'attempts' | 'crashes'>,
  random: () => number,
): Outcome {
  const returns = Math.max(0, epoch - 1 - attempts - 2 * crashes);
  return { kind: 'returned', delayMs: pauseBefore(returns, outageBackoff, random) };
}

/** Whatever a handler or another server made of it, the index can take it, and the job comes back. */
function writable(pauseMs: number): number {
  return Number.isNaN(pauseMs) ? 0 : Math.round(Math.min(Math.max(pauseMs, 0), longestPauseMs));
}

/** Half of it certain and half by chance: never at once, and never all at the same moment. */
export function pauseBefore(attempts: number, { firstMs, longestMs }: Backoff, random: () => number): number {
  const fullMs = Math.min(longestMs, firstMs * 2 ** Math.min(attempts, 50));
  return Math.round(fullMs / 2 + (fullMs / 2) * random());
}

/** Only what was written for a person leaves the process. */
export function sentenceFor(error: unknown): string {
  return error instanceof LecternError ? (error.publicMessage ?? error.message) : internal;
}

export function payloadProblem(error: unknown): string {
  if (!(error instanceof z.core.$ZodError)) return 'The payload is not JSON.';
  const fields = error.issues
    .slice(0, 5)
    .map((issue) => `${issue.path.join('.') || 'payload'}: ${issue.message}`);
  return `The payload is not as expected: ${fields.join('; ')}`;
}
