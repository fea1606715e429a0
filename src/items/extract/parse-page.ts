// The one place that knows the library behind the document.
import { parseHTML } from 'linkedom';
import type { Document } from './page-document.ts';
import { wellFormed } from './well-formed.ts';

/** Longer pages are cut: no text that a person reads is behind so much markup. */
const maxCharacters = 8_000_000;

/** Takes whatever a server sent; what cannot be read gives an empty document. */
export function parsePage(html: string): Document {
  try {
    return documentOf(wellFormed(html.slice(0, maxCharacters)));
  } catch (error) {
    // Such as an element with a hundred thousand classes, for which linkedom runs out of stack.
    if (error instanceof RangeError) return documentOf(wellFormed(''));
    throw error;
  }
}

function documentOf(html: string): Document {
  return parseHTML(html).document as unknown as Document;
}
