import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fuse } from './fuse.ts';

const alike = <T>(lists: readonly (readonly T[])[]) => lists.map((items) => ({ items, weight: 1 }));

const order = (...lists: string[]) =>
  fuse(alike(lists.map((list) => [...list])), (item) => item).map(({ item }) => item);

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
    const [first, second] = fuse(alike([['a', 'b'], ['a']]), (item) => item);
    expect(first).toEqual({ item: 'a', score: 1 / 61 + 1 / 61 });
    expect(second).toEqual({ item: 'b', score: 1 / 62 });
  });

  it('counts a place in a list as much as the list', () => {
    const lists = [
      { items: ['a', 'b'], weight: 0.5 },
      { items: ['b', 'c'], weight: 2 },
    ];
    expect(fuse(lists, (item) => item)).toEqual([
      { item: 'b', score: 0.5 / 62 + 2 / 61 },
      { item: 'c', score: 2 / 62 },
      { item: 'a', score: 0.5 / 61 },
    ]);
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
      alike(hits),
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
        const fused = fuse(alike([a, b]), (item) => item).map(({ item }) => item);
        expect([...fused].sort((x, y) => x - y)).toEqual([...new Set([...a, ...b])].sort((x, y) => x - y));
        expect(fuse(alike([a]), (item) => item).map(({ item }) => item)).toEqual(a);
      }),
    );
  });
});
