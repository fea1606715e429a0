-- What documents are filtered and counted by. The same facts stand as marks among their terms; here they are for facets.
ALTER TABLE search_docs ADD COLUMN feed_id INTEGER;
ALTER TABLE search_docs ADD COLUMN lang TEXT;
-- JSON: a list of names.
ALTER TABLE search_docs ADD COLUMN tags TEXT;
-- A bit for each state: see src/store/search/state-flags.ts.
ALTER TABLE search_docs ADD COLUMN flags INTEGER NOT NULL DEFAULT 0;

-- Searches that somebody wants to ask again.
CREATE TABLE saved_searches (
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id    INTEGER NOT NULL REFERENCES users (id),
  name       TEXT NOT NULL,
  q          TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  UNIQUE (user_id, name)
) STRICT;
