// Chunks on their way to another thread: in a few buffers that are handed over, since two thousand small ones would each be
// copied, and take longer than to read them.
import type { HeldChunk } from './vector-blocks.ts';

export interface ChunkPage {
  readonly seqs: Float64Array<ArrayBuffer>;
  readonly refIds: Float64Array<ArrayBuffer>;
  readonly publishedAts: Float64Array<ArrayBuffer>;
  readonly kinds: readonly string[];
  /** Where each vector ends among the bytes of all. */
  readonly ends: Uint32Array<ArrayBuffer>;
  readonly vectors: Uint8Array<ArrayBuffer>;
}

export function packChunks(chunks: readonly HeldChunk[]): ChunkPage {
  const { length } = chunks;
  const page = {
    seqs: new Float64Array(length),
    refIds: new Float64Array(length),
    publishedAts: new Float64Array(length),
    kinds: chunks.map(({ kind }) => kind),
    ends: new Uint32Array(length),
    vectors: new Uint8Array(chunks.reduce((sum, { vector }) => sum + vector.length, 0)),
  };
  let begin = 0;
  // Not by `entries()`, which takes several times as long: this is done on the thread that serves HTTP.
  for (let n = 0; n < length; n++) {
    const { seq, refId, publishedAt, vector } = chunks[n] as HeldChunk;
    page.seqs[n] = seq;
    page.refIds[n] = refId;
    page.publishedAts[n] = publishedAt;
    page.vectors.set(vector, begin);
    begin += vector.length;
    page.ends[n] = begin;
  }
  return page;
}

/** What may be handed over: the sender has nothing of it left. */
export function buffersOf({ seqs, refIds, publishedAts, ends, vectors }: ChunkPage): ArrayBuffer[] {
  return [seqs, refIds, publishedAts, ends, vectors].map(({ buffer }) => buffer);
}

export function* unpackChunks(page: ChunkPage): Generator<HeldChunk> {
  let begin = 0;
  for (const [n, kind] of page.kinds.entries()) {
    const end = page.ends[n] as number;
    yield {
      seq: page.seqs[n] as number,
      refId: page.refIds[n] as number,
      publishedAt: page.publishedAts[n] as number,
      kind,
      vector: page.vectors.subarray(begin, end),
    };
    begin = end;
  }
}
