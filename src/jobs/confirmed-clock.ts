import type { Clock, Millis } from '../model/glossary.ts';

/** The uptime between two readings of the clock that must agree before anything is deleted for its age. */
const minApartMs = 3_600_000;

/**
 * A clock for deletions. It gives the earliest of all readings since the last one that is at least an hour of uptime old, so that
 * a clock that runs ahead for less than an hour deletes nothing. Undefined in the first hour.
 */
export function createConfirmedClock(now: Clock, uptimeMs: () => number): () => Millis | undefined {
  const readings: { readonly at: Millis; readonly uptime: number }[] = [];
  return () => {
    const uptime = uptimeMs();
    readings.push({ at: now(), uptime });
    while (readings[1] && uptime - readings[1].uptime >= minApartMs) readings.shift();
    const [first] = readings;
    if (!first || uptime - first.uptime < minApartMs) return undefined;
    return Math.min(...readings.map(({ at }) => at));
  };
}
