// Words as search knows them. Both engines are fed from here, documents and queries alike, so that they find the
// same: neither is asked to understand language.
import type { PhraseTerms } from '../model/search.ts';

/** Grows when the rules below change, or those for marks in doc-facts.ts: everything is then indexed anew. */
export const termsVersion = 2;

/** What is longer is no word that anybody types; the start of it is kept. */
const maxTermLength = 64;
/** PostgreSQL keeps at most 1 MB for a document. Both engines stop at the same word before that. */
const maxBytes = 900_000;
/** Even if every second were a term of its own, which takes twelve bytes more. */
const charactersThatAlwaysFit = Math.floor(maxBytes / (1 + 12 / 2)) - 12;
const maxTitleTerms = 256;
const shortestPrefix = 3;

const latin = /[\u00c0-\u024f\u1e00-\u1eff]/gu;
/** Accents that no letter has taken in, and the points of Hebrew and Arabic, which few people type. */
const loosePoints = /[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u064b-\u065f\u0670]/gu;
const word =
  /(?<cjk>[[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}]&&[\p{L}\p{N}\p{M}]]+)|[[\p{L}\p{N}]--[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}]][[\p{L}\p{N}\p{M}]--[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}]]*/gv;

const asciiWord = /[a-z0-9]+/g;
const isAscii = (text: string) => /^[\0-\x7f]*$/.test(text);
/** Folded text whose words are of plain letters and digits. What else stands between them has no letters or digits: quotes, dashes, signs of money. */
const isPlain = (folded: string) =>
  /^[\0-\x7f\u00a0-\u00bf\u2010-\u2027\u2030-\u205e\u20a0-\u20c0]*$/.test(folded);

/** Without case and width, and Latin letters without their accents, as FTS5's `remove_diacritics 2` has them. */
export function fold(text: string): string {
  const lower = text.toLowerCase();
  if (isAscii(lower)) return lower;
  return lower
    .normalize('NFKC')
    .toLowerCase()
    .normalize('NFKC')
    .replace(latin, (letter) => plainLetters.get(letter) ?? letter)
    .replace(loosePoints, '')
    .replaceAll('ς', 'σ')
    .normalize('NFKC');
}

const plainLetters = new Map(
  [
    [0xc0, 0x24f],
    [0x1e00, 0x1eff],
  ].flatMap(([first = 0, last = 0]) =>
    Array.from({ length: last - first + 1 }, (_, n) => String.fromCodePoint(first + n)).flatMap((letter) => {
      const [, plain] = /^([a-z])\p{M}+$/u.exec(letter.normalize('NFD')) ?? [];
      return plain ? [[letter, plain] as const] : [];
    }),
  ),
);

/**
 * The terms of a text, one for each word. Chinese, Japanese and Korean are written in pairs of characters, and the last
 * character of a run once more alone: so any part of a run is found, a single character as the start of a pair.
 */
export function splitTerms(text: string): string[] {
  const folded = fold(text);
  const terms: string[] = isPlain(folded)
    ? (folded.match(asciiWord) ?? [])
    : Array.from(termsIn(folded), ({ term }) => term);
  return terms.map(cut);
}

function* termsIn(folded: string): Generator<{ term: string; isCjk: boolean }> {
  for (const match of folded.matchAll(word)) {
    const run = match[0];
    if (match.groups?.cjk === undefined) {
      yield { term: run, isCjk: false };
      continue;
    }
    const characters = [...run];
    for (const [n, character] of characters.entries())
      yield { term: character + (characters[n + 1] ?? ''), isCjk: true };
  }
}

function cut(run: string): string {
  if (run.length <= maxTermLength) return run;
  return [...run].slice(0, maxTermLength).join('');
}

/**
 * What of a document is indexed: all of it, unless it is as long as several books. As one text, in which a term is whatever
 * stands together of plain letters, digits and all that is not ASCII: so the `ascii` tokenizer of FTS5 reads it.
 */
export function documentTerms({ title, text }: { title: string; text: string }): {
  title: string;
  text: string;
} {
  return {
    title: written(title, (terms) => terms.slice(0, maxTitleTerms), 2 * maxTitleTerms),
    text: written(text, (terms) => terms.slice(0, howManyFit(terms)), charactersThatAlwaysFit),
  };
}

/** Most texts need not be taken apart for it, which would take as long as indexing them does. */
function written(text: string, cutTerms: (terms: string[]) => string[], shortEnough: number): string {
  const folded = fold(text);
  if (folded.length <= shortEnough && isPlain(folded) && !hasLongTerm(folded))
    return folded.replace(/[\0\u0080-\uffff]/g, ' ');
  return cutTerms(splitTerms(text)).join(' ');
}

/** Looks at every 65th character, and back from there: a run that is too long has one of them. */
function hasLongTerm(plain: string): boolean {
  for (let end = maxTermLength; end < plain.length; ) {
    let at = end;
    while (at >= end - maxTermLength && isPlainLetter(plain.charCodeAt(at))) at -= 1;
    if (at < end - maxTermLength) return true;
    end = at + maxTermLength + 1;
  }
  return false;
}

const isPlainLetter = (code: number) => (code >= 97 && code <= 122) || (code >= 48 && code <= 57);

/** As a tsvector has it: each word once, with its place in the list, and two bytes for every time that it stands there. */
function howManyFit(terms: readonly string[]): number {
  const seen = new Set<string>();
  let bytes = 0;
  for (const [n, term] of terms.entries()) {
    bytes += 2;
    if (!seen.has(term)) {
      seen.add(term);
      bytes += Buffer.byteLength(term) + 10;
    }
    if (bytes > maxBytes) return n;
  }
  return terms.length;
}

export type TermsProblem = 'prefix too short';

/** What to look for when somebody writes `text`; undefined when there is no word in it. */
export function phraseOf(text: string, startsWith: boolean): PhraseTerms | TermsProblem | undefined {
  const found = [...termsIn(fold(text))];
  const last = found.at(-1);
  if (!last) return undefined;
  const terms = found.map(({ term }) => cut(term));
  if (!last.isCjk) {
    if (startsWith && [...last.term].length < shortestPrefix) return 'prefix too short';
    return { terms, prefix: startsWith };
  }
  // A run may go on in the document: there its last character is the start of a pair.
  if (!found.at(-2)?.isCjk || [...(found.at(-2)?.term ?? '')].length < 2) return { terms, prefix: true };
  return { terms: terms.slice(0, -1), prefix: false };
}
