// Putting a job into the queue, inside the caller's transaction: it is there if what it follows from is.
import { type RawBuilder, sql } from 'kysely';
import { type Lane, lanes } from '../../model/job.ts';
import { type Database, plannedOnce, type Writer } from '../database.ts';
import { dbNow } from '../db-now.ts';
import type { JobKind } from './job-kind.ts';
import { dueIn, laneNumber } from './job-row.ts';

export interface EnqueueOptions {
  readonly delayMs?: number;
  /** While a job of this key waits or runs, no other is made: the one that is there is returned. */
  readonly uniqueKey?: string;
  /** Otherwise that of the kind. */
  readonly lane?: Lane;
}

export interface Enqueued {
  readonly id: number;
  /** False when there was one of that key already. */
  readonly isNew: boolean;
}

/** What listening workers are called by; see `Database.watch`. */
export const jobsChannel = 'lectern_jobs';

/**
 * The statement that makes a job, unless there is one of that key. A payload that does not fit its kind is a mistake
 * of the caller, and thrown here, not found by a worker later.
 */
export function insertStatement<P>(
  db: Database,
  kind: JobKind<P>,
  payload: P,
  { delayMs = 0, uniqueKey, lane = kind.lane }: EnqueueOptions = {},
): RawBuilder<{ id: number }> {
  kind.schema.parse(payload);
  const insert = sql<{ id: number }>`
      INSERT INTO jobs (name, lane, payload, unique_key, run_at, scheduled_at, max_attempts, created_at)
      VALUES (${kind.name}, ${laneNumber(lane)}, ${JSON.stringify(payload)}, ${uniqueKey ?? null},
              ${dbNow(db)} + ${delayMs}, ${dbNow(db)}, ${kind.maxAttempts}, ${dbNow(db)})
      ON CONFLICT (unique_key) WHERE unique_key IS NOT NULL AND state < 2 DO NOTHING
      RETURNING id`;
  return db.engine === 'sqlite' ? insert : calling(insert);
}

export async function enqueue<P>(
  db: Database,
  trx: Writer,
  kind: JobKind<P>,
  payload: P,
  options: EnqueueOptions = {},
): Promise<Enqueued> {
  // The one of that key may end between the two statements; then it is our turn again.
  for (;;) {
    const { rows } = await insertStatement(db, kind, payload, options).execute(trx);
    if (rows[0]) return { id: rows[0].id, isNew: true };
    const existing = await trx
      .selectFrom('jobs')
      .select('id')
      .where('unique_key', '=', options.uniqueKey ?? null)
      .where('state', '<', sql.lit(2))
      .executeTakeFirst();
    if (existing) return { id: existing.id, isNew: false };
  }
}

/** A job that waits is done now, as if a person had just asked for it, with what `change` makes of its payload. */
export async function hurry<P>(
  db: Database,
  trx: Writer,
  id: number,
  kind: JobKind<P>,
  change: (payload: P) => P,
): Promise<boolean> {
  if (!(await amend(db, trx, id, kind, change))) return false;
  await sql`UPDATE jobs SET run_at = ${dbNow(db)}, scheduled_at = ${dbNow(db)}, lane = ${laneNumber('interactive')}
    WHERE id = ${id}`.execute(trx);
  await callWorkers(db, trx);
  return true;
}

/**
 * Asks a job for what `change` makes of its payload. One that runs, runs on with what it was given; it finds the new
 * payload in its row before it ends. False when it has ended.
 */
export async function amend<P>(
  db: Database,
  trx: Writer,
  id: number,
  kind: JobKind<P>,
  change: (payload: P) => P,
): Promise<boolean> {
  const job = await trx
    .selectFrom('jobs')
    .select('payload')
    .where('id', '=', id)
    .where('state', '<', sql.lit(2))
    .$if(db.engine === 'postgres', (query) => query.forUpdate())
    .executeTakeFirst();
  if (!job) return false;
  const payload = kind.schema.parse(change(kind.schema.parse(JSON.parse(job.payload))));
  await sql`UPDATE jobs SET payload = ${JSON.stringify(payload)} WHERE id = ${id}`.execute(trx);
  return true;
}

/** Many of one kind, in as few statements as there can be; with keys, those are left out that there are already. */
export async function enqueueMany<P>(
  db: Database,
  trx: Writer,
  kind: JobKind<P>,
  payloads: readonly P[],
  { keyOf, lane = kind.lane }: { keyOf?: (payload: P) => string; lane?: Lane } = {},
): Promise<void> {
  const rowsAtOnce = 500;
  for (let from = 0; from < payloads.length; from += rowsAtOnce) {
    const rows = payloads.slice(from, from + rowsAtOnce).map((payload) => {
      kind.schema.parse(payload);
      return {
        name: kind.name,
        lane: lanes.indexOf(lane),
        payload: JSON.stringify(payload),
        unique_key: keyOf?.(payload) ?? null,
        ...dueIn(db, 0),
        max_attempts: kind.maxAttempts,
        created_at: dbNow(db),
      };
    });
    await trx
      .insertInto('jobs')
      .values(rows)
      .onConflict((conflict) =>
        conflict
          .column('unique_key')
          .where('unique_key', 'is not', null)
          .where('state', '<', sql.lit(2))
          .doNothing(),
      )
      .execute();
  }
  await callWorkers(db, trx);
}

/** Wakes the workers when the transaction commits. On SQLite they see by themselves that something was committed. */
export async function callWorkers(db: Database, trx: Writer): Promise<void> {
  if (db.engine === 'postgres') await sql`SELECT pg_notify(${jobsChannel}, '')`.execute(trx);
}

/** In the statement itself: a call of its own would be another way to the server and back. */
function calling(insert: RawBuilder<{ id: number }>): RawBuilder<{ id: number }> {
  return sql<{
    id: number;
  }>`${sql.raw(plannedOnce)} WITH made AS (${insert}) SELECT id, pg_notify(${jobsChannel}, '') FROM made`;
}
