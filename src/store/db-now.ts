// The time by which leases are judged: the database's, so that all processes agree however their clocks differ.
import { type RawBuilder, sql } from 'kysely';
import type { Database } from './database.ts';

/** Milliseconds by the clock of the database, moved by `timeOffsetMs` in tests. */
export function dbNow(db: Pick<Database, 'engine' | 'timeOffsetMs'>): RawBuilder<number> {
  const offset = db.timeOffsetMs?.() ?? 0;
  return db.engine === 'sqlite'
    ? sql<number>`(CAST(unixepoch('subsec') * 1000 AS INTEGER) + ${offset})`
    : // As a subquery it is asked once for each statement. A clock that is asked for each row cannot be looked up in an index.
      sql<number>`(SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint + ${offset}::bigint)`;
}
