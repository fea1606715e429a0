// How much more a document counts for being new: at most a quarter, half of that after half a year, and ever less. So a newer
// one goes first where two match alike, and no old one that matches better is lost behind it. Only the four operations, so
// that both engines come to the same number.

const mostExtra = 0.25;
const halfAfterMinutes = 180 * 24 * 60;

/** What a score is multiplied by. `ageMinutes` is from the time of the first page, whatever the time is now. */
export function freshness(ageMinutes: number): number {
  return 1 + (mostExtra * halfAfterMinutes) / (halfAfterMinutes + Math.max(0, ageMinutes));
}

/** The same in SQL, of an age in whole minutes that is not negative. */
export function freshnessSql(ageMinutes: string, real: (text: string) => string): string {
  return `(${real('1.0')} + ${real(`${mostExtra * halfAfterMinutes}.0`)} / (${real(`${halfAfterMinutes}.0`)} + ${ageMinutes}))`;
}
