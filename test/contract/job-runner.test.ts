// The runner on a real queue, in this process.
import { Writable } from 'node:stream';
import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { DoNotRetry, dependencies, LeaseLost, Unavailable, Upstream } from '../../src/errors.ts';
import { createRegistry, defineJob, type JobContext, type JobDefinition } from '../../src/jobs/registry.ts';
import { Runner } from '../../src/jobs/runner.ts';
import { type RunnerSettings, usualSettings } from '../../src/jobs/settings.ts';
import { createLog } from '../../src/log.ts';
import type { Database } from '../../src/store/database.ts';
import { finishJob } from '../../src/store/job-queue/fence.ts';
import { jobKind } from '../../src/store/job-queue/job-kind.ts';
import type { JobQueue } from '../../src/store/job-queue/job-queue.ts';
import { onEachEngine, openEmptyStore } from '../support/engines.ts';
import { until } from '../support/until.ts';

const schema = z.object({ n: z.int() });

onEachEngine('the runner', (engine) => {
  let db: Database;
  let queue: JobQueue;
  let offsetMs: number;
  let logged: string;
  const running: Runner[] = [];

  beforeEach(async () => {
    const opened = await openEmptyStore(engine);
    db = opened.database;
    queue = opened.store.jobs;
    offsetMs = 0;
    logged = '';
    db.timeOffsetMs = () => offsetMs;
    return async () => {
      await Promise.all(running.splice(0).map((runner) => runner.stop()));
    };
  });

  const log = createLog({
    level: 'debug',
    format: 'json',
    out: new Writable({
      write(line, _encoding, done) {
        logged += line;
        done();
      },
    }),
  });

  function start(
    definitions: JobDefinition[],
    settings: Partial<RunnerSettings> = {},
    holder = 'worker-1',
    itsQueue = queue,
  ): Runner {
    const runner = new Runner({
      queue: itsQueue,
      registry: createRegistry(definitions),
      holder,
      settings: { ...usualSettings, drainMs: 200, ...settings },
      log,
      random: () => 0,
    });
    running.push(runner);
    return runner;
  }

  const job = (handler: (context: JobContext<{ n: number }>) => Promise<void>, changes = {}) =>
    defineJob({
      name: 'job',
      schema,
      backoff: { firstMs: 20, longestMs: 1_000 },
      ...changes,
      handler,
    }) as JobDefinition;
  const untilState = (id: number, state: string) =>
    until(`job ${id} is ${state}`, async () => {
      const found = await queue.get(id);
      return found.state === state && found;
    });
  const kind = jobKind({ name: 'job', schema });
  /** As a handler that is asked to stop does. */
  const aborted = (signal: AbortSignal) =>
    new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));

  it('does what is enqueued while it waits, and hands over the payload', async () => {
    const seen: number[] = [];
    start([job(async ({ payload }) => void seen.push(payload.n))]);
    const { id } = await queue.enqueue(kind, { n: 7 });
    await untilState(id, 'done');
    expect(seen).toEqual([7]);
  });

  it('tells a handler when no other attempt will follow', async () => {
    const told: boolean[] = [];
    start([
      job(
        async ({ isLastAttempt }) => {
          told.push(isLastAttempt);
          throw new Error('it fails each time');
        },
        { maxAttempts: 3 },
      ),
    ]);
    const { id } = await queue.enqueue({ ...kind, maxAttempts: 3 }, { n: 1 });
    await untilState(id, 'dead');
    expect(told).toEqual([false, false, true]);
  });

  it('does what becomes due later, without being called', async () => {
    start([job(async () => {})]);
    const { id } = await queue.enqueue(kind, { n: 1 }, { delayMs: 400 });
    const done = await untilState(id, 'done');
    expect((done.startedAt ?? 0) - done.createdAt).toBeGreaterThanOrEqual(400);
  });

  it('never does more at once than it should', async () => {
    let now = 0;
    let most = 0;
    const gate = Promise.withResolvers<void>();
    start(
      [
        job(async () => {
          now += 1;
          most = Math.max(most, now);
          await gate.promise;
          now -= 1;
        }),
      ],
      { concurrency: 4 },
    );
    await queue.enqueueMany(
      kind,
      Array.from({ length: 20 }, (_, n) => ({ n })),
    );
    // One place is kept for those who wait.
    await until('three run', () => now === 3);
    await queue.enqueue(kind, { n: 99 }, { lane: 'interactive' });
    // In the queue it is running a moment before its handler is called.
    await until('the urgent one runs too', () => now === 4);
    gate.resolve();
    await until('all are done', async () => (await queue.countRoughly()).waiting === 0);
    expect(most).toBe(4);
  });

  it('asks the queue once for each job that ends, and writes no end that the job has written itself', async () => {
    const settledAtOnce: number[] = [];
    const counting: JobQueue = {
      ...queue,
      settleAndClaim: (settled, request) => {
        settledAtOnce.push(settled.length);
        return queue.settleAndClaim(settled, request);
      },
      // Nothing but the end of a job is a reason to ask.
      watch: () => ({ stop: async () => {} }),
      nextDueInMs: async () => undefined,
    };
    const ends = new Map<number, () => void>();
    const finishing = job(async ({ payload, fence }) => {
      await new Promise<void>((resolve) => ends.set(payload.n, resolve));
      await db.write((trx) => finishJob(db, trx, fence));
    });
    await queue.enqueueMany(
      kind,
      Array.from({ length: 4 }, (_, n) => ({ n })),
    );
    start([finishing], { concurrency: 3 }, 'worker-1', counting);
    await until('two run', () => ends.size === 2);
    ends.get(0)?.();
    await until('the third runs', () => ends.size === 3);
    ends.get(1)?.();
    await until('the fourth runs', () => ends.size === 4);
    expect(settledAtOnce).toEqual([0, 0, 0]);
    for (const end of ends.values()) end();
  });

  describe('when a handler fails', () => {
    it('tries again, and keeps to itself what is not for people', async () => {
      let calls = 0;
      const gates = [2, 3].map(() => Promise.withResolvers<void>());
      start([
        job(async () => {
          calls += 1;
          if (calls === 1) throw new Error('password=hunter2');
          await gates[calls - 2]?.promise;
          if (calls === 2) throw new Upstream('The site is away.', { retryAfterMs: 600 });
        }),
      ]);
      const { id } = await queue.enqueue(kind, { n: 1 });
      const failed = (times: number) =>
        until(`it failed ${times} times`, async () => {
          const found = await queue.get(id);
          return found.attempts === times && found;
        });
      expect((await failed(1)).lastError).toBe('An internal error; the log has the details.');
      const secondFailsAt = Date.now();
      gates[0]?.resolve();
      const afterSecond = await failed(2);
      expect(afterSecond.lastError).toBe('The site is away.');
      expect(afterSecond.runAt).toBeGreaterThanOrEqual(secondFailsAt + 600);
      gates[1]?.resolve();
      expect(await untilState(id, 'done')).toMatchObject({ attempts: 2, lastError: null });
      expect(logged).toContain('hunter2');
    });

    it('gives up when it failed too often, or when there is no hope', async () => {
      let calls = 0;
      start([
        job(async ({ payload }) => {
          calls += 1;
          throw payload.n === 0 ? new DoNotRetry('There is no such page.') : new Error('again');
        }),
      ]);
      const often = await queue.enqueue({ ...kind, maxAttempts: 3 }, { n: 1 });
      expect(await untilState(often.id, 'dead')).toMatchObject({ attempts: 3 });
      expect(calls).toBe(3);
      const hopeless = await queue.enqueue(kind, { n: 0 });
      const dead = { attempts: 1, lastError: 'There is no such page.' };
      expect(await untilState(hopeless.id, 'dead')).toMatchObject(dead);
    });

    it('gives up one whose end the index refuses, and writes how the others ended', async () => {
      const strict: JobQueue = {
        ...queue,
        async settleAndClaim(settled, request) {
          const isRefused = settled.some(({ outcome }) => 'error' in outcome && outcome.error === 'Refused.');
          if (isRefused) throw new TypeError('a value that the index cannot take');
          return queue.settleAndClaim(settled, request);
        },
      };
      await queue.enqueueMany(kind, [{ n: 0 }, { n: 1 }, { n: 2 }]);
      const handler = async ({ payload }: JobContext<{ n: number }>) => {
        if (payload.n === 0) throw new Upstream('Refused.');
      };
      start([job(handler)], {}, 'worker-1', strict);
      await until('all have ended', async () => {
        const { waiting, running: atWork } = await queue.countRoughly();
        return waiting + atWork === 0;
      });
      const jobs = await queue.list({ limit: 10 });
      expect(jobs.map(({ state }) => state)).toEqual(['done', 'done', 'dead']);
      expect(jobs[2]?.lastError).toBe('An internal error; the log has the details.');
    });

    it('comes back to what another server wants to be left alone for a strange time', async () => {
      start([
        job(async () => {
          throw new Upstream('Away.', { retryAfterMs: 1_000_000.25 });
        }),
      ]);
      const { id } = await queue.enqueue(kind, { n: 1 });
      await until('it failed', async () => (await queue.get(id)).attempts === 1);
      expect(await queue.get(id)).toMatchObject({ state: 'waiting', lastError: 'Away.' });
    });

    it('gives up at once on a payload that it cannot read, and says what is wrong with it', async () => {
      start([job(async () => {})]);
      const { id } = await queue.enqueue(jobKind({ name: 'job', schema: z.unknown() }), { n: 'seven' });
      const { lastError } = await untilState(id, 'dead');
      expect(lastError).toMatch(/^The payload is not as expected: n: /);
    });

    it('stops one that takes too long, and says so', async () => {
      start([job(({ signal }) => aborted(signal), { timeoutMs: 60 })]);
      const { id } = await queue.enqueue({ ...kind, maxAttempts: 1 }, { n: 1 });
      const { lastError } = await untilState(id, 'dead');
      expect(lastError).toBe('It took longer than 0.06 s and was stopped.');
    });
  });

  it('shows progress and heeds a cancellation', async () => {
    start([
      job(async ({ signal, progress }) => {
        for (let n = 0; n <= 5; n++) progress(n, 10, 'reading');
        await aborted(signal);
      }),
    ]);
    const { id } = await queue.enqueue(kind, { n: 1 });
    const { progress } = await until('progress is shown', async () => {
      const found = await queue.get(id);
      return found.progress && found;
    });
    expect(progress).toEqual({ done: 5, total: 10, note: 'reading' });
    await queue.cancel(id);
    expect(await untilState(id, 'cancelled')).toMatchObject({ attempts: 0 });
  });

  it('takes no progress that is no number, and rounds the rest', async () => {
    start([
      job(async ({ signal, progress }) => {
        progress(2.4, Number.POSITIVE_INFINITY);
        progress(Number.NaN, 10);
        progress(1e300, 10);
        await aborted(signal);
      }),
    ]);
    const { id } = await queue.enqueue(kind, { n: 1 });
    const { progress } = await until('progress is shown', async () => {
      const found = await queue.get(id);
      return found.progress && found;
    });
    expect(progress).toEqual({ done: 2, total: null, note: null });
  });

  it('heeds a cancellation also when progress cannot be written', async () => {
    const full: JobQueue = {
      ...queue,
      writeProgress: async () => {
        throw new Error('the disk is full');
      },
    };
    const definition = job(async ({ signal, progress }) => {
      const reporting = setInterval(() => progress(1), 20);
      await aborted(signal).finally(() => clearInterval(reporting));
    });
    start([definition], {}, 'worker-1', full);
    const { id } = await queue.enqueue(kind, { n: 1 });
    await until('it runs', async () => (await queue.get(id)).state === 'running');
    await queue.cancel(id);
    expect((await untilState(id, 'cancelled')).state).toBe('cancelled');
  });

  it('leaves alone what it does not know', async () => {
    start([job(async () => {})]);
    const unknown = await queue.enqueue(jobKind({ name: 'from a newer Lectern', schema }), { n: 1 });
    const { id } = await queue.enqueue(kind, { n: 1 });
    await untilState(id, 'done');
    expect((await queue.get(unknown.id)).state).toBe('waiting');
  });

  it('keeps its lease for as long as a job takes, also when the clock is set back meanwhile', async () => {
    const gate = Promise.withResolvers<void>();
    let calls = 0;
    const definition = job(async () => {
      calls += 1;
      await gate.promise;
    });
    start([definition], { leaseMs: 5_000 });
    const { id } = await queue.enqueue(kind, { n: 1 });
    await until('it runs', () => calls === 1);
    start([definition], { leaseMs: 5_000 }, 'worker-2');
    const expiresNow = async () =>
      (await db.read.selectFrom('jobs').select('expires').executeTakeFirstOrThrow()).expires;
    offsetMs -= 3_600_000;
    const steppedBack = await until('the lease was renewed by the new clock', async () => {
      const expires = await expiresNow();
      return expires < Date.now() - 3_000_000 && expires;
    });
    // For longer than the lease, with another worker on the watch.
    await until('it was renewed again and again', async () => (await expiresNow()) > steppedBack + 5_500);
    gate.resolve();
    await untilState(id, 'done');
    const row = await db.read.selectFrom('jobs').selectAll().executeTakeFirstOrThrow();
    expect(row).toMatchObject({ holder: 'worker-1', epoch: 1, crashes: 0 });
    expect(calls).toBe(1);
  });

  it('does a job after all when the answer to its claim was lost', async () => {
    let answersToLose = 1;
    const lossy: JobQueue = {
      ...queue,
      async settleAndClaim(...args) {
        const claimed = await queue.settleAndClaim(...args);
        if (claimed.length > 0 && answersToLose-- > 0) throw new Unavailable('index', 'the answer was lost');
        return claimed;
      },
    };
    const { id } = await queue.enqueue(kind, { n: 1 }, { uniqueKey: 'one' });
    start([job(async () => {})], { leaseMs: 900, suspectDelayMs: 10 }, 'worker-1', lossy);
    expect(await untilState(id, 'done')).toMatchObject({ crashes: 1, attempts: 0 });
  });

  it.each(dependencies)('does not count an attempt that ends while the %s is away', async (dependency) => {
    const states: string[] = [];
    const definition = job(
      async () => {
        states.push('begun');
        if (states.length === 1) throw new Unavailable(dependency, `The ${dependency} does not answer.`);
      },
      { maxAttempts: 1 },
    );
    const { id } = await queue.enqueue({ ...kind, maxAttempts: 1 }, { n: 1 });
    start([definition]);
    await until('the job is back in the queue', async () => {
      const { state, runAt } = await queue.get(id);
      if (state === 'waiting' && states.length === 1) return runAt;
      return undefined;
    });
    expect(await queue.get(id)).toMatchObject({ attempts: 0, lastError: null, finishedAt: null });
    offsetMs += 1_000;
    expect(await untilState(id, 'done')).toMatchObject({ attempts: 0, crashes: 0 });
    expect(states.length).toBe(2);
  });

  it('has one heartbeat at a time, and gives up its jobs when that does not come back', async () => {
    const gate = Promise.withResolvers<void>();
    let begun = 0;
    const silent: JobQueue = {
      ...queue,
      async keep(...args) {
        begun += 1;
        if (begun > 1) await gate.promise;
        return queue.keep(...args);
      },
    };
    const reasons: unknown[] = [];
    const definition = job(({ signal }) => aborted(signal).catch((reason) => void reasons.push(reason)));
    await queue.enqueue(kind, { n: 1 });
    start([definition], { leaseMs: 600 }, 'worker-1', silent);
    await until('it was told', () => reasons.length === 1).finally(() => gate.resolve());
    expect(reasons[0]).toBeInstanceOf(LeaseLost);
    expect(begun).toBe(2);
  });

  it('gives up its jobs when heartbeats fail for longer than the lease', async () => {
    let heartbeats = 0;
    const failing: JobQueue = {
      ...queue,
      async keep(...args) {
        heartbeats += 1;
        if (heartbeats > 1) throw new Unavailable('index', 'The index does not answer.');
        return queue.keep(...args);
      },
    };
    const reasons: unknown[] = [];
    const definition = job(({ signal }) => aborted(signal).catch((reason) => void reasons.push(reason)));
    await queue.enqueue(kind, { n: 1 });
    start([definition], { leaseMs: 600 }, 'worker-1', failing);
    await until('the job was interrupted', () => reasons.length === 1);
    expect(reasons[0]).toBeInstanceOf(LeaseLost);
    expect(heartbeats).toBeGreaterThan(2);
  });

  it('counts no crash when the index is away for longer than the lease, whichever worker comes back first', async () => {
    let isAway = false;
    const whileThere =
      <A extends unknown[], R>(ask: (...args: A) => Promise<R>) =>
      async (...args: A): Promise<R> => {
        if (isAway) throw new Unavailable('index', 'The index does not answer.');
        return ask(...args);
      };
    const unsteady: JobQueue = {
      ...queue,
      keep: whileThere(queue.keep),
      settleAndClaim: whileThere(queue.settleAndClaim),
    };
    const reasons: unknown[] = [];
    const definition = job(async ({ signal }) => {
      if (reasons.length === 0) await aborted(signal).catch((reason) => reasons.push(reason));
    });
    const { id } = await queue.enqueue(kind, { n: 1 });
    start([definition], { leaseMs: 2_000 }, 'worker-1', unsteady);
    await untilState(id, 'running');
    start([], { leaseMs: 2_000 }, 'worker-2', unsteady);
    isAway = true;
    await until('the job was interrupted', () => reasons.length === 1);
    expect(reasons[0]).toBeInstanceOf(LeaseLost);
    isAway = false;
    expect(await untilState(id, 'done')).toMatchObject({ attempts: 0, crashes: 0 });
  });

  it('aborts what it has lost, and drops its result', async () => {
    const reasons: unknown[] = [];
    start(
      [
        job(async ({ signal }) => {
          await aborted(signal).catch((reason) => reasons.push(reason));
        }),
      ],
      { leaseMs: 3_000 },
    );
    const { id } = await queue.enqueue(kind, { n: 1 });
    await until('it runs', async () => (await queue.get(id)).state === 'running');
    // As if another worker had found the lease over: the row has moved on.
    await db.write((trx) =>
      trx
        .updateTable('jobs')
        .set({ epoch: 9, holder: 'other', expires: Date.now() + offsetMs + 3_600_000 })
        .execute(),
    );
    await until('it was told', () => reasons.length === 1);
    expect(reasons[0]).toBeInstanceOf(LeaseLost);
    await running[0]?.stop();
    const row = await db.read.selectFrom('jobs').selectAll().executeTakeFirstOrThrow();
    expect(row).toMatchObject({ state: 1, epoch: 9, holder: 'other', attempts: 0, last_error: null });
  });

  it('takes nothing more once it was told to stop, and gives back what did not end', async () => {
    const signals: AbortSignal[] = [];
    const runner = start([
      job(async ({ signal }) => {
        signals.push(signal);
        await aborted(signal);
      }),
    ]);
    const held = await queue.enqueue(kind, { n: 1 });
    await until('it runs', () => signals.length === 1);
    await runner.stop();
    const late = await queue.enqueue(kind, { n: 2 });
    expect(signals[0]?.aborted).toBe(true);
    expect(await queue.get(held.id)).toMatchObject({
      state: 'waiting',
      attempts: 0,
      crashes: 0,
      lastError: null,
    });
    expect(await queue.get(late.id)).toMatchObject({ state: 'waiting' });
    expect(signals).toHaveLength(1);
  });

  it('counts how jobs ended and how long they took', async () => {
    const runner = start([job(async ({ payload }) => void (payload.n === 0 && (await Promise.reject())))]);
    await queue.enqueueMany(kind, [{ n: 1 }, { n: 2 }]);
    const { id } = await queue.enqueue({ ...kind, maxAttempts: 1 }, { n: 0 });
    await untilState(id, 'dead');
    await until('all are done', async () => (await queue.countRoughly()).waiting === 0);
    await runner.stop();
    const counters = await queue.counters.list();
    expect(counters).toContainEqual({ name: 'job', counter: 'done', n: 2 });
    expect(counters).toContainEqual({ name: 'job', counter: 'dead', n: 1 });
    expect(
      counters.filter(({ counter }) => counter.startsWith('le:')).reduce((sum, { n }) => sum + n, 0),
    ).toBe(3);
  });
});
