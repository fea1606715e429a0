// How the attempt at a job ended. Each statement names the epoch of the claim; rows that have moved on stay as they are.
import { type RawBuilder, sql } from 'kysely';
import type { JobFence, JobProgress } from '../../model/job.ts';
import type { Database, Writer } from '../database.ts';
import { dbNow } from '../db-now.ts';
import { callWorkers } from './enqueue.ts';
import { isHeld, manyHeld } from './fence.ts';
import { cancelled, dead, done, dueIn, waiting } from './job-row.ts';

export type Outcome =
  | { readonly kind: 'done' }
  /** Tried again after a pause. */
  | { readonly kind: 'failed'; readonly error: string; readonly retryInMs: number }
  /** Kept, and not tried again unless a person says so. */
  | { readonly kind: 'dead'; readonly error: string }
  /** Given back as if it had never been taken; for later, if so long is named. */
  | { readonly kind: 'returned'; readonly delayMs?: number };

export interface Settled {
  readonly fence: JobFence;
  readonly outcome: Outcome;
}

export const isDone = ({ outcome }: Settled): boolean => outcome.kind === 'done';

export async function settle(db: Database, trx: Writer, settled: readonly Settled[]): Promise<void> {
  const finished = settled.filter(isDone).map(({ fence }) => fence);
  if (finished.length > 0) await doneStatement(db, finished).execute(trx);
  for (const { fence, outcome } of settled) {
    if (outcome.kind !== 'done') await settleOne(db, trx, fence, outcome);
  }
}

export function doneStatement(db: Database, fences: readonly JobFence[]): RawBuilder<unknown> {
  const { held, condition } = manyHeld(db, fences);
  return sql`UPDATE jobs SET state = ${done}, expires = 0, finished_at = ${dbNow(db)}, last_error = NULL
    FROM ${held} WHERE ${condition}`;
}

/** A job that was to be cancelled is not tried again, however its last attempt ended. */
async function settleOne(
  db: Database,
  trx: Writer,
  fence: JobFence,
  outcome: Exclude<Outcome, { kind: 'done' }>,
): Promise<void> {
  const unlessCancelled = (otherwise: RawBuilder<unknown>, instead: RawBuilder<unknown>) =>
    sql<never>`CASE WHEN cancel_requested = 1 THEN ${instead} ELSE ${otherwise} END`;
  const now = dbNow(db);
  const ends = outcome.kind === 'dead';
  const counts = outcome.kind !== 'returned';
  await trx
    .updateTable('jobs')
    .set({
      state: unlessCancelled(sql.lit(ends ? dead : waiting), sql.lit(cancelled)),
      finished_at: unlessCancelled(ends ? now : sql`NULL`, now),
      expires: 0,
      ...(outcome.kind === 'failed' && dueIn(db, outcome.retryInMs)),
      ...(outcome.kind === 'returned' && outcome.delayMs !== undefined && dueIn(db, outcome.delayMs)),
      ...(counts && { attempts: sql<number>`attempts + 1`, last_error: outcome.error }),
    })
    .where(isHeld(fence))
    .execute();
  if (outcome.kind === 'returned') await callWorkers(db, trx);
}

/** What a handler has locked is not waited for; a later report will do. */
export async function writeProgress(
  db: Database,
  trx: Writer,
  reports: readonly { fence: JobFence; progress: JobProgress }[],
): Promise<void> {
  for (const { fence, progress } of reports) {
    await trx
      .updateTable('jobs')
      .set({
        progress_done: progress.done,
        progress_total: progress.total,
        progress_note: progress.note,
      })
      .where('id', 'in', (e) =>
        e
          .selectFrom('jobs')
          .select('jobs.id')
          .where(isHeld(fence))
          .$if(db.engine === 'postgres', (query) => query.forUpdate().skipLocked()),
      )
      .execute();
  }
}
