// How near a highlight is to a quote that somebody remembers, perhaps with other commas or a word too many.
import { splitTerms } from '../search/terms.ts';

/** From 0 to 1. At 1 the one stands in the other, word for word. */
export function nearness(quote: string, text: string): number {
  const [asked, there] = [splitTerms(quote), splitTerms(text.slice(0, mostCharacters))];
  if (asked.length === 0 || there.length === 0) return 0;
  const [short, long] = asked.length <= there.length ? [asked, there] : [there, asked];
  if (` ${long.join(' ')} `.includes(` ${short.join(' ')} `)) {
    // A highlight of a word or two stands in many quotes.
    return short === there && there.length < 3 && asked.length > there.length ? 0 : 1;
  }
  const compared = short.slice(0, mostTerms);
  // Word for word is the only way to 1.
  return Math.min(nearest(compared, long), compared.length - 0.1) / compared.length;
}

/** Of the shorter one, which is compared with every stretch of the longer. */
const mostTerms = 100;
const mostCharacters = 10_000;

/** Within a stretch of the longer one: in all of it, a few common words would come in some order or other. */
function nearest(short: readonly string[], long: readonly string[]): number {
  const stretch = Math.ceil(short.length * 1.5);
  const step = Math.max(1, Math.floor(short.length / 2));
  let most = 0;
  for (let at = 0; at === 0 || at + stretch - step < long.length; at += step)
    most = Math.max(most, inOrder(short, long.slice(at, at + stretch)));
  return most;
}

/** How many of the words of the one come in the other in the same order: the longest common subsequence. */
function inOrder(short: readonly string[], long: readonly string[]): number {
  let before = new Uint16Array(long.length + 1);
  let row = new Uint16Array(long.length + 1);
  for (const term of short) {
    for (let n = 0; n < long.length; n++)
      row[n + 1] = term === long[n] ? (before[n] ?? 0) + 1 : Math.max(before[n + 1] ?? 0, row[n] ?? 0);
    [before, row] = [row, before];
  }
  return before.at(-1) ?? 0;
}
