import { type RawBuilder, sql } from 'kysely';
import { NotFound } from '../../errors.ts';
import type { Bookmark, SavedUrl } from '../../model/bookmark.ts';
import type { Clock } from '../../model/glossary.ts';
import type { Reader, Writer } from '../database.ts';
import { noteStars } from '../search/pending.ts';
import type { Row } from '../tables.ts';
import { findGroupId, noneIfMissing } from './group-store.ts';
import { dropDeletedStar, lockItem, settleItem } from './item-routes.ts';
import { upsertItem } from './item-rows.ts';
import { type Owned, rowsOf } from './owned-rows.ts';

export type BookmarkStore = ReturnType<typeof bookmarkStore>;

export interface NewBookmark {
  readonly saved: SavedUrl;
  readonly entryId: number | null;
  readonly feedId: number | null;
  readonly link: string;
  readonly title: string;
  readonly content: string;
  readonly pubDate: number;
  readonly feedName: string;
}

export interface BookmarkFilter {
  readonly feedId?: number | undefined;
  readonly groupId?: number | undefined;
  readonly before?: { readonly createdAt: number; readonly id: number } | undefined;
  readonly limit: number;
}

export function bookmarkStore(owned: Owned, now: Clock) {
  const { db, userId } = owned;

  return {
    async list(filter: BookmarkFilter): Promise<{ bookmarks: Bookmark[]; total: number }> {
      const { feedId, before, limit } = filter;
      const groupId =
        filter.groupId === undefined
          ? undefined
          : await findGroupId(owned.read, filter.groupId).catch(noneIfMissing);
      if (groupId === null) return { bookmarks: [], total: 0 };
      const scope = sql`
        ${feedId === undefined ? sql`` : sql`AND b.feed_id = ${feedId}`}
        ${groupId === undefined ? sql`` : sql`AND b.feed_id IN (SELECT id FROM feeds WHERE user_id = ${userId} AND group_id = ${groupId})`}`;
      const after = before ? sql`AND (b.created_at, b.id) < (${before.createdAt}, ${before.id})` : sql``;
      const { rows } = await selectBookmarks(userId, sql`${scope} ${after}`, limit).execute(db.read);
      const { rows: counted } = await sql<{ n: number }>`
        SELECT count(*) AS n FROM bookmarks b
        WHERE b.user_id = ${userId} AND b.deleted_at IS NULL ${scope}`.execute(db.heavyRead);
      return { bookmarks: rows.map(toBookmark), total: Number(counted[0]?.n ?? 0) };
    },

    get: (id: number): Promise<Bookmark> => getBookmark(db.read, userId, id),

    /** The one that there is already for this address, or a new one. */
    async create(bookmark: NewBookmark): Promise<Bookmark> {
      return db.write(async (trx) => {
        // In whole seconds, so that a page can go on after it by what the API shows.
        const at = Math.floor(now() / 1000) * 1000;
        const { saved, title, entryId, feedId } = bookmark;
        // The entry may have gone with its feed since it was read.
        const lock = db.engine === 'postgres' ? sql`FOR SHARE` : sql``;
        let proxy = '';
        for (const [table, id, live, through] of [
          ['feeds', feedId, sql`AND deleted_at IS NULL`, sql`proxy`] as const,
          ['entries', entryId, sql``, sql`''`] as const,
        ]) {
          if (id === null) continue;
          const { rows: found } = await sql<{ proxy: string }>`
            SELECT ${through} AS proxy FROM ${sql.table(table)}
            WHERE user_id = ${userId} AND id = ${id} ${live} ${lock}`.execute(trx);
          if (!found[0]) throw new NotFound('item');
          proxy += found[0].proxy;
        }
        const item = await upsertItem(
          db,
          trx,
          userId,
          saved,
          { title, titleFrom: 'entry', enrichment: 'succeeded', proxy },
          at,
        );
        const itemId = item.id;
        if (item.was === 'deleted') await dropDeletedStar(trx, userId, itemId);
        const rows = rowsOf(trx, userId);
        const inserted = await rows
          .insert('bookmarks', {
            item_id: itemId,
            entry_id: bookmark.entryId,
            feed_id: bookmark.feedId,
            link: bookmark.link,
            title,
            content: bookmark.content,
            pub_date: bookmark.pubDate,
            feed_name: bookmark.feedName,
            created_at: at,
          })
          .onConflict((conflict) => conflict.columns(['user_id', 'item_id']).doNothing())
          .returning(['id', 'entry_id', 'item_id'])
          .execute();
        const changed = inserted.length > 0 ? inserted : await adoptEntry(trx, userId, itemId, bookmark);
        await noteStars(trx, changed);
        const { id } = await rows
          .select('bookmarks')
          .select('id')
          .where('item_id', '=', itemId)
          .executeTakeFirstOrThrow();
        return getBookmark(trx, userId, id);
      });
    },

    /** Its item goes too, unless it was saved by another route as well. */
    async delete(id: number): Promise<void> {
      await db.write(async (trx) => {
        const rows = rowsOf(trx, userId);
        const bookmark = await rows
          .select('bookmarks')
          .select(['id', 'entry_id', 'item_id'])
          .where('id', '=', id)
          .where('deleted_at', 'is', null)
          .executeTakeFirst();
        if (!bookmark) throw new NotFound('bookmark');
        await lockItem(db, trx, userId, bookmark.item_id);
        const { numDeletedRows } = await rows
          .delete('bookmarks')
          .where('id', '=', id)
          .where('deleted_at', 'is', null)
          .executeTakeFirstOrThrow();
        if (numDeletedRows === 0n) throw new NotFound('bookmark');
        await noteStars(trx, [bookmark]);
        await settleItem(trx, userId, bookmark.item_id, now());
      });
    },
  };
}

