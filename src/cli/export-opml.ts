import { Command } from 'commander';
import { exportOpml } from '../feeds/opml/export-opml.ts';
import { type Runtime, withStore } from './runtime.ts';
import { getUserOrOwner } from './user.ts';
import { writeOut } from './write-out.ts';

/** `lectern export opml` */
export function exportOpmlCommand(runtime: Runtime): Command {
  return new Command('opml')
    .description('Write your feeds and groups as OPML, which every reader can import.')
    .option('--user <name>', 'whose feeds (default: the owner)')
    .option('-o, --output <file>', 'where to (default: standard output)')
    .action(async ({ user, output }: { user?: string; output?: string }) => {
      const file = await withStore(runtime, async ({ store }) => {
        const { id } = await getUserOrOwner(store, user);
        return exportOpml(store.forUser(id), runtime);
      });
      await writeOut(runtime, output, [file]);
    });
}
