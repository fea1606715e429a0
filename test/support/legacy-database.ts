// Databases as ReedMe and Fusion wrote them: the schema of versions 0.x, and the three of the versions after.
import { rmSync } from 'node:fs';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';

type OldRow = Readonly<Record<string, SQLInputValue | boolean | undefined>>;

export interface OldRows {
  readonly groups?: readonly OldRow[];
  readonly feeds?: readonly OldRow[];
  readonly items?: readonly OldRow[];
  readonly bookmarks?: readonly OldRow[];
  readonly feed_fetch_state?: readonly OldRow[];
}

/** As GORM wrote it, and what it is. */
export const writtenDate = '2024-02-29 13:14:15+00:00';
export const writtenAt = Date.UTC(2024, 1, 29, 13, 14, 15);

export const oldFeed = (id: number, over: OldRow = {}): OldRow => ({
  id,
  name: `F${id}`,
  link: `https://a.example/feed/${id}`,
  group_id: 1,
  created_at: writtenDate,
  ...over,
});

export const oldItem = (id: number | bigint, over: OldRow = {}): OldRow => ({
  id,
  feed_id: 1,
  guid: `g${id}`,
  title: `T${id}`,
  link: `https://a.example/${id}`,
  content: `<p>${id}</p>`,
  pub_date: writtenDate,
  created_at: writtenDate,
  unread: 1,
  ...over,
});

const legacyDdl = `
  CREATE TABLE groups (id integer PRIMARY KEY AUTOINCREMENT, created_at datetime, updated_at datetime,
    deleted_at integer, name text NOT NULL);
  CREATE TABLE feeds (id integer PRIMARY KEY AUTOINCREMENT, created_at datetime, updated_at datetime,
    deleted_at integer, name text NOT NULL, link text NOT NULL, last_build datetime, failure text DEFAULT '',
    group_id integer, suspended numeric DEFAULT false, req_proxy text, consecutive_failures integer DEFAULT 0,
    CONSTRAINT fk_feeds_group FOREIGN KEY (group_id) REFERENCES groups (id));
  CREATE TABLE items (id integer PRIMARY KEY AUTOINCREMENT, created_at datetime, updated_at datetime,
    deleted_at integer, title text NOT NULL, guid text, link text, content text, pub_date datetime,
    unread numeric DEFAULT true, feed_id integer, bookmark numeric DEFAULT false,
    CONSTRAINT fk_items_feed FOREIGN KEY (feed_id) REFERENCES feeds (id));
  CREATE INDEX idx_items_feed_id ON items (feed_id);`;

/** Those that keep duplicates out; the one of feeds came late. */
const legacyIndexes = `
  CREATE UNIQUE INDEX idx_name ON groups (deleted_at, name);
  CREATE UNIQUE INDEX idx_guid ON items (deleted_at, guid, feed_id);
  CREATE UNIQUE INDEX idx_link ON feeds (deleted_at, link);`;

const currentDdl = [
  `CREATE TABLE schema_migrations (version INTEGER PRIMARY KEY, applied_at INTEGER NOT NULL DEFAULT (unixepoch()));
  CREATE TABLE groups (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL DEFAULT (unixepoch()), updated_at INTEGER NOT NULL DEFAULT (unixepoch()));
  CREATE TABLE feeds (id INTEGER PRIMARY KEY, group_id INTEGER NOT NULL DEFAULT 1 REFERENCES groups (id) ON DELETE RESTRICT,
    name TEXT NOT NULL, link TEXT NOT NULL UNIQUE, site_url TEXT DEFAULT '', last_build INTEGER DEFAULT 0,
    last_failure_at INTEGER NOT NULL DEFAULT 0, failure TEXT DEFAULT '', failures INTEGER DEFAULT 0,
    suspended INTEGER DEFAULT 0, proxy TEXT DEFAULT '',
    created_at INTEGER NOT NULL DEFAULT (unixepoch()), updated_at INTEGER NOT NULL DEFAULT (unixepoch()));
  CREATE TABLE items (id INTEGER PRIMARY KEY, feed_id INTEGER NOT NULL REFERENCES feeds (id) ON DELETE CASCADE,
    guid TEXT NOT NULL, title TEXT DEFAULT '', link TEXT DEFAULT '', content TEXT DEFAULT '', pub_date INTEGER DEFAULT 0,
    unread INTEGER DEFAULT 1, created_at INTEGER NOT NULL DEFAULT (unixepoch()));
  CREATE UNIQUE INDEX idx_items_feed_guid ON items (feed_id, guid);
  CREATE INDEX idx_items_feed_unread ON items (feed_id, unread);
  CREATE VIRTUAL TABLE items_fts USING fts5 (title, content, tokenize = 'unicode61');
  CREATE TRIGGER items_fts_ai AFTER INSERT ON items BEGIN
    INSERT INTO items_fts (rowid, title, content) VALUES (new.id, new.title, new.content); END;
  CREATE TABLE bookmarks (id INTEGER PRIMARY KEY, item_id INTEGER REFERENCES items (id) ON DELETE SET NULL,
    link TEXT NOT NULL UNIQUE, title TEXT DEFAULT '', content TEXT DEFAULT '', pub_date INTEGER DEFAULT 0,
    feed_name TEXT DEFAULT '', created_at INTEGER NOT NULL DEFAULT (unixepoch()));`,
  `CREATE TABLE feed_fetch_state (feed_id INTEGER PRIMARY KEY REFERENCES feeds (id) ON DELETE CASCADE,
    etag TEXT NOT NULL DEFAULT '', last_modified TEXT NOT NULL DEFAULT '', cache_control TEXT NOT NULL DEFAULT '',
    expires_at INTEGER NOT NULL DEFAULT 0, last_checked_at INTEGER NOT NULL DEFAULT 0,
    next_check_at INTEGER NOT NULL DEFAULT 0, last_http_status INTEGER NOT NULL DEFAULT 0,
    retry_after_until INTEGER NOT NULL DEFAULT 0, last_success_at INTEGER NOT NULL DEFAULT 0,
    last_error_at INTEGER NOT NULL DEFAULT 0, last_error TEXT NOT NULL DEFAULT '',
    consecutive_failures INTEGER NOT NULL DEFAULT 0, updated_at INTEGER NOT NULL DEFAULT (unixepoch()));
  ALTER TABLE feeds DROP COLUMN last_build; ALTER TABLE feeds DROP COLUMN last_failure_at;
  ALTER TABLE feeds DROP COLUMN failure; ALTER TABLE feeds DROP COLUMN failures;`,
  'ALTER TABLE bookmarks ADD COLUMN feed_id INTEGER REFERENCES feeds (id) ON DELETE SET NULL;',
];

