// The mirror as a job of the worker: enqueued when a batch is due, taken up again by the next worker, put off while somebody
// runs it by hand.
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { jobDefinitions } from '../../src/cli/job-definitions.ts';
import type { Runtime, Serving } from '../../src/cli/runtime.ts';
import { readConfig } from '../../src/config.ts';
import { Unavailable } from '../../src/errors.ts';
import { createPullTally } from '../../src/feeds/pull-tally.ts';
import { defineJob, type JobDefinition } from '../../src/jobs/registry.ts';
import { Run } from '../../src/jobs/run.ts';
import { messageNow, mirrorKind, runMirrorBatch, scheduleMirror } from '../../src/mirror/node/mirror.ts';
import { readSchedule, stateKeys } from '../../src/mirror/run-state.ts';
import type { ClaimedJob } from '../../src/store/job-queue/claim.ts';
import type { Outcome } from '../../src/store/job-queue/settle.ts';
import { TestClock, tieClocks } from '../support/clock.ts';
import { onEachEngine } from '../support/engines.ts';
import { quiet } from '../support/enriching.ts';
import { folderFiles, randomText, temporaryFolder } from '../support/library.ts';
import { openMirror } from '../support/mirror-node.ts';
import { type RaindropServer, startRaindropServer } from '../support/raindrop-server.ts';

const hour = 3_600_000;

