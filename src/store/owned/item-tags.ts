// The tags of items. Names come as items/tag-name.ts makes them. Whoever changes tags has the items locked, and knows
// that they are the user's.
import { type RawBuilder, sql } from 'kysely';
import { Invalid } from '../../errors.ts';
import { itemLimits } from '../../model/item.ts';
import type { Database, Writer } from '../database.ts';
import { idList, textList } from '../id-list.ts';
import { noteItemFacts } from '../search/pending.ts';

/**
 * That tags found by their items and names are the user's: `+ 0` keeps SQLite from reading all tags of the user. PostgreSQL
 * would then look for a name among those of everybody.
 */
export function tagsAreOf(db: Pick<Database, 'engine'>, userId: number): RawBuilder<boolean> {
  return db.engine === 'sqlite' ? sql`user_id + 0 = ${userId}` : sql`user_id = ${userId}`;
}

/** Returns the ids of those that were changed. */
export async function addTags(
  db: Database,
  trx: Writer,
  userId: number,
  itemIds: readonly number[],
  names: readonly string[],
): Promise<number[]> {
  if (names.length === 0 || itemIds.length === 0) return [];
  const { rows } = await sql<{ id: number }>`
    INSERT INTO item_tags (item_id, name, user_id, created_at)
    SELECT i.id, n.value, i.user_id, i.created_at FROM items i CROSS JOIN ${textList(db, names)} AS n
    WHERE i.user_id + 0 = ${userId} AND i.id IN ${idList(db, itemIds)}
    ON CONFLICT (item_id, name) DO NOTHING RETURNING item_id AS id`.execute(trx);
  const changed = [...new Set(rows.map(({ id }) => id))];
  const { rows: crowded } = await sql`
    SELECT item_id FROM item_tags WHERE user_id + 0 = ${userId} AND item_id IN ${idList(db, changed)}
    GROUP BY item_id HAVING count(*) > ${sql.lit(itemLimits.tagsOfItem)} LIMIT 1`.execute(trx);
  if (crowded.length > 0) throw new Invalid(`tags: expected at most ${itemLimits.tagsOfItem} for an item`);
  await noteItemFacts(trx, changed);
  return changed;
}

export async function removeTags(
  db: Database,
  trx: Writer,
  userId: number,
  itemIds: readonly number[],
  names: readonly string[],
): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    DELETE FROM item_tags WHERE ${tagsAreOf(db, userId)} AND item_id IN ${idList(db, itemIds)}
      AND name IN ${textList(db, names)} RETURNING item_id AS id`.execute(trx);
  const changed = [...new Set(rows.map(({ id }) => id))];
  await noteItemFacts(trx, changed);
  return changed;
}

/** These, and no others. */
export async function replaceTags(
  db: Database,
  trx: Writer,
  userId: number,
  itemId: number,
  names: readonly string[],
): Promise<void> {
  await sql`DELETE FROM item_tags WHERE user_id + 0 = ${userId} AND item_id = ${itemId}
    AND name NOT IN ${textList(db, names)}`.execute(trx);
  await noteItemFacts(trx, [itemId]);
  await addTags(db, trx, userId, [itemId], names);
}
