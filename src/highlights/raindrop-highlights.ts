// The highlights that were made at Raindrop. The mirror has all of them at any time, so what is not among them is gone there.
import type { Snapshot, SourceAnnotation, SourceComment, SourceResource } from '../model/highlight.ts';
import type { HighlightedRaindrop } from '../model/raindrop.ts';
import type { UserRows } from '../store/store.ts';
import { reconcile, type SyncOutcome } from './reconcile.ts';

export async function syncRaindropHighlights(
  rows: Pick<UserRows, 'syncs' | 'raindrops'>,
): Promise<SyncOutcome> {
  return reconcile(rows, {
    source: 'raindrop',
    kind: 'raindrop',
    snapshot: snapshotOf(await rows.raindrops.highlighted()),
    extent: 'all',
    onMove: 'update',
    kinds: ['annotations', 'comments'],
    dryRun: false,
  });
}

interface Highlight {
  readonly id: string;
  readonly text: string;
  readonly note: string;
  readonly color: string | null;
  readonly createdAt: string | null;
}

function snapshotOf(raindrops: readonly HighlightedRaindrop[]): Snapshot {
  const resources = new Map<string, SourceResource>();
  const annotations: SourceAnnotation[] = [];
  const comments: SourceComment[] = [];
  for (const { link, title, highlights } of raindrops) {
    // Two raindrops may be of one page.
    resources.set(link, { originalId: link, type: 'website', title, url: link });
    for (const { id, text, note, color, createdAt } of JSON.parse(highlights) as Highlight[]) {
      const madeAt = createdAt === null ? null : Date.parse(createdAt);
      annotations.push({ originalId: id, resource: link, text, color, boundary: null, madeAt });
      if (note !== '') comments.push({ originalId: id, annotation: id, content: note, madeAt });
    }
  }
  return { resources: [...resources.values()], annotations, comments, notes: [] };
}
