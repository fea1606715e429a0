// When a server that said "not now" may be asked again.
import type { Millis } from '../model/glossary.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const yearMs = 365 * dayMs;
const leastMs = 1_000;

/** Seconds or an HTTP date, as a time; undefined for anything else. No server is left alone for more than a day. */
export function parseRetryAfter(header: string | undefined, nowMs: Millis): Millis | undefined {
  const named = namedRetryAfter(header, nowMs);
  return named === undefined ? undefined : Math.min(named, nowMs + dayMs);
}

/**
 * The same, up to a year away: whoever plans for longer than a day can keep to it. Beyond that it is no plan, and may be
 * no number that a database or a Date takes.
 */
export function namedRetryAfter(header: string | undefined, nowMs: Millis): Millis | undefined {
  const text = header?.trim() ?? '';
  const delayMs = /^\d+$/.test(text) ? Number(text) * 1000 : httpDate(text) - nowMs;
  return Number.isNaN(delayMs) ? undefined : nowMs + Math.min(Math.max(delayMs, leastMs), yearMs);
}

/** Undefined when the answer asks for no pause. A 429 that names no time means an hour. */
export function pauseAfter(status: number, header: string | undefined, nowMs: Millis): Millis | undefined {
  if (status !== 429 && status !== 503) return undefined;
  const named = parseRetryAfter(header, nowMs);
  if (named !== undefined) return named;
  return status === 429 ? nowMs + hourMs : undefined;
}

/** The three forms of RFC 9110, all of which begin with a day of the week; Date.parse alone would take far more. */
function httpDate(text: string): Millis {
  const isDate = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? /.test(text);
  if (!isDate) return Number.NaN;
  return Date.parse(/GMT$/.test(text) ? text : `${text} GMT`);
}
