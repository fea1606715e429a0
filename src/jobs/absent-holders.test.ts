import fc from 'fast-check';
import { expect, it } from 'vitest';
import { propertyRuns } from '../../test/support/depth.ts';
import { createAbsentHolders } from './absent-holders.ts';

const ttlMs = 15_000;
const renewEveryMs = 5_000;
const checkEveryMs = 5_000;
const stepMs = 1_000;

interface Holder {
  readonly name: string;
  /** Undefined for a process that runs until the end. */
  readonly diesAt: number | undefined;
  readonly phase: number;
  expires: number;
}

/** Second by second: who renews, whether the index answers, and what a check of the janitor returns. */
function simulate(
  holders: readonly Holder[],
  isAway: (at: number) => boolean,
  onCheck: (at: number, released: readonly string[]) => void,
): void {
  const absentHolders = createAbsentHolders(ttlMs);
  let checkedAt = 0;
  for (let at = stepMs; at <= 400_000; at += stepMs) {
    if (isAway(at)) continue;
    for (const holder of holders) {
      const isAlive = holder.diesAt === undefined || at < holder.diesAt;
      const isDue = at >= holder.expires - ttlMs + renewEveryMs || at % renewEveryMs === holder.phase;
      // The first renewal after an outage may come late.
      const isReady = !isAway(at - 2 * stepMs);
      if (isAlive && isDue && isReady) holder.expires = at + ttlMs;
    }
    if (at - checkedAt < checkEveryMs) continue;
    checkedAt = at;
    const absent = holders.filter(({ expires }) => expires <= at).map(({ name }) => name);
    onCheck(at, absentHolders.check(absent, at));
  }
}

const outages = fc.array(
  fc.record({ from: fc.integer({ min: 0, max: 200 }), seconds: fc.integer({ min: 1, max: 90 }) }),
  { maxLength: 4 },
);
const holders = fc.array(
  fc.record({
    diesAt: fc.option(fc.integer({ min: 0, max: 150_000 }), { nil: undefined }),
    phase: fc.constantFrom(0, 1_000, 2_000, 3_000, 4_000),
  }),
  { minLength: 1, maxLength: 4 },
);

it('a live holder is never released, and a dead one always is, whenever the index was away', () => {
  fc.assert(
    fc.property(holders, outages, (given, away) => {
      const all = given.map((one, n): Holder => ({ ...one, name: `holder ${n}`, expires: ttlMs }));
      const isAway = (at: number) =>
        away.some(({ from, seconds }) => at >= from * 1_000 && at < (from + seconds) * 1_000);
      const released = new Set<string>();
      simulate(all, isAway, (at, names) => {
        for (const name of names) {
          const { diesAt } = all.find((one) => one.name === name) as Holder;
          expect(diesAt, `${name} is released at ${at}`).toBeLessThan(at);
          released.add(name);
        }
      });
      const dead = all.filter(({ diesAt }) => diesAt !== undefined).map(({ name }) => name);
      expect([...released].sort()).toEqual(dead.sort());
    }),
    propertyRuns(300),
  );
});

it('an absence that begins before a long gap between two checks does not count', () => {
  const absentHolders = createAbsentHolders(ttlMs);
  expect(absentHolders.check(['a'], 0)).toEqual([]);
  expect(absentHolders.check(['a'], ttlMs + 1)).toEqual([]);
  expect(absentHolders.check(['a'], 2 * ttlMs)).toEqual([]);
  expect(absentHolders.check(['a'], 2 * ttlMs + 1)).toEqual(['a']);
});
