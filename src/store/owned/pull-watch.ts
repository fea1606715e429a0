// How the pulls of one user's feeds go, read from the queue: for those who watch a refresh. A pull is for an address, and
// counts once for each feed of the user that has it.
import { type RawBuilder, sql } from 'kysely';
import type { Millis } from '../../model/glossary.ts';
import { dbNow } from '../db-now.ts';
import type { JobKind } from '../job-queue/job-kind.ts';
import { dead, running, waiting } from '../job-queue/job-row.ts';
import type { Owned } from './owned-rows.ts';

export type PullWatch = ReturnType<typeof pullWatch>;

export interface ActivePulls {
  readonly waiting: number;
  readonly running: number;
  /** For later than soon: by politeness, a pause that the host asked for, or a failure of ours. */
  readonly putOff: number;
  /** By the clock of the database. */
  readonly at: Millis;
}

export interface EndedPull {
  readonly jobId: number;
  readonly feedId: number;
  /** `put_off` when the host was not asked, since it had asked for a pause. */
  readonly outcome: 'done' | 'failed' | 'put_off';
}

/** Turns at one host are half a second apart: what has its turn within this is under way. */
const soonMs = 5_000;
/** A pull that asked wrote so in the transaction that set `updated_at`. */
const sameTimeMs = 30_000;

export function pullWatch({ db, userId }: Owned) {
  const field = (name: 'link' | 'proxy'): RawBuilder<string> =>
    db.engine === 'sqlite' ? sql`j.payload ->> ${sql.lit(name)}` : sql`j.payload::json ->> ${sql.lit(name)}`;
  // From the jobs to the feeds, which each have an index for it: the queue is mostly shorter than a list of feeds.
  const feedsOf = (jobs: RawBuilder<unknown>) => sql`
    (${jobs}) AS j CROSS JOIN feeds f
    WHERE f.user_id = ${userId} AND f.link = ${field('link')} AND f.proxy = ${field('proxy')}`;

  return {
    /** When one of the feeds was last asked for, whatever came of it; 0 when none was. */
    async lastCheckedAt(): Promise<Millis> {
      const { rows } = await sql<{ at: number | null }>`
        SELECT max(s.last_checked_at) AS at FROM feeds f JOIN feed_fetch_state s ON s.feed_id = f.id
        WHERE f.user_id = ${userId} AND f.deleted_at IS NULL`.execute(db.heavyRead);
      return Number(rows[0]?.at ?? 0);
    },

    async countActive(kind: Pick<JobKind, 'name'>): Promise<ActivePulls> {
      // The lanes and the time are there for the partial indexes, which begin with them.
      const jobs = sql`
        SELECT payload, state, run_at FROM jobs WHERE state = ${sql.lit(waiting)} AND lane IN (0, 1, 2) AND name = ${kind.name}
        UNION ALL
        SELECT payload, state, run_at FROM jobs WHERE state = ${sql.lit(running)} AND expires >= 0 AND name = ${kind.name}`;
      const isSoon = sql`j.run_at <= ${dbNow(db)} + ${sql.lit(soonMs)}`;
      const { rows } = await sql<{ waiting: number; running: number; put_off: number; at: number }>`
        SELECT coalesce(sum(CASE WHEN j.state = ${sql.lit(waiting)} AND ${isSoon} THEN 1 ELSE 0 END), 0) AS waiting,
          coalesce(sum(CASE WHEN j.state = ${sql.lit(running)} THEN 1 ELSE 0 END), 0) AS running,
          coalesce(sum(CASE WHEN j.state = ${sql.lit(waiting)} AND NOT (${isSoon}) THEN 1 ELSE 0 END), 0) AS put_off,
          ${dbNow(db)} AS at
        FROM ${feedsOf(jobs)}`.execute(db.heavyRead);
      const [row] = rows;
      return {
        waiting: Number(row?.waiting ?? 0),
        running: Number(row?.running ?? 0),
        putOff: Number(row?.put_off ?? 0),
        at: Number(row?.at ?? 0),
      };
    },

    /** Those that ended since, by the clock of the database. */
    async listEnded(kind: Pick<JobKind, 'name'>, since: Millis): Promise<EndedPull[]> {
      const jobs = sql`SELECT id, payload, state FROM jobs
        WHERE state IN (2, 3, 4) AND state >= 2 AND finished_at >= ${since} AND name = ${kind.name}`;
      const { rows } = await sql<{ job_id: number; feed_id: number; outcome: EndedPull['outcome'] }>`
        SELECT p.job_id, p.feed_id,
          CASE WHEN p.state >= ${sql.lit(dead)} THEN 'failed'
            WHEN s.retry_after_until > s.updated_at AND s.last_checked_at < s.updated_at - ${sql.lit(sameTimeMs)} THEN 'put_off'
            WHEN s.consecutive_failures > 0 THEN 'failed' ELSE 'done' END AS outcome
        FROM (SELECT j.id AS job_id, j.state, f.id AS feed_id FROM ${feedsOf(jobs)}) AS p
        LEFT JOIN feed_fetch_state s ON s.feed_id = p.feed_id ORDER BY p.job_id, p.feed_id`.execute(
        db.heavyRead,
      );
      return rows.map((row) => ({ jobId: row.job_id, feedId: row.feed_id, outcome: row.outcome }));
    },
  };
}
