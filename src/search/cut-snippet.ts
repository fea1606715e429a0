// The piece of a text that shows why it was found, with the hits marked by their places: who shows it decides how.
import type { SearchPhrase, SearchQuery } from '../model/search.ts';
import { letOthersIn } from '../store/let-others-in.ts';
import { splitTerms } from './terms.ts';

export interface Snippet {
  readonly text: string;
  /** Where the hits stand in `text`, as [start, end) in UTF-16 units, in rising order and apart. */
  readonly hits: readonly (readonly [start: number, end: number])[];
  readonly cutBefore: boolean;
  readonly cutAfter: boolean;
}

export interface SnippetOptions {
  readonly maxCharacters: number;
  /** What is to be shown begins here, wherever the words of the query stand. */
  readonly from?: number | undefined;
}

type Words = Pick<SearchQuery, 'all'>;

/** Text beyond this is not looked at: a snippet from the first pages serves as well. */
const searchedCharacters = 200_000;
/** After so many it is the turn of others: a few milliseconds, whatever the script. */
const charactersInTurn = 4_000;
const usual: SnippetOptions = { maxCharacters: 240 };
const lead = 40;
const pieces = /[\p{L}\p{N}\p{M}]+/gu;
/** Of a run without spaces, so much tells whether it is one word. */
const toldBy = 200;

/** Cut around the place where most different words of the query stand close to each other. */
export function cutSnippet(text: string, query: Words, options = usual): Snippet {
  const steps = snippetSteps(text, query, options);
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/** The same, for a thread that others wait for too. */
export async function cutSnippetInTurns(text: string, query: Words, options = usual): Promise<Snippet> {
  const steps = snippetSteps(text, query, options);
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    await letOthersIn();
  }
}

/** Yields where it may be the turn of others. */
function* snippetSteps(
  text: string,
  query: Words,
  { maxCharacters, from: given }: SnippetOptions,
): Generator<undefined, Snippet> {
  const found = new FoundHits(maxCharacters - lead);
  const matcher = matcherOf(query.all.flat());
  // What was found by another passage than the words stand in is marked within it.
  const first = given ?? 0;
  const last = given === undefined ? searchedCharacters : given + maxCharacters;
  yield* findHits(text.slice(first, last), matcher, found, maxCharacters);
  const from = given ?? startOf(text, found.bestStart);
  const to = from + maxCharacters >= text.length ? text.length : wordEnd(text, from + maxCharacters, from);
  const hits: [number, number][] = [];
  for (const hit of found.hits) {
    const [at, end] = [hit.at + first, hit.end + first];
    if (at < from || end > to) continue;
    const before = hits.at(-1);
    if (before && at - from <= before[1]) before[1] = Math.max(before[1], end - from);
    else hits.push([at - from, end - from]);
  }
  return { text: text.slice(from, to), hits, cutBefore: from > 0, cutAfter: to < text.length };
}

function startOf(text: string, best: number | undefined): number {
  return best === undefined || best <= lead ? 0 : wordStart(text, best - lead, best);
}

interface Hit {
  readonly at: number;
  readonly end: number;
  readonly term: string;
}

/** Hits in the order of the text, and where the first stretch begins that has the most different words. */
class FoundHits {
  readonly hits: Hit[] = [];
  bestStart: number | undefined;
  different = 0;
  readonly #width: number;
  /** How often each word stands in the stretch that ends with the last hit, and the first hit of it. */
  readonly #within = new Map<string, number>();
  #first = 0;

  constructor(width: number) {
    this.#width = width;
  }

