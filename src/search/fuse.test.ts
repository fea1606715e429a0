import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fuse } from './fuse.ts';

const order = (...lists: string[]) =>
  fuse(
    lists.map((list) => [...list]),
    (item) => item,
  ).map(({ item }) => item);

describe('fuse', () => {
  it.each<[lists: string[], fused: string]>([
    [['abc'], 'abc'],
    [['abc', ''], 'abc'],
    [['abc', 'cxy'], 'cabxy'],
    [['ab', 'ba'], 'ab'],
    [['', ''], ''],
    [['aab', 'b'], 'ba'],
  ])('makes of %j the list %s', (lists, fused) => {
    expect(order(...lists).join('')).toBe(fused);
  });

  it('gives what stands in both lists more than what is first in one', () => {
    expect(order('abcdefghij', 'jklmnopqrs')[0]).toBe('j');
  });

  it('scores by the reciprocal of the place', () => {
    const [first, second] = fuse([['a', 'b'], ['a']], (item) => item);
    expect(first).toEqual({ item: 'a', score: 1 / 61 + 1 / 61 });
    expect(second).toEqual({ item: 'b', score: 1 / 62 });
  });

  it('keeps of the same page the one that is to be shown', () => {
    const hits = [
      [{ page: 1, place: 1 }],
      [
        { page: 2, place: 0 },
        { page: 1, place: 0 },
      ],
    ];
    const fused = fuse(
      hits,
      ({ page }) => page,
      (a, b) => a.place < b.place,
    );
    expect(fused.map(({ item }) => item)).toEqual([
      { page: 1, place: 0 },
      { page: 2, place: 0 },
    ]);
  });

  it('has everything once, and keeps the order of a list that is alone', () => {
    const list = fc.uniqueArray(fc.nat(30));
    fc.assert(
      fc.property(list, list, (a, b) => {
        const fused = fuse([a, b], (item) => item).map(({ item }) => item);
        expect([...fused].sort((x, y) => x - y)).toEqual([...new Set([...a, ...b])].sort((x, y) => x - y));
        expect(fuse([a], (item) => item).map(({ item }) => item)).toEqual(a);
      }),
    );
  });
});
