// Keeps the number of segments small: the sets of each past day become one, and a compaction makes one of all. A merge holds a lease of
// its own and leaves the merged sets in place for a day, so that flushes, backups and restores go on beside it.
import { LeaseLost } from '../../errors.ts';
import type { Lease } from '../../store/lease-store.ts';
import { ulidTime } from '../ulid.ts';
import { type FlushDeps, leaseTtlMs } from './flush.ts';
import { type MergeDeps, mergeSets } from './merge.ts';
import { DamagedSegment, type Problem, segmentKey } from './segment.ts';
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

/** Undefined when another process is merging. */
export async function foldJournal(deps: FlushDeps, holder: string): Promise<Folded | undefined> {
  return underLease(deps, holder, async (lease) => {
    const journal = await readChosen(deps, lease);
    const today = new Date(deps.now()).toISOString().slice(0, 10);
    // A set belongs to one schema, so a day on which the schema changed leaves two.
    const days = grouped(journal.sets, (set) => `${dayOf(set)} ${set.schema}`).filter(
      (group) => dayOf(group[0]) < today,
    );
    const toFold = days.filter((group) => group.length > 1);
    const problems = [...journal.problems];
    for (const group of toFold)
      problems.push(...(await mergeUndamaged(mergeDeps(deps, lease), group, { all: false })));
    await removeSuperseded(deps, lease, journal);
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
  return underLease(deps, holder, async (lease) => {
    const journal = await readChosen(deps, lease);
    const problems = [...journal.problems];
    for (const [index, group] of grouped(journal.sets, (set) => String(set.schema)).entries()) {
      // The deletion of a row is forgotten only where no older set can have the row.
      const all = index === 0 && group[0]?.previous === null;
      problems.push(...(await mergeUndamaged(mergeDeps(deps, lease), group, { all })));
    }
    await removeSuperseded(deps, lease, journal);
    const after = await readSets(deps.library.files);
    return { before: sizeOf(journal.sets), after: sizeOf(after.sets), problems };
  });
}

async function underLease<T>(
  deps: FlushDeps,
  holder: string,
  work: (lease: Lease) => Promise<T>,
): Promise<T | undefined> {
  const lease = await deps.leases.acquire(mergeLease, holder, leaseTtlMs);
  if (!lease) return undefined;
  try {
    await deps.library.requireWriter();
    return await work(lease);
  } finally {
    await deps.leases.release(lease);
  }
}

function mergeDeps(deps: FlushDeps, lease: Lease): MergeDeps {
  return {
    files: deps.library.files,
    writer: deps.library.writer,
    newUlid: deps.newUlid,
    now: deps.now,
    onPart: keeper(deps, lease),
    beforeFinish: () => requireTurn(deps, lease),
  };
}

/** The last check before a merged set counts, or before a segment is deleted. */
async function requireTurn(deps: FlushDeps, lease: Lease): Promise<void> {
  if (!(await deps.leases.renew(lease, leaseTtlMs))) throw new LeaseLost(lease.name);
  await deps.library.requireWriter();
}

/** Renews the lease, but not at every call. */
function keeper({ leases, now }: FlushDeps, lease: Lease): () => Promise<void> {
  let renewedAt = now();
  return async () => {
    // A clock that was set back is a reason to renew, too.
    if (Math.abs(now() - renewedAt) < leaseTtlMs / 5) return;
    if (!(await leases.renew(lease, leaseTtlMs))) throw new LeaseLost(lease.name);
    renewedAt = now();
  };
}

interface JournalToMerge extends Journal, ChosenSets {
  readonly problems: readonly Problem[];
  readonly missing: ReadonlySet<string>;
}

async function readChosen(deps: FlushDeps, lease: Lease): Promise<JournalToMerge> {
  // Asked first: a set that is written meanwhile must not seem to be missing.
  const lastSet = await deps.journal.findLastSet();
  const journal = await readJournal(deps.library.files, keeper(deps, lease));
  const chosen = chooseSets(journal.complete);
  const missing = missingSets(chosen.sets, lastSet).map(({ set }) => set);
  const damaged = new Set(journal.damaged.map(({ key }) => key));
  const gone = missing.map((set) => segmentKey(set, 1)).filter((key) => !damaged.has(key));
  const problems = [...journal.damaged, ...gone.map((key) => ({ key, what: 'it is missing' }))];
  return { ...journal, ...chosen, problems, missing: new Set(missing) };
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
 * Deletes what was superseded a day ago, once the set that holds its facts has been read without damage. Also deletes what a writer that
 * was killed has left, unless a part of it is missing that once was there.
 */
async function removeSuperseded(deps: FlushDeps, lease: Lease, journal: JournalToMerge): Promise<void> {
  const { files } = deps.library;
  const keep = keeper(deps, lease);
  const before = deps.now() - keepMergedMs;
  const old = journal.superseded.filter(({ by }) => (by.mergedAt ?? 0) <= before);
  const left = journal.incomplete.filter(
    ({ header }) => !journal.missing.has(header.set) && (header.merged_at ?? ulidTime(header.set)) <= before,
  );
  if (old.length === 0 && left.length === 0) return;
  await requireTurn(deps, lease);
  const isWhole = new Map<string, boolean>();
  for (const { set, by } of old) {
    const whole = isWhole.get(by.id) ?? (await findDamage(files, by, keep)).length === 0;
    isWhole.set(by.id, whole);
    if (whole) await removeParts(deps, keep, set.parts);
  }
  await removeParts(deps, keep, left);
}

/** The last part first: without it the set is incomplete, and does not count again. */
async function removeParts(
  { library }: FlushDeps,
  keep: () => Promise<void>,
  parts: readonly Segment[],
): Promise<void> {
  for (const { key } of [...parts].reverse()) {
    await keep();
    await library.files.delete(key);
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
