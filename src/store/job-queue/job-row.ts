// Jobs in the table and in the model.
import { sql } from 'kysely';
import { type Job, type JobProgress, type JobState, jobStates, type Lane, lanes } from '../../model/job.ts';
import type { Database } from '../database.ts';
import { dbNow } from '../db-now.ts';
import type { Row } from '../tables.ts';

export const stateNumber = (state: JobState): number => jobStates.indexOf(state);
export const laneNumber = (lane: Lane): number => lanes.indexOf(lane);

// In conditions that a partial index is made for, these stand as literals: SQLite does not find that index
// otherwise, nor does it see by itself that 3 is at least 2.
export const waiting = stateNumber('waiting');
export const running = stateNumber('running');
export const done = stateNumber('done');
export const dead = stateNumber('dead');
export const cancelled = stateNumber('cancelled');

export function stateOf(number: number): JobState {
  return jobStates[number] ?? unknown('state', number);
}

export function laneOf(number: number): Lane {
  return lanes[number] ?? unknown('lane', number);
}

/** The columns that make a job due after `delayMs`. `run_at` is never written without `scheduled_at`. */
export function dueIn(db: Database, delayMs: number) {
  return { run_at: sql<number>`${dbNow(db)} + ${Math.round(delayMs)}`, scheduled_at: dbNow(db) };
}

export function toJob(row: Row<'jobs'>): Job {
  return {
    id: row.id,
    name: row.name,
    lane: laneOf(row.lane),
    state: stateOf(row.state),
    payload: JSON.parse(row.payload),
    uniqueKey: row.unique_key,
    runAt: row.run_at,
    attempts: row.attempts,
    maxAttempts: row.max_attempts,
    crashes: row.crashes,
    progress: progressOf(row),
    cancelRequested: row.cancel_requested === 1,
    lastError: row.last_error,
    createdAt: row.created_at,
    startedAt: row.started_at,
    finishedAt: row.finished_at,
  };
}

function progressOf(row: Row<'jobs'>): JobProgress | undefined {
  if (row.progress_done === null) return undefined;
  return { done: row.progress_done, total: row.progress_total, note: row.progress_note };
}

function unknown(what: string, number: number): never {
  throw new Error(`a job has the unknown ${what} ${number}`);
}
