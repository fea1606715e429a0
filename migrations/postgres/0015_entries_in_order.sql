-- Pages of one user's entries in the order in which they came, past none of the others'; with what a filter looks at, so
-- that the rows themselves, which hold the texts, are left alone.
CREATE INDEX entries_in_order ON entries (user_id, id, feed_id, created_at);
