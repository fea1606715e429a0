-- The mirror of Raindrop: what each raindrop is, and where the mirror stands.

-- `id` is Raindrop's own. Times are those of Raindrop, but for `removed_at`, which is when it was found gone.
CREATE TABLE raindrops (
  id            INTEGER PRIMARY KEY,
  user_id       INTEGER NOT NULL REFERENCES users (id),
  item_id       INTEGER REFERENCES items (id),
  link          TEXT NOT NULL,
  title         TEXT NOT NULL,
  excerpt       TEXT NOT NULL,
  note          TEXT NOT NULL,
  domain        TEXT NOT NULL,
  -- JSON: those that its item has by it.
  tags          TEXT NOT NULL,
  -- JSON: what was highlighted on its page there.
  highlights    TEXT NOT NULL,
  collection_id INTEGER NOT NULL,
  is_important  INTEGER NOT NULL CHECK (is_important IN (0, 1)),
  cover         TEXT NOT NULL,
  -- When the cover was fetched, or given up; null while that is to be done.
  cover_at      INTEGER,
  cache_status  TEXT NOT NULL CHECK (cache_status IN ('stored', 'none', 'pending', 'refused', 'failed')),
  raw_sha256    TEXT NOT NULL,
  text_sha256   TEXT NOT NULL,
  word_count    INTEGER NOT NULL,
  -- JSON: the SHA-256 of each object under raindrops/<id>, by name.
  files         TEXT NOT NULL,
  created_at    INTEGER NOT NULL,
  updated_at    INTEGER NOT NULL,
  removed_at    INTEGER
) STRICT;

CREATE INDEX idx_raindrops_updated ON raindrops (updated_at DESC);
CREATE INDEX idx_raindrops_domain ON raindrops (domain);
CREATE INDEX raindrops_of_item ON raindrops (item_id) WHERE item_id IS NOT NULL;

CREATE INDEX raindrops_cover ON raindrops (id) WHERE cover_at IS NULL AND cover <> '' AND removed_at IS NULL;

CREATE TABLE mirror_state (
  key   TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT;
