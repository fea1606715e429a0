-- Saved items: what is found out about a page, tags, collections, and every route by which an item is there.

-- A row without a status is one that nobody has looked at yet: it reads as pending. What is under way is no status.
ALTER TABLE items RENAME COLUMN enrichment_status TO enrichment_status_before;
ALTER TABLE items ADD COLUMN enrichment_status TEXT CHECK (enrichment_status IN ('pending', 'succeeded', 'failed'));
UPDATE items SET enrichment_status = CASE enrichment_status_before WHEN 'processing' THEN 'pending' ELSE enrichment_status_before END;
ALTER TABLE items DROP COLUMN enrichment_status_before;

ALTER TABLE items RENAME COLUMN status TO status_before;
ALTER TABLE items ADD COLUMN status TEXT NOT NULL DEFAULT 'unread' CHECK (status IN ('unread', 'archived'));
UPDATE items SET status = 'archived' WHERE status_before = 'archived';
ALTER TABLE items DROP COLUMN status_before;

ALTER TABLE items ADD COLUMN excerpt_from TEXT NOT NULL DEFAULT '' CHECK (excerpt_from IN ('', 'page', 'raindrop', 'person'));
ALTER TABLE items ADD COLUMN site_name TEXT NOT NULL DEFAULT '';
ALTER TABLE items ADD COLUMN language TEXT NOT NULL DEFAULT '';
ALTER TABLE items ADD COLUMN published_at INTEGER;
ALTER TABLE items ADD COLUMN canonical_url TEXT NOT NULL DEFAULT '';
ALTER TABLE items ADD COLUMN word_count INTEGER NOT NULL DEFAULT 0;
-- Whose icon is shown beside it; empty for what has no site.
ALTER TABLE items ADD COLUMN site_origin TEXT NOT NULL DEFAULT '';
-- JSON: the SHA-256 of each file under snapshot_key, by name.
ALTER TABLE items ADD COLUMN snapshot_files TEXT;
ALTER TABLE items ADD COLUMN thumbnail_sha256 TEXT;
-- A person's delete holds against syncs; an item that only lost its last route comes back with the next.
ALTER TABLE items ADD COLUMN deleted_by TEXT NOT NULL DEFAULT '' CHECK (deleted_by IN ('', 'person', 'routes'));
UPDATE items SET deleted_by = 'routes' WHERE deleted_at IS NOT NULL;
-- When what it had was let go for good, long after it was deleted. The row stays, so that no sync brings it back.
ALTER TABLE items ADD COLUMN purged_at INTEGER;

CREATE INDEX items_of_user ON items (user_id, created_at, id) WHERE deleted_at IS NULL;
CREATE INDEX items_of_status ON items (user_id, status, created_at, id) WHERE deleted_at IS NULL;
CREATE INDEX items_favorite ON items (user_id, created_at, id) WHERE deleted_at IS NULL AND is_favorite = 1;
CREATE INDEX items_of_collection ON items (user_id, collection_id, created_at, id) WHERE deleted_at IS NULL;
CREATE INDEX idx_user_enrichment_status ON items (user_id, enrichment_status, created_at, id) WHERE deleted_at IS NULL;
CREATE INDEX items_pending ON items (id) WHERE deleted_at IS NULL AND (enrichment_status IS NULL OR enrichment_status = 'pending');
CREATE INDEX items_changed ON items (user_id, updated_at, id);
CREATE INDEX items_deleted ON items (user_id, deleted_at, id) WHERE deleted_at IS NOT NULL AND purged_at IS NULL;
-- The second column is always null: with it, SQLite reads all sites from the index alone.
CREATE INDEX items_of_site ON items (site_origin, deleted_at) WHERE site_origin <> '' AND deleted_at IS NULL;

-- With the item it was deleted with, and back with it.
ALTER TABLE bookmarks ADD COLUMN deleted_at INTEGER;

-- `created_at` is that of the item, so that the items of a tag are a range in the order in which they are listed.
CREATE TABLE item_tags (
  item_id    INTEGER NOT NULL REFERENCES items (id),
  name       TEXT NOT NULL,
  user_id    INTEGER NOT NULL REFERENCES users (id),
  created_at INTEGER NOT NULL,
  PRIMARY KEY (item_id, name)
) STRICT, WITHOUT ROWID;

CREATE INDEX item_tags_of_user ON item_tags (user_id, name, created_at, item_id);

-- Folders of items, in folders. `source` and `external_id` say where one comes from that was not made here.
CREATE TABLE collections (
  id          INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id     INTEGER NOT NULL REFERENCES users (id),
  parent_id   INTEGER REFERENCES collections (id),
  name        TEXT NOT NULL,
  description TEXT NOT NULL DEFAULT '',
  source      TEXT NOT NULL DEFAULT '',
  external_id TEXT NOT NULL DEFAULT '',
  created_at  INTEGER NOT NULL,
  updated_at  INTEGER NOT NULL
) STRICT;

CREATE UNIQUE INDEX collections_name ON collections (user_id, coalesce(parent_id, 0), name) WHERE source = '';
CREATE UNIQUE INDEX collections_of_source ON collections (user_id, source, external_id) WHERE source <> '';
CREATE INDEX collections_of_parent ON collections (parent_id);

-- What was highlighted or annotated. One of a web page is a route to the item of that page.
CREATE TABLE resources (
  id           INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id      INTEGER NOT NULL REFERENCES users (id),
  item_id      INTEGER REFERENCES items (id),
  source       TEXT NOT NULL,
  original_id  TEXT NOT NULL,
  type         TEXT NOT NULL,
  title        TEXT NOT NULL,
  content_hash TEXT NOT NULL DEFAULT '',
  full_hash    TEXT NOT NULL DEFAULT '',
  deleted_at   INTEGER,
  created_at   INTEGER NOT NULL,
  updated_at   INTEGER NOT NULL
) STRICT;

CREATE UNIQUE INDEX resources_live ON resources (user_id, source, original_id) WHERE deleted_at IS NULL;
CREATE INDEX resources_of_item ON resources (item_id) WHERE deleted_at IS NULL;

-- Whether the pages that a feed's entries link to are read for their full text, and what was found there.
ALTER TABLE feeds ADD COLUMN full_text INTEGER NOT NULL DEFAULT 0 CHECK (full_text IN (0, 1));

CREATE TABLE entry_texts (
  entry_id   INTEGER PRIMARY KEY REFERENCES entries (id),
  user_id    INTEGER NOT NULL REFERENCES users (id),
  content    TEXT NOT NULL,
  fetched_at INTEGER NOT NULL
) STRICT;

-- Whether the pages of items are still there, for users who want to know. Derived: it is simply asked again.
CREATE TABLE item_links (
  item_id       INTEGER PRIMARY KEY,
  user_id       INTEGER NOT NULL,
  next_check_at INTEGER NOT NULL,
  checked_at    INTEGER NOT NULL DEFAULT 0,
  state         TEXT NOT NULL DEFAULT '' CHECK (state IN ('', 'ok', 'dead', 'unsure')),
  http_status   INTEGER NOT NULL DEFAULT 0,
  failures      INTEGER NOT NULL DEFAULT 0,
  dead_since    INTEGER,
  sentence      TEXT NOT NULL DEFAULT ''
) STRICT;

CREATE INDEX item_links_due ON item_links (next_check_at);
CREATE INDEX item_links_dead ON item_links (user_id, item_id) WHERE state = 'dead';
