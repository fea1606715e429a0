// How a headline falls into words, and what their letters say of them.

export interface Word {
  readonly text: string;
  /** Lower case, with one kind of apostrophe: as the tables have it. */
  readonly key: string;
  readonly start: number;
  readonly end: number;
}

// What joins two halves of a word is never a letter, so there is but one way to read any text, and the time is linear.
const wordPattern = /[\p{L}\p{M}\p{N}]+(?:['’\-‑.&][\p{L}\p{M}\p{N}]+)*/gu;

export function wordsIn(text: string): Word[] {
  return [...text.matchAll(wordPattern)].map((match) => ({
    text: match[0],
    key: keyOf(match[0]),
    start: match.index,
    end: match.index + match[0].length,
  }));
}

export function keyOf(word: string): string {
  return word.toLowerCase().replace(/[’‘]/g, "'").replaceAll('‑', '-');
}

/** One line without control characters, and what UTF-8 can hold. */
export function tidy(text: string): string {
  return text
    .toWellFormed()
    .replace(/[\p{Cc}\s\uFFFD]+/gu, ' ')
    .trim();
}

export const isCapitalised = (word: string) => /^\p{Lu}/u.test(word);

/** `NATO`, `SHOCKING`, `U.S`: two letters or more, all of them capitals. */
export const isAllCapitals = (word: string) => /\p{Lu}.*\p{Lu}/u.test(word) && !/\p{Ll}/u.test(word);

/**
 * `sentence`: capitals mean something, for most words have none. `title`: Every Word Has One, so they say nothing.
 * Short words and prepositions stay small in both.
 */
export type LetterCase = 'sentence' | 'title' | 'capitals';

export function letterCaseOf(words: readonly Word[]): LetterCase {
  const cased = words.slice(1).filter(({ text }) => /\p{Lu}|\p{Ll}/u.test(text));
  if (cased.length > 1 && cased.every(({ text }) => !/\p{Ll}/u.test(text))) return 'capitals';
  const long = cased.filter(
    ({ text }) => text.length > 3 && !smallInTitles.has(text) && !isAllCapitals(text),
  );
  const small = long.filter(({ text }) => /^\p{Ll}/u.test(text)).length;
  return small * 3 >= long.length || small >= 2 ? 'sentence' : 'title';
}

const smallInTitles = new Set(
  'from with into over than that when upon about after before under between through during without against among since until around behind toward towards onto their your this says'.split(
    ' ',
  ),
);
