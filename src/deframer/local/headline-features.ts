// What the headline model sees of a headline. No letter's case is among it, but for WHOLE WORDS in capitals: the headlines it
// learned from come from few outlets, some of which Write Titles Like This, so that case would tell the outlet, not the bait.
import { isAllCapitals, keyOf, wordsIn } from './words.ts';

/** Patterns by the name that stands in the weights, with the words for a reader. */
export const patternReasons: Readonly<Record<string, string>> = {
  '*number-first': 'starts with a number',
  '*number': 'has a number',
  '*you': 'speaks to “you”',
  '*i': 'speaks of “I” or “we”',
  '*question-mark': 'asks a question it does not answer',
  '*question-word': 'opens with a question to the reader',
  '*exclamation': 'exclamation mark',
  '*ellipsis': 'breaks off with dots',
  '*capitals': 'words in capitals',
  '*forward': 'points at something it does not name',
  '*superlative': 'superlative',
  '*quiz': 'reads like a quiz',
};

const tests: Readonly<Record<string, (text: string, keys: readonly string[]) => boolean>> = {
  // A list of things; not `5 killed`, `40,000 people` or `2009 election`.
  '*number-first': (_text, keys) =>
    /^((the|these|here are|top) )?\d{1,3} (?!(killed|dead|dies|die|injured|hurt|arrested|held|people|per|percent|million|billion)\b)/.test(
      keys.join(' '),
    ),
  '*number': (_text, keys) => keys.some((key) => /^\d/.test(key)),
  '*you': (_text, keys) => keys.some((key) => /^(you|your|yours|yourself|u)('|$)/.test(key)),
  '*i': (_text, keys) => keys.some((key) => /^(i|my|we|our|me)('|$)/.test(key)),
  '*question-mark': (text) => text.includes('?'),
  // To the reader, that is: `why rents rise` explains.
  '*question-word': (_text, keys) =>
    questionWords.has(keys[0] ?? '') && keys.some((key) => /^(you|your|these|this)('|$)/.test(key)),
  '*exclamation': (text) => text.includes('!'),
  '*ellipsis': (text) => /\.\.|…/.test(text),
  '*capitals': (text) => wordsIn(text).some((word) => word.text.length > 4 && isAllCapitals(word.text)),
  '*forward': (_text, keys) =>
    /^(this|these|here's|here are|this is)\b/.test(keys.join(' ')) &&
    keys.some((key) => forwardVerbs.has(key)),
  '*superlative': (_text, keys) =>
    keys.some((key) => superlatives.has(key) || /^\p{L}{3,}iest$/u.test(key)) ||
    /(^| )(the|\d+) most /.test(keys.join(' ')),
  '*quiz': (_text, keys) =>
    /\b(which|how|can|are|do|what)\b.*\b(you|your)\b.*\b(are|based|know|actually|get)\b/.test(keys.join(' ')),
};

const questionWords = new Set(
  'what which who whose why how when where can could do does did are is will would should'.split(' '),
);
const times = new Set(
  'year week month season summer winter spring fall autumn weekend morning afternoon evening time century decade term quarter'.split(
    ' ',
  ),
);
const forwardVerbs = new Set("will is are just that'll might can how why what".split(' '));
const superlatives = new Set('best worst greatest biggest ever ultimate perfect'.split(' '));

export interface Feature {
  /** As in the weights: `word`, `two words`, `^first`, `^first two`, `*pattern`. */
  readonly key: string;
  /** As a reader meets it in the headline. */
  readonly seen: string;
}

export function featuresOf(headline: string): Feature[] {
  const text = headline.slice(0, 500);
  const words = wordsIn(text).map((word) => ({ text: word.text, key: numberless(word.key) }));
  const found = new Map<string, string>();
  const add = (key: string, seen: string) => found.has(key) || found.set(key, seen);
  for (const [index, word] of words.entries()) {
    const next = words[index + 1];
    // `this week` points at nothing that is not named.
    if (word.key === 'this' && times.has(next?.key ?? '')) continue;
    add(word.key, word.text);
    if (next) add(`${word.key} ${next.key}`, `${word.text} ${next.text}`);
    if (index > 0) continue;
    add(`^${word.key}`, word.text);
    if (next) add(`^${word.key} ${next.key}`, `${word.text} ${next.text}`);
  }
  const keys = wordsIn(text).map(({ key }) => keyOf(key));
  for (const [name, test] of Object.entries(tests))
    if (test(text, keys)) add(name, patternReasons[name] ?? name);
  return [...found].map(([key, seen]) => ({ key, seen }));
}

/** How many is chance: 17 and 21 are one feature. */
function numberless(key: string): string {
  return /^\p{N}/u.test(key) ? '#' : key;
}
