-- Disabled users, tokens with the scope admin, browsers that have logged in before, and questions asked today.

ALTER TABLE users ADD COLUMN disabled_at INTEGER;

-- SQLite cannot change a CHECK, so the table is copied. The counter is copied too: ids are never used twice.
DROP INDEX tokens_user;
ALTER TABLE tokens RENAME TO tokens_without_admin;
CREATE TABLE tokens (
  id            INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id       INTEGER NOT NULL REFERENCES users (id),
  name          TEXT NOT NULL,
  scope         TEXT NOT NULL CHECK (scope IN ('read', 'write', 'admin')),
  secret_sha256 TEXT NOT NULL UNIQUE,
  fever_sha256  TEXT NOT NULL UNIQUE,
  created_at    INTEGER NOT NULL,
  -- The token that created this one. No foreign key: a rebuild inserts tokens in any order.
  created_by    INTEGER
) STRICT;

INSERT INTO tokens (id, user_id, name, scope, secret_sha256, fever_sha256, created_at)
  SELECT id, user_id, name, scope, secret_sha256, fever_sha256, created_at FROM tokens_without_admin;
DELETE FROM sqlite_sequence WHERE name = 'tokens';
INSERT INTO sqlite_sequence (name, seq) SELECT 'tokens', seq FROM sqlite_sequence WHERE name = 'tokens_without_admin';
DROP TABLE tokens_without_admin;
CREATE INDEX tokens_user ON tokens (user_id);
CREATE INDEX tokens_created_by ON tokens (created_by);

-- A browser that has logged in has its own login attempts: a stranger's failures do not lock it out.
CREATE TABLE known_browsers (
  secret_sha256 TEXT PRIMARY KEY,
  user_id       INTEGER NOT NULL REFERENCES users (id),
  expires_at    INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX known_browsers_expiry ON known_browsers (expires_at);

-- How many questions a user has asked on their last day (days since 1970, UTC).
CREATE TABLE questions_asked (
  user_id INTEGER PRIMARY KEY REFERENCES users (id),
  day     INTEGER NOT NULL,
  n       INTEGER NOT NULL
) STRICT;
