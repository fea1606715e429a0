// The flusher of a running process: flushes when a flush is due, and merges segments once a night.
import { setTimeout as pause } from 'node:timers/promises';
import { LeaseLost, TemporaryFailure } from '../../errors.ts';
import type { Millis } from '../../model/glossary.ts';
import { type FlushDeps, type FlushOptions, flushJournal, leaseTtlMs } from './flush.ts';
import { flushRules, isFlushDue } from './flush-rules.ts';
import { foldJournal } from './fold.ts';
import { damageSentence } from './segment.ts';

export interface Flusher {
  /** Goes on under sustained load while `mayRepeat` is true. Throws LeaseLost when the lease is lost twice in a row. */
  flushIfDue(mayRepeat?: () => boolean): Promise<void>;
  /** Writes all changes that are pending now. Waits while another process writes them. */
  flushAll(): Promise<void>;
  /** Writes every durable row as one set, which takes the place of the whole journal. Returns the number of rows. */
  writeEveryRow(): Promise<number>;
  /** Merges segments once a night. `confirmedAt` is the time of a confirmed clock: without it, nothing is deleted. */
  foldIfNight(confirmedAt: Millis | undefined): Promise<void>;
}

/** Merging reads and writes a day's files. Few people use Lectern at this hour. */
const foldAtHourUtc = 3;

export function createFlusher(deps: FlushDeps, holder: string): Flusher {
  const rules = flushRules[deps.library.files.kind];
  let lastFold: string | undefined;
  let lossesInARow = 0;

  /** Waits while another process holds the journal's lease. */
  const flushUnderLease = async (options: FlushOptions, isNeeded = async () => true): Promise<number> => {
    const giveUpAt = performance.now() + 2 * leaseTtlMs;
    while (await isNeeded()) {
      const flushed = await flushJournal(deps, holder, options).catch(unlessLost);
      if (flushed) return flushed.facts;
      if (performance.now() > giveUpAt) {
        throw new TemporaryFailure(
          'another process holds the journal and does not write it; nothing is lost, the next start writes it',
        );
      }
      await pause(100);
    }
    return 0;
  };

  return {
    async flushIfDue(mayRepeat) {
      if (!isFlushDue(rules, await deps.journal.lag(rules.maxNotes))) return;
      try {
        if (await flushJournal(deps, holder, { mayRepeat })) lossesInARow = 0;
      } catch (error) {
        unlessLost(error);
        // One loss is a process that was frozen for a while. With several, this process never completes a flush.
        lossesInARow += 1;
        if (lossesInARow > 1) throw error;
      }
    },

    async flushAll() {
      // Under load another process writes these changes and keeps the lease for later ones.
      const last = await deps.journal.lastPending();
      if (last !== undefined) await flushUnderLease({}, () => deps.journal.isPending(last));
    },

    writeEveryRow: () => flushUnderLease({ everyRow: true }),

    async foldIfNight(confirmedAt) {
      const at = new Date(deps.now());
      // A fold before the first confirmed time deletes nothing, so the same day is folded again after it.
      const fold = `${at.toISOString().slice(0, 10)} ${confirmedAt === undefined ? '' : 'and delete'}`;
      if (at.getUTCHours() < foldAtHourUtc || lastFold === fold) return;
      const folded = await foldJournal(deps, holder, confirmedAt);
      if (!folded) return;
      lastFold = fold;
      if (folded.problems.length > 0) throw new TemporaryFailure(damageSentence(folded.problems));
    },
  };
}

/** The process that has taken the lease writes the changes. */
function unlessLost(error: unknown): undefined {
  if (!(error instanceof LeaseLost)) throw error;
}
