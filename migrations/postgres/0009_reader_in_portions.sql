-- Changes of many rows happen in portions: what is durable at once, what follows from it after.

-- Set when its user has deleted the feed. Nobody sees it or its entries any more; they are taken away in portions.
ALTER TABLE feeds ADD COLUMN deleted_at bigint;
CREATE INDEX feeds_deleted ON feeds (user_id, id) WHERE deleted_at IS NOT NULL;

-- What was marked unread by hand, found without reading all marks.
CREATE INDEX entry_marks_unread ON entry_marks (user_id, entry_id) WHERE is_read = 0;

-- How often unread rows of the feed have fallen behind since they last followed: 0 when they do.
ALTER TABLE feed_counts DROP CONSTRAINT feed_counts_stale_check;
CREATE INDEX feed_counts_stale ON feed_counts (feed_id) WHERE stale > 0;

-- How far letting old entries go has come; it begins anew at the other end.
ALTER TABLE feed_fetch_state ADD COLUMN pruned_date bigint NOT NULL DEFAULT 0;
ALTER TABLE feed_fetch_state ADD COLUMN pruned_id bigint NOT NULL DEFAULT 0;
