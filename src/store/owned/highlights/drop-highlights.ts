// Highlights that a person deletes. They stay as replicas.
import type { Millis } from '../../../model/glossary.ts';
import { type HighlightKind, highlightKinds } from '../../../model/highlight.ts';
import type { Database, Writer } from '../../database.ts';
import { idList } from '../../id-list.ts';
import { letOthersIn } from '../../let-others-in.ts';
import { noteAnnotations, notePending } from '../../search/pending.ts';
import { liveRows, parents } from './live-rows.ts';

interface DropDeps {
  readonly db: Database;
  readonly trx: Writer;
  readonly userId: number;
  readonly at: Millis;
}

const droppedAtOnce = 1_000;

/** With all that is part of them. */
export async function dropHighlights(
  deps: DropDeps,
  kind: HighlightKind,
  ids: readonly number[],
): Promise<void> {
  const { db, trx, userId, at } = deps;
  if (ids.length === 0) return;
  for (const child of highlightKinds) {
    const parent = parents[child];
    if (parent?.kind !== kind) continue;
    const parts = () =>
      liveRows(trx, userId)
        .select(child as 'annotations')
        .select('id')
        .where(parent.column as 'resource_id', 'in', idList(db, ids) as never)
        .limit(droppedAtOnce)
        .execute();
    for (let some = await parts(); some.length > 0; some = await parts()) {
      await dropHighlights(
        deps,
        child,
        some.map((part) => part.id),
      );
      await letOthersIn();
    }
  }
  await liveRows(trx, userId)
    .update(kind as 'annotations')
    .set({ deleted_at: at, deleted_by: 'person', updated_at: at })
    .where('id', 'in', idList(db, ids) as never)
    .execute();
  if (kind === 'annotations') await noteAnnotations(trx, ids);
  if (kind === 'notes') await notePending(trx, 'note', ids);
}
