// The piece of a text that shows why it was found, with the hits marked by their places: who shows it decides how.
import type { SearchPhrase, SearchQuery } from '../model/search.ts';
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

/** Text beyond this is not looked at: a snippet from the first pages serves as well. */
const searchedCharacters = 200_000;
const lead = 40;
const pieces = /[\p{L}\p{N}\p{M}]+/gu;

/** Cut around the place where most different words of the query stand close to each other. */
export function cutSnippet(
  text: string,
  query: Pick<SearchQuery, 'all'>,
  { maxCharacters, from: given }: SnippetOptions = { maxCharacters: 240 },
): Snippet {
  const found = findHits(text.slice(0, searchedCharacters), query.all.flat());
  const from = given ?? startOf(text, bestStart(found, maxCharacters));
  const to = from + maxCharacters >= text.length ? text.length : wordEnd(text, from + maxCharacters, from);
  const hits: [number, number][] = [];
  for (const { at, end } of found) {
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

function findHits(text: string, phrases: readonly SearchPhrase[]): Hit[] {
  const whole = new Set(phrases.flatMap(({ terms, prefix }) => (prefix ? terms.slice(0, -1) : terms)));
  const starts = phrases.flatMap(({ terms, prefix }) => (prefix ? [terms.at(-1) ?? ''] : []));
  const matching = (term: string) => {
    if (whole.has(term)) return term;
    return starts.find((start) => term.startsWith(start));
  };
  const hits: Hit[] = [];
  for (const { 0: piece, index } of text.matchAll(pieces)) {
    const terms = splitTerms(piece);
    if (terms.length === 1) {
      const term = matching(terms[0] ?? '');
      if (term !== undefined) hits.push({ at: index, end: index + piece.length, term });
      continue;
    }
    hits.push(...hitsWithin(piece, index, matching));
  }
  return hits;
}

/** Scripts without spaces: each character is tried with the one after it. */
function hitsWithin(piece: string, index: number, matching: (term: string) => string | undefined): Hit[] {
  const hits: Hit[] = [];
  let at = 0;
  const characters = [...piece];
  for (const [n, character] of characters.entries()) {
    const pair = character + (characters[n + 1] ?? '');
    const [first = ''] = splitTerms(pair);
    const term = matching(first);
    if (term !== undefined) {
      const length = [...term].length === 1 ? character.length : pair.length;
      hits.push({ at: index + at, end: index + at + length, term });
    }
    at += character.length;
  }
  return hits;
}

function bestStart(hits: readonly Hit[], width: number): number | undefined {
  let best: { at: number; different: number } | undefined;
  for (const [n, { at }] of hits.entries()) {
    const within = new Set<string>();
    for (let m = n; m < hits.length && (hits[m] as Hit).end <= at + width - lead; m++)
      within.add((hits[m] as Hit).term);
    if (!best || within.size > best.different) best = { at, different: within.size };
    if (n > 2_000) break;
  }
  return best?.at;
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
