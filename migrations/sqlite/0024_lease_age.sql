-- Since when the present holder has a lease. 0 for a lease that was taken before this column existed.

ALTER TABLE leases ADD COLUMN acquired_at INTEGER NOT NULL DEFAULT 0;
