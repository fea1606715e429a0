// Which addresses are the same page: a normalised address to show, and a key to find items by. An item keeps the key
// that it got when it was saved, with the number of the rules in front, so better rules never change what is saved.
import { createHash } from 'node:crypto';
import { pageByRules1 } from './url-identity-rules-1.ts';
import { pageByRules2 } from './url-identity-rules-2.ts';

const pageBy = { 1: pageByRules1, 2: pageByRules2 };

export type Rules = keyof typeof pageBy;

export const currentRules: Rules = 2;

/** What an index of PostgreSQL can hold, with room to spare. */
const longestKey = 1_000;

/** The address as it is shown. It keeps its scheme: some pages are only there without the `s`. */
export function normaliseUrl(url: string, rules: Rules = currentRules): string {
  const parsed = new URL(url);
  return `${parsed.protocol}//${pageBy[rules](parsed)}`;
}

/** Addresses that differ in their scheme have one key. */
export function keyOf(url: string, rules: Rules = currentRules): string {
  const key = `${rules}:${pageBy[rules](new URL(url))}`;
  return key.length <= longestKey ? key : `${rules}:sha256:${createHash('sha256').update(key).digest('hex')}`;
}

/** What an item for this page may be found by, the newest rules first. */
export function keysOf(url: string): string[] {
  // Under older rules the page may have been saved by a plainer address than this one.
  const older = [normaliseUrl(url), url].filter(isOnePageByRules1).map((address) => keyOf(address, 1));
  return [...new Set([keyOf(url), ...older])];
}

/** The normalised address of an item, by the rules that it was saved under. */
export function normalizedUrlOf(url: string, key: string): string {
  if (!/^https?:/i.test(url)) return url;
  const number = Number(/^\d+(?=:)/.exec(key)?.[0]);
  return normaliseUrl(url, isRules(number) ? number : currentRules);
}

function isRules(number: number): number is Rules {
  return Object.hasOwn(pageBy, number);
}

/**
 * Rules 1 took some pages for one that are many: routes without a slash in front, and queries in other encodings than
 * UTF-8. An item with such a key may be any of them. It is not looked for: an item that is there twice does less harm
 * than a page that cannot be saved.
 */
function isOnePageByRules1(url: string): boolean {
  const parsed = new URL(url);
  const page = pageByRules1(parsed);
  const losesRoute = pageByRules2(parsed).includes('#') && !page.includes('#');
  return !losesRoute && !page.includes(encodeURIComponent('\ufffd'));
}
