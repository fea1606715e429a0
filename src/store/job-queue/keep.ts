// Keeping the leases of jobs: renewing one's own, and taking back what a worker that ended has left behind.
import { type RawBuilder, sql } from 'kysely';
import { clockToleranceMs } from '../../model/clock-jump.ts';
import type { JobFence, JobState } from '../../model/job.ts';
import type { Database, Writer } from '../database.ts';
import { dbNow } from '../db-now.ts';
import { isLeaseOver, isLeaseTooLong, leaseUntil, nextEpoch } from '../lease-columns.ts';
import { callWorkers } from './enqueue.ts';
import { manyHeld } from './fence.ts';
import { cancelled, dead, running, stateOf, waiting } from './job-row.ts';

export interface RecoverRules {
  readonly leaseMs: number;
  /** So many ends of a worker make a job a dead letter. */
  readonly maxCrashes: number;
  /** The pause after the first; a multiple of it after the next ones. */
  readonly suspectDelayMs: number;
}

export interface RecoveredJob {
  readonly id: number;
  readonly name: string;
  readonly state: JobState;
  readonly crashes: number;
}

const recoverAtOnce = 200;
const workerEnded = 'The worker ended while it was doing this.';
const workerEndedOften = (times: number) =>
  `The worker ended ${times === 3 ? 'three' : times} times while it was doing this.`;

/**
 * Renews what a worker knows that it has, and says what of it that still is; the rest it has lost. It is asked by its
 * claims and not by its name: of a claim whose answer never arrived it knows nothing, and nobody would do those jobs.
 */
export async function renew(
  db: Database,
  trx: Writer,
  fences: readonly JobFence[],
  leaseMs: number,
): Promise<readonly JobFence[]> {
  if (fences.length === 0) return [];
  const { held, condition } = manyHeld(db, fences);
  await sql`UPDATE jobs SET expires = ${leaseUntil(db, leaseMs)}
    WHERE id IN (SELECT jobs.id FROM jobs, ${held} WHERE ${condition} ${unlessLocked(db)})`.execute(trx);
  const { rows } =
    await sql<JobFence>`SELECT jobs.id, jobs.epoch FROM jobs, ${held} WHERE ${condition}`.execute(trx);
  return rows;
}

/**
 * A handler that writes through its fence has its row locked for as long as that takes. It is not waited for, since
 * the other leases would run out meanwhile; nor does its own need to be renewed, since nobody takes a locked one over.
 */
function unlessLocked(db: Database): RawBuilder<unknown> {
  return db.engine === 'postgres' ? sql`FOR UPDATE OF jobs SKIP LOCKED` : sql``;
}

/** Jobs whose lease is over go back to the queue, each one crash further; a suspect comes after a pause. */
export async function recover(db: Database, trx: Writer, rules: RecoverRules): Promise<RecoveredJob[]> {
  await sql`UPDATE jobs SET expires = ${leaseUntil(db, rules.leaseMs)}
    WHERE id IN (SELECT id FROM jobs WHERE state = ${sql.lit(running)}
      AND ${isLeaseTooLong(db, 'expires', rules.leaseMs)} ${unlessLocked(db)})`.execute(trx);

  const now = dbNow(db);
  const isLast = sql`crashes + 1 >= ${rules.maxCrashes}`;
  const { rows } = await sql<{ id: number; name: string; state: number; crashes: number }>`
    UPDATE jobs SET crashes = crashes + 1, epoch = ${nextEpoch('epoch')}, expires = 0,
      run_at = ${now} + ${rules.suspectDelayMs} * (crashes + 1), scheduled_at = ${now},
      state = CASE WHEN cancel_requested = 1 THEN ${sql.lit(cancelled)} WHEN ${isLast} THEN ${sql.lit(dead)} ELSE ${sql.lit(waiting)} END,
      finished_at = CASE WHEN cancel_requested = 1 OR ${isLast} THEN ${now} END,
      last_error = CASE WHEN ${isLast} THEN ${workerEndedOften(rules.maxCrashes)} ELSE ${workerEnded} END
    WHERE id IN (
      SELECT id FROM jobs WHERE state = ${sql.lit(running)} AND ${isLeaseOver(db, 'expires')}
      ORDER BY expires LIMIT ${recoverAtOnce} ${unlessLocked(db)}
    )
    RETURNING id, name, state, crashes`.execute(trx);
  return rows.map((row) => ({ ...row, state: stateOf(row.state) }));
}

/**
 * After the clock was set back, makes jobs due that would wait until it is that time again: jobs without a delay, and jobs whose
 * delay was written by a clock more than a minute ahead.
 */
export async function bringForward(db: Database, trx: Writer): Promise<void> {
  const now = dbNow(db);
  const { numAffectedRows } = await sql`UPDATE jobs SET run_at = ${now}, scheduled_at = ${now}
    WHERE id IN (
      SELECT id FROM jobs WHERE state = ${sql.lit(waiting)} AND lane IN (0, 1, 2) AND run_at > ${now}
        AND (run_at <= scheduled_at OR scheduled_at > ${leaseUntil(db, clockToleranceMs)}) ${unlessLocked(db)}
    )`.execute(trx);
  if (numAffectedRows) await callWorkers(db, trx);
}

/** Ends the leases of a worker that is known to have ended, so that nobody waits for them to run out. */
export async function releaseHolder(db: Database, trx: Writer, holder: string): Promise<void> {
  const { numUpdatedRows } = await trx
    .updateTable('jobs')
    .set({ expires: 0 })
    .where('state', '=', sql.lit(running))
    .where('holder', '=', holder)
    .executeTakeFirstOrThrow();
  if (numUpdatedRows > 0n) await callWorkers(db, trx);
}
