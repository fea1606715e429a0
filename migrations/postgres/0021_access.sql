-- Disabled users, tokens with the scope admin, browsers that have logged in before, and questions asked today.

ALTER TABLE users ADD COLUMN disabled_at bigint;

ALTER TABLE tokens DROP CONSTRAINT tokens_scope_check;
ALTER TABLE tokens ADD CONSTRAINT tokens_scope_check CHECK (scope IN ('read', 'write', 'admin'));
-- The token that created this one. No foreign key: a rebuild inserts tokens in any order.
ALTER TABLE tokens ADD COLUMN created_by bigint;
CREATE INDEX tokens_created_by ON tokens (created_by);

-- A browser that has logged in has its own login attempts: a stranger's failures do not lock it out.
CREATE TABLE known_browsers (
  secret_sha256 text COLLATE "C" PRIMARY KEY,
  user_id       bigint NOT NULL REFERENCES users (id),
  expires_at    bigint NOT NULL
);

CREATE INDEX known_browsers_expiry ON known_browsers (expires_at);

-- How many questions a user has asked on their last day (days since 1970, UTC).
CREATE TABLE questions_asked (
  user_id bigint PRIMARY KEY REFERENCES users (id),
  day     integer NOT NULL,
  n       integer NOT NULL
);