/** A snapshot without a source, as of a feed that is followed anew, is from now on the star of the entry at hand. */
async function adoptEntry(
  trx: Writer,
  userId: number,
  itemId: number,
  { entryId, feedId }: NewBookmark,
): Promise<Pick<Row<'bookmarks'>, 'id' | 'entry_id' | 'item_id'>[]> {
  if (entryId === null) return [];
  return rowsOf(trx, userId)
    .update('bookmarks')
    .set({ entry_id: entryId, feed_id: feedId })
    .where('item_id', '=', itemId)
    .where('entry_id', 'is', null)
    .returning(['id', 'entry_id', 'item_id'])
    .execute();
}

function selectBookmarks(userId: number, where: RawBuilder<unknown>, limit: number) {
  return sql<BookmarkRow>`
    SELECT b.*, CASE WHEN u.entry_id IS NULL THEN 0 ELSE 1 END AS unread FROM bookmarks b
    LEFT JOIN entries e ON e.id = b.entry_id
    LEFT JOIN unread_entries u ON u.user_id = ${userId} AND u.pub_date = e.pub_date AND u.entry_id = e.id
    WHERE b.user_id = ${userId} AND b.deleted_at IS NULL ${where} ORDER BY b.created_at DESC, b.id DESC LIMIT ${limit}`;
}

async function getBookmark(reader: Reader | Writer, userId: number, id: number): Promise<Bookmark> {
  const { rows } = await selectBookmarks(userId, sql`AND b.id = ${id}`, 1).execute(reader);
  if (!rows[0]) throw new NotFound('bookmark');
  return toBookmark(rows[0]);
}

type BookmarkRow = Row<'bookmarks'> & { readonly unread: number };

function toBookmark(row: BookmarkRow): Bookmark {
  return {
    id: row.id,
    entryId: row.entry_id,
    feedId: row.feed_id,
    link: row.link,
    title: row.title,
    content: row.content,
    pubDate: row.pub_date,
    feedName: row.feed_name,
    unread: row.unread === 1,
    createdAt: row.created_at,
  };
}
