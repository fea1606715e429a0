// The one way to highlights that are there. Everything that reads or changes them goes through this module, so that no
// query can forget that a deleted row is not one; replicas.ts alone knows of deleted ones.
import type { HighlightKind } from '../../../model/highlight.ts';
import type { Reader, Writer } from '../../database.ts';
import { rowsOf } from '../owned-rows.ts';

export function liveRows(db: Reader | Writer, userId: number) {
  const rows = rowsOf(db, userId);
  return {
    // As if of one table, since Kysely cannot put a condition on a table it does not know yet; the callers' own types
    // come back with `as`.
    select: <K extends HighlightKind>(kind: K) =>
      rows
        .select(kind as 'annotations')
        .where(`${kind as 'annotations'}.deleted_at`, 'is', null) as unknown as ReturnType<
        typeof rows.select<K>
      >,
    update: <K extends HighlightKind>(kind: K) =>
      rows.update(kind as 'annotations').where('deleted_at', 'is', null) as unknown as ReturnType<
        typeof rows.update<K>
      >,
  };
}

/** What a row of each kind is part of. */
export const parents = {
  resources: null,
  annotations: { kind: 'resources', column: 'resource_id' },
  comments: { kind: 'annotations', column: 'annotation_id' },
  notes: { kind: 'resources', column: 'resource_id' },
} as const;

export const names = {
  resources: 'resource',
  annotations: 'annotation',
  comments: 'comment',
  notes: 'note',
} as const;
