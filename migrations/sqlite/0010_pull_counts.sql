-- How many pulls ended in which way, for each day. Workers add to it now and then, never once for a pull.
CREATE TABLE pull_counts (
  -- YYYY-MM-DD, in UTC
  day     TEXT NOT NULL,
  outcome TEXT NOT NULL,
  n       INTEGER NOT NULL,
  PRIMARY KEY (day, outcome)
) STRICT, WITHOUT ROWID;
