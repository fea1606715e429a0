// Pages that something is highlighted on, as a sync brings them and as a person takes them back.
import { reconcile } from '../../src/highlights/reconcile.ts';
import type { Snapshot } from '../../src/model/highlight.ts';
import type { UserRows } from '../../src/store/store.ts';

export const nothing: Snapshot = { resources: [], annotations: [], comments: [], notes: [] };

/** As a source has it that has nothing else: called again, it is the same, or has moved. */
export async function highlightPage(
  rows: UserRows,
  { source, url, title = '' }: { source: string; url: string; title?: string },
): Promise<{ id: number; itemId: number; resourceId: number }> {
  const annotation = {
    originalId: '1',
    resource: url,
    text: 'a passage',
    color: null,
    boundary: null,
    madeAt: 1,
  };
  await reconcile(rows, {
    source,
    kind: 'light',
    snapshot: {
      ...nothing,
      resources: [{ originalId: url, type: 'website', title, url }],
      annotations: [annotation],
    },
    extent: 'all',
    onMove: 'recreate',
    dryRun: false,
  });
  const [made] = await rows.highlights.list('annotations', { source, limit: 1 });
  if (!made) throw new Error('nothing was highlighted');
  const { itemId } = await rows.highlights.get('resources', made.resourceId);
  return { id: made.id, itemId: itemId as number, resourceId: made.resourceId };
}

/** By a person. One that is not there is fine. */
export async function removeHighlight(rows: UserRows, source: string): Promise<void> {
  const [made] = await rows.highlights.list('annotations', { source, limit: 1 });
  if (made) await rows.highlights.delete('annotations', made.id);
}
