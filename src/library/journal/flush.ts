// Writes what has changed in the index to the library. One flusher at a time, by lease; a flusher that slept too long finds that its
// lease is gone, and clears nothing.
import { LeaseLost } from '../../errors.ts';
import type { Clock } from '../../model/glossary.ts';
import type { JournalStore, SetName } from '../../store/journal-store.ts';
import type { LeaseStore } from '../../store/lease-store.ts';
import { type KeptLease, withLease } from '../../store/with-lease.ts';
import type { Library } from '../library.ts';
import type { NewUlid } from '../ulid.ts';
import { factLine } from './segment.ts';
import { type SetHeader, writeSet } from './write-set.ts';

export const journalLease = 'journal';
export const leaseTtlMs = 15_000;
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
  return withLease(deps.leases, { name: journalLease, holder, ttlMs: leaseTtlMs }, async (kept) => {
    let flushed = await flushUnder(deps, kept, options);
    // Under load, each write of the lease waits for a large transaction, and so does the pause before the next flush.
    while (flushed && flushed.facts >= fastFacts && options.mayRepeat?.())
      flushed = await flushUnder(deps, kept, options);
    return flushed;
  });
}

/** As `flushJournal`, for a caller that holds the lease. */
export async function flushUnder(
  deps: FlushDeps,
  { lease, signal }: KeptLease,
  { everyRow = false }: FlushOptions = {},
): Promise<Flushed | undefined> {
  const { library, journal, leases } = deps;
  // Another index may have taken the library over since this process started. Then this one must not write.
  await library.requireWriter();
  const seqs: number[] = [];
  let facts = 0;
  let written: SetName | undefined;
  const outcome = await journal.readChanges(
    lease,
    async (changes) => {
      const { ordinal } = changes;
      // The name holds the time of the set. Taken inside the consistent read: no commit in the set is later.
      const at = deps.now();
      const name = deps.newUlid(at);
      const header: SetHeader = {
        schema: changes.schema,
        writer: library.writer,
        set: name,
        ordinal,
        from_ordinal: everyRow ? 1 : ordinal,
        previous: changes.previous,
        first_seq: changes.firstSeq,
        last_seq: changes.lastSeq,
        ...(everyRow && { merged_at: at, first_at: at }),
      };
      await writeSet({ files: library.files, header, signal }, async (add) => {
        for await (const page of changes.pages()) {
          signal.throwIfAborted();
          for (const fact of page.facts) await add(factLine(fact));
          facts += page.facts.length;
          for (const seq of page.seqs) seqs.push(seq);
        }
        // The index must not forget, when the power fails, what the library is about to know.
        if (!(await leases.renew(lease, leaseTtlMs, { toDisk: true }))) throw new LeaseLost(lease.name);
        // Another index may have taken the library over while this process was frozen.
        await library.requireWriter();
        return everyRow ? { ids: changes.ids } : {};
      });
      written = { ordinal, set: name };
    },
    { everyRow },
  );
  if (outcome === 'overtaken') return undefined;
  // The notes go only after the files are safe. A crash in between writes the same facts once more.
  if (written) await journal.clear(lease, seqs, written);
  return { facts };
}
