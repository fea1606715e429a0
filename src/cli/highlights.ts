import { Command } from 'commander';
import { Invalid } from '../errors.ts';
import { highlightKinds } from '../model/highlight.ts';
import { type Runtime, withStore } from './runtime.ts';
import { printRows } from './table.ts';
import { getUser } from './user.ts';

const dayMs = 24 * 60 * 60 * 1000;

export function highlightsCommand(runtime: Runtime): Command {
  const command = new Command('highlights').description('Look after highlights.');

  command
    .command('purge')
    .description(
      'Let go of replicas for good: highlights that were deleted so many days ago. Nothing does this by itself, and nothing brings them back. What you deleted yourself of an import stays, so that the next import does not bring it back.',
    )
    .requiredOption('--older-than <days>', 'only what was deleted at least so many days ago')
    .option('--user <name>', 'only those of this user (default: of all)')
    .option('--dry-run', 'say how many there are, and let go of none')
    .option('--json', 'print the counts as JSON')
    .action(async (options: { olderThan: string; user?: string; dryRun?: boolean; json?: boolean }) => {
      const { dryRun = false, json } = options;
      const before = runtime.now() - parseDays(options.olderThan) * dayMs;
      const purged = await withStore(runtime, async ({ store }) => {
        const users =
          options.user === undefined ? await store.users.list() : [await getUser(store, options.user)];
        const total = { resources: 0, annotations: 0, comments: 0, notes: 0 };
        for (const { id } of users) {
          const counts = await store.forUser(id).replicas.purge(before, { dryRun });
          for (const kind of highlightKinds) total[kind] += counts[kind];
        }
        return total;
      });
      if (json) runtime.stdout.write(`${JSON.stringify(purged, null, 2)}\n`);
      else
        printRows(
          runtime,
          highlightKinds.map((what) => ({ what, [dryRun ? 'to be let go' : 'let go']: purged[what] })),
          { empty: '' },
        );
    });

  return command;
}

function parseDays(text: string): number {
  if (!/^\d{1,6}$/.test(text)) throw new Invalid('--older-than: expected a number of days, such as 90');
  return Number(text);
}
