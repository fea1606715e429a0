// The queue of background work, in the index: what the rest of Lectern enqueues, what workers take and give back,
// and what people see of it. Store code that enqueues within a transaction of its own calls `enqueue` directly.
import { sql } from 'kysely';
import type { JobFence, JobProgress } from '../../model/job.ts';
import type { Database } from '../database.ts';
import { dbNow } from '../db-now.ts';
import { type ClaimedJob, type ClaimRequest, canClaim, claim, claimStatement, toClaimed } from './claim.ts';
import { type Enqueued, type EnqueueOptions, enqueue, enqueueMany, insertStatement } from './enqueue.ts';
import { jobCounters } from './job-counters.ts';
import type { JobKind } from './job-kind.ts';
import { running, waiting } from './job-row.ts';
import { bringForward, type RecoveredJob, type RecoverRules, recover, releaseHolder, renew } from './keep.ts';
import { doneStatement, isDone, type Settled, settle, writeProgress } from './settle.ts';
import { jobWatch } from './watch-over.ts';

export type JobQueue = ReturnType<typeof jobQueue>;

export function jobQueue(db: Database) {
  return {
    ...jobWatch(db),
    counters: jobCounters(db),

    async enqueue<P>(kind: JobKind<P>, payload: P, options?: EnqueueOptions): Promise<Enqueued> {
      const [made] = await db.writeOne(insertStatement(db, kind, payload, options));
      if (made) return { id: made.id, isNew: true };
      return db.write((trx) => enqueue(db, trx, kind, payload, options));
    },

    enqueueMany<P>(kind: JobKind<P>, payloads: readonly P[]): Promise<void> {
      return db.write((trx) => enqueueMany(db, trx, kind, payloads));
    },

    /** Says how jobs ended and takes new ones, in one commit: on SQLite the commits are what costs. */
    async settleAndClaim(settled: readonly Settled[], request?: ClaimRequest): Promise<ClaimedJob[]> {
      if (db.engine === 'postgres' && request && canClaim(request) && settled.every(isDone)) {
        // The usual case in one statement: on PostgreSQL the ways to the server and back are what costs.
        const fences = settled.map(({ fence }) => fence);
        const also = fences.length > 0 ? doneStatement(db, fences) : undefined;
        return toClaimed(await db.writeOne(claimStatement(db, request, also)));
      }
      return db.write(async (trx) => {
        await settle(db, trx, settled);
        return request ? claim(db, trx, request) : [];
      });
    },

    writeProgress(reports: readonly { fence: JobFence; progress: JobProgress }[]): Promise<void> {
      return db.write((trx) => writeProgress(db, trx, reports));
    },

    /** The heartbeat of a worker: renews the claims that it knows of, and takes back what was left behind. */
    keep(
      fences: readonly JobFence[],
      rules: RecoverRules,
      mayRecover = true,
    ): Promise<{ held: readonly JobFence[]; recovered: readonly RecoveredJob[] }> {
      return db.write(async (trx) => {
        const held = await renew(db, trx, fences, rules.leaseMs);
        await bringForward(db, trx);
        return { held, recovered: mayRecover ? await recover(db, trx, rules) : [] };
      });
    },

    releaseHolder: (holder: string): Promise<void> => db.write((trx) => releaseHolder(db, trx, holder)),

    /** Those of `holder` that somebody wants cancelled. */
    async findCancelRequests(holder: string): Promise<readonly JobFence[]> {
      return db.read
        .selectFrom('jobs')
        .select(['id', 'epoch'])
        .where('state', '=', sql.lit(running))
        .where('holder', '=', holder)
        .where('cancel_requested', '=', 1)
        .execute();
    },

    /** How long until a job is due: 0 or less for now, undefined when none waits. */
    async nextDueInMs(): Promise<number | undefined> {
      const first = (lane: number) =>
        sql`SELECT * FROM (SELECT run_at FROM jobs WHERE state = ${sql.lit(waiting)} AND lane = ${sql.lit(lane)}
          ORDER BY run_at, id LIMIT 1) AS lane_${sql.lit(lane)}`;
      const { rows } = await sql<{ due: number | null }>`
        SELECT min(run_at) - ${dbNow(db)} AS due
        FROM (${first(0)} UNION ALL ${first(1)} UNION ALL ${first(2)}) AS firsts`.execute(db.read);
      return rows[0]?.due ?? undefined;
    },

    /** Calls back soon after a job may have become ready, in whichever process. */
    watch: (onChange: () => void) => db.watch(onChange),
  };
}
