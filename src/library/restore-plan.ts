// What a reinflate can restore from the journal, and what it cannot.
import { StartupError } from '../errors.ts';
import type { Millis } from '../model/glossary.ts';
import type { SetName } from '../store/journal-store.ts';
import type { Progress } from '../store/reinflate/rebuild.ts';
import type { Files } from './files/files.ts';
import { isSegmentKey, type Problem, setOfKey } from './journal/segment.ts';
import {
  type FactSet,
  findDamage,
  type GapFreeRun,
  gapFreeRun,
  type InspectedJournal,
  inspectJournal,
  type Segment,
} from './journal/sets.ts';
import { ulidTime } from './ulid.ts';

export interface RestorePlan {
  /** The sets to apply, in their order. */
  readonly run: readonly FactSet[];
  /** The first set that is missing. */
  readonly missing: SetName | undefined;
  /** Sets that cannot be restored: damaged ones, and those after a gap. */
  readonly leftOut: readonly FactSet[];
  /** Damaged segments whose changes the run lacks. */
  readonly damaged: readonly Problem[];
  /** The segments that cannot be restored. */
  readonly unusable: readonly string[];
  readonly journal: InspectedJournal;
  /** Names of sets that were read without damage. */
  readonly verified: Set<string>;
}

export const notBegun: Progress = { ordinal: 0, set: '', part: 0, complete: true, seq: 0, ids: {} };

/** Plans to restore the sets that are not in the index yet. */
export async function planRestore(
  files: Files,
  {
    until,
    progress = notBegun,
    verified = new Set(),
  }: { until?: Millis | undefined; progress?: Progress; verified?: Set<string> } = {},
): Promise<RestorePlan> {
  const isBegun = (set: FactSet) => !progress.complete && set.id === progress.set;
  const journal = await inspectJournal(files, {
    accept: (set) =>
      (until === undefined || set.lastAt <= until) && (set.fromOrdinal > progress.ordinal || isBegun(set)),
    verified,
  });
  const found = gapFreeRun(journal.sets, progress.ordinal);
  const isMergedSince =
    found.leftOut.length > 0 && journal.complete.some((set) => reachesOver(set, progress.ordinal));
  if ((!progress.complete && !found.run.some(isBegun)) || (progress.ordinal > 0 && isMergedSince)) {
    throw new StartupError(
      'The journal has changed since this reinflate was interrupted. Start over with "lectern reinflate --force".',
    );
  }
  return { ...found, journal, verified, ...(await findLosses(files, journal, found, progress.ordinal)) };
}

export function reachesOver(set: FactSet, ordinal: number): boolean {
  return set.fromOrdinal <= ordinal && ordinal < set.ordinal;
}

/** Whether the journal has changes that cannot be restored. */
export function hasLosses({ leftOut, damaged }: RestorePlan): boolean {
  return leftOut.length > 0 || damaged.length > 0;
}

/** From the first to the last change that cannot be restored. */
export function lossSpan({ run, leftOut, damaged }: RestorePlan): { from: Millis; to: Millis } {
  const readable = new Set(leftOut.map(({ id }) => id));
  const unreadable = damaged.map(({ key }) => setOfKey(key)).filter((set) => !readable.has(set));
  // An unreadable set may hold every change since the end of the run.
  const end = run.at(-1)?.lastAt;
  const spans = [
    ...leftOut.map(({ firstAt, lastAt }) => [firstAt, lastAt]),
    ...unreadable.map((set) => [end ?? ulidTime(set), ulidTime(set)]),
  ] as [number, number][];
  return {
    from: spans.reduce((least, [from]) => Math.min(least, from), Number.POSITIVE_INFINITY),
    to: spans.reduce((most, [, to]) => Math.max(most, to), 0),
  };
}

/** No later set names a damaged newest set as its previous one, so the segments themselves are checked. */
async function findLosses(
  files: Files,
  journal: InspectedJournal,
  { run, leftOut: afterGap }: GapFreeRun,
  afterOrdinal: number,
): Promise<Pick<RestorePlan, 'leftOut' | 'damaged' | 'unusable'>> {
  const last = run.at(-1)?.ordinal ?? afterOrdinal;
  const incomplete = journal.incomplete.filter(({ header }) => header.ordinal > last);
  const problems = [...journal.damaged, ...(await findDamage(files, incomplete))];
  problems.push(...incompleteProblems(incomplete));

  const harmless = namesUpTo(last, journal);
  const damaged = problems.filter(({ key }) => isSegmentKey(key) && !harmless.has(setOfKey(key)));
  const damagedSets = new Set(damaged.map(({ key }) => setOfKey(key)));
  const lost = journal.complete.filter(({ id, ordinal }) => ordinal > last && damagedSets.has(id));
  const leftOut = [...lost, ...afterGap].sort((a, b) => a.ordinal - b.ordinal);
  if (leftOut.length === 0 && damaged.length === 0) return { leftOut, damaged, unusable: [] };
  const segments = [...leftOut.flatMap(({ parts }) => parts), ...incomplete];
  return { leftOut, damaged, unusable: [...new Set([...segments, ...damaged].map(({ key }) => key))] };
}

/** The sets up to an ordinal, and the sets that they replaced. */
function namesUpTo(ordinal: number, { complete, incomplete, damaged }: InspectedJournal): Set<string> {
  const damagedSets = new Set(damaged.map(({ key }) => setOfKey(key)));
  const names = new Set(
    incomplete.filter(({ header }) => header.ordinal <= ordinal).map(({ header }) => header.set),
  );
  for (const set of complete) {
    if (set.ordinal > ordinal) continue;
    names.add(set.id);
    if (damagedSets.has(set.id)) continue;
    for (const name of [...set.replaces, ...set.abandons]) names.add(name);
  }
  return names;
}

/** An interrupted flush leaves the first parts of a set, without the last one. That is no problem: its changes are still pending. */
function incompleteProblems(incomplete: readonly Segment[]): Problem[] {
  const groups = Map.groupBy(incomplete, ({ header }) => header.set);
  return [...groups.values()].flatMap((parts) => {
    const isInterrupted = parts.every(({ header }) => header.part <= parts.length && !header.last);
    return isInterrupted ? [] : [{ key: parts[0]?.key ?? '', what: 'other parts of its set are missing' }];
  });
}
