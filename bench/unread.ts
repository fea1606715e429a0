// The reader as the archive grows, with 10,000, 100,000 and 1,000,000 unread entries in 500 feeds: the newest unread
// entries, the counts, and the changes of many entries at once.
import { sql } from 'kysely';
import type { Feed } from '../src/model/feed.ts';
import type { Group } from '../src/model/group.ts';
import type { Database } from '../src/store/database.ts';
import { openDatabase } from '../src/store/open.ts';
import { rebuildUnread } from '../src/store/reader/unread.ts';
import { createStore, type Store, type UserRows } from '../src/store/store.ts';
import { type Engine, timed, withWorkshop } from './durable-bench.ts';

const sizes = [10_000, 100_000, 1_000_000];
const feedCount = 500;
const groupCount = 20;
/** The sizes are asked in turn, so that what else the machine does weighs on all of them alike. */
const rounds = 20;
const asksPerRound = 40;
/** The list at the largest size takes at most so much of its time at the smallest. */
const goal = 1.5;
/** For so long nobody else is answered, at most. */
const stopGoalMs = 50;

interface Change {
  readonly ms: number;
  readonly longestStopMs: number;
}

interface Archive {
  readonly database: Database;
  readonly store: Store;
  readonly rows: UserRows;
  readonly feeds: readonly Feed[];
  readonly groups: readonly Group[];
}

export async function run(): Promise<boolean> {
  return withWorkshop(async (workshop) => {
    let met = true;
    for (const engine of ['sqlite', 'postgres'] as const) {
      const archives: Archive[] = [];
      try {
        for (const size of sizes) {
          const target = await workshop.target(engine, `unread_${size}`);
          const database = await openDatabase(target, { now: Date.now, onIdleError: () => {} });
          archives.push(await fillArchive(engine, database, size));
        }
        process.stdout.write(`unread on ${engine}, ms\n`);
        line('entries', [...sizes.map(String), 'ratio', 'goal']);
        met = (await compareLists(archives)) && met;
        met = (await compareChanges(archives)) && met;
      } finally {
        for (const { database } of archives) await database.close();
      }
    }
    process.stdout.write(`peak memory ${(process.resourceUsage().maxRSS / 1024).toFixed(0)} MB\n`);
    return met;
  });
}

async function fillArchive(engine: Engine, database: Database, size: number): Promise<Archive> {
  const store = createStore(database, Date.now);
  const { id } = await store.users.create({ username: 'anna', passwordHash: null, role: 'owner' });
  const rows = store.forUser(id);
  await fill(engine, database, rows, id, size);
  return { database, store, rows, feeds: await rows.feeds.list(), groups: await rows.groups.list() };
}

async function compareLists(archives: readonly Archive[]): Promise<boolean> {
  const one = <T>(list: readonly T[], n: number) => list[n % list.length] as T;
  const list = ({ rows }: Archive, filter: object) =>
    rows.entries.list({ unread: true, order: 'pub_date', limit: 50, ...filter });
  const seconds = await Promise.all(archives.map(async (archive) => (await list(archive, {})).at(-1)));
  const before = new Map(archives.map((archive, n) => [archive, seconds[n]]));
  const asks: Record<string, (archive: Archive, n: number) => Promise<unknown>> = {
    'newest 50 of all': (archive, n) => list(archive, n % 2 === 0 ? {} : { before: before.get(archive) }),
    'newest 50 of a feed': (archive, n) => list(archive, { feedId: one(archive.feeds, n * 7).id }),
    'newest 50 of a group': (archive, n) => list(archive, { groupId: one(archive.groups, n).id }),
    'all feeds with counts': ({ rows }) => rows.feeds.list(),
  };
  let met = true;
  for (const [what, ask] of Object.entries(asks)) {
    const times = archives.map((): number[] => []);
    for (let round = 0; round < rounds; round++) {
      for (const [a, archive] of archives.entries()) {
        // The first of a round come to caches that the other archives have filled.
        for (let n = 0; n < 5; n++) await ask(archive, n);
        for (let n = 0; n < asksPerRound; n++)
          times[a]?.push(await timed(() => ask(archive, round * asksPerRound + n)));
      }
    }
    const middles = times.map((all) => all.sort((a, b) => a - b)[all.length / 2] as number);
    const ratio = (middles.at(-1) ?? 0) / (middles[0] ?? 1);
    met &&= ratio <= goal;
    const verdict = [ratio.toFixed(2), goal.toFixed(2), ratio <= goal ? 'met' : 'MISSED'];
    line(what, [...middles.map((ms) => ms.toFixed(2)), ...verdict]);
  }
  return met;
}

