import { afterEach, describe, expect, it } from 'vitest';
import { normalise } from './embedder.ts';
import { quantise } from './quantise.ts';
import { VectorScan } from './vector-scan.ts';

const dimensions = 8;
const vector = normalise([1, 2, 3, 4, 5, 6, 7, 8]) as Float32Array;

/** The chunks of a user, as the store gives them. */
class Chunks {
  seqs: number[];
  gone = 0;
  /** After which number each page was asked for. */
  readonly asked: number[] = [];
  beforePage: () => Promise<unknown> = async () => {};

  constructor(count: number) {
    this.seqs = Array.from({ length: count }, (_, n) => n + 1);
  }

  readonly version = async () => ({ seq: this.seqs.at(-1) ?? 0, gone: this.gone });

  readonly page = async (_model: string, after: number, limit: number) => {
    this.asked.push(after);
    await this.beforePage();
    return this.seqs
      .filter((seq) => seq > after)
      .slice(0, limit)
      .map((seq) => ({ seq, kind: 'entry', refId: seq, publishedAt: seq, vector: quantise(vector) }));
  };
}

describe('the thread that scans', () => {
  let scan: VectorScan;
  afterEach(() => scan.close());

  const found = async (userId: number, chunks: Chunks, model = 'm') =>
    (await scan.scan({ userId, model, chunks, query: vector, limit: 10_000, leastScore: 0 })).length;

  it('is given what is new, and everything again when much has gone or the model is another', async () => {
    scan = new VectorScan();
    const chunks = new Chunks(2_100);
    expect(await found(1, chunks)).toBe(2_100);
    expect(chunks.asked).toEqual([0, 2_000]);
    chunks.seqs.push(2_101);
    expect(await found(1, chunks)).toBe(2_101);
    expect(chunks.asked).toEqual([0, 2_000, 2_100]);
    // What has gone is held until it is much; whoever asks looks each of them up anyway.
    chunks.seqs = chunks.seqs.slice(400);
    chunks.gone = 400;
    expect(await found(1, chunks)).toBe(2_101);
    chunks.seqs = chunks.seqs.slice(200);
    chunks.gone = 600;
    expect(await found(1, chunks)).toBe(1_501);
    expect(chunks.asked).toEqual([0, 2_000, 2_100, 0]);
    expect(await found(1, chunks, 'other')).toBe(1_501);
    expect(chunks.asked).toHaveLength(5);
    // An index that was begun anew.
    chunks.seqs = [1, 2, 3];
    expect(await found(1, chunks, 'other')).toBe(3);
  });

  it('reads a block once, though it is warmed and asked at the same time', async () => {
    scan = new VectorScan();
    const chunks = new Chunks(2_100);
    const warming = [1, 2].map(() => scan.warm({ userId: 1, model: 'm', dimensions, chunks }));
    expect(await found(1, chunks)).toBe(2_100);
    await Promise.all(warming);
    await scan.warm({ userId: 1, model: 'm', dimensions, chunks });
    expect(chunks.asked).toEqual([0, 2_000]);
  });

  it('reads a block again that had to go while its last page was on the way', async () => {
    scan = new VectorScan({ maxBytes: 1 });
    const [anna, ben] = [new Chunks(2_100), new Chunks(5)];
    let bens: Promise<void> | undefined;
    // Ben's one page is read when Anna's last is: his goes to the thread first, and hers when she has no block any more.
    anna.beforePage = async () => {
      if (anna.asked.length !== 2) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      ben.beforePage = async () => resolve();
      bens = scan.warm({ userId: 2, model: 'm', dimensions, chunks: ben });
      await promise;
      await Promise.resolve();
    };
    expect(await found(1, anna)).toBe(2_100);
    expect(anna.asked).toEqual([0, 2_000, 0, 2_000]);
    await bens;
  });

  it('answers with all of a block, though others took its room while it was read', async () => {
    // Room for one segment.
    scan = new VectorScan({ maxBytes: 4_096 * (dimensions + 29) });
    const [anna, ben] = [new Chunks(3_000), new Chunks(5)];
    let pages = 0;
    anna.beforePage = async () => {
      pages += 1;
      if (pages === 2) expect(await found(2, ben)).toBe(5);
    };
    expect(await found(1, anna)).toBe(3_000);
    expect(await found(2, ben)).toBe(5);
  });
});
