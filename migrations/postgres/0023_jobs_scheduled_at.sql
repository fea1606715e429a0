-- When `run_at` was written, so that a delay set by a clock that ran ahead can be recognised afterwards.

ALTER TABLE jobs ADD COLUMN scheduled_at bigint NOT NULL DEFAULT 0;
