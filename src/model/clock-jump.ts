// A clock may run ahead for a while and be set back. What was written meanwhile is known by its time, which is in the future.
import type { Millis } from './glossary.ts';

/** The clocks of processes and of the database differ by less. */
export const clockToleranceMs = 60_000;

/** A schedule that was written then is void, and its work is due. */
export function isFromFuture(writtenAt: Millis, now: Millis): boolean {
  return writtenAt > now + clockToleranceMs;
}
