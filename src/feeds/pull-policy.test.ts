import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  backoffMs,
  cappedRetryAfter,
  freshnessMs,
  nextCheckAfterFailure,
  nextCheckAfterSuccess,
  shouldSkip,
  startDelayMs,
} from './pull-policy.ts';

const [second, minute, hour] = [1_000, 60_000, 3_600_000];
const settings = { intervalMs: 1800 * second, maxBackoffMs: 48 * hour };
const now = 1_800_000_000_000;
const none = { cacheControl: '', expiresAt: 0 };

describe('after a success', () => {
  it.each([
    ['the interval when nothing else is said', none, 0, 30 * minute],
    ['the interval when max-age is shorter', { ...none, cacheControl: 'max-age=60' }, 0, 30 * minute],
    ['max-age when it is longer', { ...none, cacheControl: 'public, max-age=7200' }, 0, 2 * hour],
    ['Expires when it is longer', { ...none, expiresAt: now + 3 * hour }, 0, 3 * hour],
    [
      'the longer of max-age and Expires',
      { cacheControl: 'max-age=14400', expiresAt: now + hour },
      0,
      4 * hour,
    ],
    ['Retry-After when it is longest', { ...none, cacheControl: 'max-age=7200' }, 5 * hour, 5 * hour],
    ['no more than the cap', { ...none, cacheControl: 'max-age=31536000' }, 0, 48 * hour],
    ['no more than the cap, for Retry-After too', none, 100 * hour, 48 * hour],
    ['the interval when it has expired already', { ...none, expiresAt: now - hour }, 0, 30 * minute],
  ])('the next check comes after %s', (_name, hints, retryAfter, expected) => {
    const input = { now, hints, retryAfterUntil: retryAfter === 0 ? 0 : now + retryAfter };
    expect(nextCheckAfterSuccess(settings, input) - now).toBe(expected);
  });
});

describe('after a failure', () => {
  it.each([
    [1, 0, 1800 * 1.8 * second],
    [2, 0, 1800 * 1.8 ** 2 * second],
    [5, 0, 1800 * 1.8 ** 5 * second],
    [8, 0, 48 * hour],
    [1000, 0, 48 * hour],
    [1, 10 * hour, 10 * hour],
    [1, 100 * hour, 48 * hour],
  ])(
    'number %i, with Retry-After of %i ms, the next check comes after %i ms',
    (failures, retryAfter, expected) => {
      const input = { now, failures, retryAfterUntil: retryAfter === 0 ? 0 : now + retryAfter };
      expect(nextCheckAfterFailure(settings, input) - now).toBe(Math.round(expected));
    },
  );

  it('the pause grows with each until the cap, and never shrinks', () => {
    const pauses = Array.from({ length: 12 }, (_, n) => backoffMs(settings, n + 1));
    expect(pauses).toEqual([...pauses].sort((a, b) => a - b));
    expect(pauses.at(-1)).toBe(48 * hour);
  });
});

it('a check is never sooner than the interval nor later than the cap', () => {
  const delay = fc.integer({ min: -100 * hour, max: 1000 * hour });
  fc.assert(
    fc.property(delay, delay, fc.nat(50), fc.string(), (retry, expires, failures, cacheControl) => {
      const hints = { cacheControl, expiresAt: now + expires };
      const checks = [
        nextCheckAfterSuccess(settings, { now, retryAfterUntil: now + retry, hints }),
        nextCheckAfterFailure(settings, { now, retryAfterUntil: now + retry, failures }),
      ];
      for (const at of checks) {
        expect(at - now).toBeGreaterThanOrEqual(settings.intervalMs);
        expect(at - now).toBeLessThanOrEqual(settings.maxBackoffMs);
      }
    }),
  );
});

const year = 8_760 * hour;

it.each([
  ['suspended', { suspended: true, retryAfterUntil: 0, nextCheckAt: 0, scheduledAt: 0 }, true],
  [
    'told to come back later',
    { suspended: false, retryAfterUntil: now + 1, nextCheckAt: 0, scheduledAt: 0 },
    true,
  ],
  ['not due yet', { suspended: false, retryAfterUntil: 0, nextCheckAt: now + 1, scheduledAt: 0 }, true],
  [
    'due at this instant',
    { suspended: false, retryAfterUntil: now, nextCheckAt: now, scheduledAt: 0 },
    false,
  ],
  ['new', { suspended: false, retryAfterUntil: 0, nextCheckAt: 0, scheduledAt: 0 }, false],
  [
    'scheduled by a clock a year ahead',
    { suspended: false, retryAfterUntil: now + year, nextCheckAt: now + year, scheduledAt: now + year },
    false,
  ],
  [
    'scheduled by a clock a minute ahead',
    { suspended: false, retryAfterUntil: 0, nextCheckAt: now + hour, scheduledAt: now + 60_000 },
    true,
  ],
  [
    'suspended by a clock a year ahead',
    { suspended: true, retryAfterUntil: 0, nextCheckAt: 0, scheduledAt: now + year },
    true,
  ],
])('a feed that is %s is passed over or not', (_name, state, expected) => {
  expect(shouldSkip(state, now)).toBe(expected);
});

it('a pause that a server asks for ends no later than the cap, and one that is over is none', () => {
  expect(cappedRetryAfter(settings, now + hour, now)).toBe(now + hour);
  expect(cappedRetryAfter(settings, now + 1000 * hour, now)).toBe(now + 48 * hour);
  expect(cappedRetryAfter(settings, now - 1, now)).toBe(0);
});

it.each(['max-age=abc', 'max-age', 's-maxage=900', 'x-max-age=900', 'max-age=-5'])(
  '%s says nothing of freshness',
  (cacheControl) => {
    expect(freshnessMs({ cacheControl, expiresAt: 0 }, now)).toBe(0);
  },
);

it('a start is delayed by chance within a window that grows with what is due, up to half an interval', () => {
  expect(startDelayMs(settings, 1, 0.99)).toBe(99);
  expect(startDelayMs(settings, 1000, 0.5)).toBe(50 * second);
  expect(startDelayMs(settings, 1_000_000, 0.5)).toBe(settings.intervalMs / 4);
});
