// The fence around a job: whoever writes a result shows the epoch of their claim, and changes nothing if the job has
// moved on. Every statement that a worker makes about a job it runs goes through one of these.
import { type RawBuilder, sql } from 'kysely';
import { LeaseLost } from '../../errors.ts';
import type { JobFence } from '../../model/job.ts';
import type { Database, Writer } from '../database.ts';
import { dbNow } from '../db-now.ts';
import { isEpoch } from '../lease-columns.ts';
import { done, running } from './job-row.ts';

/** True for the job's row while this claim is the last one and has not ended. */
export function isHeld({ id, epoch }: JobFence): RawBuilder<boolean> {
  return sql<boolean>`jobs.id = ${id} AND ${isEpoch('jobs.epoch', epoch)} AND jobs.state = ${running}`;
}

/** The same for many at once: a table `held (job_id, job_epoch)` to join the jobs with, and the condition to join by. */
export function manyHeld(db: Database, fences: readonly JobFence[]) {
  const list = JSON.stringify(fences.map(({ id, epoch }) => [id, epoch]));
  const held =
    db.engine === 'sqlite'
      ? sql`(SELECT value ->> 0 AS job_id, value ->> 1 AS job_epoch FROM json_each(${list})) AS held`
      : sql`(SELECT (f ->> 0)::bigint AS job_id, (f ->> 1)::bigint AS job_epoch
             FROM jsonb_array_elements(${list}::jsonb) AS f) AS held`;
  const condition = sql`jobs.id = held.job_id AND jobs.epoch = held.job_epoch AND jobs.state = ${running}`;
  return { held, condition };
}

/**
 * First in the transaction that writes the effect of a job: one whose lease has moved on writes nothing. On
 * PostgreSQL it locks the job's row, so that nobody takes the job over before that transaction ends.
 */
export async function requireJob(db: Database, trx: Writer, fence: JobFence): Promise<void> {
  await requirePayload(db, trx, fence);
}

/** The same, for a job that may be asked for more while it runs: what it is asked for now, and until we commit. */
export async function requirePayload<P>(db: Database, trx: Writer, fence: JobFence): Promise<P> {
  const held = await trx
    .selectFrom('jobs')
    .select('payload')
    .where(isHeld(fence))
    .$if(db.engine === 'postgres', (query) => query.forUpdate())
    .executeTakeFirst();
  if (!held) throw new LeaseLost(`job ${fence.id}`);
  return JSON.parse(held.payload);
}

const finished = new WeakSet<JobFence>();

/** Whether the one who holds it has said that it is finished. */
export function isFinished(fence: JobFence): boolean {
  return finished.has(fence);
}

/** Last in that transaction: effect and completion are one commit, so the effect happens exactly once. */
export async function finishJob(db: Database, trx: Writer, fence: JobFence): Promise<void> {
  const { numUpdatedRows } = await trx
    .updateTable('jobs')
    .set({ state: done, expires: 0, finished_at: dbNow(db), last_error: null })
    .where(isHeld(fence))
    .executeTakeFirstOrThrow();
  if (numUpdatedRows !== 1n) throw new LeaseLost(`job ${fence.id}`);
  finished.add(fence);
}
