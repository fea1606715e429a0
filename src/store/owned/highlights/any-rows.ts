// Highlights whether they were deleted or not. For replicas.ts and restore-replica.ts alone: a test sees to it.
import { NotFound } from '../../../errors.ts';
import type { HighlightKind } from '../../../model/highlight.ts';
import type { Reader, Writer } from '../../database.ts';
import type { Row } from '../../tables.ts';
import { rowsOf } from '../owned-rows.ts';
import { names } from './live-rows.ts';

export function anyRows(reader: Reader | Writer, userId: number, kind: HighlightKind) {
  return rowsOf(reader, userId).select(kind as 'annotations');
}

export async function getAnyRow(
  reader: Reader | Writer,
  userId: number,
  kind: HighlightKind,
  id: number,
): Promise<Row<'annotations'>> {
  const row = await anyRows(reader, userId, kind).selectAll().where('id', '=', id).executeTakeFirst();
  if (!row) throw new NotFound(names[kind]);
  return row as Row<'annotations'>;
}
