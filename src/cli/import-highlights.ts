import { Command } from 'commander';
import { type ImportKind, parseHighlights } from '../highlights/import/import-kinds.ts';
import { importLimits } from '../highlights/import/import-limits.ts';
import { importHighlights } from '../highlights/import-highlights.ts';
import { counters } from '../highlights/light.ts';
import { highlightKinds } from '../model/highlight.ts';
import { readWhole } from './read-whole.ts';
import { type Runtime, withStore } from './runtime.ts';
import { printSync } from './sync.ts';
import { printRows } from './table.ts';
import { getUserOrOwner } from './user.ts';

const files: Readonly<Record<ImportKind, string>> = {
  kindle: 'the file "My Clippings.txt" of a Kindle',
  readwise: 'the CSV that Readwise exports',
  hypothesis: 'the JSON of Hypothesis, as its API gives it or as it is exported',
  koreader: 'the JSON that KOReader exports, or a metadata file that it keeps beside a book',
};

/** `lectern import kindle|readwise|hypothesis|koreader` */
export function importHighlightsCommand(runtime: Runtime, kind: ImportKind): Command {
  return new Command(kind)
    .description(
      `Bring in highlights from ${files[kind]}. The same file again brings only what is new or changed, and nothing that you have deleted here.`,
    )
    .argument('<file>', files[kind])
    .option('--user <name>', 'whose highlights they become (default: the owner)')
    .option('--dry-run', 'say what would be done, and change nothing')
    .option('--json', 'print the counters as JSON')
    .action(async (path: string, options: { user?: string; dryRun?: boolean; json?: boolean }) => {
      const { dryRun = false, json = false } = options;
      const bytes = await readWhole(path, importLimits.fileBytes);
      const { outcome, skipped } = await withStore(runtime, async ({ store }) => {
        const { id } = await getUserOrOwner(store, options.user);
        return importHighlights(store.forUser(id), kind, parseHighlights(kind, bytes), { dryRun });
      });
      if (json) {
        const data = { ...counters(outcome, highlightKinds), left_out: outcome.leftOut, skipped };
        runtime.stdout.write(`${JSON.stringify(data, null, 2)}\n`);
        return;
      }
      printSync(runtime, outcome.counts, { dryRun });
      if (outcome.leftOut > 0)
        runtime.stdout.write(`\n${outcome.leftOut} that you have deleted here were left out.\n`);
      if (skipped.length > 0) {
        runtime.stdout.write('\n');
        printRows(
          runtime,
          skipped.map(({ place, why }) => ({ place, why })),
          { empty: '' },
        );
      }
    });
}
