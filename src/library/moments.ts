// The moments that the journal can restore: each flush of the last day, and before that the end of each merged set.
import type { Millis } from '../model/glossary.ts';
import type { Files } from './files/files.ts';
import { setOfKey } from './journal/segment.ts';
import type { FactSet } from './journal/sets.ts';
import { readSets } from './journal/sets.ts';
import type { RestorePlan } from './restore-plan.ts';
import { ulidTime } from './ulid.ts';

export interface Moments {
  /** Every moment since then can be restored. */
  readonly since: Millis | undefined;
  /** The earlier states that can be restored, by their times. */
  readonly times: readonly Millis[];
}

/** Whether the plan restores the state of that moment: the first flush after its last set must be known to be later. */
export function restoresMoment({ run, leftOut, damaged, journal }: RestorePlan, until: Millis): boolean {
  const last = run.at(-1);
  if (!last || leftOut.length > 0) return false;
  if (damaged.some(({ key }) => ulidTime(setOfKey(key)) <= until)) return false;
  const later = journal.complete.filter((set) => set.lastAt > until && set.ordinal > last.ordinal);
  // A later damaged segment may hold every change since the last set.
  if (later.length === 0) return damaged.length === 0 || until <= last.lastAt;
  const next = later.filter(({ previous }) => (previous?.ordinal ?? 0) <= last.ordinal);
  return next.some(({ firstAt }) => firstAt > until);
}

export async function findMoments(files: Files): Promise<Moments> {
  const { sets, superseded } = await readSets(files);
  const all = [...sets, ...superseded.map(({ set }) => set)];
  const byName = new Map(all.map((set) => [set.id, set]));
  const isOneState = (set: FactSet) => set.firstAt === set.lastAt;
  const newest =
    all
      .filter(isOneState)
      .sort((a, b) => a.ordinal - b.ordinal)
      .at(-1) ?? sets.at(-1);
  let earliest = newest;
  while (earliest?.previous && isOneState(earliest)) {
    const before = byName.get(earliest.previous.set);
    if (!before) break;
    earliest = before;
  }
  const since = earliest?.lastAt;
  const times = sets.map(({ lastAt }) => lastAt).filter((at) => since === undefined || at < since);
  return { since, times };
}
