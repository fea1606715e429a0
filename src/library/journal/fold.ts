// Keeps the number of segments small: the sets of each past day become one, and a compaction makes one of all. A merge holds a lease of
// its own and leaves the merged sets in place for a day, so that flushes, backups and restores go on beside it.
import { LeaseLost } from '../../errors.ts';
import type { Millis } from '../../model/glossary.ts';
import type { SetName } from '../../store/journal-store.ts';
import { type KeptLease, withLease } from '../../store/with-lease.ts';
import type { Files } from '../files/files.ts';
import { ulidTime } from '../ulid.ts';
import { type FlushDeps, leaseTtlMs } from './flush.ts';
import { type MergeDeps, mergeSets } from './merge.ts';
import { findProblems, replacedNames } from './problems.ts';
import { DamagedSegment, type Problem, setOfKey } from './segment.ts';
import {
  type ChosenSets,
  chooseSets,
  covers,
  type FactSet,
  findDamage,
  type Journal,
  missingSets,
  readJournal,
  readSets,
  type Segment,
} from './sets.ts';

export const mergeLease = 'journal-merge';

/** A merged set stays for this long: a backup that was begun before the merge can still be completed. */
export const keepMergedMs = 24 * 3_600_000;

export interface Folded {
  readonly sets: number;
  readonly days: number;
  /** Segments that are missing or damaged. The rest was merged around them. */
  readonly problems: readonly Problem[];
}

/**
 * Undefined when another process is merging. `confirmedAt` is a time of a confirmed clock; without it, no segment is deleted, since
 * the clock may have jumped.
 */
export async function foldJournal(
  deps: FlushDeps,
  holder: string,
  confirmedAt?: Millis,
): Promise<Folded | undefined> {
  return underMergeLease(deps, holder, async (kept) => {
    const journal = await readChosen(deps, kept);
    const today = new Date(deps.now()).toISOString().slice(0, 10);
    // A set belongs to one schema, so a day on which the schema changed leaves two.
    const days = grouped(journal.sets, (set) => `${dayOf(set)} ${set.schema}`).filter(
      (group) => dayOf(group[0]) < today,
    );
    const toFold = days.filter((group) => group.length > 1);
    const problems = [...journal.problems];
    for (const group of toFold)
      problems.push(...(await mergeUndamaged(mergeDeps(deps, kept), group, { all: false })));
    if (confirmedAt !== undefined) await removeSuperseded(deps, kept, journal, confirmedAt);
    return { sets: toFold.flat().length, days: toFold.length, problems };
  });
}

export interface Compacted {
  readonly before: { sets: number; sizeBytes: number };
  readonly after: { sets: number; sizeBytes: number };
  readonly problems: readonly Problem[];
}

/** Makes one set of all that were written at the newest schema, and of each older schema one. */
export async function compactJournal(deps: FlushDeps, holder: string): Promise<Compacted | undefined> {
  return underMergeLease(deps, holder, async (kept) => {
    const journal = await readChosen(deps, kept);
    const problems = [...journal.problems];
    for (const [index, group] of grouped(journal.sets, (set) => String(set.schema)).entries()) {
      // The deletion of a row is forgotten only where no older set can have the row.
      const all = index === 0 && group[0]?.previous === null;
      problems.push(...(await mergeUndamaged(mergeDeps(deps, kept), group, { all })));
    }
    const after = await readSets(deps.library.files);
    return { before: sizeOf(journal.sets), after: sizeOf(after.sets), problems };
  });
}

function underMergeLease<T>(
  { leases, library }: FlushDeps,
  holder: string,
  work: (kept: KeptLease) => Promise<T>,
): Promise<T | undefined> {
  return withLease(leases, { name: mergeLease, holder, ttlMs: leaseTtlMs }, async (kept) => {
    await library.requireWriter();
    return work(kept);
  });
}

function mergeDeps(deps: FlushDeps, kept: KeptLease): MergeDeps {
  return {
    files: deps.library.files,
    writer: deps.library.writer,
    newUlid: deps.newUlid,
    now: deps.now,
    signal: kept.signal,
    beforeFinish: () => renewLeaseAndCheckWriter(deps, kept),
  };
}

/** Called before a merged set counts, and before segments are deleted. */
async function renewLeaseAndCheckWriter(deps: FlushDeps, { lease }: KeptLease): Promise<void> {
  if (!(await deps.leases.renew(lease, leaseTtlMs))) throw new LeaseLost(lease.name);
  await deps.library.requireWriter();
}

interface JournalToMerge extends Journal, ChosenSets {
  readonly problems: readonly Problem[];
  readonly lastSet: SetName | null;
}

