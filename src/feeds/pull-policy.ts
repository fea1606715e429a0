// When a feed is to be fetched again. Pure: times in, times out.
import { isFromFuture } from '../model/clock-jump.ts';
import type { Millis } from '../model/glossary.ts';

export interface PullSettings {
  readonly intervalMs: number;
  readonly maxBackoffMs: number;
}

/** What a server says about when to come back. */
export interface CacheHints {
  readonly cacheControl: string;
  /** Unix time in milliseconds; 0 when there is none. */
  readonly expiresAt: Millis;
}

const backoffBase = 1.8;
/** A server that is too busy and does not say for how long. */
export const retryAfterDefaultMs = 3_600_000;

export interface PullState {
  readonly suspended: boolean;
  readonly retryAfterUntil: Millis;
  readonly nextCheckAt: Millis;
  /** When the two were written. */
  readonly scheduledAt: Millis;
}

export function shouldSkip(state: PullState, now: Millis): boolean {
  const { suspended, retryAfterUntil, nextCheckAt, scheduledAt } = state;
  if (suspended) return true;
  return !isFromFuture(scheduledAt, now) && (now < retryAfterUntil || now < nextCheckAt);
}

/** After a 200 or a 304. */
export function nextCheckAfterSuccess(
  settings: PullSettings,
  input: { readonly now: Millis; readonly retryAfterUntil: Millis; readonly hints: CacheHints },
): Millis {
  const { now, retryAfterUntil, hints } = input;
  const delay = Math.max(settings.intervalMs, retryAfterUntil - now, freshnessMs(hints, now));
  return now + Math.min(delay, settings.maxBackoffMs);
}

/** After anything else. `failures` counts the one that has just happened. */
export function nextCheckAfterFailure(
  settings: PullSettings,
  input: { readonly now: Millis; readonly retryAfterUntil: Millis; readonly failures: number },
): Millis {
  const { now, retryAfterUntil, failures } = input;
  const delay = Math.max(settings.intervalMs, retryAfterUntil - now, backoffMs(settings, failures));
  return now + Math.min(delay, settings.maxBackoffMs);
}

export function backoffMs({ intervalMs, maxBackoffMs }: PullSettings, failures: number): number {
  return Math.round(Math.min(intervalMs * backoffBase ** failures, maxBackoffMs));
}

/** A server may ask for a longer pause than we are ready to make. */
export function cappedRetryAfter({ maxBackoffMs }: PullSettings, until: Millis, now: Millis): Millis {
  return until <= now ? 0 : Math.min(until, now + maxBackoffMs);
}

/** How long what was fetched stays good, by max-age or Expires, whichever is longer. */
export function freshnessMs({ cacheControl, expiresAt }: CacheHints, now: Millis): number {
  return Math.max(0, maxAgeMs(cacheControl), expiresAt === 0 ? 0 : expiresAt - now);
}

function maxAgeMs(cacheControl: string): number {
  const [, seconds] = /(?:^|[,\s])max-age\s*=\s*"?(\d{1,15})/i.exec(cacheControl) ?? [];
  return seconds === undefined ? 0 : Number(seconds) * 1000;
}

/**
 * How long to wait before a fetch that is due: so that feeds that fell due together, as after an outage, do not all
 * start together. Never longer than half an interval, and `nextCheckAt` is not touched by it.
 */
export function startDelayMs({ intervalMs }: PullSettings, dueTogether: number, random: number): number {
  const window = Math.min(intervalMs / 2, dueTogether * 100);
  return Math.floor(random * window);
}
