// What users cost: processor time, bytes and requests for members who follow overlapping feeds, on both engines.
// npm run bench -- users [--users 1,10,100] [--engine sqlite] [--feeds 20] [--entries 5] [--characters 2000]
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { sql } from 'kysely';
import { Secret } from '../src/model/secret.ts';
import type { Database } from '../src/store/database.ts';
import { openDatabase, type Target } from '../src/store/open.ts';
import { createStore } from '../src/store/store.ts';
import { createLectern, databaseUrl, mainEntry } from '../test/support/lectern-process.ts';
import { startPostgres } from '../test/support/postgres-server.ts';
import { randomFrom } from '../test/support/random.ts';
import { cpuSeconds } from './cpu-time.ts';
import { startSite } from './site-process.ts';

const newEntries = 2;
/** Until the worker has loaded and has nothing to do. */
const startSeconds = 10;
const idleSeconds = 60;

interface Settings {
  readonly feedsPerUser: number;
  readonly entries: number;
  readonly characters: number;
}

interface Usage {
  readonly cpu: number;
  readonly postgresCpu: number;
  readonly indexBytes: number;
  readonly libraryBytes: number;
  readonly put: number;
  readonly get: number;
  readonly list: number;
  readonly locks: number;
  readonly fetched: number;
}

interface Row {
  readonly phase: string;
  readonly users: number;
  /** Feeds of all members, and different ones. */
  readonly feeds: number;
  readonly addresses: number;
  /** Rows that this phase has added. */
  readonly entries: number;
  readonly seconds: number;
  readonly used: Usage;
}

export async function run(args: readonly string[]): Promise<boolean> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      users: { type: 'string', default: '1,10,100,1000' },
      engine: { type: 'string', default: 'sqlite,postgres' },
      feeds: { type: 'string', default: '20' },
      entries: { type: 'string', default: '5' },
      characters: { type: 'string', default: '2000' },
    },
  });
  const settings = {
    feedsPerUser: Number(values.feeds),
    entries: Number(values.entries),
    characters: Number(values.characters),
  };
  for (const engine of values.engine.split(',') as Target['engine'][]) {
    process.stdout.write(
      `${engine}: ${settings.feedsPerUser} feeds per user, ${settings.entries} entries of ${settings.characters} characters, then ${newEntries} new ones\n`,
    );
    process.stdout.write(`${columns.map(([name]) => name.padStart(width)).join('')}\n`);
    for (const users of values.users.split(',').map(Number)) await measure(engine, users, settings);
  }
  return true;
}

const width = 11;
const per = (value: number, count: number) => (count > 0 ? value / count : 0);
const columns: [string, (row: Row) => string][] = [
  ['phase', ({ phase }) => phase],
  ['users', ({ users }) => `${users}`],
  ['feeds', ({ feeds }) => `${feeds}`],
  ['addresses', ({ addresses }) => `${addresses}`],
  ['entries', ({ entries }) => `${entries}`],
  ['CPU s', ({ used }) => used.cpu.toFixed(2)],
  ['pg CPU s', ({ used }) => used.postgresCpu.toFixed(2)],
  ['ms/user', ({ used, users }) => per((used.cpu + used.postgresCpu) * 1_000, users).toFixed(1)],
  ['ms/feed', ({ used, feeds }) => per((used.cpu + used.postgresCpu) * 1_000, feeds).toFixed(2)],
  ['ms/entry', ({ used, entries }) => per((used.cpu + used.postgresCpu) * 1_000, entries).toFixed(2)],
  ['index B/e', ({ used, entries }) => per(used.indexBytes, entries).toFixed(0)],
  ['libr. B/e', ({ used, entries }) => per(used.libraryBytes, entries).toFixed(0)],
  ['PUT', ({ used }) => `${used.put}`],
  ['of locks', ({ used }) => `${used.locks}`],
  ['GET', ({ used }) => `${used.get}`],
  ['LIST', ({ used }) => `${used.list}`],
  ['fetches', ({ used }) => `${used.fetched}`],
  ['seconds', ({ seconds }) => seconds.toFixed(0)],
];

