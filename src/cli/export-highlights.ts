import { Command, Option } from 'commander';
import { type ExportFormat, exportFormats, exportHighlights } from '../highlights/export-highlights.ts';
import { type Runtime, withStore } from './runtime.ts';
import { getUserOrOwner } from './user.ts';
import { writeOut } from './write-out.ts';

/** `lectern export highlights` */
export function exportHighlightsCommand(runtime: Runtime): Command {
  return new Command('highlights')
    .description('Write your highlights, with what you said about them, for people or for other programs.')
    .addOption(
      new Option('--format <format>', 'what to write')
        .choices(Object.keys(exportFormats))
        .default('markdown'),
    )
    .option('--user <name>', 'whose highlights (default: the owner)')
    .option('-o, --output <file>', 'where to (default: standard output)')
    .action(async ({ format, user, output }: { format: ExportFormat; user?: string; output?: string }) => {
      await withStore(runtime, async ({ store }) => {
        const { id } = await getUserOrOwner(store, user);
        await writeOut(runtime, output, exportHighlights(store.forUser(id), format));
      });
    });
}
