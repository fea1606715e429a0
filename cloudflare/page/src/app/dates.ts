// Times as a person says them, with the full one on hover.
import { make } from './dom.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

export function timeElement(iso: string): HTMLElement {
  const at = new Date(iso);
  if (Number.isNaN(at.getTime())) return make('span', {}, iso);
  const full = new Intl.DateTimeFormat('en-GB', { dateStyle: 'full', timeStyle: 'short' }).format(at);
  return make('time', { datetime: at.toISOString(), title: full }, sayTime(at, new Date()));
}

/** `5 min ago`, `in 3 h`, `yesterday`, `12 Mar`, `12 Mar 2019` */
export function sayTime(at: Date, now: Date): string {
  const ahead = at.getTime() - now.getTime();
  const apart = Math.abs(ahead);
  const say = (text: string) => (ahead > 0 ? `in ${text}` : `${text} ago`);
  if (apart < minute) return ahead > 0 ? 'in a moment' : 'just now';
  if (apart < hour) return say(`${Math.round(apart / minute)} min`);
  if (apart < day) return say(`${Math.round(apart / hour)} h`);
  if (apart < 2 * day) return ahead > 0 ? 'tomorrow' : 'yesterday';
  const year = at.getFullYear() === now.getFullYear() ? {} : ({ year: 'numeric' } as const);
  return new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', ...year }).format(at);
}

export const sayNumber = (n: number) => new Intl.NumberFormat('en-GB').format(n);
