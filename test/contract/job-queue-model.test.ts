// Random histories of the queue, against a model of it that is simple enough to be right.
import fc from 'fast-check';
import { beforeEach, expect, it } from 'vitest';
import { z } from 'zod';
import type { JobFence, JobState } from '../../src/model/job.ts';
import type { Database } from '../../src/store/database.ts';
import { jobKind } from '../../src/store/job-queue/job-kind.ts';
import type { JobQueue } from '../../src/store/job-queue/job-queue.ts';
import { propertyRuns } from '../support/depth.ts';
import { onEachEngine, openEmptyStore } from '../support/engines.ts';

const kind = jobKind({ name: 'model', schema: z.null(), maxAttempts: 2 });
const leaseMs = 60_000;
const maxCrashes = 3;
/** Far more than a run takes, so that only `sleep` lets a lease run out. */
const rules = { leaseMs, maxCrashes, suspectDelayMs: 0 };

interface ModelJob {
  state: JobState;
  epoch: number;
  attempts: number;
  crashes: number;
  key: string | undefined;
  holder: string | undefined;
  finishes: number;
  toBeCancelled: boolean;
}

const holders = ['a', 'b', 'c'];
const anyHolder = fc.constantFrom(...holders);
interface Step {
  readonly do: string;
  readonly key?: string | null;
  readonly holder?: string;
  readonly total?: number;
  readonly which?: number;
}

const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('enqueue'), key: fc.option(fc.constantFrom('x', 'y')) }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('claim'),
      holder: anyHolder,
      total: fc.integer({ min: 1, max: 3 }),
    }),
  },
  // Which of all claims ever made speaks, its lease lost or not.
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constantFrom('finish', 'fail', 'give back', 'report'),
      which: fc.nat(1000),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('heartbeat'), holder: anyHolder }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('kill'), holder: anyHolder }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('sleep') }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('cancel', 'retry'), which: fc.nat(1000) }) },
) as fc.Arbitrary<Step>;

