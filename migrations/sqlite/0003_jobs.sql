-- Background work. A job is leased to a worker until `expires`, by the clock of this database; its epoch grows with
-- every claim and is never set back, so a worker whose lease has moved on is recognised by it. Ids are never used
-- twice: one that was would let a late worker finish somebody else's job.
CREATE TABLE jobs (
  id               INTEGER PRIMARY KEY AUTOINCREMENT,
  name             TEXT NOT NULL,
  lane             INTEGER NOT NULL CHECK (lane BETWEEN 0 AND 2),
  payload          TEXT NOT NULL,
  unique_key       TEXT,
  -- 0 waiting, 1 running, 2 done, 3 dead, 4 cancelled
  state            INTEGER NOT NULL DEFAULT 0 CHECK (state BETWEEN 0 AND 4),
  run_at           INTEGER NOT NULL,
  attempts         INTEGER NOT NULL DEFAULT 0,
  max_attempts     INTEGER NOT NULL,
  crashes          INTEGER NOT NULL DEFAULT 0,
  epoch            INTEGER NOT NULL DEFAULT 0,
  holder           TEXT,
  expires          INTEGER NOT NULL DEFAULT 0,
  progress_done    INTEGER,
  progress_total   INTEGER,
  progress_note    TEXT,
  cancel_requested INTEGER NOT NULL DEFAULT 0 CHECK (cancel_requested IN (0, 1)),
  last_error       TEXT,
  created_at       INTEGER NOT NULL,
  started_at       INTEGER,
  finished_at      INTEGER
) STRICT;

-- A range of each for what a worker asks: what is ready, what was left behind, what is suspected of crashes.
CREATE INDEX jobs_ready ON jobs (lane, run_at, id) WHERE state = 0;
CREATE INDEX jobs_suspect ON jobs (run_at, id) WHERE state = 0 AND crashes > 0;
CREATE INDEX jobs_running ON jobs (expires) WHERE state = 1;
CREATE INDEX jobs_finished ON jobs (state, finished_at) WHERE state >= 2;
CREATE UNIQUE INDEX jobs_one_unfinished ON jobs (unique_key) WHERE unique_key IS NOT NULL AND state < 2;

-- How often each kind ended in which way, and how long it took: what /metrics shows of workers in other processes.
CREATE TABLE job_counters (
  name    TEXT NOT NULL,
  counter TEXT NOT NULL,
  n       INTEGER NOT NULL,
  PRIMARY KEY (name, counter)
) STRICT, WITHOUT ROWID;

-- Hosts that have asked not to be called before a time.
CREATE TABLE host_pauses (
  host     TEXT PRIMARY KEY,
  until_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