  add(hit: Hit): void {
    this.hits.push(hit);
    this.#within.set(hit.term, (this.#within.get(hit.term) ?? 0) + 1);
    while (this.#first < this.hits.length - 1) {
      const { at, term } = this.hits[this.#first] as Hit;
      if (hit.end <= at + this.#width) break;
      const left = (this.#within.get(term) ?? 1) - 1;
      if (left > 0) this.#within.set(term, left);
      else this.#within.delete(term);
      this.#first += 1;
    }
    if (this.#within.size <= this.different) return;
    this.different = this.#within.size;
    this.bestStart = (this.hits[this.#first] as Hit).at;
  }
}

interface Matcher {
  /** How many different words there are to find. */
  readonly words: number;
  /** The word of the query that a piece of text is; undefined for none, and `several` where it is no single word. */
  readonly ofPiece: (piece: string) => string | undefined | typeof several;
  /** The same for two characters, of which the first begins it. */
  readonly ofPair: (pair: string) => string | undefined;
}

const several = Symbol('several terms');

/** A text has most of its words many times: what is known of one is kept. */
function matcherOf(phrases: readonly SearchPhrase[]): Matcher {
  const whole = new Set(phrases.flatMap(({ terms, prefix }) => (prefix ? terms.slice(0, -1) : terms)));
  const starts = new Set(phrases.flatMap(({ terms, prefix }) => (prefix ? [terms.at(-1) ?? ''] : [])));
  const matching = (term: string) => {
    if (whole.has(term)) return term;
    return starts.values().find((start) => term.startsWith(start));
  };
  const remembered = <T>(answer: (text: string) => T) => {
    const known = new Map<string, T>();
    return (text: string): T => {
      if (known.has(text)) return known.get(text) as T;
      const answered = answer(text);
      known.set(text, answered);
      return answered;
    };
  };
  return {
    // What begins as a whole word does is found as that.
    words:
      whole.size + [...starts].filter((start) => !whole.values().some((w) => w.startsWith(start))).length,
    ofPiece: remembered((piece) => {
      const terms = splitTerms(piece.slice(0, toldBy));
      return terms.length === 1 ? matching(terms[0] as string) : several;
    }),
    ofPair: remembered((pair) => matching(splitTerms(pair)[0] ?? '')),
  };
}

/** Ends where no better place can come. */
function* findHits(
  text: string,
  matcher: Matcher,
  found: FoundHits,
  shown: number,
): Generator<undefined, void> {
  const isOver = (at: number) => found.different >= matcher.words && at > (found.bestStart ?? 0) + shown;
  let turnEnds = charactersInTurn;
  for (const { 0: piece, index } of text.matchAll(pieces)) {
    if (isOver(index)) return;
    if (index >= turnEnds) {
      yield;
      turnEnds = index + charactersInTurn;
    }
    const term = matcher.ofPiece(piece);
    if (term === undefined) continue;
    if (term !== several) {
      found.add({ at: index, end: index + piece.length, term });
      continue;
    }
    // Scripts without spaces: each character is tried with the one after it.
    for (let at = 0; at < piece.length; ) {
      if (isOver(index + at)) return;
      if (index + at >= turnEnds) {
        yield;
        turnEnds = index + at + charactersInTurn;
      }
      const character = characterAt(piece, at);
      const pair = character + characterAt(piece, at + character.length);
      const term = matcher.ofPair(pair);
      if (term !== undefined) {
        const length = [...term].length === 1 ? character.length : pair.length;
        found.add({ at: index + at, end: index + at + length, term });
      }
      at += character.length;
    }
  }
}

function characterAt(text: string, at: number): string {
  const code = text.codePointAt(at);
  return code === undefined ? '' : String.fromCodePoint(code);
}

function wordStart(text: string, from: number, latest: number): number {
  const space = text.slice(from, latest).search(/\s/u);
  return space < 0 ? boundary(text, from) : from + space + 1;
}

function wordEnd(text: string, to: number, earliest: number): number {
  const space = text.slice(earliest, to).search(/\s\S*$/u);
  return space <= 0 || to - (earliest + space) > lead ? boundary(text, to) : earliest + space;
}

/** Not between the two halves of a character. */
function boundary(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff ? at - 1 : at;
}
