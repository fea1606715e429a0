// A model for tests that do not care for meaning: texts with the same words are alike, and it is known at once.
import { createHash } from 'node:crypto';
import { type Embedder, normalise } from '../../src/search/meaning/embedder.ts';

export interface WordEmbedder extends Embedder {
  /** Every text that was embedded. */
  readonly texts: string[];
  /** Called with the texts of each batch, before they are embedded. */
  before: (texts: readonly string[]) => Promise<void> | void;
}

export function createWordEmbedder({ model = 'words/1', dimensions = 48, atOnce = 8 } = {}): WordEmbedder {
  const texts: string[] = [];
  const embedder: WordEmbedder = {
    model,
    dimensions,
    passage: { tokens: 40, overlap: 8, titleCharacters: 60 },
    atOnce,
    leastScore: 0.2,
    texts,
    before: () => {},
    canRead: (text) => !/\p{sc=Han}/u.test(text),
    embed: async (batch, signal) => {
      await embedder.before(batch);
      signal.throwIfAborted();
      texts.push(...batch);
      return batch.map((text) => wordVector(text, dimensions));
    },
    close: async () => {},
  };
  return embedder;
}

export function wordVector(text: string, dimensions: number): Float32Array {
  const sum = new Float32Array(dimensions);
  for (const [word] of text.toLowerCase().matchAll(/[\p{L}\p{N}]+/gu)) {
    const bytes = createHash('shake256', { outputLength: dimensions }).update(word).digest();
    for (const [n, byte] of bytes.entries()) sum[n] = (sum[n] as number) + byte - 127.5;
  }
  return normalise(sum) ?? normalise(sum.fill(1)) ?? sum;
}
