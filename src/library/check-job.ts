// The check of the library as a job, for an owner who has no shell at hand.
import { z } from 'zod';
import type { Clock } from '../model/glossary.ts';
import { jobKind } from '../store/job-queue/job-kind.ts';
import type { Store } from '../store/store.ts';
import { type CheckReport, checkLibrary, type Problem } from './check.ts';
import type { Files } from './files/files.ts';

export const checkLibraryKind = jobKind({
  name: 'check-library',
  schema: z.object({}),
  timeoutMs: 3 * 3_600_000,
  maxAttempts: 1,
});

/** One at a time. */
export const checkLibraryKey = 'check-library';

const problemsKept = 100;

export interface CheckJobDeps {
  readonly files: Files;
  readonly store: Pick<Store, 'journal' | 'durableRows' | 'libraryChecks'>;
  /** Problems of files that no row refers to. */
  readonly checkOthers?: () => Promise<readonly Problem[]>;
  readonly now: Clock;
}

export async function runLibraryCheck(
  deps: CheckJobDeps,
  { signal, progress }: { signal: AbortSignal; progress: (done: number) => void },
): Promise<void> {
  const look = async (): Promise<CheckReport> => {
    const report = await checkLibrary(deps.files, deps.store.durableRows, {
      readData: false,
      lastSet: await deps.store.journal.findLastSet(),
      onFile: (done) => {
        signal.throwIfAborted();
        progress(done);
      },
    });
    return { ...report, problems: [...report.problems, ...((await deps.checkOthers?.()) ?? [])] };
  };
  let report = await look();
  // The journal is written meanwhile, and what was folded between two looks at it seems lost. What is, is so twice.
  if (report.problems.length > 0) {
    const before = new Set(report.problems.map(({ key }) => key));
    const again = await look();
    report = { ...again, problems: again.problems.filter(({ key }) => before.has(key)) };
  }
  await deps.store.libraryChecks.keep({
    at: deps.now(),
    objects: report.segments + report.files,
    problemCount: report.problems.length,
    problems: report.problems.slice(0, problemsKept),
  });
}