async function readChosen(deps: FlushDeps, { signal }: KeptLease): Promise<JournalToMerge> {
  const lastSet = await deps.journal.findLastSet();
  const journal = await readJournal(deps.library.files, () => signal.throwIfAborted());
  const chosen = { ...journal, ...chooseSets(journal.complete) };
  return { ...chosen, problems: findProblems(chosen, lastSet), lastSet };
}

/** Merges a group. A damaged set stays as it is, and the sets before and after it are merged apart. */
async function mergeUndamaged(
  deps: MergeDeps,
  group: readonly FactSet[],
  { all }: { all: boolean },
): Promise<Problem[]> {
  try {
    await mergeSets(deps, group, { all });
    return [];
  } catch (error) {
    if (!(error instanceof DamagedSegment)) throw error;
    const at = group.findIndex(({ parts }) => parts.some(({ key }) => key === error.key));
    if (at === -1) throw error;
    return [
      ...(at > 0 ? await mergeUndamaged(deps, group.slice(0, at), { all }) : []),
      { key: error.key, what: error.reason },
      ...(await mergeUndamaged(deps, group.slice(at + 1), { all: false })),
    ];
  }
}

/**
 * Deletes segments that were superseded a day before `confirmedAt`, once the set that holds their facts has been read without damage.
 * Also deletes the parts of sets that were never completed.
 */
async function removeSuperseded(
  deps: FlushDeps,
  kept: KeptLease,
  journal: JournalToMerge,
  confirmedAt: Millis,
): Promise<void> {
  const { files } = deps.library;
  const { signal } = kept;
  const before = confirmedAt - keepMergedMs;
  const old = findSuperseded(journal).filter(({ by }) => (by.mergedAt ?? 0) <= before);
  const unfinished = findUnfinished(journal).filter(
    ({ header }) => (header.merged_at ?? ulidTime(header.set)) <= before,
  );
  if (old.length === 0 && unfinished.length === 0) return;
  await renewLeaseAndCheckWriter(deps, kept);
  const isWhole = new Map<string, boolean>();
  for (const { keys, by } of old) {
    const whole = isWhole.get(by.id) ?? (await findDamage(files, by.parts)).length === 0;
    isWhole.set(by.id, whole);
    if (whole) await removeSegments(files, signal, keys);
  }
  await removeSegments(
    files,
    signal,
    unfinished.map(({ key }) => key),
  );
}

/** Segments of superseded sets, those with a damaged header included. A damaged segment is known by its name alone. */
function findSuperseded(journal: JournalToMerge): { keys: string[]; by: FactSet }[] {
  const replaced = replacedNames(journal);
  const damaged = journal.damaged.flatMap(({ key }) => {
    const by = replaced.get(setOfKey(key));
    return by ? [{ keys: [key], by }] : [];
  });
  // Damaged segments first: they are harmless only while a set names them.
  return [
    ...damaged,
    ...journal.superseded.map(({ set, by }) => ({ keys: set.parts.map(({ key }) => key), by })),
  ];
}

/**
 * Parts that a killed writer left. Not those of a set that was complete once, nor those that a flush may still be writing: its ordinal
 * is above that of the last set.
 */
function findUnfinished({ sets, incomplete, lastSet }: JournalToMerge): Segment[] {
  const missing = new Set(missingSets(sets, lastSet).map(({ set }) => set));
  return incomplete.filter(
    ({ header }) => header.ordinal <= (lastSet?.ordinal ?? 0) && !missing.has(header.set),
  );
}

/** Deletes the last part first: without it the set is incomplete and does not count again. */
async function removeSegments(files: Files, signal: AbortSignal, keys: readonly string[]): Promise<void> {
  for (const key of [...keys].reverse()) {
    signal.throwIfAborted();
    await files.delete(key);
  }
}

function dayOf(set: FactSet | undefined): string {
  return set ? new Date(set.lastAt).toISOString().slice(0, 10) : '';
}

/** Neighbours with the same name, never across a gap: merged, the gap would no longer show. The order of sets is never changed. */
function grouped(sets: readonly FactSet[], by: (set: FactSet) => string): FactSet[][] {
  const groups: FactSet[][] = [];
  for (const set of sets) {
    const group = groups.at(-1);
    const isAfterGap = set.previous !== null && !covers(sets, set.previous.ordinal);
    if (group?.[0] && !isAfterGap && by(group[0]) === by(set)) group.push(set);
    else groups.push([set]);
  }
  return groups;
}

function sizeOf(sets: readonly FactSet[]) {
  return { sets: sets.length, sizeBytes: sets.reduce((sum, set) => sum + set.sizeBytes, 0) };
}
