// Which documents must be indexed anew. Whoever changes a document's title, text or date, or what it is filtered by, notes it
// in the same transaction; whoever only marks it read does not.
import { type RawBuilder, sql } from 'kysely';
import type { Writer } from '../database.ts';
import { letOthersIn } from '../let-others-in.ts';

/** Rows in one statement: PostgreSQL takes 65,535 parameters, and a statement should stay short. */
const perStatement = 500;

/** Also for documents that were deleted: the indexer finds them gone, and takes them out. */
export async function notePending(trx: Writer, kind: string, refIds: readonly number[]): Promise<void> {
  // In one order, so that two transactions that note the same documents cannot wait for each other.
  const ids = [...new Set(refIds)].sort((a, b) => a - b);
  for await (const some of portions(ids)) {
    await trx
      .insertInto('search_pending')
      .values(some.map((ref_id) => ({ kind, ref_id, version: 1 })))
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

/** Items whose tags, status or highlights changed: their bookmarks are found by those, too. */
export async function noteItemFacts(trx: Writer, itemIds: readonly number[]): Promise<void> {
  await notePending(trx, 'item', itemIds);
  for await (const some of portions(itemIds))
    await notePendingOf(
      trx,
      'bookmark',
      sql`SELECT b.id FROM items i JOIN bookmarks b ON b.user_id = i.user_id AND b.item_id = i.id
        WHERE i.id IN (${sql.join(some)}) ORDER BY b.id`,
    );
}

/**
 * Highlights that came, changed or went, and the items that are highlighted by them, or are no longer. `noted`: the items that this
 * transaction has noted; once is enough, since others see all of it at the same moment.
 */
export async function noteAnnotations(
  trx: Writer,
  ids: readonly number[],
  noted = new Set<number>(),
): Promise<void> {
  await notePending(trx, 'annotation', ids);
  for await (const some of portions(ids)) {
    const { rows } = await sql<{ id: number }>`
      SELECT DISTINCT r.item_id AS id FROM annotations a JOIN resources r ON r.id = a.resource_id
      WHERE a.id IN (${sql.join(some)}) AND r.item_id IS NOT NULL AND r.deleted_at IS NULL`.execute(trx);
    const items = rows.map(({ id }) => id).filter((id) => !noted.has(id));
    for (const id of items) noted.add(id);
    await noteItemFacts(trx, items);
  }
}

/** Stars that came or went: the entry and the item are bookmarked by them, or are no longer. */
export async function noteStars(
  trx: Writer,
  stars: readonly { id: number; entry_id: number | null; item_id: number }[],
): Promise<void> {
  await notePending(
    trx,
    'bookmark',
    stars.map(({ id }) => id),
  );
  await notePending(
    trx,
    'entry',
    stars.flatMap(({ entry_id }) => entry_id ?? []),
  );
  await notePending(
    trx,
    'item',
    stars.map(({ item_id }) => item_id),
  );
}

/** Yields to the event loop between two of them. */
async function* portions(ids: readonly number[]): AsyncGenerator<readonly number[]> {
  for (let n = 0; n < ids.length; n += perStatement) {
    if (n > 0) await letOthersIn();
    yield ids.slice(n, n + perStatement);
  }
}
