-- The reader: feeds and what they publish. A feed belongs to one user; whoever follows the same address shares the
-- request, not the rows.
CREATE TABLE feeds (
  id              INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id         INTEGER NOT NULL REFERENCES users (id),
  group_id        INTEGER NOT NULL REFERENCES groups (id),
  name            TEXT NOT NULL,
  link            TEXT NOT NULL,
  site_url        TEXT NOT NULL,
  suspended       INTEGER NOT NULL DEFAULT 0 CHECK (suspended IN (0, 1)),
  proxy           TEXT NOT NULL DEFAULT '',
  -- When the server said that the feed is gone for good.
  gone_at         INTEGER,
  -- Entries up to this id are read, unless a mark says otherwise.
  read_through_id INTEGER NOT NULL DEFAULT 0,
  -- How many entries to keep; NULL keeps all.
  keep_entries    INTEGER,
  created_at      INTEGER NOT NULL,
  updated_at      INTEGER NOT NULL,
  UNIQUE (user_id, link)
) STRICT;

CREATE INDEX feeds_link ON feeds (link, proxy);
CREATE INDEX feeds_group ON feeds (group_id);

-- How fetching goes. Derived: a feed without a row is simply due.
CREATE TABLE feed_fetch_state (
  feed_id              INTEGER PRIMARY KEY REFERENCES feeds (id) ON DELETE CASCADE,
  etag                 TEXT NOT NULL DEFAULT '',
  last_modified        TEXT NOT NULL DEFAULT '',
  -- Where the two come from: after a redirect, another address than the link.
  validators_url       TEXT NOT NULL DEFAULT '',
  cache_control        TEXT NOT NULL DEFAULT '',
  expires_at           INTEGER NOT NULL DEFAULT 0,
  last_checked_at      INTEGER NOT NULL DEFAULT 0,
  next_check_at        INTEGER NOT NULL DEFAULT 0,
  last_http_status     INTEGER NOT NULL DEFAULT 0,
  retry_after_until    INTEGER NOT NULL DEFAULT 0,
  last_success_at      INTEGER NOT NULL DEFAULT 0,
  last_error_at        INTEGER NOT NULL DEFAULT 0,
  last_error           TEXT NOT NULL DEFAULT '',
  consecutive_failures INTEGER NOT NULL DEFAULT 0,
  body_hash            TEXT NOT NULL DEFAULT '',
  -- The entries of the last document, as JSON: what a new subscriber starts with.
  document_entries     TEXT NOT NULL DEFAULT '[]',
  -- Where the server says that the feed has moved for good, and how often it has said so in a row.
  moved_to             TEXT NOT NULL DEFAULT '',
  moved_seen           INTEGER NOT NULL DEFAULT 0,
  updated_at           INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE INDEX feed_fetch_state_due ON feed_fetch_state (next_check_at);

CREATE TABLE entries (
  id           INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id      INTEGER NOT NULL REFERENCES users (id),
  feed_id      INTEGER NOT NULL REFERENCES feeds (id),
  guid         TEXT NOT NULL,
  title        TEXT NOT NULL,
  link         TEXT NOT NULL,
  author       TEXT NOT NULL,
  content      TEXT NOT NULL,
  enclosures   TEXT NOT NULL,
  categories   TEXT NOT NULL,
  pub_date     INTEGER NOT NULL,
  created_at   INTEGER NOT NULL,
  updated_at   INTEGER NOT NULL,
  content_hash TEXT NOT NULL,
  UNIQUE (feed_id, guid)
) STRICT;

CREATE INDEX entries_of_user ON entries (user_id, pub_date, id);
CREATE INDEX entries_of_feed ON entries (feed_id, pub_date, id);

-- What a person said about one entry, over what the watermark of its feed says.
CREATE TABLE entry_marks (
  entry_id INTEGER PRIMARY KEY REFERENCES entries (id),
  user_id  INTEGER NOT NULL REFERENCES users (id),
  is_read  INTEGER NOT NULL CHECK (is_read IN (0, 1))
) STRICT;

-- Entries that were let go and must not come back while the feed still has them.
CREATE TABLE entry_tombstones (
  feed_id INTEGER NOT NULL REFERENCES feeds (id),
  guid    TEXT NOT NULL,
  user_id INTEGER NOT NULL REFERENCES users (id),
  PRIMARY KEY (feed_id, guid)
) STRICT, WITHOUT ROWID;

-- Lists of unread entries are ranges of these indexes, whatever the size of the archive.
CREATE TABLE unread_entries (
  user_id  INTEGER NOT NULL,
  pub_date INTEGER NOT NULL,
  entry_id INTEGER NOT NULL,
  feed_id  INTEGER NOT NULL,
  group_id INTEGER NOT NULL,
  PRIMARY KEY (user_id, pub_date, entry_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX unread_entries_of_feed ON unread_entries (user_id, feed_id, pub_date, entry_id);
CREATE INDEX unread_entries_of_group ON unread_entries (user_id, group_id, pub_date, entry_id);

CREATE TABLE feed_counts (
  feed_id INTEGER PRIMARY KEY,
  user_id INTEGER NOT NULL,
  unread  INTEGER NOT NULL,
  entries INTEGER NOT NULL,
  -- 1 while rows of unread_entries are still being taken away.
  stale   INTEGER NOT NULL DEFAULT 0 CHECK (stale IN (0, 1))
) STRICT;

CREATE INDEX feed_counts_of_user ON feed_counts (user_id);

-- What a user saved, by whatever route. One row for an address and a user.
CREATE TABLE items (
  id                INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id           INTEGER NOT NULL REFERENCES users (id),
  url               TEXT NOT NULL,
  url_key           TEXT NOT NULL,
  title             TEXT NOT NULL DEFAULT '',
  title_from        TEXT NOT NULL DEFAULT '' CHECK (title_from IN ('', 'entry', 'page', 'raindrop', 'person')),
  excerpt           TEXT NOT NULL DEFAULT '',
  author            TEXT NOT NULL DEFAULT '',
  status            TEXT NOT NULL DEFAULT '',
  is_favorite       INTEGER NOT NULL DEFAULT 0 CHECK (is_favorite IN (0, 1)),
  collection_id     INTEGER,
  snapshot_key      TEXT,
  text_sha256       TEXT,
  thumbnail_key     TEXT,
  enrichment_status TEXT NOT NULL CHECK (enrichment_status IN ('pending', 'processing', 'succeeded', 'failed')),
  enrichment_error  TEXT,
  enriched_at       INTEGER,
  saved_at          INTEGER,
  created_at        INTEGER NOT NULL,
  updated_at        INTEGER NOT NULL,
  deleted_at        INTEGER,
  UNIQUE (user_id, url_key)
) STRICT;

-- A star: the entry as it was, which outlives the entry and its feed.
CREATE TABLE bookmarks (
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id    INTEGER NOT NULL REFERENCES users (id),
  item_id    INTEGER NOT NULL REFERENCES items (id),
  entry_id   INTEGER REFERENCES entries (id),
  feed_id    INTEGER REFERENCES feeds (id),
  link       TEXT NOT NULL,
  title      TEXT NOT NULL,
  content    TEXT NOT NULL,
  pub_date   INTEGER NOT NULL,
  feed_name  TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  UNIQUE (user_id, item_id)
) STRICT;

CREATE INDEX bookmarks_of_user ON bookmarks (user_id, created_at, id);
CREATE INDEX bookmarks_of_entry ON bookmarks (entry_id);
CREATE INDEX bookmarks_of_feed ON bookmarks (feed_id);
