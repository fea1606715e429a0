import { Command } from 'commander';
import { importOpml, type OpmlImported } from '../feeds/opml/import-opml.ts';
import { opmlLimits } from '../feeds/opml/limits.ts';
import { parseOpml } from '../feeds/opml/parse-opml.ts';
import { progressBar } from './progress.ts';
import { readWhole } from './read-whole.ts';
import { type Runtime, withStore } from './runtime.ts';
import { printRows } from './table.ts';
import { getUserOrOwner } from './user.ts';

/** `lectern import opml` */
export function importOpmlCommand(runtime: Runtime): Command {
  return new Command('opml')
    .description(
      'Follow the feeds of an OPML file. What is there already stays as it is; the same file again brings only what is missing.',
    )
    .argument('<file>', 'the file that another reader has exported')
    .option('--user <name>', 'whose feeds they become (default: the owner)')
    .option('--dry-run', 'say what would be done, and change nothing')
    .option('--json', 'print {created, existing, failed, groups_created, errors, warnings}')
    .action(async (path: string, options: { user?: string; dryRun?: boolean; json?: boolean }) => {
      const { dryRun = false, json = false } = options;
      const bytes = await readWhole(path, opmlLimits.fileBytes);
      const bar = progressBar(runtime, 'Importing');
      const done = await withStore(runtime, async ({ store }) => {
        const user = await getUserOrOwner(store, options.user);
        const rows = store.forUser(user.id);
        return importOpml(rows, parseOpml({ bytes }), { dryRun, onProgress: bar.update }).finally(() =>
          bar.end(),
        );
      });
      if (json) runtime.stdout.write(`${JSON.stringify(toJson(done), null, 2)}\n`);
      else printDone(runtime, done, dryRun);
    });
}

function printDone(runtime: Runtime, done: OpmlImported, dryRun: boolean): void {
  const { created, existing, failed, groupsCreated } = done;
  const counts = [
    [dryRun ? 'feeds to be followed' : 'feeds followed', created],
    ['feeds that were there', existing],
    [dryRun ? 'groups to be added' : 'groups added', groupsCreated],
    ['feeds that cannot be followed', failed],
  ] as const;
  const rows = counts.map(([what, count]) => ({ what, count }));
  printRows(runtime, rows, { empty: '' });
  const problems = done.errors.map(({ link, error }) => ({ link, problem: error }));
  if (problems.length > 0) {
    runtime.stdout.write('\n');
    printRows(runtime, problems, { empty: '' });
  }
  if (failed > problems.length) runtime.stdout.write(`and ${failed - problems.length} more\n`);
  if (done.warnings.length > 0) {
    runtime.stdout.write('\n');
    printRows(
      runtime,
      done.warnings.map((warning) => ({ warning })),
      { empty: '' },
    );
  }
  if (dryRun) runtime.stdout.write('\nNothing was changed.\n');
  else if (created > 0) runtime.stdout.write('\nA running Lectern fetches the new feeds within minutes.\n');
}

function toJson({ created, existing, failed, groupsCreated, errors, warnings }: OpmlImported) {
  return { created, existing, failed, groups_created: groupsCreated, errors, warnings };
}
