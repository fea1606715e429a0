-- Changes of many rows happen in portions: what is durable at once, what follows from it after.

-- Set when its user has deleted the feed. Nobody sees it or its entries any more; they are taken away in portions.
ALTER TABLE feeds ADD COLUMN deleted_at INTEGER;
CREATE INDEX feeds_deleted ON feeds (user_id, id) WHERE deleted_at IS NOT NULL;

-- What was marked unread by hand, found without reading all marks.
CREATE INDEX entry_marks_unread ON entry_marks (user_id, entry_id) WHERE is_read = 0;

-- `stale` says how often unread rows of the feed have fallen behind since they last followed: 0 when they do.
ALTER TABLE feed_counts RENAME TO feed_counts_before;
CREATE TABLE feed_counts (
  feed_id INTEGER PRIMARY KEY,
  user_id INTEGER NOT NULL,
  unread  INTEGER NOT NULL,
  entries INTEGER NOT NULL,
  stale   INTEGER NOT NULL DEFAULT 0
) STRICT;
INSERT INTO feed_counts SELECT feed_id, user_id, unread, entries, stale FROM feed_counts_before;
DROP TABLE feed_counts_before;
CREATE INDEX feed_counts_of_user ON feed_counts (user_id);
CREATE INDEX feed_counts_stale ON feed_counts (feed_id) WHERE stale > 0;

-- How far letting old entries go has come; it begins anew at the other end.
ALTER TABLE feed_fetch_state ADD COLUMN pruned_date INTEGER NOT NULL DEFAULT 0;
ALTER TABLE feed_fetch_state ADD COLUMN pruned_id INTEGER NOT NULL DEFAULT 0;
