-- The deframer: feeds that are fetched, weighed article by article, and served anew. They belong to the operator.

CREATE TABLE deframer_feeds (
  -- A UUID.
  id                  text COLLATE "C" PRIMARY KEY,
  url                 text COLLATE "C" NOT NULL,
  -- What its articles are grouped by, such as example.com; NULL for none.
  root_domain         text COLLATE "C",
  -- Articles on another host than the feed's are left out.
  enforce_feed_domain integer NOT NULL DEFAULT 1 CHECK (enforce_feed_domain IN (0, 1)),
  -- A run that succeeded is followed by another.
  polling             integer NOT NULL DEFAULT 0 CHECK (polling IN (0, 1)),
  -- Without it nothing of the feed is served or fetched.
  enabled             integer NOT NULL DEFAULT 0 CHECK (enabled IN (0, 1)),
  -- In place of the prompt of its language.
  prompt              text COLLATE "C",
  created_at          bigint NOT NULL,
  updated_at          bigint NOT NULL,
  deleted_at          bigint
);

CREATE UNIQUE INDEX deframer_feeds_url ON deframer_feeds (url) WHERE deleted_at IS NULL;
CREATE INDEX deframer_feeds_root_domain ON deframer_feeds (root_domain);
CREATE INDEX deframer_feeds_enabled ON deframer_feeds (enabled);

-- When a feed is run, one row for each.
CREATE TABLE feed_schedules (
  id           text COLLATE "C" PRIMARY KEY REFERENCES deframer_feeds (id),
  -- NULL: dead or paused.
  next_run_at  bigint,
  last_run_at  bigint,
  -- Why the last run ended the schedule.
  last_error   text COLLATE "C",
  -- What is worth a look although the run succeeded.
  last_note    text COLLATE "C",
  -- The lease: until then a worker is at it. Its epoch only grows.
  locked_until bigint,
  epoch        bigint NOT NULL DEFAULT 0
);

CREATE INDEX feed_schedules_due ON feed_schedules (next_run_at);

-- What articles were found to be. One URL may stand in several feeds, and is weighed in each.
CREATE TABLE deframed_items (
  -- A UUID.
  id              text COLLATE "C" PRIMARY KEY,
  feed_id         text COLLATE "C" NOT NULL REFERENCES deframer_feeds (id),
  -- SHA-256 of the URL.
  hash            text COLLATE "C" NOT NULL,
  url             text COLLATE "C" NOT NULL,
  -- JSON.
  analyzer_result text COLLATE "C" NOT NULL,
  -- The overall score of it, to choose by.
  overall         double precision NOT NULL,
  -- As the feed has it, sanitised.
  content         text COLLATE "C" NOT NULL,
  author          text COLLATE "C" NOT NULL,
  pub_date        bigint NOT NULL,
  -- SHA-256 of model, prompt and article: whatever has the same is not analysed again.
  analysis_key    text COLLATE "C" NOT NULL,
  tokens_in       bigint NOT NULL DEFAULT 0,
  tokens_out      bigint NOT NULL DEFAULT 0,
  -- In millionths; NULL where no price is known.
  cost_micros     bigint,
  created_at      bigint NOT NULL,
  updated_at      bigint NOT NULL
);

CREATE UNIQUE INDEX idx_feed_id_hash ON deframed_items (feed_id, hash);
CREATE INDEX deframed_items_newest ON deframed_items (feed_id, pub_date, id);
CREATE INDEX deframed_items_key ON deframed_items (feed_id, analysis_key);
CREATE INDEX deframed_items_hash ON deframed_items (hash);
CREATE INDEX deframed_items_url ON deframed_items (url);

-- What is served, one row for each feed that was built. `updated_at` is what readers are told.
CREATE TABLE cached_feeds (
  id          text COLLATE "C" PRIMARY KEY REFERENCES deframer_feeds (id),
  xml_header  text COLLATE "C" NOT NULL,
  -- JSON: the hashes of the items in the document, in its order.
  item_refs   text COLLATE "C" NOT NULL,
  xml_content text COLLATE "C" NOT NULL,
  created_at  bigint NOT NULL,
  updated_at  bigint NOT NULL
);

-- What analyses took, for each feed and day (days since 1970, UTC): those that came to nothing were paid for too.
CREATE TABLE deframer_usage (
  feed_id        text COLLATE "C" NOT NULL REFERENCES deframer_feeds (id),
  day            bigint NOT NULL,
  calls          bigint NOT NULL DEFAULT 0,
  tokens_in      bigint NOT NULL DEFAULT 0,
  tokens_out     bigint NOT NULL DEFAULT 0,
  cost_micros    bigint NOT NULL DEFAULT 0,
  -- Calls whose price nobody knows.
  unpriced_calls bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (feed_id, day)
);

-- A document can be large, and the rest of the row is read without it: kept out of line, and compressed there.
ALTER TABLE cached_feeds ALTER COLUMN xml_content SET STORAGE EXTENDED;
