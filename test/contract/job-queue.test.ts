// The queue as one process sees it. What several do to each other is in test/e2e/jobs.test.ts.
import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { Conflict, LeaseLost, NotFound } from '../../src/errors.ts';
import type { Database } from '../../src/store/database.ts';
import type { ClaimRequest } from '../../src/store/job-queue/claim.ts';
import { enqueue } from '../../src/store/job-queue/enqueue.ts';
import { finishJob, requireJob } from '../../src/store/job-queue/fence.ts';
import { jobKind } from '../../src/store/job-queue/job-kind.ts';
import type { JobQueue } from '../../src/store/job-queue/job-queue.ts';
import type { Outcome } from '../../src/store/job-queue/settle.ts';
import { onEachEngine, onOneEngine, openEmptyStore, openFreshStore } from '../support/engines.ts';

const kind = jobKind({ name: 'count', schema: z.object({ n: z.int() }), maxAttempts: 3 });
const soon = jobKind({ name: 'soon', schema: z.null(), lane: 'interactive' });
const late = jobKind({ name: 'late', schema: z.null(), lane: 'low' });

const leaseMs = 30_000;
const rules = { leaseMs, maxCrashes: 3, suspectDelayMs: 2_000 };

onEachEngine('the queue', (engine) => {
  let db: Database;
  let queue: JobQueue;
  let offsetMs: number;

  beforeEach(async () => {
    const opened = await openEmptyStore(engine);
    db = opened.database;
    queue = opened.store.jobs;
    offsetMs = 0;
    db.timeOffsetMs = () => offsetMs;
  });

  const dbTime = () => Date.now() + offsetMs;
  const request = (changes: Partial<ClaimRequest> = {}): ClaimRequest => ({
    holder: 'worker-1',
    leaseMs,
    names: ['count', 'soon', 'late'],
    total: 10,
    background: 10,
    low: 10,
    first: 'interactive',
    suspect: true,
    ...changes,
  });
  const claim = (changes: Partial<ClaimRequest> = {}) => queue.settleAndClaim([], request(changes));
  const claimOne = async (changes: Partial<ClaimRequest> = {}) => {
    const [job] = await claim({ total: 1, ...changes });
    if (!job) throw new Error('nothing was there to claim');
    return job;
  };
  const end = (fence: { id: number; epoch: number }, outcome: Outcome) =>
    queue.settleAndClaim([{ fence, outcome }]);
  const stateOf = async (id: number) => (await queue.get(id)).state;

  describe('a new job', () => {
    it('is claimed once, with its payload, and is done when it is said to be', async () => {
      const { id, isNew } = await queue.enqueue(kind, { n: 7 });
      expect(isNew).toBe(true);
      const [job, ...others] = await claim();
      expect(others).toEqual([]);
      expect(job).toMatchObject({
        id,
        epoch: 1,
        name: 'count',
        lane: 'normal',
        payload: '{"n":7}',
        crashes: 0,
      });
      expect(await claim({ holder: 'worker-2' })).toEqual([]);
      expect(await queue.get(id)).toMatchObject({ state: 'running', finishedAt: null });
      await end({ id, epoch: 1 }, { kind: 'done' });
      expect(await queue.get(id)).toMatchObject({ state: 'done', finishedAt: expect.any(Number) });
    });

    it('is refused when its payload does not fit its kind', async () => {
      await expect(queue.enqueue(kind, { n: 'seven' } as never)).rejects.toThrow();
      expect(await queue.list({ limit: 10 })).toEqual([]);
    });

    it('is there if what it follows from is, and not if that was undone', async () => {
      const undone = db.write(async (trx) => {
        await enqueue(db, trx, kind, { n: 1 });
        throw new Error('undone');
      });
      await expect(undone).rejects.toThrow('undone');
      expect(await claim()).toEqual([]);
    });

    it('waits for as long as it was told to', async () => {
      await queue.enqueue(kind, { n: 1 }, { delayMs: 60_000 });
      expect(await claim()).toEqual([]);
      const dueInMs = await queue.nextDueInMs();
      expect(dueInMs).toBeGreaterThan(50_000);
      expect(dueInMs).toBeLessThanOrEqual(60_000);
      offsetMs += 60_001;
      expect(await queue.nextDueInMs()).toBeLessThanOrEqual(0);
      expect(await claim()).toHaveLength(1);
    });

    it('is due after the clock was set back by an hour, even if it was delayed', async () => {
      const { id } = await queue.enqueue(kind, { n: 1 });
      await queue.enqueueMany(kind, [{ n: 2 }]);
      await queue.enqueue(kind, { n: 3 }, { delayMs: 60_000 });
      offsetMs -= 3_600_000;
      expect(await claim()).toEqual([]);
      await queue.keep([], rules);
      expect((await claim()).map((job) => job.id)).toEqual([id, id + 1, id + 2]);
    });

    it('keeps its delay when the clock is set back by less than a minute', async () => {
      await queue.enqueue(kind, { n: 1 }, { delayMs: 60_000 });
      offsetMs -= 50_000;
      await queue.keep([], rules);
      expect(await claim()).toEqual([]);
      offsetMs += 120_000;
      expect(await claim()).toHaveLength(1);
    });

    it('never has the id of one that was there before', async () => {
      const first = await queue.enqueue(kind, { n: 1 });
      await end(await claimOne(), { kind: 'done' });
      offsetMs += 10;
      await queue.deleteOld({ doneBefore: dbTime(), otherBefore: dbTime(), atMost: 10 });
      expect(await queue.find(first.id)).toBeUndefined();
      expect((await queue.enqueue(kind, { n: 2 })).id).toBeGreaterThan(first.id);
    });

    it('of a kind that the worker does not know is left to others', async () => {
      await queue.enqueue(kind, { n: 1 });
      expect(await claim({ names: ['soon'] })).toEqual([]);
      expect(await claim({ names: [] })).toEqual([]);
      expect(await claim()).toHaveLength(1);
    });
  });

  describe('a unique key', () => {
    it('makes one job of many for as long as that waits or runs', async () => {
      const made = await Promise.all(
        Array.from({ length: 8 }, (_, n) => queue.enqueue(kind, { n }, { uniqueKey: 'feed:1' })),
      );
      expect(new Set(made.map(({ id }) => id)).size).toBe(1);
      expect(made.filter(({ isNew }) => isNew)).toHaveLength(1);
      const job = await claimOne();
      expect(await queue.enqueue(kind, { n: 9 }, { uniqueKey: 'feed:1' })).toEqual({
        id: job.id,
        isNew: false,
      });
      await end(job, { kind: 'done' });
      expect((await queue.enqueue(kind, { n: 9 }, { uniqueKey: 'feed:1' })).isNew).toBe(true);
    });

    it('keeps a dead letter from coming back beside its successor', async () => {
      const { id } = await queue.enqueue(kind, { n: 1 }, { uniqueKey: 'feed:1' });
      await end(await claimOne(), { kind: 'dead', error: 'Gone.' });
      await queue.enqueue(kind, { n: 2 }, { uniqueKey: 'feed:1' });
      await expect(queue.retry(id)).rejects.toThrow(Conflict);
      expect(await queue.retryAllDead()).toBe(0);
      expect(await stateOf(id)).toBe('dead');
    });
  });

  describe('lanes', () => {
    it('are served in their order, and each in the order in which jobs came', async () => {
      const low = await queue.enqueue(late, null);
      const normal = [await queue.enqueue(kind, { n: 1 }), await queue.enqueue(kind, { n: 2 })];
      const first = await queue.enqueue(soon, null);
      const order: number[] = [];
      for (let n = 0; n < 4; n++) order.push((await claimOne()).id);
      expect(order).toEqual([first.id, ...normal.map(({ id }) => id), low.id]);
    });

    it('give the first place to the one whose turn it is', async () => {
      await queue.enqueue(soon, null);
      await queue.enqueue(soon, null);
      await queue.enqueue(late, null);
      await queue.enqueue(kind, { n: 1 });
      expect((await claimOne({ first: 'low' })).lane).toBe('low');
      expect((await claimOne({ first: 'low' })).lane).toBe('interactive');
      expect((await claimOne({ first: 'normal' })).lane).toBe('normal');
    });

    it('keep within the places that each may have', async () => {
      for (let n = 0; n < 4; n++) {
        await queue.enqueue(late, null);
        await queue.enqueue(kind, { n });
      }
      const taken = await claim({ total: 8, background: 5, low: 2 });
      expect(taken.map(({ lane }) => lane)).toEqual(['normal', 'normal', 'normal', 'normal', 'low']);
      expect(await claim({ total: 8, background: 0, low: 2 })).toEqual([]);
      await queue.enqueue(soon, null);
      expect(await claim({ total: 8, background: -1, low: -1 })).toHaveLength(1);
    });
  });

  describe('a failure', () => {
    it('brings the job back after a pause, and says why', async () => {
      const { id } = await queue.enqueue(kind, { n: 1 });
      await end(await claimOne(), { kind: 'failed', error: 'The site is away.', retryInMs: 5_000 });
      expect(await queue.get(id)).toMatchObject({
        state: 'waiting',
        attempts: 1,
        lastError: 'The site is away.',
      });
      expect(await claim()).toEqual([]);
      offsetMs += 5_001;
      expect(await claimOne()).toMatchObject({ id, epoch: 2, attempts: 1 });
    });

    it('that is final makes a dead letter, which is kept and can be tried again', async () => {
      const { id } = await queue.enqueue(kind, { n: 1 });
      await end(await claimOne(), { kind: 'dead', error: 'Gone.' });
      expect(await queue.get(id)).toMatchObject({ state: 'dead', attempts: 1, lastError: 'Gone.' });
      offsetMs += 86_400_000;
      expect(await claim()).toEqual([]);
      expect(await queue.retry(id)).toMatchObject({
        state: 'waiting',
        attempts: 0,
        crashes: 0,
        finishedAt: null,
      });
      expect(await claimOne()).toMatchObject({ id, epoch: 2 });
      await expect(queue.retry(id)).rejects.toThrow(Conflict);
      await expect(queue.retry(id + 1)).rejects.toThrow(NotFound);
    });

    it('of many is forgiven at once', async () => {
      await queue.enqueueMany(kind, [{ n: 1 }, { n: 2 }, { n: 3 }]);
      for (const job of await claim()) await end(job, { kind: 'dead', error: 'Gone.' });
      expect(await queue.retryAllDead()).toBe(3);
      expect(await claim()).toHaveLength(3);
    });

    it('by the stop of a worker counts for nothing', async () => {
      const { id } = await queue.enqueue(kind, { n: 1 });
      await end(await claimOne(), { kind: 'returned' });
      expect(await queue.get(id)).toMatchObject({
        state: 'waiting',
        attempts: 0,
        crashes: 0,
        lastError: null,
      });
      expect(await claim()).toHaveLength(1);
    });
  });

  describe('a lease', () => {
    it('that is renewed is not taken over, however long the job takes', async () => {
      await queue.enqueue(kind, { n: 1 });
      const job = await claimOne();
      for (let n = 0; n < 5; n++) {
        offsetMs += leaseMs - 1_000;
        const { held, recovered } = await queue.keep([job], rules);
        expect(held).toEqual([{ id: job.id, epoch: job.epoch }]);
        expect(recovered).toEqual([]);
      }
    });

    it('of a claim whose answer was lost runs out, although its worker lives', async () => {
      await queue.enqueueMany(kind, [{ n: 1 }, { n: 2 }]);
      const known = await claimOne();
      const unknown = await claimOne();
      offsetMs += leaseMs - 1_000;
      await queue.keep([known], rules);
      offsetMs += 2_000;
      const { held, recovered } = await queue.keep([known], rules);
      expect(held).toEqual([{ id: known.id, epoch: known.epoch }]);
      expect(recovered).toMatchObject([{ id: unknown.id, state: 'waiting', crashes: 1 }]);
    });

    it('is renewed for the claim that has it, and for no earlier one', async () => {
      await queue.enqueue(kind, { n: 1 });
      const old = await claimOne();
      await end(old, { kind: 'returned' });
      await claimOne();
      offsetMs += leaseMs - 1_000;
      expect((await queue.keep([old], rules)).held).toEqual([]);
      offsetMs += 2_000;
      expect((await queue.keep([old], rules)).recovered).toHaveLength(1);
    });

    it('that ran out gives the job to the next one, a crash further and after a pause', async () => {
      const { id } = await queue.enqueue(kind, { n: 1 });
      await claimOne();
      offsetMs += leaseMs + 1;
      const { recovered } = await queue.keep([], rules);
      expect(recovered).toEqual([{ id, name: 'count', state: 'waiting', crashes: 1 }]);
      expect(await claim({ holder: 'worker-2' })).toEqual([]);
      offsetMs += rules.suspectDelayMs + 1;
      expect(await claim({ holder: 'worker-2', suspect: false })).toEqual([]);
      expect(await claimOne({ holder: 'worker-2' })).toMatchObject({ id, crashes: 1, attempts: 0 });
    });

    it('lost three times makes a dead letter that says so', async () => {
      const { id } = await queue.enqueue(kind, { n: 1 });
      for (let crash = 1; crash <= 3; crash++) {
        await claimOne();
        await queue.releaseHolder('worker-1');
        const { recovered } = await queue.keep([], rules);
        expect(recovered).toMatchObject([{ id, crashes: crash, state: crash === 3 ? 'dead' : 'waiting' }]);
        offsetMs += rules.suspectDelayMs * crash + 1;
      }
      expect(await queue.get(id)).toMatchObject({
        state: 'dead',
        lastError: 'The worker ended three times while it was doing this.',
      });
    });

    it('of a worker that is known to have ended is over at once, and no other', async () => {
      await queue.enqueueMany(kind, [{ n: 1 }, { n: 2 }]);
      await claimOne({ holder: 'worker-1' });
      const other = await claimOne({ holder: 'worker-2' });
      await queue.releaseHolder('worker-1');
      const { held, recovered } = await queue.keep([other], rules);
      expect(held).toEqual([{ id: other.id, epoch: other.epoch }]);
      expect(recovered).toHaveLength(1);
    });

    it('holds when the clock is set back, and does not last longer for it', async () => {
      const { id } = await queue.enqueue(kind, { n: 1 });
      const job = await claimOne();
      offsetMs -= 3_600_000;
      expect((await queue.keep([], rules)).recovered).toEqual([]);
      expect(await claim({ holder: 'worker-2' })).toEqual([]);
      expect((await queue.keep([job], rules)).held).toEqual([{ id, epoch: job.epoch }]);
      // Had the worker ended at that moment, its lease would be over as soon as any other.
      offsetMs += leaseMs + 1;
      expect((await queue.keep([], rules)).recovered).toHaveLength(1);
      await end(job, { kind: 'done' });
      expect(await stateOf(id)).toBe('waiting');
    });
  });

  describe('the fence', () => {
    /** A job that worker-1 thinks it has and worker-2 has. */
    async function takenOver() {
      const { id } = await queue.enqueue(kind, { n: 1 });
      const old = await claimOne();
      await queue.releaseHolder('worker-1');
      await queue.keep([], rules);
      offsetMs += rules.suspectDelayMs + 1;
      const present = await claimOne({ holder: 'worker-2' });
      expect(present).toMatchObject({ id });
      expect(present.epoch).toBeGreaterThan(old.epoch);
      return { id, old, present };
    }

    it.each<Outcome>([
      { kind: 'done' },
      { kind: 'failed', error: 'Too late.', retryInMs: 0 },
      { kind: 'dead', error: 'Too late.' },
      { kind: 'returned' },
    ])('keeps a late worker from saying that it is $kind', async (outcome) => {
      const { id, old, present } = await takenOver();
      const before = await queue.get(id);
      await end(old, outcome);
      expect(await queue.get(id)).toEqual(before);
      await end(present, { kind: 'done' });
      await end(old, outcome);
      expect(await queue.get(id)).toMatchObject({ state: 'done', lastError: null });
    });

    it('keeps a late worker from reporting progress', async () => {
      const { id, old, present } = await takenOver();
      await queue.writeProgress([
        { fence: present, progress: { done: 1, total: 9, note: null } },
        { fence: old, progress: { done: 9, total: 9, note: 'late' } },
      ]);
      expect((await queue.get(id)).progress).toEqual({ done: 1, total: 9, note: null });
    });

    it('keeps the effect of a late worker out, and lets that of the present one in once', async () => {
      const { id, old, present } = await takenOver();
      const effect = (fence: typeof old) =>
        db.write(async (trx) => {
          await requireJob(db, trx, fence);
          await trx
            .insertInto('meta')
            .values({ key: `effect of ${fence.epoch}`, value: '' })
            .execute();
          await finishJob(db, trx, fence);
        });
      await expect(effect(old)).rejects.toThrow(LeaseLost);
      await effect(present);
      await expect(effect(present)).rejects.toThrow(LeaseLost);
      const written = await db.read
        .selectFrom('meta')
        .select('key')
        .where('key', 'like', 'effect%')
        .execute();
      expect(written).toEqual([{ key: `effect of ${present.epoch}` }]);
      expect(await stateOf(id)).toBe('done');
    });

    it('also stands while nobody has taken the job that was given up', async () => {
      const { id } = await queue.enqueue(kind, { n: 1 });
      const old = await claimOne();
      await queue.releaseHolder('worker-1');
      await queue.keep([], rules);
      await end(old, { kind: 'done' });
      expect(await stateOf(id)).toBe('waiting');
    });
  });

  describe('cancelling', () => {
    it('ends at once what waits', async () => {
      const { id } = await queue.enqueue(kind, { n: 1 });
      expect(await queue.cancel(id)).toMatchObject({ state: 'cancelled', finishedAt: expect.any(Number) });
      expect(await claim()).toEqual([]);
      await expect(queue.cancel(id)).rejects.toThrow(Conflict);
      expect(await queue.retry(id)).toMatchObject({ state: 'waiting', cancelRequested: false });
    });

    it.each<Outcome>([{ kind: 'failed', error: 'Interrupted.', retryInMs: 0 }, { kind: 'returned' }])(
      'asks what runs, and does not try it again when it is $kind',
      async (outcome) => {
        const { id } = await queue.enqueue(kind, { n: 1 });
        const job = await claimOne();
        expect(await queue.findCancelRequests('worker-1')).toEqual([]);
        expect(await queue.cancel(id)).toMatchObject({ state: 'running', cancelRequested: true });
        expect(await queue.findCancelRequests('worker-1')).toEqual([{ id, epoch: job.epoch }]);
        await end(job, outcome);
        expect(await queue.get(id)).toMatchObject({ state: 'cancelled', finishedAt: expect.any(Number) });
      },
    );

    it('holds when the worker ends before it has heard of it', async () => {
      const { id } = await queue.enqueue(kind, { n: 1 });
      await claimOne();
      await queue.cancel(id);
      await queue.releaseHolder('worker-1');
      await queue.keep([], rules);
      expect(await stateOf(id)).toBe('cancelled');
    });
  });

  describe('those who watch', () => {
    it('see pages of jobs, the newest first', async () => {
      await queue.enqueueMany(kind, [{ n: 1 }, { n: 2 }, { n: 3 }]);
      await queue.enqueue(soon, null);
      const all = await queue.list({ limit: 10 });
      expect(all.map(({ payload }) => payload)).toEqual([null, { n: 3 }, { n: 2 }, { n: 1 }]);
      const page = await queue.list({ name: 'count', limit: 2 });
      expect(page.map(({ payload }) => payload)).toEqual([{ n: 3 }, { n: 2 }]);
      const rest = await queue.list({ name: 'count', limit: 2, before: page[1]?.id });
      expect(rest.map(({ payload }) => payload)).toEqual([{ n: 1 }]);
      expect(await queue.list({ state: 'dead', limit: 10 })).toEqual([]);
    });

    it('see how many there are, and how long the oldest has waited', async () => {
      await queue.enqueueMany(kind, [{ n: 1 }, { n: 2 }]);
      await queue.enqueue(soon, null);
      await claimOne();
      offsetMs += 90_000;
      expect(await queue.countRoughly()).toEqual({ waiting: 2, running: 1, dead: 0 });
      const counts = await queue.count();
      expect(counts).toHaveLength(2);
      expect(counts).toContainEqual({ name: 'count', lane: 'normal', state: 'waiting', count: 2 });
      expect(counts).toContainEqual({ name: 'soon', lane: 'interactive', state: 'running', count: 1 });
      const age = await queue.oldestReadyMs();
      expect(age).toBeGreaterThanOrEqual(90_000);
      expect(age).toBeLessThan(100_000);
    });

    it('find what was done for an hour, and dead letters for longer', async () => {
      await queue.enqueueMany(kind, [{ n: 1 }, { n: 2 }]);
      const [one, two] = await claim();
      if (!one || !two) throw new Error('two were enqueued');
      await end(one, { kind: 'done' });
      await end(two, { kind: 'dead', error: 'Gone.' });
      const deleteOld = () =>
        queue.deleteOld({ doneBefore: dbTime() - 3_600_000, otherBefore: dbTime() - 86_400_000, atMost: 10 });
      expect(await deleteOld()).toBe(0);
      offsetMs += 3_600_001;
      expect(await deleteOld()).toBe(1);
      expect((await queue.list({ limit: 10 })).map(({ state }) => state)).toEqual(['dead']);
      offsetMs += 86_400_000;
      expect(await deleteOld()).toBe(1);
    });

    it('see counters that several workers add to', async () => {
      await Promise.all(
        [1, 2, 3].map((n) =>
          queue.counters.add([
            { name: 'b', counter: 'done', n },
            { name: 'a', counter: 'done', n: 1 },
          ]),
        ),
      );
      expect(await queue.counters.list()).toEqual(
        expect.arrayContaining([
          { name: 'a', counter: 'done', n: 3 },
          { name: 'b', counter: 'done', n: 6 },
        ]),
      );
    });
  });

  it('calls workers when a job was committed', async () => {
    const called = Promise.withResolvers<void>();
    let calls = 0;
    const watching = queue.watch(() => {
      calls += 1;
      if (calls === 2 || engine.name === 'sqlite') called.resolve();
      // On PostgreSQL the first call says that it has begun to listen.
      else queue.enqueue(kind, { n: 1 });
    });
    if (engine.name === 'sqlite') await queue.enqueue(kind, { n: 1 });
    await called.promise;
    await watching.stop();
    expect(await queue.list({ limit: 10 })).toMatchObject([{ name: kind.name, state: 'waiting' }]);
  });
});

