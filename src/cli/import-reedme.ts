import { resolve } from 'node:path';
import { Command } from 'commander';
import { StartupError } from '../errors.ts';
import { importReedme } from '../feeds/reedme/import-reedme.ts';
import { type ImportReport, importedTables } from '../feeds/reedme/report.ts';
import type { User } from '../model/user.ts';
import { openSnapshot } from '../store/legacy/snapshot.ts';
import type { Store } from '../store/store.ts';
import { progressBar } from './progress.ts';
import { type Runtime, withStore } from './runtime.ts';
import { printRows } from './table.ts';
import { getUser } from './user.ts';

interface Options {
  readonly user?: string;
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

export function importReedmeCommand(runtime: Runtime): Command {
  return new Command('reedme')
    .description(
      'Bring in the groups, feeds, items and bookmarks of a ReedMe or Fusion database, of any version. The file is left as it is. Lectern may be running; what is here already stays, and a second import adds nothing twice.',
    )
    .argument('<file>', 'the SQLite file')
    .option('--user <name>', 'whose they become; by default the owner')
    .option('--dry-run', 'only say what would be brought in')
    .option('--json', 'print the summary as JSON')
    .action((file: string, options: Options) => run(runtime, resolve(file), options));
}

async function run(
  runtime: Runtime,
  file: string,
  { user, dryRun = false, json = false }: Options,
): Promise<void> {
  const { config } = runtime.readConfig();
  // Before the index is opened: the file may turn out to be just that.
  const { source, close } = await openSnapshot(file, { folder: config.home, now: runtime.now() });
  const bar = progressBar(runtime, 'Importing');
  try {
    const report = await withStore(runtime, async ({ store }) => {
      const { id } = await userOf(store, user);
      const deps = {
        imports: store.forUser(id).imports,
        now: runtime.now,
        pull: config.pull,
        onProgress: (done: number, total: number) => bar.update(done, total),
      };
      return importReedme(deps, source, { dryRun, isFirst: false }).finally(() => bar.end());
    });
    print(runtime, report, { dryRun, json });
  } finally {
    await close();
  }
}

async function userOf(store: Store, name: string | undefined): Promise<User> {
  const user = name === undefined ? await store.users.findOwner() : await getUser(store, name);
  if (!user) throw new StartupError('There is no user yet. Add the first with: lectern user add NAME');
  return user;
}

function print(runtime: Runtime, report: ImportReport, { dryRun, json }: Options): void {
  if (json) {
    runtime.stdout.write(`${JSON.stringify({ dry_run: dryRun, ...report }, null, 2)}\n`);
    return;
  }
  const rows = importedTables.map((name) => {
    const { imported, present, folded, skipped } = report[name];
    const left = Object.values(skipped).reduce((sum, n) => sum + n, 0);
    return { what: name, imported, present, folded, skipped: left };
  });
  printRows(runtime, rows, { empty: '' });
  for (const name of importedTables) {
    const { renumbered, skipped } = report[name];
    if (renumbered > 0)
      runtime.stdout.write(
        `${name}: ${renumbered} with a new id, since theirs belongs to something else here\n`,
      );
    for (const [reason, n] of Object.entries(skipped))
      runtime.stdout.write(`${name}: ${n} skipped, ${reason}\n`);
  }
  if (dryRun) runtime.stdout.write('Nothing was written: this was a dry run.\n');
}
