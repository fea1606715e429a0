-- What a person has set in the web app, and finds again on another device.
CREATE TABLE preferences (
  user_id INTEGER NOT NULL REFERENCES users (id),
  name    TEXT NOT NULL,
  -- JSON
  value   TEXT NOT NULL,
  PRIMARY KEY (user_id, name)
) STRICT, WITHOUT ROWID;
