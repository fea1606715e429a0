// A book as KOReader tells of it, whichever of its files says so.
import { parseDate } from '../../html/parse-date.ts';
import type { Millis } from '../../model/glossary.ts';
import type { Json } from '../../model/highlight.ts';

export interface KoreaderDocument {
  readonly title: string;
  readonly author: string;
  readonly file: string;
  readonly entries: readonly KoreaderEntry[];
}

export interface KoreaderEntry {
  readonly place: string;
  /** A bookmark marks a page and no text of it. */
  readonly kind: 'highlight' | 'note' | 'bookmark';
  readonly text: string;
  readonly note: string;
  readonly color: string | null;
  readonly boundary: { readonly [key: string]: Json };
  readonly madeAt: Millis | null;
}

/** Without a title, by the name of its file. */
export function titleOf(title: string, file: string): string {
  const name = /[^/\\]{0,500}$/.exec(file.slice(-500))?.[0] ?? '';
  return title || name.replace(/\.[A-Za-z0-9]{1,5}$/, '') || 'Untitled';
}

/** KOReader puts several authors on a line each. */
export function authorOf(authors: string): string {
  return authors
    .split('\n')
    .map((author) => author.trim())
    .filter((author) => author !== '')
    .join(', ');
}

/** Seconds since 1970, or `2024-03-05 21:14:52` by the clock of the device. */
export function timeOf(value: unknown): Millis | null {
  if (typeof value === 'string') return parseDate(value);
  if (typeof value !== 'number' || !(value > 0 && value < 1e11)) return null;
  return Math.floor(value * 1000);
}
