import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { takeTurns } from './fair-turns.ts';

const itself = (text: string) => text;
const run = (name: string, length: number) => Array.from({ length }, (_, n) => `${name}${n}`);

/** Lists that share some of their keys. Two with the same key are told apart by where they stand. */
const lists = fc
  .array(fc.array(fc.integer({ min: 0, max: 30 }), { maxLength: 20 }), { maxLength: 8 })
  .map((all) => all.map((keys, list) => keys.map((key, place) => ({ key: String(key), list, place }))));
const keyOf = ({ key }: { key: string }) => key;

describe('taking turns', () => {
  it.each([
    { given: [], limit: 5, taken: [] },
    { given: [[], []], limit: 5, taken: [] },
    { given: [['a1', 'a2', 'a3'], ['b1']], limit: 9, taken: ['a1', 'b1', 'a2', 'a3'] },
    { given: [['a1', 'a2'], [], ['c1', 'c2']], limit: 9, taken: ['a1', 'c1', 'a2', 'c2'] },
    { given: [['x', 'a2'], ['x', 'b2'], ['c1']], limit: 9, taken: ['x', 'b2', 'c1', 'a2'] },
    { given: [['x'], ['x'], ['c1', 'c2']], limit: 9, taken: ['x', 'c1', 'c2'] },
    { given: [['a1', 'a1', 'a2']], limit: 9, taken: ['a1', 'a2'] },
    { given: [['a1', 'a2'], ['b1']], limit: 2, taken: ['a1', 'b1'] },
    { given: [['a1']], limit: 0, taken: [] },
  ])('takes $taken of $given, at most $limit', ({ given, limit, taken }) => {
    expect(takeTurns(given, { keyOf: itself, limit })).toEqual(taken);
  });

  it('lets a list of a thousand have no more than nine of ten', () => {
    const given = [run('long', 1000), ...Array.from({ length: 9 }, (_, n) => run(`short${n}-`, 10))];
    const taken = takeTurns(given, { keyOf: itself, limit: 50 });
    expect(given.map((list) => taken.filter((one) => list.includes(one)).length)).toEqual(Array(10).fill(5));
    expect(taken.slice(0, 10)).toEqual(given.map(([first]) => first));
  });

  it('takes each key once, and all of them where the limit allows', () => {
    fc.assert(
      fc.property(lists, fc.nat(100), (given, limit) => {
        const keys = takeTurns(given, { keyOf, limit }).map(keyOf);
        const there = new Set(given.flat().map(keyOf));
        expect(new Set(keys).size).toBe(keys.length);
        expect(keys.length).toBe(Math.min(limit, there.size));
      }),
    );
  });

  it('keeps the order of each list', () => {
    fc.assert(
      fc.property(lists, fc.nat(100), (given, limit) => {
        const taken = takeTurns(given, { keyOf, limit });
        given.forEach((_, list) => {
          const places = taken.filter((one) => one.list === list).map(({ place }) => place);
          expect(places).toEqual(places.toSorted((a, b) => a - b));
        });
      }),
    );
  });

  it('gives every list a turn before any has its next, for as long as it has one that was not taken', () => {
    fc.assert(
      fc.property(lists, (given) => {
        const taken = takeTurns(given, { keyOf, limit: 1000 });
        let last = -1;
        taken.forEach((one, place) => {
          // Between two turns, those that were passed over had nothing left.
          const before = new Set(taken.slice(0, place).map(keyOf));
          for (let list = (last + 1) % given.length; list !== one.list; list = (list + 1) % given.length)
            expect((given[list] ?? []).filter(({ key }) => !before.has(key))).toEqual([]);
          last = one.list;
        });
      }),
    );
  });
});
