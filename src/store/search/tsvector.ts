// A document as PostgreSQL indexes it: terms with their places, written as tsvector text. We do not let it parse
// language; its own limits are met by parts.
import type { DocTerms } from './term-writer.ts';
import { lexeme } from './tsquery.ts';

/** PostgreSQL keeps places up to 16,383, and of one term 255 at most. What lies beyond, it drops without a word. */
const maxPlace = 16_383;
const maxPlacesOfTerm = 255;
/** The parts overlap, so that a phrase of this many terms stands whole in one of them. */
const longestPhrase = 32;

/** The first has every term; there are more only if it could not have every place. */
export function tsvectors(doc: Omit<DocTerms, 'id'>): string[] {
  const main = new Places();
  const title = termsOf(doc.title);
  const text = termsOf(doc.text);
  for (const [n, term] of title.entries()) main.add(term, n + 1, 'A');
  // One place is left out, so that no phrase reaches from the title into the text.
  const offset = title.length + 2;
  for (const [n, term] of text.entries()) main.add(term, offset + n, '');
  for (const mark of doc.marks) main.addWithoutPlace(mark);
  return main.isWhole ? [main.toString()] : [main.toString(), ...textParts(text)];
}

/** As FTS5's `ascii` tokenizer splits. */
const termsOf = (written: string): readonly string[] => written.match(/(?:[a-z0-9]|[^\0-\x7f])+/g) ?? [];

function textParts(text: readonly string[]): string[] {
  const parts: string[] = [];
  let start = 0;
  while (start < text.length) {
    const part = new Places();
    let n = start;
    while (n < text.length && part.has(text[n] as string, n - start + 1)) {
      part.add(text[n] as string, n - start + 1, '');
      n += 1;
    }
    parts.push(part.toString());
    if (n === text.length) break;
    start = Math.max(start + 1, n - longestPhrase + 1);
  }
  return parts;
}

class Places {
  readonly #places = new Map<string, string[]>();
  isWhole = true;

  /** Whether there is room for the term at that place. */
  has(term: string, place: number): boolean {
    return place <= maxPlace && (this.#places.get(term)?.length ?? 0) < maxPlacesOfTerm;
  }

  add(term: string, place: number, weight: 'A' | ''): void {
    const places = this.#places.get(term) ?? [];
    if (this.has(term, place)) places.push(`${place}${weight}`);
    else this.isWhole = false;
    this.#places.set(term, places);
  }

  addWithoutPlace(term: string): void {
    this.#places.set(term, []);
  }

  toString(): string {
    const lexemes: string[] = [];
    for (const [term, places] of this.#places)
      lexemes.push(places.length === 0 ? lexeme(term) : `${lexeme(term)}:${places.join(',')}`);
    return lexemes.join(' ');
  }
}
