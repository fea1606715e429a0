-- How many pulls ended in which way, for each day. Workers add to it now and then, never once for a pull.
CREATE TABLE pull_counts (
  -- YYYY-MM-DD, in UTC
  day     text COLLATE "C" NOT NULL,
  outcome text COLLATE "C" NOT NULL,
  n       bigint NOT NULL,
  PRIMARY KEY (day, outcome)
);
