// Writes the journal again from the index, when segments are missing or damaged.
import type { JournalStore } from '../store/journal-store.ts';
import { checkJournal } from './check.ts';
import type { Files } from './files/files.ts';
import type { Flusher } from './journal/flusher.ts';
import type { Problem } from './journal/segment.ts';
import { setAside } from './set-aside.ts';

export interface RepairedJournal {
  /** Segments that were missing or damaged. The damaged ones are in `set-aside/` now. */
  readonly problems: readonly Problem[];
  /** How many rows were written; undefined when the journal needed no repair. */
  readonly rows: number | undefined;
}

/** With `all`, the journal is written again even if nothing is wrong with it. */
export async function repairJournal(
  deps: {
    readonly files: Files;
    readonly journal: Pick<JournalStore, 'findLastSet'>;
    readonly flusher: Pick<Flusher, 'writeEveryRow'>;
  },
  { all }: { all: boolean },
): Promise<RepairedJournal> {
  const { files, journal, flusher } = deps;
  const { problems } = await checkJournal(files, { lastSet: await journal.findLastSet() });
  if (problems.length === 0 && !all) return { problems, rows: undefined };
  const rows = await flusher.writeEveryRow();
  // Only after the new set counts: until then a damaged segment is all that is left of its rows in the library.
  await setAside(
    files,
    problems.map(({ key }) => key),
  );
  return { problems, rows };
}
