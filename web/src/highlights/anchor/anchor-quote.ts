// Finds a quoted passage in a text that may have changed since: where it was, else where it stands word for word, else where
// something stands that differs little. A passage that could be several, or is only somewhat like another, is an orphan:
// a highlight in a wrong place is worse than one that says that it is lost.
import { findApproximate } from './approximate.ts';
import type { TextPosition, TextQuote } from './describe-selection.ts';
import { type GroupIndex, indexGroups, likelyPlaces } from './likely-places.ts';
import { letterAt, type Squeezed, squeeze } from './squeeze.ts';

export interface QuoteTarget {
  readonly quote: Pick<TextQuote, 'exact'> & Partial<TextQuote>;
  readonly position?: TextPosition | undefined;
}

export interface Anchor {
  readonly start: number;
  readonly end: number;
  /** 1: word for word. */
  readonly score: number;
}

/** A text that many quotes are looked for in. */
export class AnchorText {
  readonly text: string;
  readonly letters: Squeezed;
  #groups: GroupIndex | undefined;

  constructor(text: string) {
    this.text = text;
    this.letters = squeeze(text);
  }

  /** Made when the first quote is not there word for word. */
  get groups(): GroupIndex {
    this.#groups ??= indexGroups(this.letters.text);
    return this.#groups;
  }
}

/** Fewer letters than this can stand anywhere. */
const shortLength = 16;
/** As many letters of what stands around it make a place the right one. */
const tellingContext = 8;
const mostOccurrences = 1_000;

/** How much a passage of so many letters may differ. Short ones resemble too much for any difference. */
export function mostEditsFor(letters: number): number {
  if (letters < 8) return 0;
  if (letters < shortLength) return 1;
  if (letters < 32) return Math.floor(letters * 0.15);
  return Math.min(Math.floor(letters * 0.2), 120);
}

export function anchorQuote(text: string | AnchorText, wanted: string | QuoteTarget): Anchor | 'orphan' {
  const within = typeof text === 'string' ? new AnchorText(text) : text;
  const { quote, position } =
    typeof wanted === 'string' ? { quote: { exact: wanted } } : { position: undefined, ...wanted };
  const passage = new Passage(within, quote, position);
  if (passage.length === 0) return 'orphan';
  const found = passage.findExact() ?? passage.findSimilar();
  return found === undefined || found === 'orphan' ? 'orphan' : passage.anchorOf(found);
}

/** In letters. */
interface Place {
  readonly start: number;
  readonly end: number;
  readonly edits: number;
}

class Passage {
  readonly #within: AnchorText;
  readonly #letters: Squeezed;
  readonly #exact: Squeezed;
  readonly #prefix: string;
  readonly #suffix: string;
  /** The letter that it began with, where that is known. */
  readonly #position: number | undefined;

  constructor(within: AnchorText, quote: QuoteTarget['quote'], position: TextPosition | undefined) {
    this.#within = within;
    this.#letters = within.letters;
    this.#exact = squeeze(quote.exact);
    this.#prefix = squeeze(quote.prefix ?? '').text;
    this.#suffix = squeeze(quote.suffix ?? '').text;
    this.#position = position && letterAt(within.letters, position.start);
  }

  get length(): number {
    return this.#exact.text.length;
  }