onEachEngine('a random history of the queue', (engine) => {
  let db: Database;
  let queue: JobQueue;
  let offsetMs = 0;

  beforeEach(async () => {
    const opened = await openEmptyStore(engine);
    db = opened.database;
    queue = opened.store.jobs;
    db.timeOffsetMs = () => offsetMs;
  });

  it('loses no job, ends none twice, and is what the model says after each step', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 60 }), async (steps) => {
        await db.write((trx) => trx.deleteFrom('jobs').execute());
        await play(steps);
      }),
      propertyRuns(engine.name === 'sqlite' ? 120 : 25),
    );
  });

  async function play(steps: readonly Step[]): Promise<void> {
    const model = new Map<number, ModelJob>();
    const claims: JobFence[] = [];
    const unfinished = (key: string) =>
      [...model.values()].some(
        (job) => job.key === key && (job.state === 'waiting' || job.state === 'running'),
      );

    /** The job, if this claim still counts. */
    const heldBy = (fence: JobFence) => {
      const job = model.get(fence.id);
      return job?.state === 'running' && job.epoch === fence.epoch ? job : undefined;
    };
    const crash = (job: ModelJob) => {
      job.crashes += 1;
      job.epoch += 1;
      job.state = job.toBeCancelled ? 'cancelled' : job.crashes >= maxCrashes ? 'dead' : 'waiting';
    };
    const settle = async (
      fence: JobFence,
      outcome: Parameters<JobQueue['settleAndClaim']>[0][0]['outcome'],
    ) => {
      await queue.settleAndClaim([{ fence, outcome }]);
    };

    for (const { do: what, key, holder = 'a', total = 1, which = 0 } of steps) {
      const fence = claims[which % Math.max(1, claims.length)];
      const ids = [...model.keys()];
      const id = ids[which % Math.max(1, ids.length)];
      if (what === 'enqueue') {
        const isNew = !key || !unfinished(key);
        const made = await queue.enqueue(kind, null, key ? { uniqueKey: key } : {});
        expect(made.isNew).toBe(isNew);
        if (isNew) {
          expect(model.has(made.id)).toBe(false);
          const fresh = { state: 'waiting' as const, epoch: 0, attempts: 0, crashes: 0, finishes: 0 };
          model.set(made.id, { ...fresh, key: key ?? undefined, holder: undefined, toBeCancelled: false });
        }
      } else if (what === 'claim') {
        const claimed = await queue.settleAndClaim([], {
          ...{ holder, leaseMs, names: ['model'], total, background: total, low: total },
          ...{ first: 'interactive', suspect: true },
        });
        const waiting = [...model.values()].filter((job) => job.state === 'waiting');
        const fresh = waiting.filter((job) => job.crashes === 0).length;
        const suspects = Math.min(1, waiting.length - fresh);
        expect(claimed).toHaveLength(suspects + Math.min(total - suspects, fresh));
        for (const { id: claimedId, epoch } of claimed) {
          const job = model.get(claimedId) as ModelJob;
          expect(job.state).toBe('waiting');
          expect(epoch).toBe(job.epoch + 1);
          Object.assign(job, { state: 'running', epoch, holder });
          claims.push({ id: claimedId, epoch });
        }
      } else if (what === 'finish' && fence) {
        const job = heldBy(fence);
        await settle(fence, { kind: 'done' });
        if (job) Object.assign(job, { state: 'done', finishes: job.finishes + 1 });
      } else if (what === 'fail' && fence) {
        const job = heldBy(fence);
        const isLast = (job?.attempts ?? 0) + 1 >= kind.maxAttempts;
        await settle(
          fence,
          isLast ? { kind: 'dead', error: 'No.' } : { kind: 'failed', error: 'No.', retryInMs: 0 },
        );
        if (job) job.attempts += 1;
        if (job) job.state = job.toBeCancelled ? 'cancelled' : isLast ? 'dead' : 'waiting';
      } else if (what === 'give back' && fence) {
        const job = heldBy(fence);
        await settle(fence, { kind: 'returned' });
        if (job) job.state = job.toBeCancelled ? 'cancelled' : 'waiting';
      } else if (what === 'report' && fence) {
        await queue.writeProgress([{ fence, progress: { done: fence.epoch, total: null, note: null } }]);
        if (heldBy(fence)) expect((await queue.get(fence.id)).progress?.done).toBe(fence.epoch);
      } else if (what === 'heartbeat') {
        const own = [...model].filter(([, job]) => job.state === 'running' && job.holder === holder);
        // It also thinks that it has what it lost.
        const known = claims.filter(({ id: claimed }) => model.get(claimed)?.holder === holder);
        const { held } = await queue.keep(known, rules);
        expect(held.map((one) => one.id).sort()).toEqual(own.map(([ownId]) => ownId).sort());
      } else if (what === 'kill') {
        await queue.releaseHolder(holder);
        await queue.keep([], rules);
        for (const job of model.values()) if (job.state === 'running' && job.holder === holder) crash(job);
      } else if (what === 'sleep') {
        offsetMs += leaseMs + 1;
        await queue.keep([], rules);
        for (const job of model.values()) if (job.state === 'running') crash(job);
      } else if (what === 'cancel' && id !== undefined) {
        const job = model.get(id) as ModelJob;
        const cancelling = queue.cancel(id);
        if (job.state !== 'waiting' && job.state !== 'running')
          await expect(cancelling).rejects.toThrow('cannot');
        else await cancelling;
        if (job.state === 'running') job.toBeCancelled = true;
        if (job.state === 'waiting') Object.assign(job, { state: 'cancelled', toBeCancelled: true });
      } else if (what === 'retry' && id !== undefined) {
        const job = model.get(id) as ModelJob;
        const isPossible = job.state === 'dead' || job.state === 'cancelled';
        const retrying = queue.retry(id);
        if (!isPossible || (job.key && unfinished(job.key)))
          await expect(retrying).rejects.toThrow(`job ${id}`);
        else
          Object.assign(job, {
            state: (await retrying).state,
            attempts: 0,
            crashes: 0,
            toBeCancelled: false,
          });
      }
      await compare(model);
    }
    for (const job of model.values()) expect(job.finishes).toBe(job.state === 'done' ? 1 : 0);
  }

  async function compare(model: ReadonlyMap<number, ModelJob>): Promise<void> {
    const rows = await db.read.selectFrom('jobs').selectAll().orderBy('id').execute();
    const states = ['waiting', 'running', 'done', 'dead', 'cancelled'];
    expect(
      rows.map(({ id, state, epoch, attempts, crashes }) => ({
        id,
        state: states[state],
        epoch,
        attempts,
        crashes,
      })),
    ).toEqual(
      [...model].map(([id, { state, epoch, attempts, crashes }]) => ({
        id,
        state,
        epoch,
        attempts,
        crashes,
      })),
    );
  }
});
