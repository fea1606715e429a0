// Which lanes the next claim may take from, so that a person who waits is served first and nothing waits for ever.
import type { Lane } from '../model/job.ts';
import type { ClaimRequest } from '../store/job-queue/claim.ts';

export interface Occupied {
  readonly lane: Lane;
}

/**
 * The `turn`th claim of a worker with room for `concurrency` jobs. One place is kept for the interactive lane, and
 * half of them from the low one; in return, one claim of four begins with the normal lane, and one of sixteen with the low.
 */
export function nextClaim(
  turn: number,
  concurrency: number,
  occupied: readonly Occupied[],
): Pick<ClaimRequest, 'total' | 'background' | 'low' | 'first'> {
  const inLane = (lane: Lane) => occupied.filter((one) => one.lane === lane).length;
  const low = inLane('low');
  return {
    total: concurrency - occupied.length,
    background: Math.max(1, concurrency - 1) - low - inLane('normal'),
    low: Math.max(1, Math.floor(concurrency / 2)) - low,
    first: turn % 16 === 15 ? 'low' : turn % 4 === 3 ? 'normal' : 'interactive',
  };
}
