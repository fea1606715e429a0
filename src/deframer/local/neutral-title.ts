// A title without what shouts and teases. It takes away and lowers, by tables; it never adds what was not said. A rule whose
// outcome lost a fact, or is no headline any more, is as if it were not there.

import { isKnownWord } from './headline-model.ts';
import { beginsSentence, lostFrom, quotedRanges } from './keep-facts.ts';
import * as tables from './neutral-tables.ts';
import { ordinaryWords } from './ordinary-words.ts';
import { capitalised, quietened } from './shouting.ts';
import { isCapitalised, letterCaseOf, tidy, type Word, wordsIn } from './words.ts';

export interface Rewritten {
  readonly text: string;
  /** What was done, as a reader can check it: `removed: “Here's”`, `“slams” → “criticises”`. */
  readonly notes: readonly string[];
}

type Step = (text: string) => Rewritten;

/** Longer ones are no headlines, and are left alone: patterns never meet them. */
const longestTitle = 300;
/** Enough for any chain of teasers; whoever needs more is playing. */
const mostPasses = 8;

export function neutralTitle(title: string, language = 'en'): Rewritten {
  const original = tidy(title);
  if (original.length > longestTitle) return { text: original, notes: [] };
  const steps = language === 'en' ? englishSteps : anySteps;
  let current: Rewritten = { text: original, notes: [] };
  for (let pass = 0; pass < mostPasses; pass++) {
    const next = onePass(current, steps);
    // What no rule changes any more: to set it anew would change nothing either.
    if (next.text === current.text)
      return lostFrom(original, next.text).length === 0 ? next : { text: original, notes: [] };
    current = next;
  }
  return { text: original, notes: [] };
}

function onePass(from: Rewritten, steps: readonly Step[]): Rewritten {
  return steps.reduce((before, step) => {
    const after = step(before.text);
    const text = tidy(after.text);
    if (text === before.text || !isSound(before.text, text)) return before;
    return { text, notes: [...before.notes, ...after.notes] };
  }, from);
}

function isSound(before: string, after: string): boolean {
  const [old, words] = [wordsIn(before), wordsIn(after)];
  if (words.length < old.length) {
    const last = words.at(-1)?.key ?? '';
    if (words.length < 3 || dangling.has(last)) return false;
  }
  return lostFrom(before, after).length === 0 && !breaksPairs(before, after);
}

/** No headline ends like this, unless it did before. */
const dangling = new Set(
  `a an the of to and or but with for in on at by from is are was were be that which who whose what why how when where if as
  than because things thing reasons reason times ways everything all stuff proof my your his her their our its this these
  those so very i you we they he she it has have had will would can could 's not only most about into every`.split(
    /\s+/,
  ),
);

function breaksPairs(before: string, after: string): boolean {
  const odd = (text: string, open: string, close: string) =>
    text.split(open).length - text.split(close).length;
  return [
    ['(', ')'],
    ['[', ']'],
    ['“', '”'],
  ].some(([open = '', close = '']) => odd(before, open, close) === 0 && odd(after, open, close) !== 0);
}

const removed = (text: string) => `removed: “${text.replace(/^[\s.,;:!?…–—-]+|[\s,;:–—-]+$/gu, '')}”`;

function deleting(patterns: readonly RegExp[]): Step {
  return (text) => {
    const found = patterns.map((pattern) => pattern.exec(text)).find((match) => match !== null);
    if (!found) return { text, notes: [] };
    const rest = text.slice(0, found.index) + text.slice(found.index + found[0].length);
    return { text: found.index === 0 ? capitalised(rest) : rest, notes: [removed(found[0])] };
  };
}

const opening: Step = (text) => {
  for (const [find, instead] of tables.openings) {
    const found = find.exec(text);
    if (!found) continue;
    const rest = instead + text.slice(found[0].length);
    const next = { text: capitalised(rest), notes: [removed(found[0])] };
    if (isSound(text, tidy(next.text))) return next;
  }
  return { text, notes: [] };
};

/** Which of a headline's own rules ends it differs, so each is tried until one leaves a headline. */
const ending: Step = (text) => {
  for (const find of tables.endings) {
    const next = deleting([find])(text);
    if (next.text !== text && isSound(text, tidy(next.text))) return next;
  }
  const duty = unlessAmong(tables.questionWords, tables.duty)(text);
  if (duty.text !== text) return duty;
  const subject = unlessAmong(tables.clauseWords, tables.predicate)(text);
  return wordsIn(subject.text).length > 3 ? subject : duty;
};

function unlessAmong(words: ReadonlySet<string>, find: RegExp): Step {
  return (text) => {
    const found = find.exec(text);
    const rest = text.slice(0, found?.index);
    if (!found || wordsIn(rest).some(({ key }) => words.has(key))) return { text, notes: [] };
    return { text: rest, notes: [removed(found[0])] };
  };
}

const someone: Step = (text) => {
  const found = tables.forwardReference.exec(text);
  if (!found) return { text, notes: [] };
  const rest = text.slice(found[0].length);
  const article = articleFor(rest);
  return { text: `${capitalised(article)} ${rest}`, notes: [`“This” → “${capitalised(article)}”`] };
};

