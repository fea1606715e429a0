// How much a run tests. `npm test` samples property runs and crash points; `npm run test:deep` tries all of them.
// LECTERN_TEST_SCALE overrides the share, LECTERN_TEST_SEED the seed of everything random in a run.

/** Share of the property runs that are made: 1 for all, 10 for ten times as many. */
const scale = Number(process.env.LECTERN_TEST_SCALE ?? 0.2);
const minRuns = 5;

/** Set by vitest.config.ts; a failing run prints the command that repeats it. */
export const seed = Number(process.env.LECTERN_TEST_SEED ?? 1);

export const isDeep = scale >= 1;

/** Parameters for `fc.assert`: a share of `runs`. The seed is set for all properties by seed-properties.ts. */
export function propertyRuns(runs: number): { numRuns: number } {
  return { numRuns: Math.max(Math.min(runs, minRuns), Math.ceil(runs * scale)) };
}

/** A size that only has to be large: an eighth of it in `npm test`. */
export function largeSize(size: number): number {
  return isDeep ? size : Math.ceil(size / 8);
}

/** Every `every`-th case, starting at a different one in each run; all cases in a deep run. */
export function sampleOf<T>(cases: readonly T[], every: number): readonly T[] {
  return isDeep ? cases : cases.filter((_, index) => index % every === seed % every);
}

/** `npm test` tries one crash point out of this many. */
export const crashStride = isDeep ? 1 : 6;
