import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { maxReads, readAhead } from './read-ahead.ts';

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);

/** Reads that end when `end` is called, in any order. */
function heldReads() {
  const held = new Map<number, { resolve: (value: string) => void; reject: (error: Error) => void }>();
  return {
    held,
    read: (item: number) =>
      new Promise<string>((resolve, reject) => {
        held.set(item, { resolve, reject });
      }),
    end(item: number, error?: Error) {
      const { resolve, reject } = held.get(item) ?? {};
      held.delete(item);
      if (error) reject?.(error);
      else resolve?.(`result ${item}`);
    },
  };
}

describe('reading ahead', () => {
  it('yields results in the order of the items, whichever read ends first', async () => {
    const { held, read, end } = heldReads();
    const results = Array.fromAsync(readAhead(numbers(5), read));
    await nextTurn();
    for (const item of [...held.keys()].reverse()) end(item);
    expect(await results).toEqual(numbers(5).map((item) => `result ${item}`));
  });

  it('has a limited number of reads under way, and starts one for each result that is taken', async () => {
    const { held, read, end } = heldReads();
    const ahead = readAhead(numbers(100), read);
    const first = ahead.next();
    await nextTurn();
    expect([...held.keys()]).toEqual(numbers(maxReads));
    end(0);
    await first;
    void ahead.next();
    await nextTurn();
    expect([...held.keys()]).toEqual(numbers(maxReads + 1).slice(1));
  });

  it('starts no read while results of more than the given size are ahead', async () => {
    const { held, read } = heldReads();
    void readAhead(numbers(10), read, { sizeOf: () => 40, maxBytes: 100 }).next();
    await nextTurn();
    expect([...held.keys()]).toEqual([0, 1, 2]);
  });

  it('reads a file that is larger than the limit alone', async () => {
    const results = Array.fromAsync(
      readAhead(numbers(3), async (item) => item, { sizeOf: () => 1_000, maxBytes: 100 }),
    );
    expect(await results).toEqual([0, 1, 2]);
  });

  it('throws an error in its turn, after the results before it, and waits for the reads that are under way', async () => {
    const { read, end, held } = heldReads();
    const seen: string[] = [];
    const reading = (async () => {
      for await (const result of readAhead(numbers(4), read)) seen.push(result);
    })();
    await nextTurn();
    end(1, new Error('unreadable'));
    end(0);
    let isOver = false;
    const failed = expect(reading.finally(() => (isOver = true))).rejects.toThrow('unreadable');
    await nextTurn();
    expect(seen).toEqual(['result 0']);
    expect(isOver).toBe(false);
    for (const item of [...held.keys()]) end(item);
    await failed;
  });

  it('closes its source when the caller stops early', async () => {
    let isClosed = false;
    async function* source() {
      try {
        yield* numbers(100);
      } finally {
        isClosed = true;
      }
    }
    for await (const result of readAhead(source(), async (item) => item)) if (result === 3) break;
    expect(isClosed).toBe(true);
  });
});
