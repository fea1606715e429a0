import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { propertyRuns } from '../../../test/support/depth.ts';
import { randomFrom } from '../../../test/support/random.ts';
import { normalise } from './embedder.ts';
import { dequantise, quantise, readQuantised } from './quantise.ts';
import { dot } from './scan-kernel.ts';
import { type HeldChunk, type ScanInput, VectorBlocks } from './vector-blocks.ts';
import { slabBytes } from './vector-memory.ts';

const numbers = (size: number) =>
  fc.array(fc.double({ min: -1, max: 1, noNaN: true }), { minLength: size, maxLength: size });
const vectorOf = (values: readonly number[]) => normalise(values) ?? Float32Array.from(values, () => 0);
const exact = (a: Float32Array, b: Float32Array) => a.reduce((sum, value, n) => sum + value * (b[n] ?? 0), 0);

const chunk = (seq: number, vector: Float32Array, more: Partial<HeldChunk> = {}): HeldChunk => ({
  seq,
  kind: 'entry',
  refId: seq,
  publishedAt: seq,
  vector: quantise(vector),
  ...more,
});

/** Rounded to bytes, the opposite of a question may be a little below -1. */
const scan = (blocks: VectorBlocks, userId: number, query: Float32Array, more: Partial<ScanInput> = {}) =>
  blocks.scan(userId, { query, limit: 10, leastScore: -2, ...more }, readQuantised(quantise(query)));

describe('a vector in bytes', () => {
  it('is off by half a step at most', () => {
    fc.assert(
      fc.property(numbers(33), (values) => {
        const vector = vectorOf(values);
        const bytes = quantise(vector);
        const { scale } = readQuantised(bytes);
        const back = dequantise(bytes);
        for (const [n, value] of vector.entries())
          expect(Math.abs(value - (back[n] as number))).toBeLessThanOrEqual(scale * 0.51);
      }),
    );
  });

  it('has the same product as its numbers, whatever the number of dimensions', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 21 }), fc.nat(5), (size, from) => {
        const a = Int8Array.from({ length: size }, (_, n) => ((n * 37) % 255) - 127);
        const b = Int8Array.from({ length: size + from }, (_, n) => ((n * 91) % 255) - 127);
        expect(dot(a, b, from)).toBe(a.reduce((sum, value, n) => sum + value * (b[from + n] as number), 0));
      }),
    );
  });

  it('may stand anywhere in a buffer', () => {
    const vector = vectorOf([3, -4, 0.5]);
    const shifted = new Uint8Array([9, ...quantise(vector)]).subarray(1);
    expect(dequantise(shifted)).toEqual(dequantise(quantise(vector)));
  });
});