/** With the indexes that keep duplicates out, unless the rows have some. */
export function makeLegacyDatabase(path: string, rows: OldRows, { unique = false } = {}): void {
  make(path, legacyDdl + (unique ? legacyIndexes : ''), rows);
}

export function makeCurrentDatabase(path: string, version: 1 | 2 | 3, rows: OldRows): void {
  const ddl = currentDdl
    .slice(0, version)
    .map((sql, index) => `${sql} INSERT INTO schema_migrations (version) VALUES (${index + 1});`);
  const isNamed = rows.groups?.some(({ id }) => id === 1);
  make(path, ddl.join('\n'), {
    ...rows,
    groups: [...(isNamed ? [] : [{ id: 1, name: 'Default' }]), ...(rows.groups ?? [])],
  });
}

function make(path: string, ddl: string, rows: OldRows): void {
  for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true });
  const db = new DatabaseSync(path, { enableForeignKeyConstraints: false });
  db.exec(`PRAGMA journal_mode = WAL; ${ddl}`);
  insertRows(db, rows);
  db.close();
}

export function insertRows(db: DatabaseSync, rows: OldRows): void {
  db.exec('BEGIN');
  for (const table of ['groups', 'feeds', 'items', 'bookmarks', 'feed_fetch_state'] as const) {
    for (const row of rows[table] ?? []) {
      const given = Object.entries(row).filter(([, value]) => value !== undefined);
      const names = given.map(([name]) => name);
      const values = given.map(([, value]) => (typeof value === 'boolean' ? Number(value) : value));
      const statement = db.prepare(
        `INSERT INTO ${table} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`,
      );
      statement.setReadBigInts(true);
      statement.run(...(values as SQLInputValue[]));
    }
  }
  db.exec('COMMIT');
}

/** Many items in some feeds, of which about every third is unread, as a reader looks after some years. */
export function makeLargeLegacyDatabase(
  path: string,
  { items, feeds = 20 }: { items: number; feeds?: number },
): void {
  makeLegacyDatabase(path, {
    groups: [
      { id: 1, name: 'Default' },
      { id: 2, name: 'News' },
    ],
  });
  const db = new DatabaseSync(path);
  const text =
    'Words that a person might read, and a <b>few</b> of them <a href="/more">in bold</a>. '.repeat(20);
  insertRows(db, {
    feeds: Array.from({ length: feeds }, (_, n) => ({
      id: n + 1,
      name: `Feed ${n + 1}`,
      link: `https://feed-${n + 1}.example/rss`,
      group_id: 1 + (n % 2),
    })),
  });
  db.exec('BEGIN');
  const insert = db.prepare(
    `INSERT INTO items (id, feed_id, guid, title, link, content, pub_date, created_at, unread, bookmark)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  for (let id = 1; id <= items; id++) {
    const feed = 1 + (id % feeds);
    const at = new Date(1_700_000_000_000 + id * 60_000)
      .toISOString()
      .replace('T', ' ')
      .replace('Z', '+00:00');
    const link = `https://feed-${feed}.example/posts/${id}`;
    const isUnread = id > items * 0.9 ? id % 4 !== 0 : id % 50 === 0;
    insert.run(
      id,
      feed,
      `guid-${id}`,
      `Title ${id}`,
      link,
      `<p>${id} ${text}</p>`,
      at,
      at,
      Number(isUnread),
      Number(id % 500 === 0),
    );
  }
  db.exec('COMMIT');
  db.close();
}
