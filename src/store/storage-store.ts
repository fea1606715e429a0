// How much there is, and how much room it takes.
import { sql } from 'kysely';
import type { Database } from './database.ts';

export type StorageStore = ReturnType<typeof storageStore>;

export interface RowCounts {
  readonly users: number;
  readonly feeds: number;
  readonly entries: number;
  readonly bookmarks: number;
}

export function storageStore(db: Database) {
  return {
    async sizeBytes(): Promise<number> {
      const { rows } = await (db.engine === 'sqlite'
        ? sql<{ bytes: number }>`
            SELECT page_count * page_size AS bytes FROM pragma_page_count(), pragma_page_size()`
        : sql<{ bytes: number }>`SELECT pg_database_size(current_database()) AS bytes`
      ).execute(db.heavyRead);
      return Number(rows[0]?.bytes ?? 0);
    },

    async count(): Promise<RowCounts> {
      const { rows } = await sql<RowCounts>`
        SELECT (SELECT count(*) FROM users) AS users, (SELECT count(*) FROM feeds WHERE deleted_at IS NULL) AS feeds,
          (SELECT coalesce(sum(entries), 0) FROM feed_counts) AS entries,
          (SELECT count(*) FROM bookmarks WHERE deleted_at IS NULL) AS bookmarks`.execute(db.heavyRead);
      const [row] = rows;
      return {
        users: Number(row?.users ?? 0),
        feeds: Number(row?.feeds ?? 0),
        entries: Number(row?.entries ?? 0),
        bookmarks: Number(row?.bookmarks ?? 0),
      };
    },
  };
}
