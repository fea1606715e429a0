// Which documents must be indexed anew. Whoever changes a document's title, text or date notes it in the same
// transaction; whoever only marks it read does not.
import { type RawBuilder, sql } from 'kysely';
import type { Writer } from '../database.ts';

/** Rows in one statement: PostgreSQL takes 65,535 parameters, and a statement should stay short. */
const perStatement = 500;

/** Also for documents that were deleted: the indexer finds them gone, and takes them out. */
export async function notePending(trx: Writer, kind: string, refIds: readonly number[]): Promise<void> {
  // In one order, so that two transactions that note the same documents cannot wait for each other.
  const ids = [...new Set(refIds)].sort((a, b) => a - b);
  for (let n = 0; n < ids.length; n += perStatement) {
    await trx
      .insertInto('search_pending')
      .values(ids.slice(n, n + perStatement).map((ref_id) => ({ kind, ref_id, version: 1 })))
      .onConflict((conflict) =>
        conflict
          .columns(['kind', 'ref_id'])
          .doUpdateSet((e) => ({ version: e('search_pending.version', '+', 1) })),
      )
      .execute();
  }
}

/** All that a statement selects, however many they are; in rising order, too. */
export async function notePendingOf(trx: Writer, kind: string, select: RawBuilder<unknown>): Promise<void> {
  await sql`INSERT INTO search_pending (kind, ref_id, version)
    SELECT ${kind}, ids.*, 1 FROM (${select}) AS ids WHERE true
    ON CONFLICT (kind, ref_id) DO UPDATE SET version = search_pending.version + 1`.execute(trx);
}
