// How long an answer may be. A token is taken for four characters, which is near enough for most languages.
import { withoutUnseen } from '../search/without-unseen.ts';

export const charactersPerToken = 4;
export const usualTokens = 2_000;
export const fewestTokens = 500;
export const mostTokens = 8_000;

/** Of an answer, for what is not rows or text. */
const reserved = 600;

export function charactersFor(maxTokens: number): number {
  return maxTokens * charactersPerToken - reserved;
}

/** On one line and without what nobody sees; measured as JSON has it, where a quote is two characters. */
export function cutLine(text: string, maxCharacters: number): string {
  return cutText(text.replace(/\s+/g, ' ').trim(), maxCharacters);
}

export function cutText(text: string, maxCharacters: number): string {
  let rest = withoutUnseen(text.slice(0, maxCharacters * 2));
  let isCut = text.length > maxCharacters * 2;
  for (let over = excess(rest, maxCharacters); over > 0; over = excess(rest, maxCharacters - 1)) {
    // What is over shrinks by at least a sixth, since no character is more than six in JSON.
    rest = rest.slice(0, rest.length - Math.ceil(over / 6)).replace(/[\ud800-\udbff]$/, '');
    isCut = true;
  }
  return isCut ? `${rest.trimEnd()}…` : rest;
}

function excess(text: string, maxCharacters: number): number {
  return JSON.stringify(text).length - 2 - maxCharacters;
}

/** Half an address leads nowhere. */
export function wholeUrl(url: string, maxCharacters = 300): string | null {
  return url === '' || excess(url, maxCharacters) > 0 ? null : url;
}

/** As many rows as there is room for, and at least one. */
export function takeFitting<T>(
  rows: readonly T[],
  maxCharacters: number,
): { shown: readonly T[]; isCut: boolean } {
  let left = maxCharacters;
  let count = 0;
  for (const row of rows) {
    left -= JSON.stringify(row).length + 1;
    if (left < 0 && count > 0) break;
    count += 1;
  }
  return { shown: rows.slice(0, count), isCut: count < rows.length };
}

export interface TextPage {
  readonly text: string;
  readonly page: number;
  readonly pages: number;
}

/** The same pages for the same size, each up to the end of a paragraph, a line or a word. Undefined beyond the last. */
export function pageOf(text: string, page: number, maxCharacters: number): TextPage | undefined {
  let found: string | undefined;
  let pages = 0;
  for (let start = 0; start < text.length || pages === 0; ) {
    const end = endOfPage(text, start, maxCharacters);
    pages += 1;
    if (pages === page) found = text.slice(start, end).trim();
    start = end;
  }
  return found === undefined ? undefined : { text: found, page, pages };
}

function endOfPage(text: string, start: number, size: number): number {
  const end = start + size;
  if (end >= text.length) return text.length;
  // Looked for in the last part of the page alone: in the whole text, a mark that is missing would be looked for to its start.
  const earliest = start + Math.floor(size * 0.7);
  const tail = text.slice(earliest, end);
  for (const mark of ['\n\n', '\n', '. ', ' ']) {
    const at = tail.lastIndexOf(mark);
    if (at !== -1) return earliest + at + mark.length;
  }
  return /[\ud800-\udbff]/.test(text[end - 1] ?? '') ? end - 1 : end;
}
