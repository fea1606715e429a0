import { describe, expect, it } from 'vitest';
import type { Files } from '../files/files.ts';
import { readSegment } from './segment.ts';
import { maxPartBytes, type SetHeader, writeSet } from './write-set.ts';

const header: SetHeader = {
  schema: 1,
  writer: 'test',
  set: '01JABCDEFGHJKMNPQRSTVWXYZ0',
  ordinal: 1,
  from_ordinal: 1,
  previous: null,
  first_seq: 1,
  last_seq: 1,
};

/** Keeps segments in memory. */
function memoryFiles(onPut: (key: string) => void = () => {}) {
  const stored = new Map<string, string>();
  const files = {
    put: async (key: string, data: string) => {
      onPut(key);
      stored.set(key, data);
    },
    delete: async (key: string) => void stored.delete(key),
  } as unknown as Files;
  return { files, stored };
}

const line = (text: string) => JSON.stringify({ table: 'groups', key: [1], row: { name: text }, seq: 1 });

describe('a set', () => {
  it('is cut into parts of at most 1 MB, counted in bytes and not in characters', async () => {
    const { files, stored } = memoryFiles();
    await writeSet({ files, header }, async (add) => {
      for (let count = 0; count < 2_000; count++) await add(line('€'.repeat(500)));
      return {};
    });
    const segments = [...stored].map(([key, text]) => ({ key, bytes: Buffer.from(text) }));
    expect(segments).toHaveLength(3);
    // A header and a hash come on top.
    for (const { bytes } of segments) expect(bytes.byteLength).toBeLessThan(maxPartBytes + 1_000);
    const facts = segments.flatMap(({ key, bytes }) => readSegment(key, bytes).facts);
    expect(facts).toHaveLength(2_000);
  });

  it('has a row that is larger than a part in a part of its own', async () => {
    const { files, stored } = memoryFiles();
    await writeSet({ files, header }, async (add) => {
      for (const text of ['small', 'x'.repeat(2 * maxPartBytes), 'small']) await add(line(text));
      return {};
    });
    expect([...stored.values()].map((text) => text.length > maxPartBytes)).toEqual([false, true, false]);
  });

  it('that cannot be finished leaves none of its parts', async () => {
    const { files, stored } = memoryFiles();
    const writing = writeSet({ files, header }, async (add) => {
      for (let count = 0; count < 3; count++) await add(line('x'.repeat(maxPartBytes)));
      expect(stored.size).toBe(2);
      throw new Error('the lease was lost');
    });
    await expect(writing).rejects.toThrow('the lease was lost');
    expect(stored.size).toBe(0);
  });

  it('stays as it is when the answer to its last part is lost, since it may count already', async () => {
    let parts = 0;
    const { files, stored } = memoryFiles(() => {
      parts += 1;
      if (parts === 3) throw new Error('no answer');
    });
    const writing = writeSet({ files, header }, async (add) => {
      for (let count = 0; count < 3; count++) await add(line('x'.repeat(maxPartBytes)));
      return {};
    });
    await expect(writing).rejects.toThrow('no answer');
    expect(stored.size).toBe(2);
  });
});
