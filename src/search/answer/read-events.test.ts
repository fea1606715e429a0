import fc from 'fast-check';
import { expect, it } from 'vitest';
import { readEvents } from './read-events.ts';

async function dataOf(...chunks: Uint8Array[]): Promise<string[]> {
  const found: string[] = [];
  for await (const data of readEvents(
    (async function* () {
      yield* chunks;
    })(),
  ))
    found.push(data);
  return found;
}

const text =
  ': hello\nevent: a\ndata: {"x":"长"}\n\ndata: one\r\ndata: two\r\n\r\nid: 7\n\ndata:[DONE]\n\ndata: never ended';
const expected = ['{"x":"长"}', 'one\ntwo', '[DONE]'];

it('reads the data of each event, in whatever pieces they come', async () => {
  const bytes = Buffer.from(text);
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: 0, max: bytes.length })), async (cuts) => {
      const places = [0, ...cuts.sort((a, b) => a - b), bytes.length];
      expect(await dataOf(...places.map((from, n) => bytes.subarray(from, places[n + 1])))).toEqual(expected);
    }),
  );
});

it('does not keep a line that never ends', async () => {
  const chunk = Buffer.alloc(300_000, 'x');
  await expect(dataOf(chunk, chunk)).rejects.toThrow();
});
