-- When `run_at` and `next_check_at` were written, so that times set by a clock that ran ahead can be recognised afterwards.

ALTER TABLE jobs ADD COLUMN scheduled_at bigint NOT NULL DEFAULT 0;
ALTER TABLE item_links ADD COLUMN scheduled_at bigint NOT NULL DEFAULT 0;
-- Not known for jobs that are there already; no delay was written before these times.
UPDATE jobs SET scheduled_at = greatest(created_at, coalesce(started_at, 0));
