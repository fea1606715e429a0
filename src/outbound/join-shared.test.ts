import { expect, it } from 'vitest';
import { joinShared } from './join-shared.ts';

async function* chunksOf(count: number, bytes: number): AsyncGenerator<Uint8Array> {
  for (let n = 0; n < count; n++) yield new Uint8Array(bytes).fill(n);
}

it('joins chunks of every size in shared memory', async () => {
  const sizes = [1, 0, 70_000, 300_000, 5];
  async function* chunks() {
    for (const [n, size] of sizes.entries()) yield new Uint8Array(size).fill(n + 1);
  }
  const joined = await joinShared(chunks(), 400_000);
  expect(joined.buffer).toBeInstanceOf(SharedArrayBuffer);
  const expected = Buffer.concat(sizes.map((size, n) => new Uint8Array(size).fill(n + 1)));
  expect(Buffer.compare(joined, expected)).toBe(0);
});

it('takes a body of exactly the limit, and an empty one', async () => {
  expect((await joinShared(chunksOf(4, 65_536), 4 * 65_536)).length).toBe(4 * 65_536);
  expect((await joinShared(chunksOf(0, 1), 1_000)).length).toBe(0);
});

it('lets the event loop turn while a large body arrives at once', async () => {
  let turns = 0;
  let isJoined = false;
  const count = () => {
    turns += 1;
    if (!isJoined) setImmediate(count);
  };
  setImmediate(count);
  await joinShared(chunksOf(128, 65_536), 8 * 1024 * 1024);
  isJoined = true;
  expect(turns).toBeGreaterThan(30);
});
