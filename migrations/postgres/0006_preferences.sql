-- What a person has set in the web app, and finds again on another device.
CREATE TABLE preferences (
  user_id bigint NOT NULL REFERENCES users (id),
  name    text COLLATE "C" NOT NULL,
  -- JSON
  value   text COLLATE "C" NOT NULL,
  PRIMARY KEY (user_id, name)
);