describe('blocks of vectors', () => {
  it('give the nearest documents by their best passage, as exact arithmetic does', () => {
    const world = fc.array(fc.record({ refId: fc.nat(20), values: numbers(12) }), {
      minLength: 1,
      maxLength: 60,
    });
    fc.assert(
      fc.property(world, numbers(12), fc.integer({ min: 1, max: 8 }), (docs, asked, limit) => {
        const query = vectorOf(asked);
        const blocks = new VectorBlocks(2 ** 30);
        blocks.add(
          1,
          12,
          docs.map(({ refId, values }, seq) => chunk(seq, vectorOf(values), { refId })),
        );
        const found = scan(blocks, 1, query, { limit }) ?? [];
        const best = new Map<number, number>();
        for (const { refId, values } of docs)
          best.set(refId, Math.max(best.get(refId) ?? -2, exact(query, vectorOf(values))));
        const wanted = [...best.values()].sort((a, b) => b - a).slice(0, limit);
        expect(new Set(found.map(({ refId }) => refId)).size).toBe(wanted.length);
        for (const [n, { score }] of found.entries()) expect(score).toBeCloseTo(wanted[n] as number, 1);
      }),
      propertyRuns(200),
    );
  });

  it('never give what is another user’s, nor another kind than was asked for, nor what is too far away', () => {
    const owned = fc.record({
      userId: fc.integer({ min: 1, max: 4 }),
      kind: fc.constantFrom('entry', 'item', 'note'),
      values: numbers(8),
    });
    const kinds = fc.option(fc.uniqueArray(fc.constantFrom('entry', 'item', 'note')), { nil: undefined });
    fc.assert(
      fc.property(fc.array(owned, { maxLength: 80 }), numbers(8), kinds, (all, asked, only) => {
        const blocks = new VectorBlocks(2 ** 30);
        for (const [seq, { userId, kind, values }] of all.entries())
          blocks.add(userId, 8, [chunk(seq, vectorOf(values), { kind })]);
        for (const userId of [1, 2, 3, 4, 5]) {
          const found = scan(blocks, userId, vectorOf(asked), { kinds: only, limit: 100, leastScore: 0.1 });
          for (const { seq, kind, score } of found ?? []) {
            expect(all[seq]).toMatchObject({ userId, kind });
            expect(score).toBeGreaterThanOrEqual(0.1);
            if (only) expect(only).toContain(kind);
          }
          expect(found === undefined).toBe(!all.some((one) => one.userId === userId));
        }
      }),
    );
  });

  it('hold vectors of one size only', () => {
    const blocks = new VectorBlocks(2 ** 30);
    const vector = vectorOf([1, 0, 0, 0]);
    blocks.add(1, 4, [chunk(1, vector), chunk(2, vectorOf([1, 0, 0]))]);
    expect(blocks.rowsOf(1)).toBe(1);
    expect(scan(blocks, 1, vectorOf([1, 0, 0]))).toEqual([]);
  });

  it('give the same with the kernel as without it', () => {
    const world = fc.array(fc.record({ refId: fc.nat(30), kind: fc.constantFrom('entry', 'item') }), {
      minLength: 1,
      maxLength: 200,
    });
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 100 }),
        world,
        fc.integer(),
        fc.double({ min: -1, max: 1, noNaN: true }),
        (dimensions, docs, seed, leastScore) => {
          const random = randomFrom(seed);
          const any = () => vectorOf(Array.from({ length: dimensions }, () => random.fraction() - 0.5));
          const chunks = docs.map((doc, seq) => chunk(seq, any(), doc));
          const [query, limit] = [any(), 1 + random.below(40)];
          const [withIt, without] = (['kernel', 'plain'] as const).map((form) => {
            const blocks = new VectorBlocks(2 ** 20, form);
            blocks.add(1, dimensions, chunks);
            return scan(blocks, 1, query, { leastScore, limit, kinds: ['item', 'none'] });
          });
          expect(withIt).toEqual(without);
        },
      ),
    );
  });

  it('let go of those who were not asked for the longest, and then of the oldest documents', () => {
    const rowsPerSlab = Math.floor(slabBytes / (24 + 32));
    const blocks = new VectorBlocks(slabBytes * 3);
    const vector = vectorOf([1, 0, 0, 0, 0, 0, 0, 0]);
    const some = (count: number, after = 0) =>
      Array.from({ length: count }, (_, n) => chunk(after + n + 1, vector));
    expect(blocks.add(1, 8, some(10))).toEqual([]);
    expect(blocks.add(2, 8, some(10))).toEqual([]);
    scan(blocks, 1, vector);
    expect(blocks.add(3, 8, some(rowsPerSlab + 1))).toEqual([2]);
    expect(scan(blocks, 2, vector)).toBeUndefined();
    expect(scan(blocks, 1, vector)).toHaveLength(10);
    expect(blocks.add(3, 8, some(rowsPerSlab * 2, rowsPerSlab + 1))).toEqual([1]);
    expect(blocks.bytes).toBe(slabBytes * 3);
    const newest = scan(blocks, 3, vector, { limit: 100_000 }) ?? [];
    expect(newest.map(({ seq }) => seq)).toContain(rowsPerSlab * 3 + 1);
    expect(newest.map(({ seq }) => seq)).not.toContain(1);
  });

  it('let go of the oldest quarter by the hour, and of those alike by the order that they were read in', () => {
    const rowsPerSlab = Math.floor(slabBytes / (24 + 32));
    const blocks = new VectorBlocks(slabBytes);
    const vector = vectorOf([1, 2, 3, 4]);
    // The newest are read first.
    const ageOf = (seq: number) => (rowsPerSlab - Math.floor(seq / 3)) * 3_600_000;
    const some = Array.from({ length: rowsPerSlab + 1 }, (_, seq) =>
      chunk(seq, vector, { publishedAt: ageOf(seq) }),
    );
    blocks.add(1, 4, some);
    const kept = new Set((scan(blocks, 1, vector, { limit: 100_000 }) ?? []).map(({ seq }) => seq));
    const byAge = some.slice(0, -1).sort((a, b) => a.publishedAt - b.publishedAt || a.seq - b.seq);
    const wanted = byAge.slice(Math.ceil(rowsPerSlab / 4)).map(({ seq }) => seq);
    expect(kept).toEqual(new Set([...wanted, rowsPerSlab]));
  });

  it('take the memory that others have left, and no more', () => {
    const blocks = new VectorBlocks(slabBytes * 2);
    const rowsPerSlab = Math.floor(slabBytes / (24 + 32));
    for (let userId = 1; userId <= 12; userId++) {
      const vector = vectorOf(Array.from({ length: 8 }, (_, n) => Math.sin(userId * n + userId)));
      blocks.add(
        userId,
        8,
        Array.from({ length: rowsPerSlab + 5 }, (_, n) => chunk(userId * 1e6 + n, vector, { refId: n })),
      );
      // Less of it, where the same memory held more.
      blocks.drop(userId);
      blocks.add(userId, 8, [chunk(userId, vector)]);
      expect(scan(blocks, userId, vector, { limit: 100_000 })?.map(({ seq }) => seq)).toEqual([userId]);
      expect(blocks.bytes).toBeLessThanOrEqual(slabBytes * 2);
      expect(blocks.bytesReserved).toBeLessThanOrEqual(slabBytes * 2 + 2 ** 20);
    }
  });
});
