import { resolve } from 'node:path';
import { Command } from 'commander';
import { counters } from '../highlights/light.ts';
import { syncResearch } from '../highlights/research.ts';
import { highlightKinds, type SyncCounts } from '../model/highlight.ts';
import { type Runtime, withStore } from './runtime.ts';
import { printRows } from './table.ts';
import { getUserOrOwner } from './user.ts';

export function syncCommand(runtime: Runtime): Command {
  const command = new Command('sync').description(
    'Bring highlights in step with the program that they are made in.',
  );

  command
    .command('research')
    .description(
      'Read the database of Research, whole and without changing it, and bring what is here in step. What was deleted there stays here as a replica; a file that cannot be read in full changes nothing.',
    )
    .option('--db <file>', 'the database (default: the one that was set in the web app)')
    .option('--dry-run', 'say what would be done, and change nothing')
    .option('--json', 'print the sixteen counters as JSON')
    .action(
      async ({ db, dryRun = false, json = false }: { db?: string; dryRun?: boolean; json?: boolean }) => {
        const outcome = await withStore(runtime, async ({ config, store, flusher }) => {
          // As in the API, a large import waits for the library. No server may be running that would catch up.
          if (!dryRun) {
            await flusher.flushAll();
            await store.journal.requireRoom();
          }
          const { id } = await getUserOrOwner(store, undefined);
          return syncResearch(store.forUser(id), config, { dbPath: db && resolve(db), dryRun });
        });
        if (json) runtime.stdout.write(`${JSON.stringify(counters(outcome, highlightKinds), null, 2)}\n`);
        else printSync(runtime, outcome.counts, { dryRun });
      },
    );

  return command;
}

export function printSync(runtime: Runtime, counts: SyncCounts, { dryRun }: { dryRun: boolean }): void {
  const rows = highlightKinds.map((what) => ({ what, ...counts[what] }));
  printRows(runtime, rows, { empty: '' });
  if (dryRun) runtime.stdout.write('\nNothing was changed.\n');
}
