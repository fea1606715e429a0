-- Who has locked a feed of the deframer, so that a lock can be released when its holder has ended.

ALTER TABLE feed_schedules ADD COLUMN locked_by TEXT NOT NULL DEFAULT '';
