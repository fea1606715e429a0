// Writes what has changed in the index to the library. One flusher at a time, by lease; a flusher that slept too long finds that its
// lease is gone, and clears nothing.
import { LeaseLost } from '../../errors.ts';
import type { Clock } from '../../model/glossary.ts';
import type { WriteOptions } from '../../store/database.ts';
import type { JournalStore, SetName } from '../../store/journal-store.ts';
import type { Lease, LeaseStore } from '../../store/lease-store.ts';
import type { Library } from '../library.ts';
import type { NewUlid } from '../ulid.ts';
import { factLine } from './segment.ts';
import { SetWriter } from './write-set.ts';

export const journalLease = 'journal';
export const leaseTtlMs = 15_000;
/** Each renewal waits for its turn to write. With one for each page, a flush would fall behind clients with long writes. */
const renewEveryMs = 3_000;
/** A flush of so many facts is a sign of sustained load. */
export const fastFacts = 5_000;

export interface FlushDeps {
  readonly library: Library;
  readonly journal: JournalStore;
  readonly leases: LeaseStore;
  readonly now: Clock;
  readonly newUlid: NewUlid;
}

export interface Flushed {
  readonly facts: number;
}

export interface FlushOptions {
  /** Writes every durable row, as one set that takes the place of the whole journal. */
  readonly everyRow?: boolean;
  /** While changes arrive fast and this is true, flushes again under the same lease. */
  readonly mayRepeat?: (() => boolean) | undefined;
}

/** Writes all changes that are committed now. Undefined when another process holds the lease. */
export async function flushJournal(
  deps: FlushDeps,
  holder: string,
  options: FlushOptions = {},
): Promise<Flushed | undefined> {
  const lease = await deps.leases.acquire(journalLease, holder, leaseTtlMs);
  if (!lease) return undefined;
  try {
    let flushed = await flushUnder(deps, lease, options);
    // Under load, each write of the lease waits for a large transaction, and so does the pause before the next flush.
    while (flushed && flushed.facts >= fastFacts && options.mayRepeat?.())
      flushed = await flushUnder(deps, lease, options);
    return flushed;
  } finally {
    await deps.leases.release(lease);
  }
}

/** As `flushJournal`, for a caller that holds the lease. */
export async function flushUnder(
  deps: FlushDeps,
  lease: Lease,
  { everyRow = false }: FlushOptions = {},
): Promise<Flushed | undefined> {
  const { library, journal } = deps;
  // Another index may have taken the library over since this process started. Then this one must not write.
  await library.requireWriter();
  const seqs: number[] = [];
  let facts = 0;
  let written: SetName | undefined;
  let renewedAt = performance.now();
  const outcome = await journal.readChanges(
    lease,
    async (changes) => {
      const { ordinal } = changes;
      // The name holds the time of the set. Taken inside the consistent read: no commit in the set is later.
      const at = deps.now();
      const name = deps.newUlid(at);
      const set = new SetWriter(library.files, {
        schema: changes.schema,
        writer: library.writer,
        set: name,
        ordinal,
        from_ordinal: everyRow ? 1 : ordinal,
        previous: changes.previous,
        first_seq: changes.firstSeq,
        last_seq: changes.lastSeq,
        ...(everyRow && { merged_at: at, first_at: at }),
      });
      for await (const page of changes.pages()) {
        for (const fact of page.facts) await set.add(factLine(fact));
        facts += page.facts.length;
        for (const seq of page.seqs) seqs.push(seq);
        if (performance.now() - renewedAt > renewEveryMs) {
          await keepLease(deps, lease);
          renewedAt = performance.now();
        }
      }
      // The index must not forget, when the power fails, what the library is about to know.
      await keepLease(deps, lease, { toDisk: true });
      // Another index may have taken the library over while this process was frozen.
      await library.requireWriter();
      await set.finish(everyRow ? { ids: changes.ids } : {});
      written = { ordinal, set: name };
    },
    { everyRow },
  );
  if (outcome === 'overtaken') return undefined;
  // The notes go only after the files are safe. A crash in between writes the same facts once more.
  if (written) await journal.clear(lease, seqs, written);
  return { facts };
}

async function keepLease({ leases }: FlushDeps, lease: Lease, options?: WriteOptions): Promise<void> {
  if (!(await leases.renew(lease, leaseTtlMs, options))) throw new LeaseLost(lease.name);
}
