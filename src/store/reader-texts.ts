// What the reader has of all users, as the indexer of search reads it, and of one user, as hits are shown.
import { type RawBuilder, sql } from 'kysely';
import type { Database } from './database.ts';
import { idList } from './id-list.ts';
import { shownContent } from './reader/shown-content.ts';

export interface Text {
  readonly id: number;
  readonly userId: number;
}

export interface EntryText extends Text {
  readonly title: string;
  readonly author: string;
  readonly content: string;
  readonly link: string;
  readonly pubDate: number;
  readonly feedId: number;
  readonly isBookmarked: number | boolean;
}

/** What the item of a bookmark says of both. */
export interface BookmarkText extends Text, ItemState {
  readonly entryId: number | null;
  readonly feedId: number | null;
  readonly title: string;
  readonly content: string;
  readonly link: string;
  readonly pubDate: number;
}

/** What an item and its bookmark are both found by. */
export interface ItemState {
  /** A line for each. */
  readonly tags: string | null;
  readonly author: string;
  readonly language: string;
  readonly status: 'unread' | 'archived';
  readonly isHighlighted: number | boolean;
}

export interface FeedText extends Text {
  readonly name: string;
  readonly description: string;
  readonly siteUrl: string;
  readonly link: string;
  readonly createdAt: number;
}

export interface Texts<T extends Text> {
  /** Those that are there: of every user for the indexer, or of one. */
  read(ids: readonly number[], ofUser?: number): Promise<readonly T[]>;
  list(after: number, limit: number): Promise<readonly number[]>;
}

export interface ReaderTexts {
  readonly entries: Texts<EntryText>;
  readonly bookmarks: Texts<BookmarkText>;
  readonly feeds: Texts<FeedText>;
}

export function readerTexts(db: Database): ReaderTexts {
  return {
    entries: texts(
      db,
      'entries',
      sql`id, user_id AS "userId", title, author, ${shownContent('entries')} AS content, link, pub_date AS "pubDate",
        feed_id AS "feedId", EXISTS (SELECT 1 FROM bookmarks b
          WHERE b.entry_id = entries.id AND b.deleted_at IS NULL) AS "isBookmarked"`,
      sql`feed_id NOT IN (SELECT id FROM feeds WHERE deleted_at IS NOT NULL)`,
    ),
    bookmarks: texts(
      db,
      'bookmarks',
      sql`id, user_id AS "userId", entry_id AS "entryId", feed_id AS "feedId", title, content, link, pub_date AS "pubDate",
        ${itemState(sql.ref('bookmarks.item_id'))}`,
      sql`deleted_at IS NULL`,
    ),
    feeds: texts(
      db,
      'feeds',
      sql`id, user_id AS "userId", name, description, site_url AS "siteUrl", link, created_at AS "createdAt"`,
      sql`deleted_at IS NULL`,
    ),
  };
}

export function itemState(id: RawBuilder<unknown>): RawBuilder<unknown> {
  const column = (name: string) =>
    sql`(SELECT i.${sql.ref(name)} FROM items i WHERE i.id = ${id}) AS ${sql.ref(name)}`;
  return sql`${column('author')}, ${column('language')}, ${column('status')},
    (SELECT string_agg(t.name, ${sql.lit('\n')} ORDER BY t.name) FROM item_tags t WHERE t.item_id = ${id}) AS tags,
    (EXISTS (SELECT 1 FROM resources r JOIN annotations a ON a.resource_id = r.id AND a.deleted_at IS NULL
        WHERE r.item_id = ${id} AND r.deleted_at IS NULL)
      OR EXISTS (SELECT 1 FROM raindrops d WHERE d.item_id = ${id} AND d.removed_at IS NULL
        AND d.highlights NOT IN ('', '[]'))) AS "isHighlighted"`;
}

/** `isLive`: of rows that wait to be swept, nothing is found any more. */
export function texts<T extends Text>(
  db: Database,
  name: string,
  columns: RawBuilder<unknown>,
  isLive: RawBuilder<unknown> = sql`true`,
): Texts<T> {
  const table = sql.table(name);
  return {
    async read(ids, ofUser) {
      // By the ids, which are few; left to itself SQLite might go through all that the user has.
      const owned = ofUser === undefined ? sql`` : sql`AND user_id + 0 = ${ofUser}`;
      const { rows } = await sql<T>`
        SELECT ${columns} FROM ${table} WHERE id IN ${idList(db, ids)} ${owned} AND ${isLive}`.execute(
        ofUser === undefined ? db.heavyRead : db.read,
      );
      return rows;
    },

    async list(after, limit) {
      const { rows } = await sql<{ id: number }>`
        SELECT id FROM ${table} WHERE id > ${after} AND ${isLive} ORDER BY id LIMIT ${limit}`.execute(
        db.heavyRead,
      );
      return rows.map(({ id }) => id);
    },
  };
}
