// The entries of all users, as the indexer of search reads them.
import { sql } from 'kysely';
import type { Database } from './database.ts';
import { idList } from './id-list.ts';

export interface EntryText {
  readonly id: number;
  readonly userId: number;
  readonly title: string;
  readonly author: string;
  readonly content: string;
  readonly link: string;
  readonly pubDate: number;
}

export type EntryTexts = ReturnType<typeof entryTexts>;

export function entryTexts(db: Database) {
  return {
    async read(ids: readonly number[]): Promise<EntryText[]> {
      const { rows } = await sql<EntryText>`
        SELECT id, user_id AS "userId", title, author, content, link, pub_date AS "pubDate"
        FROM entries WHERE id IN ${idList(db, ids)}`.execute(db.heavyRead);
      return rows;
    },

    async list(after: number, limit: number): Promise<number[]> {
      const { rows } = await sql<{ id: number }>`
        SELECT id FROM entries WHERE id > ${after} ORDER BY id LIMIT ${limit}`.execute(db.heavyRead);
      return rows.map(({ id }) => id);
    },
  };
}
