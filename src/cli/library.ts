import { Command } from 'commander';
import { StartupError, Unavailable } from '../errors.ts';
import { checkLibrary } from '../library/check.ts';
import { compactJournal } from '../library/journal/fold.ts';
import { libraryStats } from '../library/stats.ts';
import { type Runtime, renewLibrary, withStore } from './runtime.ts';
import { printRows } from './table.ts';

export function libraryCommand(runtime: Runtime): Command {
  const command = new Command('library').description('Check, compact and measure the library.');

  command
    .command('check')
    .description('Look whether the library is whole. Exits with 1 when it is not.')
    .option('--read-data', 'also read every file and compare it with the hash that its row has')
    .option('--json', 'print the report as JSON')
    .action(async ({ readData = false, json }: { readData?: boolean; json?: boolean }) => {
      const report = await withStore(runtime, async ({ library, store }) =>
        checkLibrary(library.files, (table) => store.durableRows(table), {
          readData,
          lastSet: await store.journal.findLastSet(),
        }),
      );
      const { segments, files, problems, orphans } = report;
      if (json) {
        runtime.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
      } else {
        for (const { key, what } of problems) runtime.stdout.write(`${key}: ${what}\n`);
        for (const key of orphans) runtime.stdout.write(`${key}: nothing names it\n`);
        if (problems.length === 0) {
          runtime.stdout.write(
            `The library is whole: ${segments} segments, ${files} files, ${orphans.length} orphans.\n`,
          );
        }
      }
      if (problems.length > 0) {
        const what = problems.length === 1 ? '1 problem' : `${problems.length} problems`;
        throw new StartupError(
          `The library has ${what}. Restore these files from a backup; the index still has its rows.`,
        );
      }
    });

  command
    .command('compact')
    .description(
      'Leave out of the journal what later facts have overtaken. Also removes what a crash has left.',
    )
    .option('--json', 'print the summary as JSON')
    .action(async ({ json }: { json?: boolean }) => {
      const done = await withStore(runtime, async ({ journal, flusher }) => {
        await flusher.flushAll();
        return compactJournal(journal, 'compact');
      });
      if (!done)
        throw new Unavailable('the journal is being written by a running Lectern; try again in a moment');
      const { before, after } = done;
      runtime.stdout.write(
        json
          ? `${JSON.stringify(done, null, 2)}\n`
          : `The journal had ${before.sets} sets of ${megabytes(before.sizeBytes)}, and has ${after.sets} of ${megabytes(after.sizeBytes)}.\n`,
      );
    });

  command
    .command('renew')
    .description(
      'Write a new library from the index, when the old one is lost. LECTERN_LIBRARY_URL must be empty.',
    )
    .action(async () => {
      const flushed = await renewLibrary(runtime);
      runtime.stdout.write(`The library is written anew: ${flushed} rows.\n`);
    });

  command
    .command('stats')
    .description('How many files the library has, and how large they are.')
    .option('--json', 'print the figures as JSON')
    .action(async ({ json }: { json?: boolean }) => {
      const stats = await withStore(runtime, ({ library }) => libraryStats(library.files));
      const rows = stats.map(({ folder, files, sizeBytes }) =>
        json ? { folder, files, size_bytes: sizeBytes } : { folder, files, size: megabytes(sizeBytes) },
      );
      printRows(runtime, rows as Record<string, string | number>[], { json, empty: 'The library is empty.' });
    });

  return command;
}

function megabytes(bytes: number): string {
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}
