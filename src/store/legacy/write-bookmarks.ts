// Stars of an old database: each with the item of its address, as a star that is put on here has.
import { sql } from 'kysely';
import type { SavedUrl } from '../../model/bookmark.ts';
import type { Millis } from '../../model/glossary.ts';
import type { Database, Reader, Writer } from '../database.ts';
import { upsertItem } from '../owned/item-rows.ts';
import { rowsOf } from '../owned/owned-rows.ts';
import { noteStars } from '../search/pending.ts';
import type { MayKeep } from './reserve-ids.ts';
import { pairList } from './write-entries.ts';
import { isFree } from './write-feeds.ts';

/** `dropped`: its person has deleted the page here, or taken the star off, and an import does not bring it back. */
export type BookmarkPut = 'kept' | 'new' | 'present' | 'dropped';

export interface BookmarkToPut {
  /** Undefined for one that never had an id of its own. */
  readonly id: number | undefined;
  readonly saved: SavedUrl;
  readonly entryId: number | null;
  readonly feedId: number | null;
  readonly link: string;
  readonly title: string;
  readonly content: string;
  readonly pubDate: Millis;
  readonly feedName: string;
  readonly createdAt: Millis;
  readonly proxy: string;
}

interface Place {
  readonly userId: number;
  readonly mayKeep: MayKeep;
  readonly dryRun: boolean;
  readonly now: Millis;
}

export async function putBookmark(
  db: Database,
  trx: Writer,
  { userId, mayKeep, dryRun, now }: Place,
  bookmark: BookmarkToPut,
): Promise<BookmarkPut> {
  const { saved, title, createdAt, proxy } = bookmark;
  const id = (await isFree(trx, 'bookmarks', bookmark.id, mayKeep)) ? bookmark.id : undefined;
  const put = id === undefined && bookmark.id !== undefined ? 'new' : 'kept';
  if (dryRun) return (await whatIsThere(trx, userId, saved)) ?? put;
  const item = await upsertItem(
    db,
    trx,
    userId,
    saved,
    { title, titleFrom: 'entry', enrichment: 'succeeded', proxy, by: 'import', createdAt },
    now,
  );
  if (item.was === 'dropped') return 'dropped';
  const inserted = await rowsOf(trx, userId)
    .insert('bookmarks', {
      ...(id !== undefined && { id }),
      item_id: item.id,
      // Either may have gone since it was looked up.
      entry_id: await stillThere(trx, 'entries', bookmark.entryId),
      feed_id: await stillThere(trx, 'feeds', bookmark.feedId),
      link: bookmark.link,
      title,
      content: bookmark.content,
      pub_date: bookmark.pubDate,
      feed_name: bookmark.feedName,
      created_at: createdAt,
      deleted_at: null,
    })
    .onConflict((conflict) => conflict.columns(['user_id', 'item_id']).doNothing())
    .returning(['id', 'entry_id', 'item_id'])
    .executeTakeFirst();
  if (!inserted) return 'present';
  await noteStars(trx, [inserted]);
  return put;
}

async function stillThere(
  trx: Writer,
  table: 'entries' | 'feeds',
  id: number | null,
): Promise<number | null> {
  const { rows } = await sql<{ id: number }>`SELECT id FROM ${sql.table(table)} WHERE id = ${id}`.execute(
    trx,
  );
  return rows[0]?.id ?? null;
}

async function whatIsThere(
  reader: Reader | Writer,
  userId: number,
  { key, olderKeys = [] }: SavedUrl,
): Promise<'present' | 'dropped' | undefined> {
  const rows = rowsOf(reader, userId);
  const items = await rows
    .select('items')
    .select(['id', 'deleted_at'])
    .where('url_key', 'in', [key, ...olderKeys])
    .orderBy('id')
    .execute();
  const item = items.find((one) => one.deleted_at === null);
  if (!item) return items.length > 0 ? 'dropped' : undefined;
  const star = await rows.select('bookmarks').select('id').where('item_id', '=', item.id).executeTakeFirst();
  return star && 'present';
}

export interface EntryFound {
  readonly id: number;
  readonly feedId: number;
  readonly guid: string;
  readonly link: string;
  readonly title: string;
  readonly content: string;
  readonly pubDate: Millis;
  readonly createdAt: Millis;
}

/** The entries of a user under these guids, as they are now. */
export async function findEntries(
  db: Database,
  userId: number,
  pairs: readonly { readonly feedId: number; readonly guid: string }[],
): Promise<EntryFound[]> {
  const { rows } = await sql<EntryFound>`
    SELECT e.id, e.feed_id AS "feedId", e.guid, e.link, e.title, e.content, e.pub_date AS "pubDate", e.created_at AS "createdAt"
    FROM ${pairList(db, pairs)} AS p CROSS JOIN entries e
    WHERE e.feed_id = p.feed_id AND e.guid = p.guid AND e.user_id + 0 = ${userId}`.execute(db.read);
  return rows;
}
