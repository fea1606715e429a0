import { describe, expect, it } from 'vitest';
import type { SegmentHeader } from './segment.ts';
import { chooseSets, missingSets, type Segment } from './sets.ts';

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
    const { sets, leftovers } = chooseSets([[merged], [part('late', 2)]]);
    expect(sets.map((set) => set.id)).toEqual(['merged']);
    expect(leftovers.map(({ key }) => key)).toEqual(['late-1']);
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
