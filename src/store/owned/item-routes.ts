// The routes by which an item is there: a save by hand, a star, a highlight, a raindrop. It lives exactly as long as one of them does.
import { type RawBuilder, sql } from 'kysely';
import { keepDeletedMs } from '../../model/item.ts';
import type { Database, Writer } from '../database.ts';
import { idList } from '../id-list.ts';
import { notePending, noteStars } from '../search/pending.ts';
import type { Row } from '../tables.ts';

/** The item first, before its routes: two that are removed at once must not each take the other for the last. */
export async function lockItem(db: Database, trx: Writer, userId: number, itemId: number): Promise<void> {
  if (db.engine === 'postgres')
    await sql`SELECT id FROM items WHERE user_id = ${userId} AND id = ${itemId} FOR UPDATE`.execute(trx);
}

/** After a route was removed. */
export async function settleItem(trx: Writer, userId: number, itemId: number, at: number): Promise<void> {
  await settle(trx, userId, sql`(${itemId})`, at);
}

export async function settleItems(
  db: Database,
  trx: Writer,
  userId: number,
  itemIds: readonly number[],
  at: number,
): Promise<void> {
  await settle(trx, userId, idList(db, itemIds), at);
}

async function settle(trx: Writer, userId: number, ids: RawBuilder<unknown>, at: number): Promise<void> {
  const { rows } = await sql<{ id: number }>`
    UPDATE items SET deleted_at = ${at}, deleted_by = 'routes', updated_at = ${at}
    WHERE user_id + 0 = ${userId} AND id IN ${ids} AND deleted_at IS NULL AND saved_at IS NULL
      AND NOT ${hasOtherRoutes(userId)}
    RETURNING id`.execute(trx);
  await noteItems(trx, rows);
}

/** A star, a highlight or a raindrop. */
const hasOtherRoutes = (userId: number) => sql`(
  EXISTS (SELECT 1 FROM bookmarks b
    WHERE b.user_id = ${userId} AND b.item_id = items.id AND b.deleted_at IS NULL)
  OR EXISTS (SELECT 1 FROM resources r
    WHERE r.user_id = ${userId} AND r.item_id = items.id AND r.deleted_at IS NULL)
  OR EXISTS (SELECT 1 FROM raindrops d
    WHERE d.user_id = ${userId} AND d.item_id = items.id AND d.removed_at IS NULL))`;

/** A person's delete, of items that are there. The star goes with its item; a highlight is not theirs to delete here. */
export async function dropItems(
  db: Database,
  trx: Writer,
  userId: number,
  itemIds: readonly number[],
  at: number,
): Promise<void> {
  const { rows } = await sql<{ id: number }>`
    UPDATE items SET deleted_at = ${at}, deleted_by = 'person', updated_at = ${at}
    WHERE user_id + 0 = ${userId} AND id IN ${idList(db, itemIds)} AND deleted_at IS NULL
    RETURNING id`.execute(trx);
  const { rows: stars } = await sql<Star>`
    UPDATE bookmarks SET deleted_at = ${at}
    WHERE user_id = ${userId} AND item_id IN ${idList(db, itemIds)} AND deleted_at IS NULL
    RETURNING id, entry_id, item_id`.execute(trx);
  await noteItems(trx, rows);
  await noteStars(trx, stars);
}

/** What can still be had back. */
export function isInBin(at: number): RawBuilder<unknown> {
  return sql`(deleted_at IS NOT NULL AND purged_at IS NULL AND deleted_at > ${at - keepDeletedMs})`;
}

/** Of items that are in the bin. One whose routes are all gone is from now on there because a person wanted it. */
export async function restoreItems(
  db: Database,
  trx: Writer,
  userId: number,
  itemIds: readonly number[],
  at: number,
): Promise<{ id: number; url: string; isPending: boolean }[]> {
  const { rows: stars } = await sql<Star>`
    UPDATE bookmarks SET deleted_at = NULL
    WHERE user_id = ${userId} AND item_id IN ${idList(db, itemIds)} AND deleted_at IS NOT NULL
    RETURNING id, entry_id, item_id`.execute(trx);
  const { rows } = await sql<{ id: number; url: string; enrichment_status: string | null }>`
    UPDATE items SET deleted_at = NULL, deleted_by = '', updated_at = ${at},
      saved_at = CASE WHEN saved_at IS NULL AND NOT ${hasOtherRoutes(userId)} THEN ${at} ELSE saved_at END
    WHERE user_id + 0 = ${userId} AND id IN ${idList(db, itemIds)} AND ${isInBin(at)}
    RETURNING id, url, enrichment_status`.execute(trx);
  await noteItems(trx, rows);
  await noteStars(trx, stars);
  return rows.map(({ id, url, enrichment_status: status }) => ({
    id,
    url,
    isPending: (status ?? 'pending') === 'pending',
  }));
}

/** A deleted item that comes back by one route leaves the others behind: they went with it. */
export async function dropDeletedStar(trx: Writer, userId: number, itemId: number): Promise<void> {
  const { rows } = await sql<Star>`
    DELETE FROM bookmarks WHERE user_id = ${userId} AND item_id = ${itemId} AND deleted_at IS NOT NULL
    RETURNING id, entry_id, item_id`.execute(trx);
  await noteStars(trx, rows);
}

const idsOf = (rows: readonly { id: number }[]) => rows.map(({ id }) => id);
const noteItems = (trx: Writer, rows: readonly { id: number }[]) => notePending(trx, 'item', idsOf(rows));
type Star = Pick<Row<'bookmarks'>, 'id' | 'entry_id' | 'item_id'>;
