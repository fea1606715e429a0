import { expect, it } from 'vitest';
import { createConfirmedClock } from './confirmed-clock.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** Reads the clock every ten minutes of uptime; `offsetAt` says how far the clock is ahead. */
function readings(minutes: number, offsetAt: (minutes: number) => number): (number | undefined)[] {
  let uptime = 0;
  const confirmed = createConfirmedClock(
    () => uptime + offsetAt(uptime / minute),
    () => uptime,
  );
  const found: (number | undefined)[] = [];
  for (; uptime <= minutes * minute; uptime += 10 * minute) found.push(confirmed());
  return found;
}

it('confirms no time in the first hour, then the time of an hour ago', () => {
  expect(readings(80, () => 0)).toEqual([...Array(6).fill(undefined), 0, 10 * minute, 20 * minute]);
});

it('never confirms a time that a clock showed for less than an hour', () => {
  const found = readings(300, (at) => (at >= 100 && at < 150 ? 400 * day : 0));
  expect(Math.max(...found.map((at) => at ?? 0))).toBeLessThan(day);
});

it('confirms a time that the clock has shown for an hour', () => {
  expect(readings(120, (at) => (at >= 60 ? day : 0)).at(-1)).toBe(day + hour);
});
