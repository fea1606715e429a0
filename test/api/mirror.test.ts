// The mirror as the owner sees it over HTTP: where it stands, what comes next, and a batch out of turn.
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { mirrorKind, notConfigured } from '../../src/mirror/node/mirror.ts';
import { Secret } from '../../src/model/secret.ts';
import { answerOf, type Client, jsonOf, TestApi } from '../support/api.ts';
import { TestClock } from '../support/clock.ts';
import { onBothEngines } from '../support/engines.ts';
import { folderFiles, temporaryFolder } from '../support/library.ts';
import { openMirror } from '../support/mirror-node.ts';
import { type RaindropServer, startRaindropServer } from '../support/raindrop-server.ts';

const path = '/api/v1/mirror';
const token = 'a-token-that-nobody-may-see';
const minute = 60_000;
const hour = 60 * minute;

onBothEngines('the mirror over HTTP', (engine) => {
  let clock: TestClock;
  let server: RaindropServer;
  let folder: string;
  let mirror: Awaited<ReturnType<typeof openMirror>>;
  let api: TestApi;
  let owner: Client;

  beforeEach(async () => {
    clock = new TestClock(Date.parse('2026-03-01T05:15:00Z'));
    server = await startRaindropServer({ now: clock.now, token });
    folder = await temporaryFolder();
    const target = await engine.freshTarget();
    mirror = await openMirror(target, await folderFiles(folder, clock), server, clock);
    onTestFinished(async () => {
      await mirror.end();
      await server.close();
    });
    const opened = { ...mirror, clock, folder, target, files: mirror.library.files };
    api = new TestApi(opened, { raindrop: { token: new Secret(token), apiUrl: server.apiUrl } });
    // Whoever comes first is the owner of what is there.
    await api.addUser('anna');
    owner = await api.program('anna', 'admin');
  });

  const at = (ms: number) => new Date(ms).toISOString();
  const status = async (client = owner) => {
    const response = await client.get(path);
    expect(response.status).toBe(200);
    const text = await response.text();
    for (const secret of [token, folder, server.apiUrl, 'Bearer']) expect(text).not.toContain(secret);
    return (JSON.parse(text) as { data: Record<string, unknown> }).data;
  };
  const nothingYet = {
    configured: true,
    running: false,
    phase: 'idle',
    cursor: null,
    next_run_at: null,
    started_at: null,
    finished_at: null,
    problem: null,
    total: null,
    raindrops: 0,
    removed: 0,
    copies: { stored: 0, none: 0, pending: 0, refused: 0, failed: 0 },
    waiting_copies: 0,
    estimate: null,
  };
  const waiting = () => mirror.store.jobs.list({ name: mirrorKind.name, state: 'waiting', limit: 10 });
  /** An update a minute, the earliest first. */
  const add = (n: number, fields: Parameters<RaindropServer['account']['add']>[0] = {}) =>
    server.account.add({
      link: `https://example.org/${n}`,
      title: `Number ${n}`,
      lastUpdate: clock.now() - 1_000 * minute + n * minute,
      ...fields,
    });

  it('says that no token is set, and what to do about it to whoever would run it', async () => {
    const without = api.again();
    const client = owner.at(without);
    expect(await status(client)).toEqual({ ...nothingYet, configured: false });
    const refused = await answerOf(await client.post(`${path}/run`, undefined));
    expect(refused).toMatchObject({ status: 409, body: { error: { message: notConfigured } } });
    expect(notConfigured).toMatch(/settings\/integrations .*LECTERN_RAINDROP_TOKEN/);
    expect(await waiting()).toEqual([]);
    // What was mirrored before the token was taken away is still told of.
    add(0);
    await mirror.run();
    expect(await status(client)).toMatchObject({ configured: false, raindrops: 1, total: 1 });
  });

  it('has nothing to tell before the first run', async () => {
    expect(await status()).toEqual(nothingYet);
  });

  it('tells in the middle of the first run what is there, what is missing and how long that takes', async () => {
    for (let n = 0; n < 120; n++)
      add(n, {
        ...(n < 3 && { copy: { html: `<p>Page ${n}</p>` } }),
        ...((n === 3 || n === 4) && { cacheStatus: 'retry' }),
        ...(n === 5 && { cacheStatus: 'invalid-timeout' }),
        ...(n === 6 && { copy: { html: '<p>It cannot be had</p>' } }),
      });
    const [last, broken] = [49, 6].map((n) => server.account.all()[n]);
    server.faults.always((target) => target.path === `/raindrop/${broken?._id}/cache`, { status: 500 });
    const startedAt = clock.now();
    const { delay } = await mirror.batch();
    expect(delay).toBe(hour);
    const dueAt = clock.now() + hour;
    const then = {
      ...nothingYet,
      phase: 'updates',
      cursor: last?.lastUpdate,
      next_run_at: at(dueAt),
      started_at: expect.any(String),
      total: 120,
      raindrops: 50,
      copies: { stored: 3, none: 43, pending: 2, refused: 1, failed: 1 },
      waiting_copies: 3,
      // Seventy are left: two batches, the second an hour after the first, and seven minutes for that.
      estimate: { batches: 2, done_at: at(dueAt + hour + 7 * minute) },
    };
    const told = await status();
    expect(told).toEqual(then);
    const began = Date.parse(String(told.started_at));
    expect(began >= startedAt && began < clock.now()).toBe(true);
    // A batch that is late is counted from now on.
    clock.advance(3 * hour);
    expect(await status()).toEqual({
      ...then,
      estimate: { batches: 2, done_at: at(clock.now() + hour + 7 * minute) },
    });
  });

  it('tells in a sentence why it had to stop, and when it goes on', async () => {
    add(0);
    const until = Math.ceil(clock.now() / 1_000) * 1_000 + 5 * hour;
    server.faults.always(({ path: asked }) => asked === '/raindrops/0', {
      status: 429,
      headers: { 'x-ratelimit-reset': String(until / 1_000) },
    });
    await mirror.batch();
    const told = await status();
    expect(told).toMatchObject({
      phase: 'updates',
      problem: 'Raindrop asks to be left alone for a while.',
      // A second more, for clocks that differ.
      next_run_at: at(until + 1_000),
      raindrops: 0,
      total: null,
      estimate: null,
    });
    server.faults.clear();
    clock.advance(5 * hour);
    await mirror.run();
    expect(await status()).toMatchObject({ phase: 'idle', problem: null, raindrops: 1, total: 1 });
  });

  it('says when all is there, and when it looks again', async () => {
    for (let n = 0; n < 4; n++) add(n, n === 0 ? { copy: { html: '<p>A page</p>' } } : {});
    const [first, second] = server.account.all();
    await mirror.run();
    server.account.trash(first?._id as number);
    server.account.purge(second?._id as number);
    await mirror.batch();
    expect(await status()).toEqual({
      ...nothingYet,
      cursor: server.account.get(1004).lastUpdate,
      next_run_at: at(clock.now() + 24 * hour),
      started_at: expect.any(String),
      finished_at: expect.any(String),
      total: 2,
      raindrops: 2,
      removed: 2,
      copies: { ...nothingYet.copies, none: 2 },
    });
  });

  it('puts one batch into the queue and no second one, and says so while it runs', async () => {
    const run = async () => answerOf(await owner.post(`${path}/run`, undefined));
    expect(await run()).toEqual({ status: 202, body: { data: { started: true } } });
    expect(await run()).toEqual({ status: 202, body: { data: { started: false } } });
    expect(await waiting()).toHaveLength(1);
    expect(await status()).toMatchObject({ running: false });
    const [fence] = await mirror.store.jobs.settleAndClaim([], {
      ...{ holder: 'test', leaseMs: 60_000, names: [mirrorKind.name], total: 1, background: 1, low: 1 },
      ...{ first: 'interactive', suspect: false },
    });
    if (!fence) throw new Error('the batch is not in the queue');
    expect(await status()).toMatchObject({ running: true });
    expect(await run()).toEqual({ status: 202, body: { data: { started: false } } });
    await mirror.store.jobs.settleAndClaim([{ fence, outcome: { kind: 'done' } }]);
    expect(await run()).toEqual({ status: 202, body: { data: { started: true } } });
  });

  it('makes the next batch due at once for whoever does not want to wait for it', async () => {
    add(0);
    await mirror.batch();
    expect((await status()).next_run_at).toBe(at(clock.now() + 24 * hour));
    await owner.post(`${path}/run`, undefined);
    expect((await status()).next_run_at).toBe(at(clock.now()));
  });

  it('is for the owner alone, and for no token without the scope admin', async () => {
    await api.addUser('berta');
    const member = await api.program('berta', 'admin');
    const writer = await api.program('anna', 'write');
    const denied = async (client: Client, method: 'GET' | 'POST') => {
      const response = await client.send(method, method === 'GET' ? path : `${path}/run`);
      return [response.status, Object.keys(await jsonOf<object>(response))];
    };
    for (const method of ['GET', 'POST'] as const) {
      expect(await denied(member, method)).toEqual([403, ['error']]);
      expect(await denied(api.visitor(), method)).toEqual([401, ['error']]);
    }
    expect(await denied(writer, 'GET')).toEqual([403, ['error']]);
    expect(await denied(writer, 'POST')).toEqual([403, ['error']]);
    expect(await waiting()).toEqual([]);
    expect(api.logLines.join('\n')).not.toContain(token);
  });
});