function replacing(
  table: readonly (readonly [find: RegExp, instead: string])[],
  isMeant = (_: readonly Word[]) => true,
): Step {
  return (text) => {
    const words = wordsIn(text);
    if (!isMeant(words)) return { text, notes: [] };
    const isTitle = letterCaseOf(words) !== 'sentence';
    const notes: string[] = [];
    let result = text;
    for (const [find, instead] of table) {
      const quoted = quotedRanges(result);
      const before = result;
      result = before.replace(find, (found: string, ...rest: unknown[]) => {
        const at = rest.find((value) => typeof value === 'number') as number;
        if (at === 0 || quoted.some(([start, end]) => start <= at && at < end)) return found;
        // A capital in a sentence makes a name of it: `the Slams`.
        if (!isTitle && isCapitalised(found) && !beginsSentence(before, wordAt(found, at))) return found;
        const neutral = isCapitalised(found) ? titled(instead) : instead;
        notes.push(`“${found.trim()}” → “${neutral.trim()}”`);
        return neutral;
      });
    }
    return { text: result, notes };
  };
}

const wordAt = (text: string, start: number): Word => ({ text, key: text, start, end: start + text.length });

function titled(text: string): string {
  return text.replace(/(?<=^|\s)\p{Ll}(?!o\b)/gu, (letter) => letter.toUpperCase());
}

/** One at a time: with each, the neighbours change. */
const loadedWord: Step = (text) => {
  const words = wordsIn(text);
  const quoted = quotedRanges(text);
  const letterCase = letterCaseOf(words);
  for (const [index, word] of words.entries()) {
    if (quoted.some(([start, end]) => start <= word.start && word.end <= end)) continue;
    if (!isPuff(text, words, index, letterCase === 'sentence')) continue;
    const rewritten = without(text, words, index);
    if (isSound(text, tidy(rewritten))) return { text: rewritten, notes: [removed(word.text)] };
  }
  return { text, notes: [] };
};

function isPuff(text: string, words: readonly Word[], index: number, isSentence: boolean): boolean {
  const [before, word, next] = [words[index - 1], words[index], words[index + 1]];
  if (!word || !next || !/^ $/.test(text.slice(word.end, next.start))) return false;
  if (tables.namedSo.test(text.slice(word.start))) return false;
  // One of a row: `weird, hilarious things`.
  if (text.slice(0, word.start).trimEnd().endsWith(',')) return false;
  if (isSentence && index > 0 && isCapitalised(word.text) && !beginsSentence(text, word)) return false;
  if (!isSentence && !ordinaryWords.has(next.key) && !isKnownWord(next.key)) return false;
  if (before && /^(?:a|an)$/.test(before.key) && /^\d/.test(next.key)) return false;
  // `what a stunning day`, `is a flawless human being`: there, the adjective is all that is said.
  if (/^an?$/.test(before?.key ?? '') && sayings.test(words[index - 2]?.key ?? '')) return false;
  // `after shocking children`: a verb.
  if (word.key.endsWith('ing') && /^(?:after|by|before|while|without|for)$/.test(before?.key ?? ''))
    return false;
  const follows = before !== undefined && /[\p{L}\p{N}'’] $/u.test(text.slice(before.end - 1, word.start));
  if (tables.loadedAdverbs.has(word.key))
    return (
      !(follows && /^(?:not|how|so|too|as|more|most|never|no|an?)$|n't$/.test(before.key)) &&
      !/^(?:and|or|but|me|us|them|him|out)$/.test(next.key)
    );
  return (
    tables.loadedAdjectives.has(word.key) &&
    !tables.notNouns.has(next.key) &&
    !(follows && (tables.beforePredicate.has(before.key) || /..ly$/.test(before.key)))
  );
}

const sayings = /^(?:what|such|quite|not|is|are|was|were|be|been|being|.*'s|.*'re|.*'m)$/;

function without(text: string, words: readonly Word[], index: number): string {
  const [before, word, next] = [words[index - 1], words[index] as Word, words[index + 1] as Word];
  const rest = text.slice(next.start);
  if (!before) return text.slice(0, word.start) + capitalised(rest);
  if (!/^an?$/.test(before.key)) {
    return text.slice(0, word.start) + (isCapitalised(word.text) ? capitalised(rest) : rest);
  }
  const article = articleFor(rest);
  return `${text.slice(0, before.start)}${isCapitalised(before.text) ? capitalised(article) : article} ${rest}`;
}

/** By sound as far as letters tell it. */
function articleFor(text: string): 'a' | 'an' {
  const isVowel =
    /^(?:[aeiou]|8|11\b|18\b|hour|honest|heir)/i.test(text) &&
    !/^(?:uni(?!n)|use|user|eu|one\b|once)/i.test(text);
  return isVowel ? 'an' : 'a';
}

const shouting: Step = (text) => {
  const quiet = quietened(text);
  return { text: quiet, notes: ['lowered: words in capitals'] };
};

const marks: Step = (text) => {
  let result = text.replace(tables.sirens, '');
  if (/[?]/.test(result)) result = result.replace(/[!?]{2,}/g, (run) => (run.includes('?') ? '?' : run));
  result = result.replace(/\s?!{2,}(?=\s)/g, '.').replace(/\s?!{2,}$/g, '');
  if (!tables.markedNames.test(result)) result = result.replace(/\s?!$/, '');
  if (!result.includes('!')) result = result.replaceAll('¡', '');
  result = result.replace(/\s?(?:\.{2,}|…)$/, '');
  return { text: result, notes: ['removed: marks that shout'] };
};

const anySteps: readonly Step[] = [deleting(tables.labels), marks];
const englishSteps: readonly Step[] = [
  deleting(tables.labels),
  deleting(tables.stamps),
  marks,
  shouting,
  ending,
  opening,
  someone,
  replacing(tables.loadedVerbs, (words) => !words.some(({ key }) => tables.slamWords.has(key))),
  replacing(tables.blastVerbs, (words) => !words.some(({ key }) => tables.blastWords.has(key))),
  replacing(tables.loadedPhrases),
  replacing(tables.moneyVerbs, (words) => words.some(({ key }) => tables.moneyWords.has(key))),
  loadedWord,
];
