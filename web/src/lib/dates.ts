// Times as a person says them, and numbers that fit a narrow column.
import { currentLanguage, words } from './words.ts';

const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;

/** `3 min`, `5 h`, `yesterday`, `12 Mar`, `12 Mar 2019`; both times in seconds. */
export function age(at: number, now: number): string {
  const { time } = words();
  const passed = now - at;
  if (passed < minute && passed > -minute) return time.now;
  if (passed > 0 && passed < hour) return time.minutes(Math.floor(passed / minute));
  const days = calendarDays(at, now);
  if (passed > 0 && days === 0) return time.hours(Math.floor(passed / hour));
  if (days === 1) return time.yesterday;
  if (days > 1 && days < 7) return time.days(days);
  const date = new Date(at * 1000);
  const sameYear = date.getFullYear() === new Date(now * 1000).getFullYear();
  return new Intl.DateTimeFormat(currentLanguage() === 'en' ? 'en-GB' : currentLanguage(), {
    day: 'numeric',
    month: 'short',
    ...(!sameYear && { year: 'numeric' }),
  }).format(date);
}

/** `in 12 min`, `in 3 h`, `tomorrow`, for what is still to come. */
export function until(at: number, now: number): string {
  const { time } = words();
  const left = at - now;
  if (left < minute) return time.soon;
  if (left < hour) return time.inMinutes(Math.round(left / minute));
  if (left < day) return time.inHours(Math.round(left / hour));
  return time.inDays(Math.round(left / day));
}

/** `12 Mar 2019` */
export function shortDate(at: number): string {
  return new Intl.DateTimeFormat(currentLanguage() === 'en' ? 'en-GB' : currentLanguage(), {
    dateStyle: 'medium',
  }).format(new Date(at * 1000));
}

export function fullDate(at: number): string {
  return new Intl.DateTimeFormat(currentLanguage() === 'en' ? 'en-GB' : currentLanguage(), {
    dateStyle: 'full',
    timeStyle: 'short',
  }).format(new Date(at * 1000));
}

/** Midnights between two moments. */
function calendarDays(from: number, to: number): number {
  const midnight = (at: number) => {
    const date = new Date(at * 1000);
    return Date.UTC(date.getFullYear(), date.getMonth(), date.getDate()) / 1000;
  };
  return Math.round((midnight(to) - midnight(from)) / day);
}

/** 999, 1k, 12k, 1.2M */
export function shortNumber(n: number): string {
  if (n < 1_000) return String(n);
  if (n < 1_000_000) return `${Math.floor(n / 1_000)}k`;
  return `${(Math.floor(n / 100_000) / 10).toString()}M`;
}

export function bytes(n: number): string {
  const units = ['B', 'KB', 'MB', 'GB', 'TB'];
  let value = n;
  let unit = 0;
  while (value >= 1_000 && unit < units.length - 1) {
    value /= 1_000;
    unit += 1;
  }
  return `${value >= 100 || unit === 0 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`;
}

export const nowSeconds = (): number => Math.floor(Date.now() / 1000);
