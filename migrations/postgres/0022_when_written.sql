-- When a row was written, so that a clock that ran ahead for a while can be recognised afterwards.

ALTER TABLE journal_dirty ADD COLUMN noted_at bigint NOT NULL DEFAULT (extract(epoch FROM now()) * 1000)::bigint;
ALTER TABLE host_pauses ADD COLUMN written_at bigint NOT NULL DEFAULT 0;
ALTER TABLE feed_schedules ADD COLUMN scheduled_at bigint NOT NULL DEFAULT 0;
