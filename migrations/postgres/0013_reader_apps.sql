-- Reader apps ask for what has come since a moment, and page in the order in which entries came.
CREATE INDEX entries_by_arrival ON entries (user_id, created_at, id, feed_id);
CREATE INDEX unread_entries_by_id ON unread_entries (user_id, entry_id, feed_id, group_id);
