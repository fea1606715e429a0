// `npm run clock-jump`: moves the clock of a running server ahead for a minute, puts it back, and measures how long it takes until
// each kind of work runs again. Needs libfaketime (Debian: `apt install faketime`).
//   sqlite, postgres, 20h, 400d: only these engines and jumps.
import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { table } from '../src/cli/table.ts';
import { rssOf } from '../test/support/deframing.ts';
import { startPostgres } from '../test/support/postgres-server.ts';
import { startRaindropServer } from '../test/support/raindrop-server.ts';
import { until } from '../test/support/until.ts';
import { rss, startWebSite } from '../test/support/web-site.ts';

const program = fileURLToPath(new URL('../src/main.ts', import.meta.url));
const engines = ['sqlite', 'postgres'] as const;
const jumps = ['20h', '400d'] as const;
const password = 'correct horse';
/** Longer than the clock is ahead, so that nothing is due at its return except by the rule for clock jumps. */
const feedIntervalMs = 120_000;
const aheadMs = 60_000;
/** The heartbeat of the job queue. */
const taskPeriodMs = 10_000;
/** The first attempt at a page that answers late began before the jump. Shorter than the time that a page has to answer. */
const lateAnswerMs = 25_000;

type Engine = (typeof engines)[number];
type Jump = (typeof jumps)[number];

interface Kind {
  readonly name: string;
  readonly intervalMs: number;
  /** How often it has run so far. */
  readonly runs: () => number;
}

interface Server {
  readonly url: string;
  stop(): Promise<void>;
}

/** The environment that gives a process the clock of the file. Its monotonic clock and the times of files stay true. */
function fakeClock(libraryPath: string, file: string) {
  return {
    LD_PRELOAD: libraryPath,
    FAKETIME_TIMESTAMP_FILE: file,
    FAKETIME_NO_CACHE: '1',
    DONT_FAKE_MONOTONIC: '1',
    NO_FAKE_STAT: '1',
  };
}

function findFakeTime(): string | undefined {
  const folders = ['/usr/lib', ...readdirSync('/usr/lib').map((name) => join('/usr/lib', name))];
  return folders.map((folder) => join(folder, 'faketime', 'libfaketimeMT.so.1')).find(existsSync);
}

