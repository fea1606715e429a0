// Pulls as jobs: what is due goes into the queue, each address once, and a worker does it.
import { z } from 'zod';
import { jobKind } from '../store/job-queue/job-kind.ts';
import type { PullStore, PullTarget } from '../store/pull-store.ts';
import { type PullSettings, startDelayMs } from './pull-policy.ts';

const payload = z.object({
  link: z.string(),
  proxy: z.string(),
  manual: z.boolean().default(false),
  evenSuspended: z.array(z.int()).default([]),
});

/** A pull that fails is no failed job: the feed's own schedule says when to try again. */
export const pullKind = jobKind({
  name: 'pull-feed',
  schema: payload,
  timeoutMs: 10 * 60_000,
  maxAttempts: 3,
  pool: 'pulls',
});

export interface ScheduleDeps {
  readonly pulls: PullStore;
  readonly settings: PullSettings;
  /** From 0 up to 1. */
  readonly random: () => number;
}

const dueAtOnce = 500;

/** Puts what is due into the queue. Returns how many there were. */
export async function schedulePulls({ pulls, settings, random }: ScheduleDeps): Promise<number> {
  const { targets, total } = await pulls.findDue(dueAtOnce, { restMs: settings.intervalMs });
  await pulls.enqueue(
    pullKind,
    targets.map((target) => ({
      target,
      payload: { ...target, manual: false, evenSuspended: [] },
      delayMs: startDelayMs(settings, total, random()),
    })),
  );
  return targets.length;
}

/** Now, whether it is due or not. */
export async function requestRefresh(
  pulls: PullStore,
  { id, link, proxy }: PullTarget & { readonly id: number },
  { evenSuspended }: { evenSuspended: boolean },
): Promise<void> {
  const named = evenSuspended ? [id] : [];
  await pulls.expedite(
    pullKind,
    { link, proxy },
    { link, proxy, manual: true, evenSuspended: named },
    (present) => ({
      ...present,
      manual: true,
      evenSuspended: [...new Set([...present.evenSuspended, ...named])],
    }),
  );
}

/** All of these now, in as few transactions as there can be. One that is in the queue already is not put there again. */
export async function requestRefreshOf(pulls: PullStore, targets: readonly PullTarget[]): Promise<void> {
  await pulls.enqueue(
    pullKind,
    targets.map(({ link, proxy }) => ({
      target: { link, proxy },
      payload: { link, proxy, manual: true, evenSuspended: [] },
      delayMs: 0,
    })),
  );
}
