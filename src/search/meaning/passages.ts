// The passages of a document that are given to a model, with the key and the hash that each is known by.
import { createHash } from 'node:crypto';
import { chunkKey, cutText } from '../../items/page/cut-text.ts';
import type { PassageSize } from './embedder.ts';

export interface Passage {
  readonly key: string;
  readonly part: number;
  readonly text: string;
  /** Where it begins in the text of the document. */
  readonly start: number;
  readonly sha256: string;
}

/** Grows when the rules below change: every document is then cut anew, and embedded where its passages are others. */
export const passagesVersion = 1;

/** What a text is about is said at its beginning. The words of what follows are found by text search. */
const mostPassages = 8;
/** Of those passages no more than this is looked at, however long the text is. */
const mostCharactersOfToken = 12;

const keyPrefixes: Readonly<Record<string, string>> = {
  item: 'it',
  bookmark: 'bm',
  entry: 'en',
  feed: 'fd',
  annotation: 'an',
  note: 'no',
  deframed: 'df',
};

interface Document {
  readonly kind: string;
  readonly refId: number;
  readonly title: string;
  readonly text: string;
}

export function passagesOf(document: Document, size: PassageSize): Passage[] {
  return cutPassages(document, size).map((passage, part) => ({
    key: chunkKey(nameOf(document), part),
    part,
    ...passage,
    sha256: createHash('sha256').update(passage.text).digest('hex'),
  }));
}

/** Where the passage of that key begins in the text; undefined when there is none any more. */
export function placeOfPassage(document: Document, key: string, size: PassageSize): number | undefined {
  const name = nameOf(document);
  return cutPassages(document, size).find((_, part) => chunkKey(name, part) === key)?.start;
}

const nameOf = ({ kind, refId }: Document) => `${keyPrefixes[kind] ?? kind}-${refId}`;

function cutPassages({ title, text }: Document, size: PassageSize): Pick<Passage, 'text' | 'start'>[] {
  const lead = [...oneLine(title)].slice(0, size.titleCharacters).join('');
  const texts: Pick<Passage, 'text' | 'start'>[] = [];
  const trimmed = text.trimStart();
  const beginning = trimmed.slice(0, mostPassages * size.tokens * mostCharactersOfToken);
  for (const cut of cutText(beginning.trimEnd(), size)) {
    if (texts.length === mostPassages) break;
    const piece = [lead, oneLine(cut.text)].filter((part) => part !== '').join('. ');
    texts.push({ text: piece, start: text.length - trimmed.length + cut.start });
  }
  if (texts.length === 0 && lead !== '') texts.push({ text: lead, start: 0 });
  return texts.filter((passage) => /[\p{L}\p{N}]/u.test(passage.text));
}

/** A model makes nothing of lines and indents. */
function oneLine(text: string): string {
  return text.replace(/\s+/gu, ' ').trim();
}
