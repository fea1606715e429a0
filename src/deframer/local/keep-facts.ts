// What a title may not lose, however it is set: numbers, names, what somebody is quoted with, and any word that is not known
// to say nothing. Every rewrite is held against this, so that a rule that goes too far changes nothing.
import { labels, loadedAdjectives, wordsThatMayGo } from './neutral-tables.ts';
import { ordinaryWords } from './ordinary-words.ts';
import { isAllCapitals, isCapitalised, letterCaseOf, type Word, wordsIn } from './words.ts';

/** The words and quotations of the original that the result has not, in any case of letters. Empty: nothing is lost. */
export function lostFrom(original: string, result: string): string[] {
  const left = new Map<string, number>();
  for (const { key } of wordsIn(result)) left.set(key, (left.get(key) ?? 0) + 1);
  const words = wordsIn(original);
  const names = new Set(namesAmong(original, words));
  const lost: string[] = [];
  for (const word of words) {
    const count = left.get(word.key) ?? 0;
    left.set(word.key, count - 1);
    if (count <= 0 && (names.has(word) || !mayGo(word.key))) lost.push(word.text);
  }
  const quotes = quotedRanges(original).map(([start, end]) => original.slice(start, end));
  return [...lost, ...quotes.filter((quote) => !result.includes(quote))];
}

/** Capitals in the midst of a sentence, and acronyms. Where every word has its capital, any word may be a name. */
function namesAmong(text: string, words: readonly Word[]): Word[] {
  if (letterCaseOf(words) !== 'sentence') return [];
  const label = Math.max(...labels.map((find) => find.exec(text)?.[0].length ?? 0));
  return words.filter((word, index) => {
    if (word.end <= label) return false;
    if (isAllCapitals(word.text)) return !mayGo(word.key) && !ordinaryWords.has(word.key);
    return index > 0 && isCapitalised(word.text) && !beginsSentence(text, word);
  });
}

export function beginsSentence(text: string, word: Word): boolean {
  return /^$|[.!?…:;|([\-–—"“„«‘'’]\s*$/u.test(
    text.slice(Math.max(0, word.start - 4), word.start).trimStart(),
  );
}

function mayGo(key: string): boolean {
  return loadedAdjectives.has(key) || key.split("'").every((part) => wordsThatMayGo.has(part));
}

/** What stands in quotation marks, with them. Nothing in there is ours to change. */
export function quotedRanges(text: string): (readonly [start: number, end: number])[] {
  const pairs =
    /"[^"]*"|“[^”]*”|„[^“”]*[“”]|«[^»]*»|»[^«]*«|(?<![\p{L}\p{N}])[‘'][^'’‘]+['’](?![\p{L}\p{N}])/gu;
  return [...text.slice(0, 2000).matchAll(pairs)].map((match) => [
    match.index,
    match.index + match[0].length,
  ]);
}
