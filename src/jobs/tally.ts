// Counts how jobs end, in memory, and adds it to the index now and then: a commit for each would cost more than the
// counting is worth. What a killed worker had not added yet is missing from the figures, and from nothing else.
import { durationBuckets, type JobCounter } from '../store/job-queue/job-counters.ts';

export interface Tally {
  count(name: string, counter: string, n?: number): void;
  took(name: string, ms: number): void;
  /** What has been counted since it was last taken. */
  take(): JobCounter[];
}

export function createTally(): Tally {
  let counts = new Map<string, JobCounter>();
  const count = (name: string, counter: string, n = 1) => {
    const key = `${name}\0${counter}`;
    counts.set(key, { name, counter, n: (counts.get(key)?.n ?? 0) + n });
  };
  return {
    count,
    took: (name, ms) => {
      const bucket = durationBuckets.find((seconds) => ms <= seconds * 1000);
      count(name, `le:${bucket ?? '+Inf'}`);
      count(name, 'ms', Math.round(ms));
    },
    take: () => {
      const taken = [...counts.values()];
      counts = new Map();
      return taken;
    },
  };
}
