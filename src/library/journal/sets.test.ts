import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SegmentHeader } from './segment.ts';
import { chooseSets as choose, gapFreeRun, groupParts, missingSets, type Segment } from './sets.ts';

/** One part of a set; by default the only one. */
function part(set: string, ordinal: number, more: Partial<SegmentHeader> = {}): Segment {
  const header: SegmentHeader = {
    lectern: 'journal',
    format: 1,
    schema: 1,
    writer: 'w',
    set,
    ordinal,
    from_ordinal: ordinal,
    previous: null,
    part: 1,
    last: true,
    first_seq: 1,
    last_seq: 1,
    facts: 0,
    ...more,
  };
  return { key: `${set}-${header.part}`, sizeBytes: 1, header };
}

const chooseSets = (groups: Segment[][]) => choose(groupParts(groups).complete);
const chosen = (...groups: Segment[][]) => chooseSets(groups).sets.map((set) => set.id);

describe('a set counts', () => {
  it('in the order of its ordinal, whatever its name', () => {
    expect(chosen([part('z', 1)], [part('a', 3)], [part('m', 2)])).toEqual(['z', 'm', 'a']);
  });

  it('when its parts are all there, and the last one says that it is', () => {
    const two = [part('a', 1, { last: false }), part('a', 1, { part: 2 })];
    expect(chosen(two)).toEqual(['a']);
    expect(chosen([two[0] as Segment])).toEqual([]);
    expect(chosen([two[1] as Segment])).toEqual([]);
  });

  it('until another replaces it', () => {
    expect(
      chosen([part('a', 1)], [part('b', 2)], [part('ab', 2, { from_ordinal: 1, replaces: ['a', 'b'] })]),
    ).toEqual(['ab']);
  });

  it('not when it comes late, to a place that was merged meanwhile', () => {
    const merged = part('merged', 3, { from_ordinal: 1, replaces: ['a', 'c'] });
    const { sets, superseded } = chooseSets([[merged], [part('late', 2)]]);
    expect(sets.map((set) => set.id)).toEqual(['merged']);
    expect(superseded.map(({ set, by }) => [set.id, by.id])).toEqual([['late', 'merged']]);
  });
});

describe('a missing set', () => {
  it('is the one that another names as the one before, or that the index wrote last', () => {
    const { sets } = chooseSets([[part('a', 1)], [part('c', 3, { previous: { ordinal: 2, set: 'b' } })]]);
    expect(missingSets(sets, { ordinal: 3, set: 'c' })).toEqual([{ ordinal: 2, set: 'b' }]);
    expect(missingSets(sets, { ordinal: 4, set: 'd' })).toHaveLength(2);
  });

  it('is not one whose place a merged set covers', () => {
    const { sets } = chooseSets([
      [part('ab', 2, { from_ordinal: 1 })],
      [part('c', 3, { previous: { ordinal: 2, set: 'b' } })],
    ]);
    expect(missingSets(sets, null)).toEqual([]);
  });
});

/** A journal of `count` flushed sets, some of which were merged, and some of those again. */
const drawMergedJournal = fc
  .record({
    count: fc.integer({ min: 1, max: 12 }),
    merges: fc.array(fc.tuple(fc.nat(11), fc.nat(11)), { maxLength: 6 }),
  })
  .map(({ count, merges }) => {
    const all: Segment[] = [];
    const name = (n: number) => (n === 0 ? null : { ordinal: n, set: `s${n}` });
    for (let n = 1; n <= count; n++) all.push(part(`s${n}`, n, { previous: name(n - 1) }));
    for (const [index, [a, b]] of merges.entries()) {
      const { sets } = chooseSets(all.map((segment) => [segment]));
      const group = sets.slice(Math.min(a, b), Math.max(a, b) + 1);
      const [first, last] = [group[0], group.at(-1)];
      if (!first || !last || group.length < 2) continue;
      const replaces = group.map(({ id }) => id);
      all.push(
        part(`m${index}`, last.ordinal, {
          ...{ from_ordinal: first.fromOrdinal, previous: first.previous, replaces, merged_at: index },
        }),
      );
    }
    return { count, all };
  });

const ordinalsOf = (sets: readonly { fromOrdinal: number; ordinal: number }[]) =>
  sets.flatMap(({ fromOrdinal, ordinal }) =>
    Array.from({ length: ordinal - fromOrdinal + 1 }, (_, index) => fromOrdinal + index),
  );
const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

describe('a copy of a journal whose sets are being merged', () => {
  it('holds each state once, whichever of the merged sets and of their sources it has', () => {
    fc.assert(
      fc.property(drawMergedJournal, fc.array(fc.boolean()), ({ count, all }, taken) => {
        const copy = all.filter((_, index) => taken[index] ?? true);
        const { run, leftOut } = gapFreeRun(chooseSets(copy.map((segment) => [segment])).sets);
        // Exactly the states up to the first one that no segment of the copy holds, unless a later one hides that it is missing.
        const reached = ordinalsOf(run);
        expect(reached).toEqual(upTo(reached.length));
        const held = new Set(ordinalsOf(groupParts(copy.map((segment) => [segment])).complete));
        const firstGone = upTo(count + 1).find((ordinal) => !held.has(ordinal)) ?? 0;
        expect(reached.length).toBeLessThan(firstGone);
        if (firstGone === count + 1) expect([reached.length, leftOut]).toEqual([count, []]);
      }),
    );
  });

  it('is complete when it was begun before a merge or ended after it, in any order of copying', () => {
    fc.assert(
      fc.property(drawMergedJournal, fc.nat(20), ({ count, all }, begun) => {
        // A merge deletes nothing for a day, so a copier sees all that was there when it began, and any part of what came later.
        const copy = all.slice(0, Math.max(count, begun));
        const { run, leftOut } = gapFreeRun(chooseSets(copy.map((segment) => [segment])).sets);
        expect(ordinalsOf(run)).toEqual(upTo(count));
        expect(leftOut).toEqual([]);
      }),
    );
  });
});

describe('a set that restores an earlier moment', () => {
  const before = [1, 2, 3, 4, 5].map((n) =>
    part(`s${n}`, n, { previous: n === 1 ? null : { ordinal: n - 1, set: `s${n - 1}` } }),
  );
  const merged = part('m', 4, {
    from_ordinal: 2,
    previous: { ordinal: 1, set: 's1' },
    replaces: ['s2', 's3', 's4'],
  });
  const restored = part('r', 6, { from_ordinal: 4, previous: { ordinal: 3, set: 's3' }, abandons: ['m'] });

  it('abandons later sets and merged sets that reach beyond that moment', () => {
    expect(chosen(...[...before, merged].map((segment) => [segment]))).toEqual(['s1', 'm', 's5']);
    expect(chosen(...[...before, merged, restored].map((segment) => [segment]))).toEqual([
      's1',
      's2',
      's3',
      'r',
    ]);
  });
});