async function compareChanges(archives: readonly Archive[]): Promise<boolean> {
  const most = ({ feeds }: Archive) => feeds.reduce((a, b) => (b.entries > a.entries ? b : a));
  const changes: Record<string, (archive: Archive) => Promise<void>> = {
    'move the feed with most entries': async (archive) => {
      const { id, groupId } = most(archive);
      const other = archive.groups.find((group) => group.id !== groupId);
      await archive.rows.feeds.update(id, { groupId: other?.id });
    },
    'delete the group with most entries': (archive) => archive.rows.groups.delete(largestGroup(archive)),
    'mark everything read': async ({ rows }) => {
      await rows.entries.markAllRead();
      if ((await rows.entries.count({ unread: true })) !== 0)
        throw new Error('not everything was marked read');
    },
    'delete the feed with most entries': (archive) => archive.rows.feeds.delete(most(archive).id),
    'and sweep what is left of it': ({ store }) => store.readerUpkeep.sweepDeletedFeeds(),
  };
  let met = true;
  for (const [what, make] of Object.entries(changes)) {
    const results: Change[] = [];
    for (const archive of archives) results.push(await watched(() => make(archive)));
    line(
      what,
      results.map(({ ms }) => ms.toFixed(2)),
    );
    const stops = results.map(({ longestStopMs }) => longestStopMs);
    const isShort = Math.max(...stops) <= stopGoalMs;
    met &&= isShort;
    const verdict = ['', stopGoalMs.toFixed(0), isShort ? 'met' : 'MISSED'];
    line('  longest stop of the event loop', [...stops.map((ms) => ms.toFixed(2)), ...verdict]);
    for (const { database } of archives) await database.tidy('light');
  }
  return met;
}

async function fill(engine: Engine, database: Database, rows: UserRows, userId: number, size: number) {
  for (let n = 1; n < groupCount; n++) await rows.groups.create({ name: `Group ${n}` });
  const groups = await rows.groups.list();
  await rows.feeds.createMany(
    Array.from({ length: feedCount }, (_, n) => ({
      groupId: groups[n % groups.length]?.id ?? 1,
      name: `Feed ${n}`,
      link: `https://${n}.example/feed`,
      siteUrl: '',
      proxy: '',
    })),
  );
  const [{ id: firstFeed } = { id: 1 }] = await rows.feeds.list();
  const content = 'x'.repeat(200);
  const perStatement = 50_000;
  for (let done = 0; done < size; done += perStatement) {
    const until = Math.min(done + perStatement, size);
    const numbers =
      engine === 'sqlite'
        ? sql`WITH RECURSIVE numbers (n) AS (SELECT ${done} + 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${until})`
        : sql`WITH numbers (n) AS (SELECT generate_series(${done}::bigint + 1, ${until}::bigint))`;
    // Some feeds publish far more than others.
    await database.write((trx) =>
      sql`${numbers} INSERT INTO entries (user_id, feed_id, guid, title, link, author, content, enclosures, categories,
            pub_date, created_at, updated_at, content_hash)
          SELECT ${userId}, ${firstFeed} + (n * n) % ${feedCount}, 'guid ' || n, 'Entry ' || n, 'https://example.org/' || n, '',
            ${content}, '[]', '[]', 1700000000000 + n * 1000, 0, 0, '' FROM numbers`.execute(trx),
    );
    await database.write((trx) => sql`DELETE FROM journal_dirty`.execute(trx));
    await database.tidy('light');
  }
  await database.write((trx) => rebuildUnread(trx));
  if (engine === 'postgres') await database.write((trx) => sql`ANALYZE`.execute(trx));
}

function largestGroup({ feeds, groups }: Archive): number {
  const entriesOf = (groupId: number) =>
    feeds.reduce((sum, feed) => sum + (feed.groupId === groupId ? feed.entries : 0), 0);
  const [, ...others] = groups.map(({ id }) => id);
  return others.reduce((a, b) => (entriesOf(b) > entriesOf(a) ? b : a));
}

/** How long it takes, and for how long the event loop stood still meanwhile. */
async function watched(work: () => Promise<void>): Promise<Change> {
  let longest = 0;
  let last = performance.now();
  const look = () => {
    longest = Math.max(longest, performance.now() - last - 1);
    last = performance.now();
  };
  const timer = setInterval(look, 1);
  try {
    const ms = await timed(work);
    look();
    return { ms, longestStopMs: longest };
  } finally {
    clearInterval(timer);
  }
}

function line(what: string, cells: readonly string[]): void {
  process.stdout.write(`  ${what.padEnd(34)}${cells.map((cell) => cell.padStart(12)).join('')}\n`);
}
