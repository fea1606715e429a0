// The moments that the journal can restore: each flush of the last day, and before that the end of each merged set.
import type { Millis } from '../model/glossary.ts';
import type { Files } from './files/files.ts';
import { setOfKey } from './journal/segment.ts';
import { type FactSet, findDamage, partsOf } from './journal/sets.ts';
import { hasLosses, planRestore, type RestorePlan } from './restore-plan.ts';
import { ulidTime } from './ulid.ts';

export interface Moments {
  /** Every moment from the first to the last can be restored. Without `last`, all later ones can, too. */
  readonly range: { readonly first: Millis; readonly last: Millis | undefined } | undefined;
  /** Earlier states that can be restored, by their times. */
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
  const plan = await planRestore(files);
  const { verified } = plan;
  const canRestore = (at: Millis) => plan.damaged.every(({ key }) => ulidTime(setOfKey(key)) > at);
  const last = plan.run.at(-1);
  const times = plan.run.map(({ lastAt }) => lastAt).filter(canRestore);
  if (!last || !canRestore(last.lastAt)) return { range: undefined, times };
  const kept = await firstKeptFlush(files, plan, last);
  const isRestorable = restoresMoment(
    await planRestore(files, { until: kept.lastAt, verified }),
    kept.lastAt,
  );
  const first = isRestorable
    ? (plan.run.findLast(({ ordinal }) => ordinal < kept.ordinal) ?? kept)
    : // It is in a merged set of which other source segments are gone: that is restored only as a whole.
      (plan.run.find(({ ordinal }) => ordinal >= kept.ordinal) ?? last);
  return {
    range: { first: first.lastAt, last: hasLosses(plan) ? last.lastAt : undefined },
    times: times.filter((at) => at < first.lastAt),
  };
}

/** The first of the flushes before the last set that are kept without a gap. */
async function firstKeptFlush(files: Files, { journal }: RestorePlan, last: FactSet): Promise<FactSet> {
  const byName = new Map(journal.complete.map((set) => [set.id, set]));
  const isFlush = ({ firstAt, lastAt }: FactSet) => firstAt === lastAt;
  const flushes: FactSet[] = [];
  let before = journal.complete.find((set) => set.ordinal === last.ordinal && isFlush(set));
  while (before && isFlush(before)) {
    flushes.push(before);
    before = byName.get(before.previous?.set ?? '');
  }
  const damaged = new Set((await findDamage(files, partsOf(flushes))).map(({ key }) => setOfKey(key)));
  const firstDamaged = flushes.findIndex(({ id }) => damaged.has(id));
  const kept = firstDamaged === -1 ? flushes : flushes.slice(0, firstDamaged);
  return kept.at(-1) ?? last;
}
