// The same story in several feeds, as rows of the reader's list.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { foldDuplicates } from '../../web/src/reader/fold-duplicates.ts';

const entry = (id: number | null, n = id) => ({ id, key: `entry-${n}` });
const list = (...ids: number[]) => ids.map((id) => entry(id));
const rows = (folded: ReturnType<typeof foldDuplicates<ReturnType<typeof entry>>>) =>
  folded.map(({ entry, others }) => [entry.id, others.map(({ id }) => id)]);

describe('entries that tell the same', () => {
  const duplicates = new Map([
    [1, [3, 4]],
    [3, [1, 4]],
    [4, [1, 3]],
  ]);

  it('are one row, where the first of them stands', () => {
    expect(rows(foldDuplicates(list(1, 2, 3, 4), duplicates, new Set()))).toEqual([
      [1, [3, 4]],
      [2, []],
    ]);
    expect(rows(foldDuplicates(list(4, 2, 1), duplicates, new Set()))).toEqual([
      [4, [1]],
      [2, []],
    ]);
  });

  it('stand below it when they are unfolded', () => {
    expect(rows(foldDuplicates(list(1, 2, 3, 4), duplicates, new Set(['entry-1'])))).toEqual([
      [1, [3, 4]],
      [3, []],
      [4, []],
      [2, []],
    ]);
  });

  it('are left alone where the others are not in the list, or there is none', () => {
    expect(rows(foldDuplicates(list(3, 2), duplicates, new Set()))).toEqual([
      [3, []],
      [2, []],
    ]);
    expect(rows(foldDuplicates([entry(null, 9)], duplicates, new Set()))).toEqual([[null, []]]);
  });

  it('are never lost, and never there twice', () => {
    const ids = fc.uniqueArray(fc.integer({ min: 1, max: 12 }));
    const told = fc.array(
      fc.tuple(fc.integer({ min: 1, max: 12 }), fc.array(fc.integer({ min: 1, max: 12 }))),
    );
    fc.assert(
      fc.property(ids, told, fc.uniqueArray(fc.integer({ min: 1, max: 12 })), (ids, told, open) => {
        const unfolded = new Set(open.map((id) => `entry-${id}`));
        const folded = foldDuplicates(list(...ids), new Map(told), unfolded);
        const seen = folded.flatMap(({ entry, others }) => [
          entry.id,
          ...(unfolded.has(entry.key) ? [] : others.map(({ id }) => id)),
        ]);
        expect(seen.sort()).toEqual([...ids].sort());
      }),
    );
  });
});
