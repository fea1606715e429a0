// What the rest of the store needs to know of collections.
import { type RawBuilder, sql } from 'kysely';
import { Invalid } from '../../errors.ts';
import type { Database } from '../database.ts';
import type { OwnedRows } from './owned-rows.ts';

/** It stays until the transaction ends. One of somebody else is answered for as if it were not there. */
export async function requireCollection(
  db: Database,
  rows: Pick<OwnedRows, 'select'>,
  id: number,
  field = 'collectionId',
): Promise<void> {
  const found = await rows
    .select('collections')
    .select('id')
    .where('id', '=', id)
    .$if(db.engine === 'postgres', (query) => query.forShare())
    .executeTakeFirst();
  if (!found) throw new Invalid(`${field}: there is no such collection`);
}

/** To stand after WITH RECURSIVE: a collection and all below it. */
export function tree(userId: number, rootId: number): RawBuilder<unknown> {
  return sql`tree (id) AS (SELECT id FROM collections WHERE user_id = ${userId} AND id = ${rootId}
    UNION SELECT c.id FROM tree JOIN collections c ON c.parent_id = tree.id AND c.user_id = ${userId})`;
}
