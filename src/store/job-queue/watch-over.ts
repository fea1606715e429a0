// What people do with the queue: look at it, try a dead letter again, cancel a job.
import { sql } from 'kysely';
import { Conflict, NotFound } from '../../errors.ts';
import type { Millis } from '../../model/glossary.ts';
import type { Job, JobState, Lane } from '../../model/job.ts';
import { isUniqueViolation } from '../constraint.ts';
import type { Database } from '../database.ts';
import { dbNow } from '../db-now.ts';
import { callWorkers } from './enqueue.ts';
import {
  cancelled,
  dead,
  done,
  dueIn,
  laneOf,
  running,
  stateNumber,
  stateOf,
  toJob,
  waiting,
} from './job-row.ts';

export interface JobFilter {
  readonly state?: JobState | undefined;
  readonly name?: string | undefined;
  /** Only those with a smaller id: the next page. */
  readonly before?: number | undefined;
  readonly limit: number;
}

export interface JobCount {
  readonly name: string;
  readonly lane: Lane;
  readonly state: JobState;
  readonly count: number;
}

/** Counting stops here, so that whoever may ask without a login cannot make us count for long. */
const countAtMost = 1_000;

export function jobWatch(db: Database) {
  const find = async (id: number): Promise<Job | undefined> => {
    const row = await db.read.selectFrom('jobs').selectAll().where('id', '=', id).executeTakeFirst();
    return row && toJob(row);
  };

  const get = async (id: number): Promise<Job> => {
    const job = await find(id);
    if (!job) throw new NotFound(`job ${id}`);
    return job;
  };

  /** Back to the start: what it failed at before does not count against it. */
  const anew = () => ({
    state: waiting,
    ...dueIn(db, 0),
    attempts: 0,
    crashes: 0,
    cancel_requested: 0 as const,
    finished_at: null,
  });

  return {
    find,
    get,

    /** The one with that key that waits or runs. */
    async findUnfinished(uniqueKey: string): Promise<Job | undefined> {
      const row = await db.read
        .selectFrom('jobs')
        .selectAll()
        .where('unique_key', '=', uniqueKey)
        .where('state', '<', sql.lit(2))
        .executeTakeFirst();
      return row && toJob(row);
    },

    /** The newest first. */
    async list({ state, name, before, limit }: JobFilter): Promise<Job[]> {
      let query = db.heavyRead.selectFrom('jobs').selectAll().orderBy('id', 'desc').limit(limit);
      if (state !== undefined) query = query.where('state', '=', stateNumber(state));
      if (name !== undefined) query = query.where('name', '=', name);
      if (before !== undefined) query = query.where('id', '<', before);
      return (await query.execute()).map(toJob);
    },

    /** What is running, and the latest that ended: what somebody who watches wants to see. */
    async listActive(limit: number): Promise<Job[]> {
      const active = db.read
        .selectFrom('jobs')
        .selectAll()
        .where('state', '=', sql.lit(running))
        .orderBy('expires')
        .limit(limit);
      return (await active.execute()).map(toJob);
    },

    /** Puts a dead or cancelled job back into the queue. */
    async retry(id: number): Promise<Job> {
      try {
        const changed = await db.write(async (trx) => {
          const row = await trx
            .updateTable('jobs')
            .set(anew())
            .where('id', '=', id)
            .where('state', 'in', [dead, cancelled])
            .returning('id')
            .executeTakeFirst();
          await callWorkers(db, trx);
          return row;
        });
        const job = await get(id);
        if (!changed)
          throw new Conflict(`job ${id} is ${job.state}; only a dead or cancelled one can be retried`);
        return job;
      } catch (error) {
        if (!isUniqueViolation(error)) throw error;
        throw new Conflict(`job ${id} is not needed: another one with its key is waiting or running`, {
          cause: error,
        });
      }
    },

    /** All dead letters, or those of one name, but for those whose place another job with their key has taken. Returns how many. */
    async retryAllDead({ name }: { name?: string | undefined } = {}): Promise<number> {
      return db.write(async (trx) => {
        const { numUpdatedRows } = await trx
          .updateTable('jobs')
          .set(anew())
          .where('state', '=', sql.lit(dead))
          .where('state', '>=', sql.lit(2))
          .$if(name !== undefined, (query) => query.where('name', '=', name ?? ''))
          .where(
            sql<boolean>`(unique_key IS NULL OR (
              id IN (SELECT max(id) FROM jobs WHERE state = ${sql.lit(dead)} AND state >= 2 AND unique_key IS NOT NULL GROUP BY unique_key)
              AND NOT EXISTS (SELECT 1 FROM jobs AS other WHERE other.unique_key = jobs.unique_key AND other.state < 2)))`,
          )
          .executeTakeFirstOrThrow();
        await callWorkers(db, trx);
        return Number(numUpdatedRows);
      });
    },

    /** One that waits is cancelled at once; one that runs is asked to stop. */
    async cancel(id: number): Promise<Job> {
      const changed = await db.write((trx) =>
        trx
          .updateTable('jobs')
          .set({
            cancel_requested: 1,
            finished_at: sql<number | null>`CASE WHEN state = ${sql.lit(waiting)} THEN ${dbNow(db)} END`,
            state: sql<number>`CASE WHEN state = ${sql.lit(waiting)} THEN ${sql.lit(cancelled)} ELSE state END`,
          })
          .where('id', '=', id)
          .where('state', 'in', [waiting, running])
          .returning('id')
          .executeTakeFirst(),
      );
      const job = await get(id);
      if (!changed) throw new Conflict(`job ${id} is ${job.state} and cannot be cancelled`);
      return job;
    },

    async count(): Promise<JobCount[]> {
      const rows = await db.heavyRead
        .selectFrom('jobs')
        .select(['name', 'lane', 'state', (e) => e.fn.countAll<number>().as('count')])
        .groupBy(['name', 'lane', 'state'])
        .execute();
      return rows.map((row) => ({ ...row, lane: laneOf(row.lane), state: stateOf(row.state) }));
    },

    /** So many wait, run and are dead; none is counted beyond a thousand. */
    async countRoughly(): Promise<{ waiting: number; running: number; dead: number }> {
      const some = (state: number) =>
        sql<number>`(SELECT count(*) FROM (SELECT 1 FROM jobs WHERE state = ${sql.lit(state)} ${state >= 2 ? sql`AND state >= 2` : sql``} LIMIT ${sql.lit(countAtMost)}) AS few)`;
      const { rows } = await sql<{ waiting: number; running: number; dead: number }>`
        SELECT ${some(waiting)} AS waiting, ${some(running)} AS running, ${some(dead)} AS dead`.execute(
        db.read,
      );
      return rows[0] ?? { waiting: 0, running: 0, dead: 0 };
    },

    /** How long the one has waited that has waited longest beyond its time. */
    async oldestReadyMs(): Promise<number> {
      const { rows } = await sql<{ age: number | null }>`
        SELECT ${dbNow(db)} - min(run_at) AS age FROM jobs WHERE state = ${sql.lit(waiting)}`.execute(
        db.heavyRead,
      );
      return Math.max(0, rows[0]?.age ?? 0);
    },

    /** Deletes up to `atMost` completed and `atMost` other jobs that ended long ago. Returns how many it deleted. */
    async deleteOld({
      doneBefore,
      otherBefore,
      atMost,
    }: {
      doneBefore: Millis;
      otherBefore: Millis;
      atMost: number;
    }): Promise<number> {
      const old = (states: readonly number[], before: Millis) => sql`SELECT id FROM jobs
        WHERE state IN (${sql.join(states.map((state) => sql.lit(state)))}) AND state >= 2 AND finished_at < ${before} LIMIT ${atMost}`;
      let deleted = 0;
      for (const ids of [old([done], doneBefore), old([dead, cancelled], otherBefore)]) {
        const { numAffectedRows } = await db.write((trx) =>
          sql`DELETE FROM jobs WHERE id IN (${ids})`.execute(trx),
        );
        deleted += Number(numAffectedRows ?? 0n);
      }
      return deleted;
    },
  };
}
