import fc from 'fast-check';
import { expect, it } from 'vitest';
import { lanes } from '../model/job.ts';
import { nextClaim } from './lane-turns.ts';

it('keeps a place for those who wait, and half of the places from the low lane', () => {
  expect(nextClaim(0, 8, [])).toEqual({ total: 8, background: 7, low: 4, first: 'interactive' });
  const occupied = [{ lane: 'low' }, { lane: 'low' }, { lane: 'normal' }, { lane: 'interactive' }] as const;
  expect(nextClaim(0, 8, occupied)).toEqual({ total: 4, background: 4, low: 2, first: 'interactive' });
});

it('lets a worker with one place do everything', () => {
  expect(nextClaim(0, 1, [])).toMatchObject({ total: 1, background: 1, low: 1 });
});

it('gives every lane its turn', () => {
  const turns = Array.from({ length: 16 }, (_, turn) => nextClaim(turn, 4, []).first);
  expect(lanes.map((lane) => turns.filter((first) => first === lane).length)).toEqual([12, 3, 1]);
});

it('never offers more than there is', () => {
  const occupied = fc.array(fc.record({ lane: fc.constantFrom(...lanes) }), { maxLength: 8 });
  fc.assert(
    fc.property(fc.nat(100), occupied, (turn, jobs) => {
      const { total, background, low } = nextClaim(turn, 8, jobs);
      expect(total).toBe(8 - jobs.length);
      expect(background).toBeLessThanOrEqual(7);
      expect(low).toBeLessThanOrEqual(4);
    }),
  );
});
