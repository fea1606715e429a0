// Taking jobs: what is ready and due, by lanes, each leased to one worker. On PostgreSQL rows that another worker is
// taking at this moment are skipped, not waited for.
import { type RawBuilder, sql } from 'kysely';
import type { JobFence, Lane } from '../../model/job.ts';
import { type Database, plannedOnce, type Writer } from '../database.ts';
import { dbNow } from '../db-now.ts';
import { leaseUntil, nextEpoch } from '../lease-columns.ts';
import { laneNumber, laneOf, running, waiting } from './job-row.ts';

export interface ClaimRequest {
  readonly holder: string;
  readonly leaseMs: number;
  /** The kinds that this worker knows. */
  readonly names: readonly string[];
  /** At most so many in all, so many that nobody waits for (normal and low), so many of the low lane. */
  readonly total: number;
  readonly background: number;
  readonly low: number;
  /** The lane that has a right to the first place, if it has anything. */
  readonly first: Lane;
  /** Whether one may be among them that was running when a worker ended. */
  readonly suspect: boolean;
}

export interface ClaimedJob extends JobFence {
  readonly name: string;
  readonly lane: Lane;
  readonly payload: string;
  readonly attempts: number;
  readonly maxAttempts: number;
  readonly crashes: number;
}

export async function claim(db: Database, trx: Writer, request: ClaimRequest): Promise<ClaimedJob[]> {
  if (!canClaim(request)) return [];
  const { rows } = await claimStatement(db, request).execute(trx);
  return toClaimed(rows);
}

export function canClaim({ total, names }: ClaimRequest): boolean {
  return total > 0 && names.length > 0;
}

/** On PostgreSQL another statement about jobs that run, such as one that ends them, can go with it. */
export function claimStatement(
  db: Database,
  request: ClaimRequest,
  also?: RawBuilder<unknown>,
): RawBuilder<ClaimedRow> {
  const picks = picksOf(db, request);
  return sql<ClaimedRow>`${sql.raw(plannedOnce)}
    WITH ${also ? sql`also AS (${also}),` : sql``} ${sql.join(picks.map(({ name, query }) => sql`${sql.ref(name)} AS MATERIALIZED (${query})`))}
    UPDATE jobs SET state = ${running}, epoch = ${nextEpoch('epoch')}, holder = ${request.holder},
      expires = ${leaseUntil(db, request.leaseMs)}, started_at = ${dbNow(db)},
      progress_done = NULL, progress_total = NULL, progress_note = NULL
    WHERE id IN (${sql.join(
      picks.map(({ name }) => sql`SELECT id FROM ${sql.ref(name)}`),
      sql` UNION ALL `,
    )})
    RETURNING id, epoch, name, lane, payload, attempts, max_attempts, crashes`;
}

export interface ClaimedRow {
  id: number;
  epoch: number;
  name: string;
  lane: number;
  payload: string;
  attempts: number;
  max_attempts: number;
  crashes: number;
}

export function toClaimed(rows: readonly ClaimedRow[]): ClaimedJob[] {
  return rows
    .toSorted((a, b) => a.lane - b.lane || a.id - b.id)
    .map(({ lane, max_attempts, ...row }) => ({ ...row, lane: laneOf(lane), maxAttempts: max_attempts }));
}

interface Pick {
  readonly name: string;
  readonly isBackground: boolean;
  readonly query: RawBuilder<unknown>;
}

/**
 * One range of the index for each lane, in the order in which they are served, each taking no more than what those
 * before it have left over.
 */
function picksOf(db: Database, request: ClaimRequest): Pick[] {
  const { first, total, background, low } = request;
  const picks: Pick[] = [];
  const ready = sql`state = ${sql.lit(waiting)} AND run_at <= ${dbNow(db)} AND name IN (${sql.join(request.names)})`;
  const lock = db.engine === 'postgres' ? sql`FOR UPDATE SKIP LOCKED` : sql``;

  const add = (lane: Lane, most: number) => {
    const isBackground = lane !== 'interactive';
    const limits = [
      whole(most),
      left(total, picks),
      ...(isBackground
        ? [
            left(
              background,
              picks.filter((pick) => pick.isBackground),
            ),
          ]
        : []),
    ];
    picks.push({
      name: `pick_${picks.length}`,
      isBackground,
      query: sql`SELECT id FROM jobs WHERE ${ready} AND lane = ${sql.lit(laneNumber(lane))} AND crashes = 0
        ORDER BY run_at, id LIMIT ${atLeastNone(db, limits)} ${lock}`,
    });
  };

  if (request.suspect) {
    picks.push({
      name: 'suspect',
      isBackground: true,
      query: sql`SELECT id FROM jobs WHERE ${ready} AND crashes > 0 ORDER BY run_at, id LIMIT 1 ${lock}`,
    });
  }
  if (first === 'low') add('low', Math.min(1, low));
  if (first === 'normal') add('normal', 1);
  add('interactive', total);
  // What was taken in the first place must not be taken twice, so the rest of a lane comes with its next claim.
  if (first !== 'normal') add('normal', total);
  if (first !== 'low') add('low', low);
  return picks;
}

function left(of: number, picks: readonly Pick[]): RawBuilder<number> {
  const taken = picks.map(({ name }) => sql` - (SELECT count(*) FROM ${sql.ref(name)})`);
  return sql<number>`(${whole(of)}${sql.join(taken, sql``)})`;
}

/** PostgreSQL would take a parameter that stands alone for text. */
function whole(number: number): RawBuilder<number> {
  return sql<number>`CAST(${number} AS integer)`;
}

function atLeastNone(db: Database, limits: readonly RawBuilder<unknown>[]): RawBuilder<number> {
  const [least, greatest] = db.engine === 'sqlite' ? ['min', 'max'] : ['least', 'greatest'];
  return sql<number>`${sql.raw(greatest)}(0, ${sql.raw(least)}(${sql.join(limits)}))`;
}
