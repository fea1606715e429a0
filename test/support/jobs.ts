// Jobs for suites that want one in a certain state.
import { z } from 'zod';
import type { JobState } from '../../src/model/job.ts';
import { jobKind } from '../../src/store/job-queue/job-kind.ts';
import type { Outcome } from '../../src/store/job-queue/settle.ts';
import type { Store } from '../../src/store/store.ts';

export const testKind = jobKind({ name: 'test', schema: z.object({ about: z.string() }) });

export async function makeJob({ opened }: { opened: { store: Store } }, state: JobState): Promise<number> {
  const { jobs } = opened.store;
  const { id } = await jobs.enqueue(testKind, { about: 'nothing' });
  if (state === 'waiting') return id;
  if (state === 'cancelled') return (await jobs.cancel(id)).id;
  const claimed = await jobs.settleAndClaim([], {
    holder: 'a test',
    leaseMs: 60_000,
    names: ['test'],
    total: 100,
    background: 100,
    low: 100,
    first: 'interactive',
    suspect: true,
  });
  const outcomes: Partial<Record<JobState, Outcome>> = {
    done: { kind: 'done' },
    dead: { kind: 'dead', error: 'It could not be done.' },
  };
  const settled = claimed.map((fence) => {
    const outcome = (fence.id === id ? outcomes[state] : undefined) ?? { kind: 'returned' };
    return { fence, outcome };
  });
  await jobs.settleAndClaim(settled.filter(({ fence }) => fence.id !== id || state !== 'running'));
  return id;
}
