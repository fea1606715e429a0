import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { namedRetryAfter, parseRetryAfter, pauseAfter } from './retry-after.ts';

const nowMs = Date.UTC(2026, 0, 1, 12);
const hourMs = 3_600_000;

describe('Retry-After', () => {
  it.each([
    ['120', 120_000],
    [' 120 ', 120_000],
    ['0', 1_000],
    ['99999999999999999999', 24 * hourMs],
    ['Thu, 01 Jan 2026 13:00:00 GMT', hourMs],
    ['Thursday, 01-Jan-26 13:00:00 GMT', hourMs],
    ['Thu Jan  1 13:00:00 2026', hourMs],
    ['Wed, 31 Dec 2025 13:00:00 GMT', 1_000],
    ['Fri, 01 Jan 2100 00:00:00 GMT', 24 * hourMs],
  ])('%j is a time %i ms from now', (header, delayMs) => {
    expect(parseRetryAfter(header, nowMs)).toBe(nowMs + delayMs);
  });

  it.each([undefined, '', 'soon', '-5', '1.5', '1e3', '2026-01-01', 'Thu, 99 Foo 2026 GMT', '+5'])(
    '%j names no time',
    (header) => expect(parseRetryAfter(header, nowMs)).toBeUndefined(),
  );

  it('is never before now nor more than a day away, whatever it says', () => {
    const headers = fc.oneof(
      fc.string(),
      fc.integer().map(String),
      fc.date({ noInvalidDate: true }).map((date) => date.toUTCString()),
    );
    fc.assert(
      fc.property(headers, (header) => {
        const at = parseRetryAfter(header, nowMs);
        expect(at === undefined || (at > nowMs && at <= nowMs + 24 * hourMs)).toBe(true);
      }),
    );
  });

  it('names the second that a whole number of seconds leads to', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 86_400 }), (seconds) => {
        expect(parseRetryAfter(`${seconds}`, nowMs)).toBe(nowMs + seconds * 1000);
      }),
    );
  });
});

describe('a pause', () => {
  it.each([429, 503])('follows status %i with Retry-After', (status) => {
    expect(pauseAfter(status, '60', nowMs)).toBe(nowMs + 60_000);
  });

  it('of an hour follows a 429 that names no time', () => {
    expect(pauseAfter(429, undefined, nowMs)).toBe(nowMs + hourMs);
    expect(pauseAfter(429, 'soon', nowMs)).toBe(nowMs + hourMs);
  });

  it('that a server names is told as it named it, however long', () => {
    expect(namedRetryAfter('2592000', nowMs)).toBe(nowMs + 30 * 24 * hourMs);
    expect(pauseAfter(429, '2592000', nowMs)).toBe(nowMs + 24 * hourMs);
  });

  it.each([
    ['a year and a second', '31536001'],
    ['twenty digits', '9'.repeat(20)],
    ['more digits than a number holds', '9'.repeat(400)],
    ['a date of the next century', 'Fri, 01 Jan 2100 00:00:00 GMT'],
  ])('that a server names as %s is told as one of a year', (_what, header) =>
    expect(namedRetryAfter(header, nowMs)).toBe(nowMs + 365 * 24 * hourMs),
  );

  it('that a server names is a time that can be stored, whatever it says', () => {
    const headers = fc.oneof(
      fc.stringMatching(/^\d{1,400}$/),
      fc.date({ noInvalidDate: true }).map((date) => date.toUTCString()),
    );
    fc.assert(
      fc.property(headers, (header) => {
        const at = namedRetryAfter(header, nowMs);
        expect(at === undefined || (Number.isSafeInteger(at) && at <= nowMs + 365 * 24 * hourMs)).toBe(true);
      }),
    );
  });

  it.each([200, 403, 500, 503])('does not follow status %i without Retry-After', (status) => {
    expect(pauseAfter(status, undefined, nowMs)).toBeUndefined();
  });
});
