// Which processes have ended, judged by their presence leases.

/**
 * Returns the holders that were absent in every check for `graceMs`. One look is not enough: no process can renew its presence lease
 * while the index is away, so after an outage all of them have expired. A gap between two checks that is longer than the grace
 * period may have been an outage, and begins the count again.
 */
export function createAbsentHolders(graceMs: number) {
  let since = new Map<string, number>();
  let checkedAt = Number.NEGATIVE_INFINITY;
  return {
    check(absent: readonly string[], uptimeMs: number): string[] {
      const known = uptimeMs - checkedAt > graceMs ? new Map<string, number>() : since;
      checkedAt = uptimeMs;
      since = new Map(absent.map((holder) => [holder, known.get(holder) ?? uptimeMs]));
      return absent.filter((holder) => uptimeMs - (since.get(holder) ?? uptimeMs) >= graceMs);
    },
  };
}
