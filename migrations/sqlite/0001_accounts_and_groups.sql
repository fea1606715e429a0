-- Accounts, and groups as the first thing that a user owns. Times are Unix milliseconds.

CREATE TABLE users (
  id            INTEGER PRIMARY KEY AUTOINCREMENT,
  username      TEXT NOT NULL UNIQUE,
  password_hash TEXT,
  role          TEXT NOT NULL CHECK (role IN ('owner', 'member')),
  oidc_subject  TEXT UNIQUE,
  created_at    INTEGER NOT NULL,
  updated_at    INTEGER NOT NULL
) STRICT;

-- Two processes that both find no owner cannot both make one.
CREATE UNIQUE INDEX users_one_owner ON users (role) WHERE role = 'owner';

CREATE TABLE tokens (
  id            INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id       INTEGER NOT NULL REFERENCES users (id),
  name          TEXT NOT NULL,
  scope         TEXT NOT NULL CHECK (scope IN ('read', 'write')),
  secret_sha256 TEXT NOT NULL UNIQUE,
  fever_sha256  TEXT NOT NULL UNIQUE,
  created_at    INTEGER NOT NULL
) STRICT;

CREATE INDEX tokens_user ON tokens (user_id);

CREATE TABLE sessions (
  secret_sha256 TEXT PRIMARY KEY,
  user_id       INTEGER NOT NULL REFERENCES users (id),
  created_at    INTEGER NOT NULL,
  expires_at    INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX sessions_user ON sessions (user_id);
CREATE INDEX sessions_expiry ON sessions (expires_at);

CREATE TABLE login_attempts (
  key               TEXT PRIMARY KEY,
  failures          INTEGER NOT NULL,
  window_started_at INTEGER NOT NULL,
  blocked_until     INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE groups (
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id    INTEGER NOT NULL REFERENCES users (id),
  name       TEXT NOT NULL,
  is_default INTEGER NOT NULL DEFAULT 0 CHECK (is_default IN (0, 1)),
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  UNIQUE (user_id, name)
) STRICT;

CREATE UNIQUE INDEX groups_one_default ON groups (user_id) WHERE is_default = 1;

CREATE TABLE meta (
  key   TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;
