import { Command } from 'commander';
import { StartupError, TemporaryFailure } from '../errors.ts';
import { restoreFiles } from '../items/restore-files.ts';
import { checkLibrary } from '../library/check.ts';
import { compactJournal } from '../library/journal/fold.ts';
import { damageSentence } from '../library/journal/segment.ts';
import { repairJournal } from '../library/repair.ts';
import { libraryStats } from '../library/stats.ts';
import { checkLibraryManifests, repairLibraryManifests } from '../mirror/node/check-manifests.ts';
import { printRestoredFiles } from './restored-files.ts';
import { isLibraryGone, type Runtime, renewLibrary, restoreLibraryIdentity, withStore } from './runtime.ts';
import { printRows } from './table.ts';

export function libraryCommand(runtime: Runtime): Command {
  const command = new Command('library').description('Check, repair, compact and measure the library.');

  command
    .command('check')
    .description('Verify every segment and file of the library. Exits with 1 if one is missing or damaged.')
    .option('--read-data', 'also read every file and compare it with the hash that its row has')
    .option('--json', 'print the report as JSON')
    .action(async ({ readData = false, json }: { readData?: boolean; json?: boolean }) => {
      const report = await withStore(runtime, async ({ library: { files }, store }) => {
        const lastSet = await store.journal.findLastSet();
        const checked = await checkLibrary(files, store.durableRows, { readData, lastSet });
        const manifests = await checkLibraryManifests({ files, store }, { readData });
        return { ...checked, problems: [...checked.problems, ...manifests] };
      });
      const { segments, kept, files, problems, orphans } = report;
      if (json) {
        runtime.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
      } else {
        for (const { key, what } of problems) runtime.stdout.write(`${key}: ${what}\n`);
        for (const line of describeOrphans(orphans)) runtime.stdout.write(`${line}\n`);
        if (problems.length === 0) {
          runtime.stdout.write(
            `The library is whole: ${segments} segments, ${files} files, ${orphans.length} orphans. ` +
              `${kept} merged segments are kept for a day.\n`,
          );
        }
      }
      if (problems.length > 0) {
        const what = problems.length === 1 ? '1 problem' : `${problems.length} problems`;
        throw new StartupError(
          `The library has ${what}. Run "lectern library repair": it writes rows again from the index, and fetches pages again.`,
        );
      }
    });

  command
    .command('compact')
    .description('Merge all segments of the journal, without rows that were changed or deleted later.')
    .option('--json', 'print the summary as JSON')
    .action(async ({ json }: { json?: boolean }) => {
      const done = await withStore(runtime, async ({ journal, flusher }) => {
        await flusher.flushAll();
        return compactJournal(journal, 'compact');
      });
      if (!done)
        throw new TemporaryFailure(
          'the journal is being written by a running Lectern; try again in a moment',
        );
      const { before, after, problems } = done;
      runtime.stdout.write(
        json
          ? `${JSON.stringify(done, null, 2)}\n`
          : `The journal had ${before.sets} sets of ${megabytes(before.sizeBytes)}, and has ${after.sets} of ${megabytes(after.sizeBytes)}.\n` +
              'The merged segments are deleted in a day.\n',
      );
      if (problems.length > 0) throw new StartupError(damageSentence(problems));
    });

  command
    .command('repair')
    .description(
      'Write rows of missing or damaged segments again from the index, and fetch pages whose files are missing or damaged again.',
    )
    .option('--all', 'write all rows again; also begins a new library if LECTERN_LIBRARY_URL is empty')
    .option('--json', 'print the summary as JSON')
    .action((options: { all?: boolean; json?: boolean }) => repair(runtime, options));

  command
    .command('renew', { hidden: true })
    .description('The old name of "library repair --all".')
    .action(() => repair(runtime, { all: true }));

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

async function repair(
  runtime: Runtime,
  { all = false, json = false }: { all?: boolean; json?: boolean },
): Promise<void> {
  if (all && (await isLibraryGone(runtime))) {
    const rows = await renewLibrary(runtime);
    runtime.stdout.write(
      json ? `${JSON.stringify({ rows }, null, 2)}\n` : `A new library is written: ${rows} rows.\n`,
    );
    return;
  }
  const isIdentityRestored = await restoreLibraryIdentity(runtime);
  const { problems, rows, queued, lost, manifests } = await withStore(
    runtime,
    async ({ library, store, flusher }) => {
      const { files } = library;
      const journal = await repairJournal({ files, journal: store.journal, flusher }, { all });
      const restored = await restoreFiles({ store, files }, { readData: true });
      const manifests = await repairLibraryManifests({ store, files }, runtime.randomText(12));
      return {
        ...journal,
        ...restored,
        manifests: manifests.repaired,
        lost: [...restored.lost, ...manifests.lost],
      };
    },
  );
  if (json) {
    const fetchedAgain = queued.map(({ itemId, url }) => ({ item_id: itemId, url }));
    const report = {
      problems,
      rows: rows ?? 0,
      fetched_again: fetchedAgain,
      written_again: manifests,
      lost_files: lost,
    };
    runtime.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
  } else {
    if (isIdentityRestored) runtime.stdout.write('library.json is written again.\n');
    for (const { key, what } of problems) runtime.stdout.write(`${key}: ${what}\n`);
    runtime.stdout.write(
      rows === undefined
        ? 'The journal needs no repair.\n'
        : `The journal is written again from the index: ${rows} rows.\n`,
    );
    for (const key of manifests) runtime.stdout.write(`${key} is written again.\n`);
    printRestoredFiles(runtime, { queued, lost });
  }
  if (lost.length > 0)
    throw new StartupError(`${lost.length} files could not be restored. Restore them from a backup.`);
}

function megabytes(bytes: number): string {
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}

const maxOrphansListed = 5;

/** There can be tens of thousands, such as after a backup was restored. --json lists all of them. */
function describeOrphans(orphans: readonly string[]): string[] {
  const listed = orphans.slice(0, maxOrphansListed).map((key) => `${key}: no row refers to it`);
  const others = orphans.length - listed.length;
  return others > 0 ? [...listed, `No row refers to ${others} other files. "--json" lists them.`] : listed;
}
