// What the numbers of the mirror come to, for people. Pure.
import type { Mirror } from '../lib/api-types.ts';

export type Standing = 'unset' | 'running' | 'problem' | 'first' | 'waiting' | 'current';

export function standingOf({ configured, running, problem, phase, started_at }: Mirror): Standing {
  if (!configured) return 'unset';
  if (running) return 'running';
  if (problem !== null) return 'problem';
  if (phase !== 'idle') return 'waiting';
  return started_at === null ? 'first' : 'current';
}

/** What the bar shows; null where nothing is left to be brought. A total of null: nobody knows yet. */
export function progressOf({
  running,
  phase,
  raindrops,
  total,
}: Mirror): { done: number; total: number | null } | null {
  if (total === null) return running ? { done: 0, total: null } : null;
  // Raindrop counts some that it does not show: what is missing once all is done is missing for good.
  return phase !== 'idle' && raindrops < total ? { done: raindrops, total } : null;
}

/** A worker looks every half minute; what is this late was forgotten, or nobody works. */
const lateMs = 5 * 60_000;

/** The next batch should have begun, and has not. */
export const isOverdue = ({ configured, running, next_run_at }: Mirror, now: number): boolean =>
  configured && !running && next_run_at !== null && now - Date.parse(next_run_at) > lateMs;

const whileRunningMs = 3_000;
const elseMs = 30_000;

/** `isAsked`: somebody has just called for a batch, which is about to begin. */
export const lookAgainMs = (mirror: Mirror | undefined, isAsked: boolean): number =>
  mirror?.running || isAsked ? whileRunningMs : elseMs;
