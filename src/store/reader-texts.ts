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
}

export interface BookmarkText extends Text {
  readonly entryId: number | null;
  readonly title: string;
  readonly content: string;
  readonly link: string;
  readonly pubDate: number;
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
      sql`id, user_id AS "userId", title, author, ${shownContent('entries')} AS content, link, pub_date AS "pubDate"`,
      sql`feed_id NOT IN (SELECT id FROM feeds WHERE deleted_at IS NOT NULL)`,
    ),
    bookmarks: texts(
      db,
      'bookmarks',
      sql`id, user_id AS "userId", entry_id AS "entryId", title, content, link, pub_date AS "pubDate"`,
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