  get #hasContext(): boolean {
    return this.#prefix !== '' || this.#suffix !== '';
  }

  /** Undefined: it stands nowhere like this. */
  findExact(): Place | 'orphan' | undefined {
    const places = this.#occurrences().filter((place) => this.#isSound(place));
    const first = places[0];
    if (!first) return undefined;
    const isThere = places.find(({ start }) => start === this.#position);
    if (isThere && (!this.#hasContext || this.#tells(this.#context(isThere)))) return isThere;
    const judged = places.map((place) => {
      const context = this.#context(place);
      return { place, cost: this.#tells(context) ? -context : 0 };
    });
    return this.#best(judged);
  }

  findSimilar(): Place | 'orphan' | undefined {
    const mostEdits = mostEditsFor(this.length);
    if (mostEdits === 0) return undefined;
    const places: Place[] = [];
    for (const { from, to } of likelyPlaces(this.#within.groups, this.#exact.text, mostEdits)) {
      const found = findApproximate(this.#exact.text, this.#letters.text.slice(from, to), mostEdits);
      if (!found) continue;
      const place = { start: from + found.start, end: from + found.end, edits: found.edits };
      // Two stretches that overlap show the same place, one of them perhaps only a part of it.
      const same = places.findIndex(({ start, end }) => start < place.end && place.start < end);
      if (same < 0) places.push(place);
      else if (place.edits < (places[same]?.edits ?? 0)) places[same] = place;
    }
    const judged = places.map((place) => {
      const context = this.#similarContext(place);
      return { place, context, cost: place.edits / this.length - context / 10 };
    });
    // A short one needs a witness for what it may have become.
    return this.#best(this.length < shortLength ? judged.filter(({ context }) => context >= 0.5) : judged);
  }

  anchorOf(place: Place): Anchor {
    const { start, end, edits } = place.edits > 0 ? this.#withWholeWords(place) : place;
    const { at } = this.#letters;
    return {
      start: this.#wholeCharacter(at[start] ?? 0, -1),
      end: this.#wholeCharacter((at[end - 1] ?? 0) + 1, 1),
      score: 1 - edits / this.length,
    };
  }

  /** Where its first or last word has changed, all of that word, as far as it may differ. */
  #withWholeWords(place: Place): Place {
    let before = 0;
    let after = 0;
    const left = () => mostEditsFor(this.length) - place.edits - before - after;
    while (left() > 0 && this.#isWithinWord(place.start - before)) before += 1;
    if (this.#isWithinWord(place.start - before)) before = 0;
    while (left() > 0 && this.#isWithinWord(place.end + after)) after += 1;
    if (this.#isWithinWord(place.end + after)) after = 0;
    return {
      start: place.start - before,
      end: place.end + after,
      edits: place.edits + before + after,
    };
  }

  /** Whether a word goes on from the letter before to this one. */
  #isWithinWord(letter: number): boolean {
    const { text, gaps } = this.#letters;
    return gaps[letter] === 0 && joins(text.charAt(letter - 1), text.charAt(letter));
  }

  #wholeCharacter(offset: number, step: 1 | -1): number {
    return /^[\udc00-\udfff]/.test(this.#within.text.charAt(offset)) ? offset + step : offset;
  }

  #best(judged: readonly { place: Place; cost: number }[]): Place | 'orphan' | undefined {
    const least = Math.min(...judged.map(({ cost }) => cost));
    const best = judged.filter(({ cost }) => cost - least < 1e-9).map(({ place }) => place);
    if (best.length <= 1) return best[0];
    const position = this.#position;
    if (position === undefined) return 'orphan';
    return best.reduce((a, b) => (Math.abs(b.start - position) < Math.abs(a.start - position) ? b : a));
  }

  /** Word for word, the nearest first to where it was. */
  #occurrences(): Place[] {
    const { text } = this.#exact;
    const near = this.#position ?? 0;
    const starts: number[] = [];
    for (let at = this.#letters.text.indexOf(text, near); at >= 0 && starts.length < mostOccurrences; ) {
      starts.push(at);
      at = this.#letters.text.indexOf(text, at + 1);
    }
    for (let at = near - 1, left = mostOccurrences; at >= 0 && left > 0; left -= 1) {
      at = this.#letters.text.lastIndexOf(text, at);
      if (at < 0) break;
      starts.push(at);
      at -= 1;
    }
    return starts.map((start) => ({ start, end: start + text.length, edits: this.#otherGaps(start) }));
  }

  /** Words that are one here and were two, or the other way round. */
  #otherGaps(start: number): number {
    let count = 0;
    for (let n = 1; n < this.length; n++) {
      if (this.#exact.gaps[n] !== this.#letters.gaps[start + n]) count += 1;
    }
    return count;
  }

  #isSound(place: Place): boolean {
    if (place.edits > mostEditsFor(this.length)) return false;
    if (this.length >= shortLength || place.start === this.#position) return true;
    return this.#hasContext ? this.#tells(this.#context(place)) : !this.#cutsWord(place);
  }

  #tells(context: number): boolean {
    return context >= Math.min(tellingContext, this.#prefix.length + this.#suffix.length);
  }

  /** How many letters around it are the same without a break. */
  #context({ start, end }: Place): number {
    const { text } = this.#letters;
    let before = 0;
    while (
      before < this.#prefix.length &&
      before < start &&
      text[start - 1 - before] === this.#prefix[this.#prefix.length - 1 - before]
    )
      before += 1;
    let after = 0;
    while (after < this.#suffix.length && text[end + after] === this.#suffix[after]) after += 1;
    return before + after;
  }

  /** From 0 to 1: how much of what stood around it stands there, more or less. */
  #similarContext({ start, end }: Place): number {
    const { text } = this.#letters;
    const room = 6;
    const share = (part: string, from: number, to: number) => {
      const mostEdits = Math.floor(part.length / 4);
      const found = findApproximate(part, text.slice(Math.max(0, from), to), mostEdits);
      return found ? part.length - found.edits : 0;
    };
    const { length: before } = this.#prefix;
    const { length: after } = this.#suffix;
    if (before + after === 0) return 0;
    const shared =
      share(this.#prefix, start - before - room, start + room) +
      share(this.#suffix, end - room, end + after + room);
    return shared / (before + after);
  }

  #cutsWord({ start, end }: Place): boolean {
    return this.#isWithinWord(start) || this.#isWithinWord(end);
  }
}

/** Of a script that parts its words. */
const wordLetter =
  /^(?!\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Thai}|\p{Script=Lao}|\p{Script=Khmer}|\p{Script=Myanmar})[\p{L}\p{M}\p{N}]/u;
const joins = (one: string, other: string): boolean => wordLetter.test(one) && wordLetter.test(other);
