// The pieces of a saved page's text, with the key and the hash that each is known by.
import { createHash } from 'node:crypto';
import { type Cut, cutText } from './cut-text.ts';

export interface Chunk extends Cut {
  readonly key: string;
  readonly sha256: string;
}

export function chunksOf(text: string, { key }: { readonly key: (index: number) => string }): Chunk[] {
  return Array.from(cutText(text), ({ text: cut, start, end }, index) => ({
    key: key(index),
    text: cut,
    sha256: createHash('sha256').update(cut).digest('hex'),
    start,
    end,
  }));
}
