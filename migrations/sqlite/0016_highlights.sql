-- Highlights, what was said about them, and what keeps them in step with their sources.

ALTER TABLE resources ADD COLUMN author TEXT NOT NULL DEFAULT '';
ALTER TABLE resources ADD COLUMN url TEXT NOT NULL DEFAULT '';
-- JSON, as whoever made it wanted it kept.
ALTER TABLE resources ADD COLUMN config TEXT;
-- Who deleted it: its source, by not having it any longer, or a person here.
ALTER TABLE resources ADD COLUMN deleted_by TEXT NOT NULL DEFAULT '' CHECK (deleted_by IN ('', 'source', 'person'));

CREATE INDEX resources_by_date ON resources (user_id, created_at, id) WHERE deleted_at IS NULL;
CREATE INDEX resources_changed ON resources (user_id, updated_at, id);
CREATE INDEX idx_resources_deleted_at ON resources (deleted_at) WHERE deleted_at IS NOT NULL;
CREATE INDEX resources_replicas ON resources (user_id, source, original_id) WHERE deleted_at IS NOT NULL;

-- `made_at` is when the person made it, as far as its source knows; else when it came here.
CREATE TABLE annotations (
  id           INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id      INTEGER NOT NULL REFERENCES users (id),
  resource_id  INTEGER NOT NULL REFERENCES resources (id),
  source       TEXT NOT NULL,
  original_id  TEXT NOT NULL,
  text         TEXT NOT NULL,
  color        TEXT,
  boundary     TEXT,
  made_at      INTEGER NOT NULL,
  content_hash TEXT NOT NULL DEFAULT '',
  full_hash    TEXT NOT NULL DEFAULT '',
  deleted_at   INTEGER,
  deleted_by   TEXT NOT NULL DEFAULT '' CHECK (deleted_by IN ('', 'source', 'person')),
  created_at   INTEGER NOT NULL,
  updated_at   INTEGER NOT NULL
) STRICT;

CREATE UNIQUE INDEX annotations_live ON annotations (user_id, source, original_id) WHERE deleted_at IS NULL;
CREATE INDEX annotations_of_resource ON annotations (resource_id, made_at, id) WHERE deleted_at IS NULL;
CREATE INDEX annotations_by_date ON annotations (user_id, made_at, id) WHERE deleted_at IS NULL;
CREATE INDEX annotations_changed ON annotations (user_id, updated_at, id);
CREATE INDEX idx_annotations_deleted_at ON annotations (deleted_at) WHERE deleted_at IS NOT NULL;
CREATE INDEX annotations_replicas ON annotations (user_id, source, original_id) WHERE deleted_at IS NOT NULL;
-- Of all rows: whether something still stands on a resource that is let go of is asked of deleted ones, too.
CREATE INDEX annotations_parent ON annotations (resource_id);

CREATE TABLE comments (
  id            INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id       INTEGER NOT NULL REFERENCES users (id),
  annotation_id INTEGER NOT NULL REFERENCES annotations (id),
  source        TEXT NOT NULL,
  original_id   TEXT NOT NULL,
  content       TEXT NOT NULL,
  made_at       INTEGER NOT NULL,
  content_hash  TEXT NOT NULL DEFAULT '',
  full_hash     TEXT NOT NULL DEFAULT '',
  deleted_at    INTEGER,
  deleted_by    TEXT NOT NULL DEFAULT '' CHECK (deleted_by IN ('', 'source', 'person')),
  created_at    INTEGER NOT NULL,
  updated_at    INTEGER NOT NULL
) STRICT;

CREATE UNIQUE INDEX comments_live ON comments (user_id, source, original_id) WHERE deleted_at IS NULL;
CREATE INDEX comments_of_annotation ON comments (annotation_id, id) WHERE deleted_at IS NULL;
CREATE INDEX comments_by_date ON comments (user_id, made_at, id) WHERE deleted_at IS NULL;
CREATE INDEX comments_changed ON comments (user_id, updated_at, id);
CREATE INDEX idx_comments_deleted_at ON comments (deleted_at) WHERE deleted_at IS NOT NULL;
CREATE INDEX comments_replicas ON comments (user_id, source, original_id) WHERE deleted_at IS NOT NULL;
CREATE INDEX comments_parent ON comments (annotation_id);

CREATE TABLE notes (
  id           INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id      INTEGER NOT NULL REFERENCES users (id),
  resource_id  INTEGER NOT NULL REFERENCES resources (id),
  source       TEXT NOT NULL,
  original_id  TEXT NOT NULL,
  content      TEXT NOT NULL,
  made_at      INTEGER NOT NULL,
  content_hash TEXT NOT NULL DEFAULT '',
  full_hash    TEXT NOT NULL DEFAULT '',
  deleted_at   INTEGER,
  deleted_by   TEXT NOT NULL DEFAULT '' CHECK (deleted_by IN ('', 'source', 'person')),
  created_at   INTEGER NOT NULL,
  updated_at   INTEGER NOT NULL
) STRICT;

CREATE UNIQUE INDEX notes_live ON notes (user_id, source, original_id) WHERE deleted_at IS NULL;
CREATE INDEX notes_of_resource ON notes (resource_id, id) WHERE deleted_at IS NULL;
CREATE INDEX notes_by_date ON notes (user_id, made_at, id) WHERE deleted_at IS NULL;
CREATE INDEX notes_changed ON notes (user_id, updated_at, id);
CREATE INDEX idx_notes_deleted_at ON notes (deleted_at) WHERE deleted_at IS NOT NULL;
CREATE INDEX notes_replicas ON notes (user_id, source, original_id) WHERE deleted_at IS NOT NULL;
CREATE INDEX notes_parent ON notes (resource_id);

-- What is kept in step, by what, and how the last time went. `config` and `last_counts` are JSON.
CREATE TABLE sync_sources (
  user_id       INTEGER NOT NULL REFERENCES users (id),
  source        TEXT NOT NULL,
  kind          TEXT NOT NULL,
  config        TEXT NOT NULL DEFAULT '{}',
  last_sync_at  INTEGER,
  last_counts   TEXT,
  last_error    TEXT NOT NULL DEFAULT '',
  last_error_at INTEGER,
  created_at    INTEGER NOT NULL,
  PRIMARY KEY (user_id, source)
) STRICT, WITHOUT ROWID;
