// A text in pieces of about 800 tokens, which overlap by about 100, or as large as is asked for: so much an embedding
// model takes, and what is said across a cut is whole in one of the two. Cut where a paragraph ends, else a sentence,
// else a word.
//
// How many tokens a text has depends on the model, and is estimated: one for every six letters of a word that are begun,
// one for every letter of Chinese, Japanese and Korean, one for every six signs in a row. For English that gives about 1.3
// for a word, as the models do.

export interface Cut {
  readonly text: string;
  /** Where it stands in the whole: `text` is `whole.slice(start, end)`. */
  readonly start: number;
  readonly end: number;
}

export const chunkTokens = 800;
export const overlapTokens = 100;

export interface CutSize {
  readonly tokens: number;
  readonly overlap: number;
}

const usualSize: CutSize = { tokens: chunkTokens, overlap: overlapTokens };
/** A chunk ends at the best place in its last part, and the next begins at the best in the last of what may overlap. */
const leastShare = 0.6;
const leastOverlapShare = 0.4;
const tokenLetters = 6;

/** `it-7-c00`, `it-7-c01`, and on with three digits after 99. */
export function chunkKey(document: string, index: number): string {
  return `${document}-c${String(index).padStart(2, '0')}`;
}

/** So much is looked at together: what is known of every word takes many times the memory of the text. */
const windowLetters = 100_000;

export function* cutText(text: string, size = usualSize): Generator<Cut, void, void> {
  for (let from = 0; from < text.length; ) {
    const to = Math.min(text.length, from + windowLetters);
    const cuts = cutWindow(text.slice(from, to), size);
    // The last one may go on behind the window, and is begun again in the next.
    const last = to === text.length ? undefined : cuts.pop();
    for (const { text: cut, start, end } of cuts) yield { text: cut, start: from + start, end: from + end };
    if (!last) return;
    from += last.start;
  }
}

function cutWindow(text: string, size: CutSize): Cut[] {
  const [leastTokens, leastOverlap] = [size.tokens * leastShare, size.overlap * leastOverlapShare];
  const { ends, tokens, breaks } = readPieces(text);
  const count = ends.length - 1;
  const tokensOf = (from: number, to: number) => (tokens[to] ?? 0) - (tokens[from] ?? 0);
  const cuts: Cut[] = [];
  for (let from = 0; from < count; ) {
    let most = from + 1;
    while (most < count && tokensOf(from, most + 1) <= size.tokens) most++;
    const to =
      most === count ? count : bestBreak(most, (at) => tokensOf(from, at) >= leastTokens && at > from);
    const [start, end] = [ends[from] ?? 0, ends[to] ?? 0];
    cuts.push({ text: text.slice(start, end), start, end });
    if (to === count) break;
    let first = to;
    while (first - 1 > from && tokensOf(first - 1, to) <= size.overlap) first--;
    from = bestStart(first, to, tokensOf);
  }
  return cuts;

  /** The last of the best, going back while it is allowed. */
  function bestBreak(last: number, allowed: (at: number) => boolean): number {
    let best = last;
    for (let at = last; allowed(at); at--) if ((breaks[at] ?? 0) > (breaks[best] ?? 0)) best = at;
    return best;
  }

  /** The first of the best, while enough is left to overlap. */
  function bestStart(first: number, to: number, tokensBetween: (from: number, to: number) => number): number {
    let best = first;
    for (let at = first; at < to && tokensBetween(at, to) >= leastOverlap; at++) {
      if ((breaks[at] ?? 0) > (breaks[best] ?? 0)) best = at;
    }
    return best;
  }
}

/** Every letter of Chinese, Japanese and Korean, and every other word. */
export function countWords(text: string): number {
  let count = 0;
  pieces.lastIndex = 0;
  for (let piece = pieces.exec(text); piece; piece = pieces.exec(text)) if (piece[3] === undefined) count++;
  return count;
}

const dense = '\\p{sc=Han}\\p{sc=Hiragana}\\p{sc=Katakana}\\p{sc=Hangul}';
const letters = "\\p{L}\\p{M}\\p{N}_'’";
/** One letter of a dense script, a word, or what is between words; long ones in several. */
const pieces = new RegExp(`([${dense}])|((?:(?![${dense}])[${letters}]){1,60})|([^${letters}]{1,60})`, 'gu');
const sentenceEnd = /[.!?…]["')\]»”’]*\s|[。！？]/u;

interface Pieces {
  /** Where each ends; that of none is 0. */
  readonly ends: readonly number[];
  /** Of all up to there. */
  readonly tokens: readonly number[];
  /** How good a place to cut is behind it. */
  readonly breaks: readonly number[];
}

function readPieces(text: string): Pieces {
  const ends = [0];
  const tokens = [0];
  const breaks = [0];
  let total = 0;
  pieces.lastIndex = 0;
  for (let piece = pieces.exec(text); piece; piece = pieces.exec(text)) {
    const [{ length }, letter, , between] = piece;
    // A space or a comma is free; a line of dashes is not.
    total += between === undefined ? Math.ceil(length / tokenLetters) : Math.floor(length / tokenLetters);
    ends.push(piece.index + length);
    tokens.push(total);
    breaks.push(between === undefined ? (letter === undefined ? 0 : 1) : breakAfter(between));
  }
  return { ends, tokens, breaks };
}

function breakAfter(between: string): number {
  if (between === ' ') return 1;
  if (between.includes('\n')) return 3;
  if (sentenceEnd.test(between)) return 2;
  return /\s/.test(between) ? 1 : 0;
}
