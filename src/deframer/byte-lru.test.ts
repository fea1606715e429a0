import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ByteLru } from './byte-lru.ts';

const create = (maxBytes: number) => new ByteLru<string>({ maxBytes, sizeOf: (text) => text.length });

describe('what was used last', () => {
  it('is kept, and what was not used for longest goes', () => {
    const kept = create(9);
    for (const key of ['a', 'b', 'c']) kept.set(key, key.repeat(3));
    expect(kept.get('a')).toBe('aaa');
    kept.set('d', 'ddd');
    expect(['a', 'b', 'c', 'd'].map((key) => kept.get(key))).toEqual(['aaa', undefined, 'ccc', 'ddd']);
  });

  it('is counted once if it is put twice', () => {
    const kept = create(10);
    kept.set('a', 'aaaa');
    kept.set('a', 'aaaaaa');
    expect([kept.bytes, kept.get('a')]).toEqual([6, 'aaaaaa']);
  });

  it('is not driven out by what there is no room for', () => {
    const kept = create(10);
    kept.set('a', 'aaaa');
    kept.set('b', 'b'.repeat(11));
    expect([kept.bytes, kept.get('a'), kept.get('b')]).toEqual([4, 'aaaa', undefined]);
  });

  it('never takes more than it may, and counts what is there', () => {
    const steps = fc.array(
      fc.record({ key: fc.constantFrom('a', 'b', 'c', 'd', 'e'), size: fc.integer({ min: 1, max: 12 }) }),
    );
    fc.assert(
      fc.property(steps, (all) => {
        const kept = create(20);
        for (const { key, size } of all) {
          kept.set(key, 'x'.repeat(size));
          expect(kept.bytes).toBeLessThanOrEqual(20);
        }
        const there = ['a', 'b', 'c', 'd', 'e'].map((key) => kept.get(key)?.length ?? 0);
        expect(kept.bytes).toBe(there.reduce((sum, size) => sum + size, 0));
      }),
    );
  });
});
