-- When a row was written, so that a clock that ran ahead for a while can be recognised afterwards.

-- SQLite cannot add a column whose default is an expression, so the table is made again. It is empty: a migration starts only when
-- the library has every change. Its numbers go on.
CREATE TABLE journal_dirty_next (
  seq      INTEGER PRIMARY KEY AUTOINCREMENT,
  tbl      INTEGER NOT NULL,
  k1       INTEGER,
  k2       INTEGER,
  kt       TEXT,
  noted_at INTEGER NOT NULL DEFAULT (CAST(unixepoch('subsec') * 1000 AS INTEGER))
) STRICT;
INSERT INTO sqlite_sequence (name, seq) SELECT 'journal_dirty_next', seq FROM sqlite_sequence WHERE name = 'journal_dirty';
DROP TABLE journal_dirty;
ALTER TABLE journal_dirty_next RENAME TO journal_dirty;

ALTER TABLE host_pauses ADD COLUMN written_at INTEGER NOT NULL DEFAULT 0;
ALTER TABLE feed_schedules ADD COLUMN scheduled_at INTEGER NOT NULL DEFAULT 0;
