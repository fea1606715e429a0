-- The deframer: feeds that are fetched, weighed article by article, and served anew. They belong to the operator.

CREATE TABLE deframer_feeds (
  -- A UUID.
  id                  TEXT NOT NULL PRIMARY KEY,
  url                 TEXT NOT NULL,
  -- What its articles are grouped by, such as example.com; NULL for none.
  root_domain         TEXT,
  -- Articles on another host than the feed's are left out.
  enforce_feed_domain INTEGER NOT NULL DEFAULT 1 CHECK (enforce_feed_domain IN (0, 1)),
  -- A run that succeeded is followed by another.
  polling             INTEGER NOT NULL DEFAULT 0 CHECK (polling IN (0, 1)),
  -- Without it nothing of the feed is served or fetched.
  enabled             INTEGER NOT NULL DEFAULT 0 CHECK (enabled IN (0, 1)),
  -- In place of the prompt of its language.
  prompt              TEXT,
  created_at          INTEGER NOT NULL,
  updated_at          INTEGER NOT NULL,
  deleted_at          INTEGER
) STRICT;

CREATE UNIQUE INDEX deframer_feeds_url ON deframer_feeds (url) WHERE deleted_at IS NULL;
CREATE INDEX deframer_feeds_root_domain ON deframer_feeds (root_domain);
CREATE INDEX deframer_feeds_enabled ON deframer_feeds (enabled);

-- When a feed is run, one row for each.
CREATE TABLE feed_schedules (
  id           TEXT NOT NULL PRIMARY KEY REFERENCES deframer_feeds (id),
  -- NULL: dead or paused.
  next_run_at  INTEGER,
  last_run_at  INTEGER,
  -- Why the last run ended the schedule.
  last_error   TEXT,
  -- What is worth a look although the run succeeded.
  last_note    TEXT,
  -- The lease: until then a worker is at it. Its epoch only grows.
  locked_until INTEGER,
  epoch        INTEGER NOT NULL DEFAULT 0,
  -- What the server gave to ask "has it changed?" by, once every article of the answer was seen to.
  etag           TEXT NOT NULL DEFAULT '',
  last_modified  TEXT NOT NULL DEFAULT '',
  validators_url TEXT NOT NULL DEFAULT ''
) STRICT;

CREATE INDEX feed_schedules_due ON feed_schedules (next_run_at);

-- What articles were found to be. One URL may stand in several feeds, and is weighed in each.
CREATE TABLE deframed_items (
  -- For the index of search alone, which knows documents by numbers; given anew when the index is rebuilt.
  number          INTEGER PRIMARY KEY AUTOINCREMENT,
  -- A UUID.
  id              TEXT NOT NULL UNIQUE,
  feed_id         TEXT NOT NULL REFERENCES deframer_feeds (id),
  -- SHA-256 of the URL.
  hash            TEXT NOT NULL,
  url             TEXT NOT NULL,
  -- JSON.
  analyzer_result TEXT NOT NULL,
  -- The overall score of it, to choose by.
  overall         REAL NOT NULL,
  -- As the feed has it, sanitised.
  content         TEXT NOT NULL,
  author          TEXT NOT NULL,
  pub_date        INTEGER NOT NULL,
  -- SHA-256 of model, prompt and article: whatever has the same is not analysed again.
  analysis_key    TEXT NOT NULL,
  tokens_in       INTEGER NOT NULL DEFAULT 0,
  tokens_out      INTEGER NOT NULL DEFAULT 0,
  -- In millionths; NULL where no price is known.
  cost_micros     INTEGER,
  created_at      INTEGER NOT NULL,
  updated_at      INTEGER NOT NULL
) STRICT;

CREATE UNIQUE INDEX idx_feed_id_hash ON deframed_items (feed_id, hash);
CREATE INDEX deframed_items_newest ON deframed_items (feed_id, pub_date, id);
CREATE INDEX deframed_items_key ON deframed_items (feed_id, analysis_key);
CREATE INDEX deframed_items_hash ON deframed_items (hash);
CREATE INDEX deframed_items_url ON deframed_items (url);

-- What is served, one row for each feed that was built. `updated_at` is what readers are told.
CREATE TABLE cached_feeds (
  id          TEXT NOT NULL PRIMARY KEY REFERENCES deframer_feeds (id),
  xml_header  TEXT NOT NULL,
  -- JSON: the hashes of the items in the document, in its order.
  item_refs   TEXT NOT NULL,
  xml_content TEXT NOT NULL,
  created_at  INTEGER NOT NULL,
  updated_at  INTEGER NOT NULL
) STRICT;

-- What analyses took, for each feed and day (days since 1970, UTC): those that came to nothing were paid for too.
CREATE TABLE deframer_usage (
  feed_id        TEXT NOT NULL REFERENCES deframer_feeds (id),
  day            INTEGER NOT NULL,
  calls          INTEGER NOT NULL DEFAULT 0,
  tokens_in      INTEGER NOT NULL DEFAULT 0,
  tokens_out     INTEGER NOT NULL DEFAULT 0,
  cost_micros    INTEGER NOT NULL DEFAULT 0,
  -- Calls whose price nobody knows.
  unpriced_calls INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (feed_id, day)
) STRICT, WITHOUT ROWID;
