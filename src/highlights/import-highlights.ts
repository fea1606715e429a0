// Highlights from the file of another program. It brings what is new and changed; it says nothing of what is not in it, and
// does not bring back what a person has deleted here.
import type { UserRows } from '../store/store.ts';
import type { ImportKind } from './import/import-kinds.ts';
import type { Imported, Skipped } from './import/imported.ts';
import { reconcile, type SentSnapshot, type SyncOutcome } from './reconcile.ts';

export interface HighlightsImported {
  readonly outcome: SyncOutcome;
  readonly skipped: readonly Skipped[];
}

export async function importHighlights(
  rows: Pick<UserRows, 'syncs'>,
  kind: ImportKind,
  { snapshot, skipped }: Pick<Imported, 'skipped'> & { readonly snapshot: SentSnapshot },
  { dryRun }: { dryRun: boolean },
): Promise<HighlightsImported> {
  const outcome = await reconcile(rows, {
    source: kind,
    kind,
    snapshot,
    extent: 'some',
    onMove: 'update',
    dryRun,
  });
  return { outcome, skipped };
}
