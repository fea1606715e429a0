// Brings the groups, feeds, items and bookmarks of a ReedMe or Fusion database into the rows of one user. It can be
// interrupted and run again: what is there is left alone, and nothing is added twice.
import type { ImportOptions } from '../../store/legacy/import-store.ts';
import { highestKeptId } from '../../store/legacy/reserve-ids.ts';
import type { Source } from '../../store/legacy/source.ts';
import { bringBookmarks } from './bring-bookmarks.ts';
import { bringEntries, letAliasesGo } from './bring-entries.ts';
import { bringFeeds, bringGroups } from './bring-feeds.ts';
import type { ImportDeps } from './import-run.ts';
import { heldUntil, nextCheckOf } from './plan-feeds.ts';
import { emptyReport, type ImportReport } from './report.ts';

export async function importReedme(
  deps: ImportDeps,
  source: Source,
  options: ImportOptions,
): Promise<ImportReport> {
  const highest = {
    groups: source.highestId('groups', highestKeptId),
    feeds: source.highestId('feeds', highestKeptId),
    entries: source.highestId('items', highestKeptId),
    bookmarks: source.kind === 'legacy' ? 0 : source.highestId('bookmarks', highestKeptId),
  };
  const into = await deps.imports.begin(highest, options);
  const run = { deps, source, into, report: emptyReport(), now: deps.now(), dryRun: options.dryRun };
  const { homeOf, homes, total } = await bringFeeds(run, await bringGroups(run));
  const stars = await bringEntries(run, homeOf, total);
  await bringBookmarks(run, homeOf, stars);
  await letAliasesGo(run);
  const end = deps.now();
  await into.finishFeeds(
    homes
      .filter(({ isNew }) => isNew)
      .map((home) => ({
        id: home.rowId,
        heldUntil: heldUntil(home, deps.pull, run.now),
        nextCheckAt: nextCheckOf(home, deps.pull, end),
      })),
  );
  return run.report;
}
