-- The icons of sites, one for an origin, whoever follows feeds of it.
CREATE TABLE site_icons (
  origin     TEXT NOT NULL PRIMARY KEY,
  -- A media type, by what is in the bytes; empty while none was found.
  type       TEXT NOT NULL DEFAULT '',
  etag       TEXT NOT NULL DEFAULT '',
  fetched_at INTEGER NOT NULL DEFAULT 0,
  tried_at   INTEGER NOT NULL,
  -- In a row; the icon of before stays.
  failures   INTEGER NOT NULL,
  bytes      BLOB
) STRICT;

-- The site of the feed as of its last pull; empty before the first that succeeded, and for one behind a proxy.
ALTER TABLE feed_fetch_state ADD COLUMN site_origin TEXT NOT NULL DEFAULT '';
CREATE INDEX feed_fetch_state_site ON feed_fetch_state (site_origin) WHERE site_origin <> '';