onOneEngine('postgres', 'the heartbeat beside a handler that has its row locked', (engine) => {
  it.each([
    { clock: 'goes on', stepMs: leaseMs - 1_000 },
    { clock: 'was set back', stepMs: -3_600_000 },
  ])(
    'renews the other leases and writes progress, and loses none, when the clock $clock',
    async ({ stepMs }) => {
      const { database: db, store } = await openFreshStore(engine);
      let offsetMs = 0;
      db.timeOffsetMs = () => offsetMs;
      const queue = store.jobs;
      await queue.enqueueMany(kind, [{ n: 1 }, { n: 2 }]);
      const places = { total: 2, background: 2, low: 2, first: 'normal', suspect: true } as const;
      const claim = () =>
        queue.settleAndClaim([], { holder: 'worker-1', leaseMs, names: ['count'], ...places });
      const [locked, other] = [...(await claim()), ...(await claim())];
      if (!locked || !other) throw new Error('two were enqueued');

      const isLocked = Promise.withResolvers<void>();
      const gate = Promise.withResolvers<void>();
      const handler = db.write(async (trx) => {
        await requireJob(db, trx, locked);
        isLocked.resolve();
        await gate.promise;
        await finishJob(db, trx, locked);
      });
      await isLocked.promise;
      const expiresOf = async (id: number) =>
        (await db.read.selectFrom('jobs').select('expires').where('id', '=', id).executeTakeFirstOrThrow())
          .expires;
      const before = await expiresOf(other.id);
      const keep = async () => {
        const { held, recovered } = await queue.keep([locked, other], rules);
        expect(held.map(({ id }) => id).sort()).toEqual([locked.id, other.id].sort());
        expect(recovered).toEqual([]);
      };
      offsetMs += stepMs;
      await keep();
      expect(Math.sign((await expiresOf(other.id)) - before)).toBe(Math.sign(stepMs));
      // By now the lease that could not be renewed is over, unless the clock was set back.
      offsetMs += 2_000;
      await keep();
      const progress = { done: 1, total: 2, note: null };
      await queue.writeProgress([locked, other].map((fence) => ({ fence, progress })));
      expect((await queue.get(other.id)).progress).toEqual(progress);
      gate.resolve();
      await handler;
      expect(await queue.get(locked.id)).toMatchObject({ state: 'done', crashes: 0 });
      await store.close();
    },
  );
});
