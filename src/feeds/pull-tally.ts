// Counts how pulls end, in memory; upkeep adds it to the index now and then. What a killed worker had not added yet is
// missing from the charts, and from nothing else.
import type { PullOutcome } from '../model/feed.ts';
import { type Clock, dayOf } from '../model/glossary.ts';
import type { PullCount } from '../store/activity-store.ts';

export interface PullTally {
  count(outcome: PullOutcome): void;
  /** What has been counted since it was last taken. */
  take(): PullCount[];
}

export function createPullTally(now: Clock): PullTally {
  let counts = new Map<string, PullCount>();
  return {
    count(outcome) {
      const day = dayOf(now());
      const key = `${day} ${outcome}`;
      counts.set(key, { day, outcome, n: (counts.get(key)?.n ?? 0) + 1 });
    },
    take() {
      const taken = [...counts.values()];
      counts = new Map();
      return taken;
    },
  };
}
