-- The journal's notes: which durable rows have changed since they were last written to the library. Triggers on
-- the durable tables write them; they are generated from src/store/durable.ts and are not part of a migration.

CREATE TABLE journal_dirty (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  tbl INTEGER NOT NULL,
  k1  INTEGER,
  k2  INTEGER,
  kt  TEXT
) STRICT;

-- Who may do a piece of work until when. The epoch only ever grows: it is what a late writer is recognised by.
CREATE TABLE leases (
  name    TEXT PRIMARY KEY,
  holder  TEXT NOT NULL,
  epoch   INTEGER NOT NULL,
  expires INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
