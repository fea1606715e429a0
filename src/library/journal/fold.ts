// Keeps the number of files small: the sets of each day that is over become one.

import { LeaseLost, Unavailable } from '../../errors.ts';
import type { Lease } from '../../store/lease-store.ts';
import { ulidTime } from '../ulid.ts';
import { type FlushDeps, journalLease, leaseTtlMs } from './flush.ts';
import { mergeSets } from './merge.ts';
import { segmentKey } from './segment.ts';
import { type FactSet, missingSets, readSets } from './sets.ts';

export interface Folded {
  readonly sets: number;
  readonly days: number;
}

/** Undefined when another process holds the journal's lease. */
export async function foldJournal(deps: FlushDeps, holder: string): Promise<Folded | undefined> {
  return underLease(deps, holder, async (lease) => {
    const sets = await tidySets(deps, lease);
    const today = new Date(deps.now()).toISOString().slice(0, 10);
    // A set belongs to one schema, so a day on which the schema changed leaves two.
    const days = grouped(sets, (set) => `${dayOf(set)} ${set.schema}`).filter(
      (group) => dayOf(group[0]) < today,
    );
    const toFold = days.filter((group) => group.length > 1);
    for (const group of toFold) await mergeSets(mergeDeps(deps, lease), group, { all: false });
    return { sets: toFold.flat().length, days: toFold.length };
  });
}

export interface Compacted {
  readonly before: { sets: number; sizeBytes: number };
  readonly after: { sets: number; sizeBytes: number };
}

/** Makes one set of all that were written at the newest schema, and of each older schema one. */
export async function compactJournal(deps: FlushDeps, holder: string): Promise<Compacted | undefined> {
  return underLease(deps, holder, async (lease) => {
    const sets = await tidySets(deps, lease);
    for (const [index, group] of grouped(sets, (set) => String(set.schema)).entries()) {
      await mergeSets(mergeDeps(deps, lease), group, { all: index === 0 });
    }
    const { sets: after } = await readSets(deps.library.files);
    return { before: sizeOf(sets), after: sizeOf(after) };
  });
}

async function underLease<T>(
  deps: FlushDeps,
  holder: string,
  work: (lease: Lease) => Promise<T>,
): Promise<T | undefined> {
  const lease = await deps.leases.acquire(journalLease, holder, leaseTtlMs);
  if (!lease) return undefined;
  try {
    await deps.library.requireWriter();
    return await work(lease);
  } finally {
    await deps.leases.release(lease);
  }
}

function mergeDeps(deps: FlushDeps, lease: Lease) {
  return {
    files: deps.library.files,
    writer: deps.library.writer,
    newUlid: deps.newUlid,
    onPart: keeper(deps, lease),
    // The last look before the merged set counts and the others go.
    beforeFinish: async () => {
      if (!(await deps.leases.renew(lease, leaseTtlMs))) throw new LeaseLost(lease.name);
    },
  };
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

/**
 * The sets that count, after what a crash has left is removed. Only what is older than our turn: whoever takes the
 * lease from us gets a higher ordinal, and its parts may be on their way. A journal with a gap is left as it is: merged,
 * the gap would not show any more.
 */
async function tidySets(deps: FlushDeps, lease: Lease): Promise<readonly FactSet[]> {
  const { files } = deps.library;
  const upTo = await deps.journal.findOrdinal();
  const keep = keeper(deps, lease);
  const { sets, leftovers } = await readSets(files, keep);
  const missing = missingSets(sets, await deps.journal.findLastSet());
  if (missing.length > 0) {
    const names = missing.map(({ set }) => segmentKey(set, 1)).join(', ');
    throw new Unavailable(
      `the journal is not whole: ${names} is missing; restore it from a backup, nothing was changed`,
    );
  }
  for (const { key, header } of leftovers) {
    if (header.ordinal > upTo) continue;
    await keep();
    await files.delete(key);
  }
  return sets;
}

function dayOf(set: FactSet | undefined): string {
  return set ? new Date(ulidTime(set.id)).toISOString().slice(0, 10) : '';
}

/** Neighbours with the same name: the order of sets is never changed. */
function grouped(sets: readonly FactSet[], by: (set: FactSet) => string): FactSet[][] {
  const groups: FactSet[][] = [];
  for (const set of sets) {
    const group = groups.at(-1);
    if (group?.[0] && by(group[0]) === by(set)) group.push(set);
    else groups.push([set]);
  }
  return groups;
}

function sizeOf(sets: readonly FactSet[]) {
  return { sets: sets.length, sizeBytes: sets.reduce((sum, set) => sum + set.sizeBytes, 0) };
}