onEachEngine('the mirror as a job', (engine) => {
  let clock: TestClock;
  let server: RaindropServer;
  let mirror: Awaited<ReturnType<typeof openMirror>>;
  /** As the worker has it, but for its pauses: the clock of the test goes on instead. */
  let definition: JobDefinition;

  beforeEach(async () => {
    clock = new TestClock(Date.parse('2026-03-01T05:15:00Z'));
    server = await startRaindropServer({ now: clock.now });
    const files = await folderFiles(await temporaryFolder(), clock);
    mirror = await openMirror(await engine.emptyDatabase(), files, server, clock);
    tieClocks(mirror.database, clock);
    definition = defineJob({
      ...mirrorKind,
      handler: async ({ payload, signal }) =>
        void (await runMirrorBatch(mirror.deps, payload, { holder: randomText(6), signal })),
    }) as JobDefinition;
    onTestFinished(async () => {
      await mirror.end();
      await server.close();
    });
  });

  /** The definition that the worker is given, with its real pauses. */
  const realDefinition = (): JobDefinition => {
    const { config } = readConfig({
      LECTERN_RAINDROP_TOKEN: server.switches.token,
      LECTERN_RAINDROP_API_URL: server.apiUrl,
    });
    const { store, library, outbound } = { ...mirror, ...mirror.deps };
    const serving = { config, log: quiet, store, library, outbound };
    const found = jobDefinitions(
      { now: clock.now, random: () => 0.5, randomText, version: 'test' } as Runtime,
      { ...serving, pullsInHand: new Set(), pullTally: createPullTally(clock.now) } as unknown as Serving,
    ).find(({ name }) => name === mirrorKind.name);
    if (!found) throw new Error('the worker does not know the mirror');
    return found;
  };

  const at = (ms: number) => new Date(ms).toISOString();
  const schedule = () => scheduleMirror(mirror.deps);
  const dueAt = async () => {
    const due = await readSchedule(mirror.store.mirrorState, clock.now());
    return due === undefined ? null : at(due);
  };
  const jobs = () => mirror.store.jobs.list({ name: mirrorKind.name, limit: 50 });
  const claim = async (): Promise<ClaimedJob | undefined> => {
    const [job] = await mirror.store.jobs.settleAndClaim([], {
      ...{ holder: 'worker', leaseMs: 2 * hour, names: [mirrorKind.name] },
      ...{ total: 1, background: 1, low: 1, first: 'interactive', suspect: true },
    });
    return job;
  };
  const claimed = async (): Promise<ClaimedJob> => {
    const job = await claim();
    if (!job) throw new Error('nothing is ready in the queue');
    return job;
  };
  const settle = (job: ClaimedJob, outcome: Outcome) =>
    mirror.store.jobs.settleAndClaim([{ fence: { id: job.id, epoch: job.epoch }, outcome }]);
  /** One attempt, as a worker makes it. */
  const attempt = async (
    job: ClaimedJob,
    by = definition,
  ): Promise<{ outcome: Outcome; errors: unknown[] }> => {
    const errors: unknown[] = [];
    const outcome = await new Run(job, by).do(
      () => 1,
      (error) => errors.push(error),
    );
    if (!outcome) throw new Error('the job was lost');
    await settle(job, outcome);
    return { outcome, errors };
  };
  const copiesAskedFor = () =>
    server.requests.filter(({ path }) => path.endsWith('/cache')).map(({ path }) => path);

  it('is enqueued when it is due, once, and not before', async () => {
    expect(await schedule()).toBe(true);
    expect(await schedule()).toBe(false);
    expect(await jobs()).toMatchObject([{ state: 'waiting', lane: 'low' }]);
    const job = await claimed();
    expect(job.payload).toBe('{"page":0,"cursor":"1970-01-01T00:00:00.000Z"}');
    // Nor while it runs.
    expect(await schedule()).toBe(false);
    await settle(job, { kind: 'returned' });
    expect((await attempt(await claimed())).outcome).toEqual({ kind: 'done' });
    const due = Date.parse((await dueAt()) as string);
    clock.advance(due - clock.now() - 1);
    expect(await schedule()).toBe(false);
    clock.advance(1);
    expect(await schedule()).toBe(true);
    expect(await schedule()).toBe(false);
  });

  it('returns to the queue while the library is away, and its schedule stays', async () => {
    await schedule();
    const due = await dueAt();
    const requireWriter = async () => {
      throw new Unavailable('library', 'The library does not answer.');
    };
    const deps = { ...mirror.deps, library: { ...mirror.deps.library, requireWriter } };
    const away = defineJob({
      ...mirrorKind,
      handler: async ({ payload, signal }) =>
        void (await runMirrorBatch(deps, payload, { holder: randomText(6), signal })),
    }) as JobDefinition;
    const { outcome } = await attempt(await claimed(), away);
    expect(outcome).toEqual({ kind: 'returned', delayMs: 1_000 });
    expect(await jobs()).toMatchObject([{ state: 'waiting', attempts: 0 }]);
    expect(await dueAt()).toBe(due);
    clock.advance(1_000);
    expect((await attempt(await claimed())).outcome).toEqual({ kind: 'done' });
  });

  it('is not enqueued without a token', async () => {
    const raindrop = { token: undefined, apiUrl: server.apiUrl };
    expect(await scheduleMirror({ ...mirror.deps, raindrop })).toBe(false);
    expect(await scheduleMirror({ ...mirror.deps, raindrop }, { evenEarly: true })).toBe(false);
    expect(await jobs()).toEqual([]);
    expect(await dueAt()).toBeNull();
  });

  it('comes back after an hour while something is left, and after a day when all is there', async () => {
    for (let n = 0; n < 55; n++)
      server.account.add({
        link: `https://example.org/${n}`,
        lastUpdate: clock.now() - 100_000 + n * 1_000,
      });
    await schedule();
    expect(await attempt(await claimed())).toEqual({ outcome: { kind: 'done' }, errors: [] });
    expect(await mirror.rows.raindrops.count()).toBe(50);
    expect(await dueAt()).toBe(at(clock.now() + hour));
    clock.advance(hour);
    await schedule();
    await attempt(await claimed());
    expect(await mirror.rows.raindrops.count()).toBe(55);
    expect(await dueAt()).toBe(at(clock.now() + 24 * hour));
    expect(await schedule()).toBe(false);
    expect((await jobs()).map(({ state }) => state)).toEqual(['done', 'done']);
  });

  it('does a batch by the definition that the worker is given, and notes what stood in its way', async () => {
    server.switches.token = 'another token than the one that is set';
    const real = realDefinition();
    server.switches.token = 'and another one';
    await schedule();
    expect(await attempt(await claimed(), real)).toEqual({ outcome: { kind: 'done' }, errors: [] });
    expect(server.requests.map(({ path, status }) => [path, status])).toEqual([['/collections', 401]]);
    expect(await dueAt()).toBe(at(clock.now() + hour));
    expect(await mirror.store.mirrorState.get(stateKeys.run)).toContain('Raindrop refused the token.');
  });

  it('is taken up where a worker ended in the middle, and asks for no copy twice that is stored', async () => {
    for (let n = 0; n < 6; n++)
      server.account.add({
        link: `https://example.org/${n}`,
        title: `Number ${n}`,
        copy: { html: `<p>Page ${n}</p>` },
        lastUpdate: clock.now() - 100_000 + n * 1_000,
      });
    await schedule();
    const job = await claimed();
    const run = new Run(job, definition);
    // The worker is told to stop while the fourth copy is on its way.
    server.faults.onRequest(() => {
      if (copiesAskedFor().length === 4) run.interrupt('stopping');
    });
    const outcome = await run.do(
      () => 1,
      () => {},
    );
    expect(outcome).toEqual({ kind: 'returned' });
    server.faults.clear();
    await settle(job, outcome as Outcome);
    const stored = copiesAskedFor().slice(0, 3);
    // Nothing waits for the one that has ended: not its lease, and not its turn.
    expect((await attempt(await claimed())).outcome).toEqual({ kind: 'done' });
    expect(await mirror.rows.raindrops.counts()).toMatchObject({ live: 6, copies: { stored: 6 } });
    expect(await mirror.rows.items.list({ limit: 50 })).toHaveLength(6);
    for (const path of stored) expect(copiesAskedFor().filter((one) => one === path)).toHaveLength(1);
  });

  it('is taken up after a worker that was killed, once its lease has run out', async () => {
    for (let n = 0; n < 3; n++) server.account.add({ link: `https://example.org/${n}` });
    await schedule();
    const job = await claimed();
    // It has begun, and nobody lets go of anything for it.
    expect(await mirror.store.leases.acquire('mirror', 'the one that was killed', 60_000)).toBeDefined();
    clock.advance(59_000);
    await expect(mirror.batch()).rejects.toThrow('Another process is at the mirror');
    clock.advance(3 * hour);
    await mirror.store.jobs.keep([], { leaseMs: 2 * hour, maxCrashes: 3, suspectDelayMs: 0 });
    const again = await claimed();
    expect(again.id).toBe(job.id);
    expect((await attempt(again)).outcome).toEqual({ kind: 'done' });
    expect(await mirror.rows.raindrops.count()).toBe(3);
  });

  it('comes back later while somebody runs it by hand, and nothing is done twice', async () => {
    const pages = Array.from(
      { length: 3 },
      (_, n) => server.account.add({ link: `https://example.org/${n}`, copy: { html: '<p>A</p>' } })._id,
    );
    await schedule();
    const byHand = Promise.withResolvers<void>();
    const isInside = Promise.withResolvers<void>();
    server.faults.onRequest(async ({ path }) => {
      if (path !== '/raindrops/0') return;
      isInside.resolve();
      await byHand.promise;
    });
    const first = mirror.batch();
    await isInside.promise;
    const put = await attempt(await claimed(), realDefinition());
    expect(put).toEqual({ outcome: { kind: 'returned', delayMs: 60_000 }, errors: [] });
    expect(await claim()).toBeUndefined();
    byHand.resolve();
    expect((await first).isDone).toBe(true);
    server.faults.clear();
    expect(copiesAskedFor().sort()).toEqual(pages.map((id) => `/raindrop/${id}/cache`).sort());
    const [waiting] = await jobs();
    expect(waiting).toMatchObject({ state: 'waiting', attempts: 0 });
    // What is left after that is nothing: the message is of before, and the day is not over.
    clock.advance(60_000);
    server.requests.clear();
    expect((await attempt(await claimed(), realDefinition())).outcome).toEqual({ kind: 'done' });
    expect(server.requests).toHaveLength(0);
    expect(await schedule()).toBe(false);
  });

  it('ends soon when it is told to in a pause, with what is stored settled or begun again', async () => {
    server.account.add({ link: 'https://example.org/a' });
    await schedule();
    const job = await claimed();
    const run = new Run(job, realDefinition());
    const asked = Promise.withResolvers<void>();
    server.faults.onRequest(() => asked.resolve());
    const ended = run.do(
      () => 1,
      () => {},
    );
    await asked.promise;
    const from = performance.now();
    run.interrupt('stopping');
    expect(await ended).toEqual({ kind: 'returned' });
    // The pause between two requests alone is longer than that.
    expect(performance.now() - from).toBeLessThan(4_000);
    expect(server.requests).toHaveLength(1);
    server.faults.clear();
    await settle(job, { kind: 'returned' });
    expect(await mirror.store.mirrorState.get(stateKeys.run)).toBeNull();
    expect((await attempt(await claimed())).outcome).toEqual({ kind: 'done' });
    expect(await mirror.rows.raindrops.count()).toBe(1);
  });

  it('does not take its own end for a failure of Raindrop, at whichever attempt it comes', async () => {
    server.account.add({ link: 'https://example.org/a' });
    for (const attempts of [1, 2, 3]) {
      await schedule();
      const job = await claimed();
      const run = new Run(job, definition);
      server.requests.clear();
      server.faults.always(() => true, { status: 500 });
      server.faults.onRequest(() => {
        if (server.requests.length === attempts) run.interrupt('stopping');
      });
      const outcome = await run.do(
        () => 1,
        () => {},
      );
      server.faults.clear();
      expect({ attempts, outcome }).toEqual({ attempts, outcome: { kind: 'returned' } });
      expect(await mirror.store.mirrorState.get(stateKeys.run)).toBeNull();
      await settle(job, { kind: 'returned' });
    }
  });

  it('says when there is nobody yet whose raindrops they could be', async () => {
    const { store } = mirror;
    const nobody = { ...store, users: { ...store.users, findOwner: async () => undefined } };
    const message = await messageNow(mirror.deps);
    const options = { holder: 'test', signal: new AbortController().signal };
    await expect(runMirrorBatch({ ...mirror.deps, store: nobody }, message, options)).rejects.toThrow(
      'set up Lectern first',
    );
    expect(await scheduleMirror({ ...mirror.deps, store: nobody })).toBe(false);
    expect(await jobs()).toEqual([]);
    expect(server.requests).toHaveLength(0);
  });
});
