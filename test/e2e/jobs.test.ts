// Workers as real processes that are killed, stopped and woken, that hang, and that are told to end.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Database } from '../../src/store/database.ts';
import type { JobQueue } from '../../src/store/job-queue/job-queue.ts';
import type { Target } from '../../src/store/open.ts';
import { deepIt } from '../support/deep-it.ts';
import { isDeep, sampleOf } from '../support/depth.ts';
import { onEachEngine, openFreshStore } from '../support/engines.ts';
import {
  blockingKind,
  countingKind,
  eatingKind,
  gatedKind,
  hangingKind,
  quickKind,
  type WorkerSettings,
} from '../support/job-kinds.ts';
import {
  databaseUrl,
  entryWithJobs,
  type LecternEnv,
  useLectern,
  type WorkerProcess,
} from '../support/lectern-process.ts';
import { withSession } from '../support/session.ts';
import { stopOutsideTransaction } from '../support/stop-worker.ts';
import { until } from '../support/until.ts';

/** Long enough for a worker to load its modules on a busy machine: only the blocking job may reach it. */
const stallMs = 3_000;

onEachEngine('workers', (engine) => {
  const lectern = useLectern(afterEach, entryWithJobs);
  let db: Database;
  let queue: JobQueue;
  let databaseEnv: LecternEnv;
  let folder: string;
  let target: Target;

  beforeEach(async () => {
    const opened = await openFreshStore(engine);
    db = opened.database;
    target = opened.target;
    queue = opened.store.jobs;
    databaseEnv = { LECTERN_DATABASE_URL: databaseUrl(opened.target) };
    folder = mkdtempSync(join(tmpdir(), 'lectern-jobs-'));
    await withSession(opened.target, (session) =>
      session.run('CREATE TABLE effects (job_id bigint, epoch bigint, pid bigint)'),
    );
    return async () => {
      await opened.store.close();
      rmSync(folder, { recursive: true, force: true });
    };
  });

  const envWith = (settings: WorkerSettings): LecternEnv => ({
    ...databaseEnv,
    TEST_JOB_SETTINGS: JSON.stringify(settings),
  });
  const start = (holder: string, settings: WorkerSettings) =>
    lectern.work({ holder, env: envWith({ leaseMs: 2_000, suspectDelayMs: 100, ...settings }) });
  const gate = () => join(folder, 'gate');
  const effects = async () =>
    (await sql<{ job_id: number; epoch: number; pid: number }>`SELECT * FROM effects`.execute(db.read)).rows;
  const countEffects = async () =>
    (await sql<{ n: number }>`SELECT count(*) AS n FROM effects`.execute(db.read)).rows[0]?.n ?? 0;
  const countHeldBy = async (holder: string) =>
    (
      await db.read
        .selectFrom('jobs')
        .select('id')
        .where('state', '=', 1)
        .where('holder', '=', holder)
        .execute()
    ).length;
  const untilState = (id: number, state: string) =>
    until(`job ${id} is ${state}`, async () => (await queue.get(id)).state === state);

  it('that are killed again and again do each of thousands of jobs exactly once', {
    timeout: 600_000,
  }, async () => {
    const [jobs, kills] = isDeep ? [10_000, 10] : [1_000, 2];
    // On a machine that has much else to do, starting a process takes long.
    const atMostMs = 120_000;
    await queue.enqueueMany(
      countingKind,
      Array.from({ length: jobs }, (_, n) => ({ n })),
    );
    let started = 0;
    const next = () => start(`worker-${++started}`, {});
    const workers: WorkerProcess[] = [next(), next()];

    let left = 0;
    for (let hits = 0; hits < kills; ) {
      const victim = workers.shift() as WorkerProcess;
      // Spread over the whole work, and only when there is something to lose.
      const due = hits * 800;
      await until(
        `${victim.holder} is at work after ${due}`,
        async () => {
          return (await countEffects()) >= due && (await countHeldBy(victim.holder)) > 0;
        },
        atMostMs,
      );
      victim.signal('SIGKILL');
      expect(await victim.ended).toEqual({ code: null, signal: 'SIGKILL' });
      const inFlight = await countHeldBy(victim.holder);
      if (inFlight > 0) hits += 1;
      left += inFlight;
      // As the process that started it does; every other time the lease has to run out.
      if (hits % 2 === 0) await queue.releaseHolder(victim.holder);
      workers.push(next());
    }
    expect(left).toBeGreaterThanOrEqual(kills);

    await until(
      'all is done',
      async () => {
        // A job that happened to run at three of the kills is a dead letter, as it should be, and can be tried again.
        await queue.retryAllDead();
        const { waiting, running } = await queue.countRoughly();
        return waiting === 0 && running === 0;
      },
      atMostMs,
    );
    const ids = (await effects()).map(({ job_id }) => job_id);
    expect(ids).toHaveLength(jobs);
    expect(new Set(ids).size).toBe(jobs);
    const states = await db.read.selectFrom('jobs').select('state').distinct().execute();
    expect(states).toEqual([{ state: 2 }]);
    const crashed = await db.read.selectFrom('jobs').select('id').where('crashes', '>', 0).execute();
    expect(crashed.length).toBeGreaterThan(0);
  });

  it('that sleep past their lease change nothing when they wake', async () => {
    const { id } = await queue.enqueue(gatedKind, { gate: gate() });
    const sleeper = start('sleeper', {});
    await sleeper.output.until('stderr', /at the gate/);
    await stopOutsideTransaction(target, sleeper);
    const other = start('other', {});
    await other.output.until('stderr', /at the gate/);
    writeFileSync(gate(), '');
    await untilState(id, 'done');
    const before = await queue.get(id);

    sleeper.signal('SIGCONT');
    const [outcome] = await sleeper.output.until('stderr', /(refused|written): .*\n/);
    expect(outcome).toBe(`refused: ${sleeper.pid} LeaseLost\n`);
    expect(await effects()).toEqual([{ job_id: id, epoch: expect.any(Number), pid: other.pid }]);
    // The sleeper works on: what it lost was one job.
    other.signal('SIGKILL');
    await other.ended;
    const { id: second } = await queue.enqueue(quickKind, null);
    await untilState(second, 'done');
    expect(await queue.get(id)).toEqual(before);
  });

  it('that are told to end finish what they can, and give back the rest as if it had never begun', async () => {
    const held = await queue.enqueue(gatedKind, { gate: join(folder, 'never') });
    // A lease that outlasts the test: a worker that gets no CPU time must not lose its own job.
    const worker = start('stopping', { drainMs: 3_000, leaseMs: 60_000 });
    await worker.output.until('stderr', /at the gate/);
    const ending = await queue.enqueue(gatedKind, { gate: gate() });
    await worker.output.until('stderr', /at the gate[\s\S]*at the gate/);
    worker.signal('SIGTERM');
    await worker.output.until('stderr', /"msg":"stopping"/);
    writeFileSync(gate(), '');
    expect(await worker.ended).toEqual({ code: 0, signal: null });
    expect(await queue.get(ending.id)).toMatchObject({ state: 'done' });
    expect(await queue.get(held.id)).toMatchObject({
      state: 'waiting',
      attempts: 0,
      crashes: 0,
      lastError: null,
    });
  });

  it('that run beside an API return a job that ignores its signal before the API kills them', async () => {
    const { id } = await queue.enqueue(gatedKind, { gate: join(folder, 'never') });
    // src/model/stop-limits.test.ts compares the real time for jobs with the time until the kill.
    const server = await lectern.serve({ role: 'all', env: envWith({ drainMs: 0 }) });
    await server.output.until('stderr', /at the gate/);
    expect(await server.stop()).toEqual({ code: 0, signal: null });
    expect(server.output.stderr).not.toContain('the worker did not stop');
    expect(await queue.get(id)).toMatchObject({ state: 'waiting', attempts: 0, crashes: 0 });
  });

  deepIt('that cannot stop are killed by the API, which then stops cleanly', async () => {
    const { id } = await queue.enqueue(blockingKind, null);
    const server = await lectern.serve({ role: 'all', env: databaseEnv });
    await until('the job runs', async () => (await queue.get(id)).state === 'running');
    expect(await server.stop()).toEqual({ code: 0, signal: null });
    expect(server.output.stderr).toContain('the worker did not stop and is killed');
  });

  it('that grow too large by themselves are ended, and the log blames no job', async () => {
    const worker = start('idle', { memoryBytes: 1 });
    expect(await worker.ended).toEqual({ code: null, signal: 'SIGKILL' });
    expect(worker.output.stderr).toContain('"jobs":[]');
    expect(worker.output.stderr).toContain(
      'the worker is ended: it uses too much memory, with no job running',
    );
  });

  describe('that do a job which', () => {
    // One strict limit at a time: on a busy machine a worker may come near to more than one.
    const limits = [
      {
        what: 'hangs',
        kind: hangingKind,
        words: 'a job hangs and does not heed its signal',
        strict: { graceMs: 200 },
      },
      {
        what: 'blocks the event loop',
        kind: blockingKind,
        words: 'a job blocks the event loop',
        strict: { stallMs },
      },
      {
        what: 'eats the memory',
        kind: eatingKind,
        words: 'a job uses too much memory',
        strict: { memoryBytes: 300 * 1024 * 1024 },
      },
    ];
    it.each(sampleOf(limits, 3))(
      '$what are ended, and the log names the job',
      async ({ kind, words, strict }) => {
        const { id } = await queue.enqueue(kind, null);
        const worker = start('victim', strict);
        expect(await worker.ended).toEqual({ code: null, signal: 'SIGKILL' });
        expect(worker.output.stderr).toContain(`"jobs":[{"id":${id},"name":"${kind.name}"`);
        expect(worker.output.stderr).toContain(`the worker is ended: ${words}`);
        expect(await queue.get(id)).toMatchObject({ state: 'running', crashes: 0 });
      },
    );

    it('ends them every time are started again, and after three times it is a dead letter and all else is done', async () => {
      const { id } = await queue.enqueue(blockingKind, null);
      const others = [];
      for (let n = 0; n < 20; n++) others.push((await queue.enqueue(countingKind, { n })).id);
      // With the usual lease: what brings the job back so soon is the parent, which knows that its worker ended.
      const server = await lectern.serve({
        role: 'all',
        env: envWith({ stallMs, suspectDelayMs: 100 }),
      });
      await until('it is a dead letter', async () => (await queue.get(id)).state === 'dead', 110_000);
      expect(await queue.get(id)).toMatchObject({
        crashes: 3,
        lastError: 'The worker ended three times while it was doing this.',
      });
      for (const other of others) await untilState(other, 'done');
      expect(await countEffects()).toBe(others.length);
      expect(await server.stop()).toEqual({ code: 0, signal: null });
    });
  });
});
