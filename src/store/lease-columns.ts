// The arithmetic of a lease on a row, the same for every table that has one: a column that says when it runs out,
// by the clock of the database, and an epoch that only grows. Jobs, leases and schedules are all judged by these.
import { type RawBuilder, sql } from 'kysely';
import type { Database } from './database.ts';
import { dbNow } from './db-now.ts';

type LeaseClock = Pick<Database, 'engine' | 'timeOffsetMs'>;

/** When a lease that is taken or renewed now runs out. */
export function leaseUntil(db: LeaseClock, ttlMs: number): RawBuilder<number> {
  return sql<number>`${dbNow(db)} + ${ttlMs}`;
}

/** Anybody may take it. */
export function isLeaseOver(db: LeaseClock, expires: string): RawBuilder<boolean> {
  return sql<boolean>`${sql.ref(expires)} <= ${dbNow(db)}`;
}

/** It reaches further than any lease: the clock was set back since. Its holder, if it lives, will renew it. */
export function isLeaseTooLong(db: LeaseClock, expires: string, ttlMs: number): RawBuilder<boolean> {
  return sql<boolean>`${sql.ref(expires)} > ${leaseUntil(db, ttlMs)}`;
}

/** For the one who takes it over: whoever had it before is known by the smaller number. */
export function nextEpoch(epoch: string): RawBuilder<number> {
  return sql<number>`${sql.ref(epoch)} + 1`;
}

/** The fence: true only for the one who took it last. */
export function isEpoch(column: string, epoch: number): RawBuilder<boolean> {
  return sql<boolean>`${sql.ref(column)} = ${epoch}`;
}
