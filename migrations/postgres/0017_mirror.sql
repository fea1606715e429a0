-- The mirror of Raindrop: what each raindrop is, and where the mirror stands.

-- `id` is Raindrop's own. Times are those of Raindrop, but for `removed_at`, which is when it was found gone.
CREATE TABLE raindrops (
  id            bigint PRIMARY KEY,
  user_id       bigint NOT NULL REFERENCES users (id),
  item_id       bigint REFERENCES items (id),
  link          text COLLATE "C" NOT NULL,
  title         text COLLATE "C" NOT NULL,
  excerpt       text COLLATE "C" NOT NULL,
  note          text COLLATE "C" NOT NULL,
  domain        text COLLATE "C" NOT NULL,
  -- JSON: those that its item has by it.
  tags          text COLLATE "C" NOT NULL,
  -- JSON: what was highlighted on its page there.
  highlights    text COLLATE "C" NOT NULL,
  collection_id bigint NOT NULL,
  is_important  integer NOT NULL CHECK (is_important IN (0, 1)),
  cover         text COLLATE "C" NOT NULL,
  -- When the cover was fetched, or given up; null while that is to be done.
  cover_at      bigint,
  cache_status  text COLLATE "C" NOT NULL CHECK (cache_status IN ('stored', 'none', 'pending', 'refused', 'failed')),
  raw_sha256    text COLLATE "C" NOT NULL,
  text_sha256   text COLLATE "C" NOT NULL,
  word_count    bigint NOT NULL,
  -- JSON: the SHA-256 of each object under raindrops/<id>, by name.
  files         text COLLATE "C" NOT NULL,
  created_at    bigint NOT NULL,
  updated_at    bigint NOT NULL,
  removed_at    bigint
);

CREATE INDEX idx_raindrops_updated ON raindrops (updated_at DESC);
CREATE INDEX idx_raindrops_domain ON raindrops (domain);
CREATE INDEX raindrops_of_item ON raindrops (item_id) WHERE item_id IS NOT NULL;

CREATE INDEX raindrops_cover ON raindrops (id) WHERE cover_at IS NULL AND cover <> '' AND removed_at IS NULL;

CREATE TABLE mirror_state (
  key   text COLLATE "C" PRIMARY KEY,
  value text COLLATE "C" NOT NULL
);
