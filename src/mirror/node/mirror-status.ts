// What people are told of the mirror: where it stands, what comes next, and how long the rest will take.
import type { Clock } from '../../model/glossary.ts';
import type { RaindropCounts } from '../../model/raindrop.ts';
import type { Store } from '../../store/store.ts';
import { mostPages } from '../batch.ts';
import { iso } from '../raindrop.ts';
import { perPage } from '../raindrop-api.ts';
import { betweenBatchesMs } from '../run-batch.ts';
import { type Phase, type Run, readCopies, readRun, readSchedule, stateKeys } from '../run-state.ts';
import { mirrorKind } from './mirror.ts';

export interface MirrorStatus {
  readonly isConfigured: boolean;
  readonly isRunning: boolean;
  readonly phase: Phase;
  readonly cursor: string | null;
  readonly nextRunAt: string | null;
  readonly startedAt: string | null;
  readonly finishedAt: string | null;
  /** Why it had to stop, in a sentence. */
  readonly problem: string | null;
  readonly counts: RaindropCounts;
  readonly waitingCopies: number;
  /** At Raindrop, as far as it is known. */
  readonly total: number | null;
  readonly estimate: { readonly batches: number; readonly doneAt: string } | null;
}

/** At six to ten requests a minute, fifty of them. */
const batchMs = 7 * 60_000;

export async function mirrorStatus(
  store: Store,
  { now, isConfigured }: { readonly now: Clock; readonly isConfigured: boolean },
): Promise<MirrorStatus> {
  const owner = await store.users.findOwner();
  const counts: RaindropCounts = owner
    ? await store.forUser(owner.id).raindrops.counts()
    : { live: 0, removed: 0, copies: { stored: 0, none: 0, pending: 0, refused: 0, failed: 0 } };
  const run = await readRun(store.mirrorState);
  const running = await store.jobs.list({ name: mirrorKind.name, state: 'running', limit: 1 });
  const due = await readSchedule(store.mirrorState, now());
  const nextRunAt = due === undefined ? null : iso(due);
  return {
    isConfigured,
    isRunning: running.length > 0,
    phase: run.phase,
    cursor: await store.mirrorState.get(stateKeys.cursor),
    nextRunAt,
    startedAt: run.startedAt,
    finishedAt: run.finishedAt,
    problem: run.problem,
    counts,
    waitingCopies: (await readCopies(store.mirrorState)).length,
    total: run.total,
    estimate: run.phase === 'idle' ? null : estimate(run, counts.live, nextRunAt, now()),
  };
}

/** One batch an hour, whatever anybody would like. */
function estimate(
  { total, phase, sweep }: Run,
  live: number,
  nextRunAt: string | null,
  nowMs: number,
): MirrorStatus['estimate'] {
  if (total === null) return null;
  const pagesLeft = phase === 'sweep' ? Math.ceil(total / perPage) - (sweep?.page ?? 0) : 0;
  const batches = Math.max(1, Math.ceil((total - live) / perPage), Math.ceil(pagesLeft / mostPages));
  const from = Math.max(nowMs, nextRunAt === null ? 0 : Date.parse(nextRunAt));
  return { batches, doneAt: new Date(from + (batches - 1) * betweenBatchesMs + batchMs).toISOString() };
}
