import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { Snapshot } from '../model/highlight.ts';
import { buffersOf, maxBatchRecords, packSnapshot, unpackSnapshot } from './pack-snapshot.ts';
import { type PreparedSnapshot, prepare } from './prepare.ts';

const page = (n: number) => `https://example.org/${n}`;
const annotation = (n: number, text = `text ${n}`) => ({
  originalId: String(n),
  resource: page(Math.floor(n / 3)),
  text,
  color: n % 2 ? 'red' : null,
  boundary: { chunks: [text], n },
  madeAt: n % 5 ? n : null,
});
const source = (annotations: Snapshot['annotations'], pages = 1): Snapshot => ({
  resources: [
    ...Array.from({ length: pages }, (_, n) => ({
      originalId: page(n),
      type: 'website' as const,
      title: `Page ${n}`,
      url: page(n),
    })),
    { originalId: 'book', type: 'book', title: 'A book', author: 'Somebody' },
  ],
  annotations,
  comments: [{ originalId: 'c', annotation: '1', content: 'said', madeAt: 3 }],
  notes: [{ originalId: 'n', resource: 'book', content: 'noted', madeAt: null }],
});

/** As a receiver reads it: fields are read, too. */
const plain = ({ pages, ...records }: PreparedSnapshot) => ({
  pages: [...pages],
  records: Object.values(records).map((all) =>
    [...all].map(([id, { originalId, parent, fullHash, fields }]) => [
      id,
      originalId,
      parent,
      fullHash,
      fields,
    ]),
  ),
});
/** Through a thread's messages. */
const sent = <T extends Parameters<typeof buffersOf>[0]>(packed: T): T =>
  structuredClone(packed, { transfer: buffersOf(packed) });

it('a packed snapshot is the same after it was sent, with whatever characters it has', async () => {
  const odd = ['', '\u0000 \ud800 half', '\u{1f468}\u200d\u{1f469} e\u0301 \u2028', '__proto__', '"\\'];
  const annotations = [...odd.map((text, n) => annotation(n, text)), annotation(7), annotation(8)];
  const prepared = await prepare(source(annotations, 3));
  expect(plain(await unpackSnapshot(sent(packSnapshot(prepared))))).toEqual(plain(prepared));
});

it('the sender gives all bytes of a packed snapshot away, and copies none', async () => {
  const packed = packSnapshot(await prepare(source([annotation(1), annotation(2)])));
  sent(packed);
  expect(buffersOf(packed).map(({ byteLength }) => byteLength)).toEqual(buffersOf(packed).map(() => 0));
});

it('a batch of a packed snapshot holds few records, and fewer where they are long', async () => {
  const count = 2 * maxBatchRecords + 1;
  const many = Array.from({ length: count }, (_, n) => annotation(n));
  const { records, pages } = packSnapshot(await prepare(source(many, count)));
  const headsOf = (batch: { heads: Uint8Array }) => JSON.parse(Buffer.from(batch.heads).toString()).length;
  expect(records.annotations.map(headsOf)).toEqual([maxBatchRecords, maxBatchRecords, 1]);
  expect(pages.map((batch) => JSON.parse(Buffer.from(batch).toString()).length)).toEqual([500, 500, 1]);
  const long = Array.from({ length: 10 }, (_, n) => annotation(n, 'x'.repeat(60_000)));
  expect(packSnapshot(await prepare(source(long))).records.annotations.map(headsOf)).toEqual([3, 3, 3, 1]);
});

it('others get a turn of the event loop after every batch that is unpacked', async () => {
  const count = 10 * maxBatchRecords;
  const packed = packSnapshot(
    await prepare(
      source(
        Array.from({ length: count }, (_, n) => annotation(n)),
        count,
      ),
    ),
  );
  let turns = 0;
  let done = false;
  const others = (async () => {
    while (!done) {
      await nextTurn();
      turns++;
    }
  })();
  await unpackSnapshot(packed);
  done = true;
  await others;
  expect(turns).toBeGreaterThanOrEqual(20);
});
