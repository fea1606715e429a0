-- Where a feed was before its server led us elsewhere for good, and when we followed: shown to whoever follows it.
ALTER TABLE feeds ADD COLUMN moved_from text COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE feeds ADD COLUMN moved_at bigint;