async function measure(engine: Target['engine'], users: number, settings: Settings): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'lectern-bench-'));
  const postgres = engine === 'postgres' ? await startPostgres() : undefined;
  process.env.BENCH_ENTRIES = `${settings.entries}`;
  process.env.BENCH_CHARACTERS = `${settings.characters}`;
  const site = await startSite('./growing-site.ts');
  const bucket = await startSite('./counting-bucket.ts');
  const lectern = createLectern(mainEntry);
  await postgres?.createDatabase('users');
  const target: Target = postgres
    ? ({ engine: 'postgres', url: new Secret(postgres.urlOf('users')), shown: 'users' } as Target)
    : { engine: 'sqlite', path: join(folder, 'index.db') };
  const database = await openDatabase(target, { now: Date.now, onIdleError: () => {} });
  try {
    let [addresses, feeds] = [0, 0];
    let pid: number | undefined;
    const usage = async (): Promise<Usage> => {
      const requests =
        await bucket.counts<Record<'PUT' | 'GET' | 'LIST' | 'locks' | 'putBytes' | 'sizeBytes', number>>();
      const { full, notModified } = await site.counts<{ full: number; notModified: number }>();
      return {
        cpu: pid === undefined ? 0 : cpuSeconds(pid),
        postgresCpu: postgres ? cpuSeconds(postgres.pid) : 0,
        indexBytes: await indexBytes(database),
        libraryBytes: requests.sizeBytes,
        put: requests.PUT,
        get: requests.GET,
        list: requests.LIST,
        locks: requests.locks,
        fetched: full + notModified,
      };
    };
    let entriesBefore = 0;
    let before = await usage();
    let since = performance.now();
    const print = async (phase: string) => {
      const now = await usage();
      const entries = await count(database, 'entries');
      const used = Object.fromEntries(
        Object.entries(now).map(([name, value]) => [name, value - before[name as keyof Usage]]),
      ) as unknown as Usage;
      const seconds = (performance.now() - since) / 1_000;
      const row = { phase, users, feeds, addresses, entries: entries - entriesBefore, seconds, used };
      process.stdout.write(`${columns.map(([, show]) => show(row).padStart(width)).join('')}\n`);
      [before, entriesBefore, since] = [now, entries, performance.now()];
    };
    const server = await lectern.serve({
      role: 'all',
      env: {
        LECTERN_HOME: folder,
        LECTERN_DATABASE_URL: databaseUrl(target),
        LECTERN_LIBRARY_URL: `s3://id:secret@bench/library?endpoint=${encodeURIComponent(bucket.origin)}`,
        LECTERN_ALLOW_PRIVATE_NETWORKS: 'true',
        LECTERN_LOG_LEVEL: 'error',
      },
    });
    pid = server.pid;
    await pause(startSeconds * 1_000);
    await print('start');
    addresses = await addUsers(database, site.origin, users, settings.feedsPerUser);
    feeds = await count(database, 'feeds');
    await untilDone(database, feeds * settings.entries);
    await print('first');
    await fetch(`${site.origin}/publish/${newEntries}`, { method: 'POST' });
    await makeDue(database);
    await untilDone(database, feeds * (settings.entries + newEntries));
    await print('new');
    const { notModified } = await site.counts<{ notModified: number }>();
    await makeDue(database);
    while ((await site.counts<{ notModified: number }>()).notModified < notModified + addresses)
      await pause(200);
    await untilDone(database, 0);
    await print('unchanged');
    await pause(idleSeconds * 1_000);
    await print('idle');
    await server.stop();
  } finally {
    await database.close();
    await lectern.endAll();
    site.stop();
    bucket.stop();
    await postgres?.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Members follow popular feeds more often, by Zipf's law. Returns how many addresses there are. */
async function addUsers(
  database: Database,
  origin: string,
  users: number,
  feedsPerUser: number,
): Promise<number> {
  const store = createStore(database, Date.now);
  // The more users, the more addresses, but fewer for each user.
  const known = Math.ceil(feedsPerUser * Math.max(1, users ** 0.7));
  const { fraction } = randomFrom(users);
  const addresses = new Set<number>();
  for (let n = 0; n < users; n++) {
    const role = n === 0 ? 'owner' : 'member';
    const { id } = await store.users.create({ username: `user${n}`, passwordHash: null, role });
    const chosen = new Set<number>();
    while (chosen.size < feedsPerUser) chosen.add(Math.floor((known + 1) ** fraction()) - 1);
    for (const feed of chosen) addresses.add(feed);
    const feeds = [...chosen].map((feed) => ({
      groupId: 1,
      name: `Feed ${feed}`,
      link: `${origin}/${feed}`,
      siteUrl: '',
      proxy: '',
    }));
    await store.forUser(id).feeds.createMany(feeds);
  }
  return addresses.size;
}

async function makeDue(database: Database): Promise<void> {
  await database.write((trx) =>
    trx.updateTable('feed_fetch_state').set({ next_check_at: 1, retry_after_until: 0 }).execute(),
  );
}

/** Until there are so many entries, all are indexed for search and everything is in the library. */
async function untilDone(database: Database, entries: number): Promise<void> {
  for (;;) {
    if (!(await isWorking(database)) && (await count(database, 'entries')) >= entries) return;
    await pause(2_000);
  }
}

async function isWorking(database: Database): Promise<boolean> {
  const { rows } = await sql<{ found: number }>`SELECT 1 AS found WHERE EXISTS (SELECT 1 FROM search_pending)
    OR EXISTS (SELECT 1 FROM journal_dirty) OR EXISTS (SELECT 1 FROM jobs WHERE state < 2)`.execute(
    database.read,
  );
  return rows.length > 0;
}

async function count(database: Database, table: 'feeds' | 'entries') {
  const { n } = await database.read
    .selectFrom(table)
    .select((select) => select.fn.countAll().as('n'))
    .executeTakeFirstOrThrow();
  return Number(n);
}

async function indexBytes(database: Database): Promise<number> {
  const query =
    database.engine === 'sqlite'
      ? sql<{
          n: number;
        }>`SELECT (SELECT page_count FROM pragma_page_count()) * (SELECT page_size FROM pragma_page_size()) AS n`
      : sql<{ n: number }>`SELECT pg_database_size(current_database()) AS n`;
  const { rows } = await query.execute(database.read);
  return Number(rows[0]?.n ?? 0);
}
