// How many items there are of each sort, for the side bar: ranges of the indexes that the lists are ranges of.
import { sql } from 'kysely';
import type { ItemCounts } from '../../model/item.ts';
import { isInBin } from './item-routes.ts';
import type { Owned } from './owned-rows.ts';

export async function countItems({ db, userId }: Owned, now: number): Promise<ItemCounts> {
  const live = sql`i.deleted_at IS NULL`;
  const { rows } = await sql<Record<keyof ItemCounts, number>>`SELECT
    (SELECT count(*) FROM items i WHERE i.user_id = ${userId} AND ${live} AND i.status = 'unread') AS unread,
    (SELECT count(*) FROM items i WHERE i.user_id = ${userId} AND ${live} AND i.status = 'archived') AS archived,
    (SELECT count(*) FROM items i WHERE i.user_id = ${userId} AND ${live} AND i.is_favorite = 1) AS favorite,
    (SELECT count(*) FROM items i WHERE i.user_id = ${userId} AND ${live} AND i.collection_id IS NULL) AS unsorted,
    (SELECT count(*) FROM items i WHERE i.user_id = ${userId} AND ${live} AND i.enrichment_status = 'pending')
      + (SELECT count(*) FROM items i WHERE i.user_id = ${userId} AND ${live} AND i.enrichment_status IS NULL) AS pending,
    (SELECT count(*) FROM items i WHERE i.user_id = ${userId} AND ${live} AND i.enrichment_status = 'failed') AS failed,
    (SELECT count(*) FROM items i WHERE i.user_id = ${userId} AND ${live}
      AND NOT EXISTS (SELECT 1 FROM item_tags t WHERE t.user_id + 0 = ${userId} AND t.item_id = i.id)) AS untagged,
    (SELECT count(*) FROM items WHERE user_id = ${userId} AND ${isInBin(now)}) AS deleted,
    (SELECT count(*) FROM item_links l CROSS JOIN items i
      WHERE l.user_id = ${userId} AND l.state = 'dead' AND i.id = l.item_id AND i.user_id = ${userId} AND ${live}) AS dead`.execute(
    db.heavyRead,
  );
  const count = (name: keyof ItemCounts) => Number(rows[0]?.[name] ?? 0);
  return {
    all: count('unread') + count('archived'),
    unread: count('unread'),
    archived: count('archived'),
    favorite: count('favorite'),
    untagged: count('untagged'),
    unsorted: count('unsorted'),
    pending: count('pending'),
    failed: count('failed'),
    deleted: count('deleted'),
    dead: count('dead'),
  };
}
