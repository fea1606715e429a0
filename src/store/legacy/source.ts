// An old database, read row by row in the order of ids. Nothing is changed: it is opened as a file at rest, which must have
// no WAL beside it any more.
import type { DatabaseSync } from 'node:sqlite';
import { StartupError } from '../../errors.ts';
import { type OldDatabase, openAtRest, shapeOf } from './detect.ts';
import {
  type OldBookmark,
  type OldFeed,
  type OldGroup,
  type OldId,
  type OldItem,
  type OldRow,
  toBookmark,
  toFeed,
  toGroup,
  toItem,
  toState,
} from './old-rows.ts';
import { isLive, selectBookmarks, selectFeeds, selectLive } from './source-sql.ts';

export type OldTable = 'groups' | 'feeds' | 'items' | 'bookmarks';

export interface Source extends OldDatabase {
  groups(): OldGroup[];
  feeds(): OldFeed[];
  /** What is known of all items without reading their texts. */
  states(): Iterable<Pick<OldItem, 'id' | 'feedId' | 'unread'>>;
  items(): Iterable<OldItem>;
  /** One that is there, once more. */
  item(id: OldId): OldItem;
  bookmarks(): Iterable<OldBookmark>;
  /** Rows that were deleted there, and are only still in the file. */
  countDeleted(table: OldTable): number;
  /** The highest id up to `limit` that was ever given, as far as the file knows. */
  highestId(table: OldTable, limit: number): number;
  /** False for a key that was seen before. */
  isFirst(key: Uint8Array): boolean;
  isSeen(key: Uint8Array): boolean;
  /** Puts a guid of a feed of ours aside, outside of our memory: there may be as many as items. */
  remember(feedId: number, guid: string): void;
  remembered(): Iterable<{ readonly feedId: number; readonly guid: string }>;
  close(): void;
}

/** `shown` is what a fault is reported of, where `path` is a copy of it. */
export function openSource(path: string, { kind, version }: OldDatabase, shown = path): Source {
  const db = openAtRest(path);
  try {
    return sourceOn(db, shown, { kind, version });
  } catch (error) {
    db.close();
    throw damaged(shown, error);
  }
}

/** A file that has lost pages is told before anything is taken from it; one that has lost only an index is read. */
export function requireWhole(path: string, shown = path): void {
  const db = openAtRest(path);
  try {
    const [found] = db.prepare('PRAGMA quick_check(1)').all() as { quick_check: string }[];
    if (found?.quick_check !== 'ok')
      throw damaged(shown, Object.assign(new Error(found?.quick_check), { errcode: 11 }));
  } catch (error) {
    throw damaged(shown, error);
  } finally {
    db.close();
  }
}

function damaged(path: string, error: unknown): Error {
  const { errcode, message } = error as { errcode?: number; message: string };
  if (errcode === undefined) return error as Error;
  return new StartupError(
    `${path} is damaged and cannot be read whole (${message}). It was not changed. ` +
      'Repair it with "sqlite3 FILE .recover", or restore it from a backup.',
    { cause: error },
  );
}

const itemColumns = [
  'id',
  'feed_id',
  'guid',
  'title',
  'link',
  'content',
  'pub_date',
  'created_at',
  'unread',
  'bookmark',
];

function sourceOn(db: DatabaseSync, shown: string, { kind, version }: OldDatabase): Source {
  db.exec(`PRAGMA temp_store = FILE;
    CREATE TEMP TABLE seen (key BLOB PRIMARY KEY) WITHOUT ROWID;
    CREATE TEMP TABLE remembered (feed_id INTEGER, guid TEXT)`);
  const shape = shapeOf(db);
  const remember = db.prepare('INSERT INTO remembered (feed_id, guid) VALUES (?, ?)');
  const seen = db.prepare('SELECT 1 FROM seen WHERE key = ?');
  const see = db.prepare('INSERT INTO seen (key) VALUES (?) ON CONFLICT DO NOTHING');
  function* rows(sql: string): Generator<OldRow> {
    try {
      const statement = db.prepare(sql);
      statement.setReadBigInts(true);
      yield* statement.iterate() as Iterable<OldRow>;
    } catch (error) {
      // Some of what is wrong with a file only shows while it is read.
      throw damaged(shown, error);
    }
  }
  const count = (sql: string) => Number((db.prepare(sql).get() as { n: unknown }).n ?? 0);
  const has = (table: string) => shape.columns.has(table);
  const selectItems = selectLive(shape, 'items', itemColumns);

  return {
    kind,
    version,
    groups: () =>
      [...rows(selectLive(shape, 'groups', ['id', 'name', 'created_at', 'updated_at']))].map(toGroup),
    feeds: () => [...rows(selectFeeds(shape))].map(toFeed),
    *states() {
      for (const row of rows(selectLive(shape, 'items', ['id', 'feed_id', 'unread']))) yield toState(row);
    },
    *items() {
      for (const row of rows(selectItems)) yield toItem(row);
    },
    item(id) {
      const [row] = rows(`SELECT * FROM (${selectItems}) WHERE id = ${id}`);
      if (!row) throw new Error(`there is no item ${id}`);
      return toItem(row);
    },
    *bookmarks() {
      if (kind === 'legacy' || !has('bookmarks')) return;
      for (const row of rows(selectBookmarks(shape))) yield toBookmark(row);
    },
    countDeleted(table) {
      if (!has(table)) return 0;
      return count(`SELECT count(*) AS n FROM ${table} WHERE NOT ${isLive(shape, table)}`);
    },
    highestId(table, limit) {
      if (!has(table)) return 0;
      const present = count(`SELECT max(id) AS n FROM ${table} WHERE id <= ${limit}`);
      const given = has('sqlite_sequence')
        ? count(`SELECT max(seq) AS n FROM sqlite_sequence WHERE name = '${table}' AND seq <= ${limit}`)
        : 0;
      return Math.max(present, given, 0);
    },
    isSeen: (key) => seen.get(key) !== undefined,
    isFirst: (key) => Number(see.run(key).changes) > 0,
    remember: (feedId, guid) => void remember.run(feedId, guid),
    remembered: () =>
      db.prepare('SELECT feed_id AS "feedId", guid FROM remembered ORDER BY rowid').iterate() as never,
    close: () => db.close(),
  };
}