async function startServer(env: Readonly<Record<string, string>>): Promise<Server> {
  const child: ChildProcess = spawn(process.execPath, [program, 'serve'], {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (text) => {
      output += text;
    });
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const stop = async () => {
    child.kill('SIGTERM');
    await closed;
    if (process.env.CLOCK_JUMP_LOG) process.stdout.write(output);
  };
  try {
    const url = await until('the server listens', () => {
      if (child.exitCode !== null) throw new Error(`the server ended\n${output}`);
      return /Lectern is running at (http:\/\/[\d.:]+)/.exec(output)?.[1];
    });
    return { url, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** A client with the session cookie of the owner. */
async function logIn(url: string) {
  const headers = { 'Content-Type': 'application/json' };
  const answer = await fetch(`${url}/api/sessions`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ password }),
  });
  if (!answer.ok) throw new Error(`the login failed: ${await answer.text()}`);
  const cookie = answer.headers
    .getSetCookie()
    .map((text) => text.split(';')[0])
    .join('; ');
  const request = (method: string, path: string, body?: unknown) =>
    fetch(url + path, {
      method,
      headers: { ...headers, cookie, origin: url },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  return {
    request,
    async call(method: string, path: string, body?: unknown) {
      const response = await request(method, path, body);
      const text = await response.text();
      if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
      return text === '' ? undefined : JSON.parse(text);
    },
  };
}

type Client = Awaited<ReturnType<typeof logIn>>;

async function startRemoteWorld() {
  const site = await startWebSite();
  const raindrop = await startRaindropServer({ now: Date.now });
  const late = Promise.withResolvers<void>();
  const feed = { type: 'application/rss+xml' };
  site.put('/feed', { ...feed, body: rss({ title: 'A feed', entries: [] }) });
  site.put('/deframed', { ...feed, body: rssOf([{ title: 'Council meets', link: '/page' }], site.origin) });
  site.put('/page', { type: 'text/html', body: '<title>A page</title><p>Some text.</p>' });
  site.put('/failing', { status: 500 });
  site.put('/failing-late', { status: 500, after: late.promise });
  const requestsFor = (path: string) => () => site.requests.filter((asked) => asked === path).length;
  const kinds: readonly Kind[] = [
    { name: 'feed', intervalMs: feedIntervalMs, runs: requestsFor('/feed') },
    { name: 'deframer', intervalMs: feedIntervalMs, runs: requestsFor('/deframed') },
    // The token is wrong: the mirror comes back after an hour.
    { name: 'mirror', intervalMs: 3_600_000, runs: () => raindrop.requests.length },
    // The pauses after the second failure and after the first.
    { name: 'delayed job', intervalMs: 120_000, runs: requestsFor('/failing') },
    { name: 'delayed job, claimed before the jump', intervalMs: 60_000, runs: requestsFor('/failing-late') },
  ];
  return {
    origin: site.origin,
    raindropUrl: raindrop.apiUrl,
    kinds,
    answerLate: late.resolve,
    async close() {
      site.close();
      await raindrop.close();
    },
  };
}

type World = Awaited<ReturnType<typeof startRemoteWorld>>;

/** One item in the bin, with its copy, and something of every kind that has run once. */
async function seed({ origin, kinds }: World, { call }: Client): Promise<void> {
  const save = (path: string) => call('POST', '/api/v1/items', { url: origin + path });
  const saved = await save('/page');
  await until('the page has its copy', async () => {
    const { enrichmentStatus } = await call('GET', `/api/v1/items/${saved.id}`);
    return enrichmentStatus === 'succeeded';
  });
  await call('DELETE', `/api/v1/items/${saved.id}`);
  await call('POST', '/api/feeds', { link: `${origin}/feed` });
  const deframed = { url: `${origin}/deframed`, enabled: true, polling: true, sync: true, root_domain: null };
  await call('POST', '/api/v1/deframer/feeds', deframed);
  await save('/failing');
  await save('/failing-late');
  await until('everything has run once', () => kinds.every(({ runs }) => runs() > 0), 90_000);
}

interface Result {
  readonly rows: Record<string, string | number>[];
  readonly isGood: boolean;
}

async function jumpOnce(engine: Engine, jump: Jump, libraryPath: string): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), 'lectern-clock-jump-'));
  // PostgreSQL does not run as root, and has to read the file.
  chmodSync(folder, 0o755);
  const file = join(folder, 'clock');
  const setClock = (offset: string) => {
    // A half-written file would be no time.
    writeFileSync(`${file}.next`, `${offset}\n`);
    renameSync(`${file}.next`, file);
  };
  setClock('+0');
  const clock = fakeClock(libraryPath, file);
  const world = await startRemoteWorld();
  const postgres = engine === 'postgres' ? await startPostgres(clock) : undefined;
  await postgres?.createDatabase('lectern');
  const server = await startServer({
    ...clock,
    LECTERN_HOME: join(folder, 'home'),
    LECTERN_PORT: '0',
    LECTERN_PASSWORD: password,
    LECTERN_EMBEDDINGS: 'off',
    LECTERN_ALLOW_PRIVATE_NETWORKS: 'true',
    LECTERN_PULL_INTERVAL: String(feedIntervalMs / 1000),
    LECTERN_DEFRAMER_INTERVAL: String(feedIntervalMs / 1000),
    LECTERN_RAINDROP_API_URL: world.raindropUrl,
    LECTERN_RAINDROP_TOKEN: 'wrong',
    ...(postgres && { LECTERN_DATABASE_URL: postgres.urlOf('lectern') }),
  });
  try {
    const client = await logIn(server.url);
    await seed(world, client);
    // Otherwise the clock would return just when the periodic tasks of the worker run.
    await pause(Math.random() * taskPeriodMs);
    setClock(`+${jump}`);
    const wentAheadAt = performance.now();
    const shown = Date.parse((await client.request('GET', '/healthz')).headers.get('date') ?? '');
    if (shown < Date.now() + 19 * 3_600_000)
      throw new Error('libfaketime does not move the clock of the server');
    await pause(lateAnswerMs);
    world.answerLate();
    const whileAhead = (await client.request('GET', '/api/me')).status;
    await pause(aheadMs - (performance.now() - wentAheadAt));
    setClock('+0');
    const rows = await Promise.all(world.kinds.map((kind) => measure(kind)));
    const me = await client.request('GET', '/api/me');
    const { items } = await client.call('GET', '/api/v1/items?deleted=true');
    const [restored] = items;
    const copy = restored && (await client.call('POST', `/api/v1/items/${restored.id}/restore`));
    const facts = [
      { kind: `session (${whileAhead} while ahead)`, took: `status ${me.status}`, isGood: me.status === 200 },
      { kind: 'items in the bin', took: String(items.length), isGood: items.length === 1 },
      {
        kind: 'copy of the restored item',
        took: String(copy?.enrichmentStatus),
        isGood: copy?.enrichmentStatus === 'succeeded',
      },
    ];
    const all = [...rows, ...facts.map((fact) => ({ interval: '', ...fact }))];
    return {
      isGood: all.every(({ isGood }) => isGood),
      rows: all.map(({ kind, took, interval, isGood }) => ({
        engine,
        jump,
        kind,
        'seconds until it ran': took,
        interval,
        verdict: isGood ? 'good' : 'BAD',
      })),
    };
  } finally {
    await server.stop();
    await postgres?.stop();
    await world.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** How long it takes until the kind runs again. */
async function measure({ name, intervalMs, runs }: Kind) {
  const before = runs();
  const startedAt = performance.now();
  // Nothing is given longer than the feeds: a mirror that needs an hour has kept its void schedule.
  const isGood = await until(name, () => runs() > before, Math.min(intervalMs, feedIntervalMs)).catch(
    () => false,
  );
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  return {
    kind: name,
    took: isGood ? seconds : `not within ${seconds}`,
    interval: `${intervalMs / 1000} s`,
    isGood: isGood === true,
  };
}

const words = process.argv.slice(2);
const unknown = words.find((word) => ![...engines, ...jumps].some((known) => known === word));
if (unknown) throw new Error(`unknown word ${unknown}; known: ${[...engines, ...jumps].join(', ')}`);
const chosen = <T extends string>(all: readonly T[]): readonly T[] => {
  const named = all.filter((one) => words.includes(one));
  return named.length > 0 ? named : all;
};
const libraryPath = findFakeTime();
if (libraryPath === undefined) {
  process.stdout.write('skipped: not installed: libfaketime (Debian: apt install faketime)\n');
  process.exit(0);
}
const results: Result[] = [];
for (const engine of chosen(engines)) {
  for (const jump of chosen(jumps)) {
    process.stdout.write(`${engine}, ${jump} ahead ...\n`);
    results.push(await jumpOnce(engine, jump, libraryPath));
  }
}
process.stdout.write(
  `\n${table(
    results.flatMap(({ rows }) => rows),
    Number.POSITIVE_INFINITY,
  )}\n`,
);
process.exit(results.every(({ isGood }) => isGood) ? 0 : 1);
