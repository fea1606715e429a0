// The reader's lists as the archive grows: the newest unread entries, the counts, and marking everything read, with
// 10,000, 100,000 and 1,000,000 unread entries in 500 feeds.
import { sql } from 'kysely';
import type { Database } from '../src/store/database.ts';
import { openDatabase } from '../src/store/open.ts';
import { rebuildUnread } from '../src/store/reader/unread.ts';
import { createStore, type UserRows } from '../src/store/store.ts';
import { type Engine, timed, withWorkshop } from './durable-bench.ts';

const sizes = [10_000, 100_000, 1_000_000];
const feedCount = 500;
const groupCount = 20;
const asks = 400;
/** The list at the largest size takes at most so much of its time at the smallest. */
const goal = 1.5;

interface Measured {
  readonly list: number;
  readonly feed: number;
  readonly group: number;
  readonly counts: number;
  readonly markMs: number;
  readonly longestHoldMs: number;
}

export async function run(): Promise<boolean> {
  return withWorkshop(async (workshop) => {
    let met = true;
    for (const engine of ['sqlite', 'postgres'] as const) {
      const results: Measured[] = [];
      for (const size of sizes) {
        const target = await workshop.target(engine, `unread_${size}`);
        const database = await openDatabase(target, { now: Date.now, onIdleError: () => {} });
        try {
          results.push(await measure(engine, database, size));
        } finally {
          await database.close();
        }
      }
      met = print(engine, results) && met;
    }
    process.stdout.write(`peak memory ${(process.resourceUsage().maxRSS / 1024).toFixed(0)} MB\n`);
    return met;
  });
}

async function measure(engine: Engine, database: Database, size: number): Promise<Measured> {
  const store = createStore(database, Date.now);
  const { id } = await store.users.create({ username: 'anna', passwordHash: null, role: 'owner' });
  const rows = store.forUser(id);
  await fill(engine, database, rows, id, size);
  const feeds = await rows.feeds.list();
  const groups = await rows.groups.list();
  const one = <T>(list: readonly T[], n: number) => list[n % list.length] as T;
  const list = (filter: object) =>
    rows.entries.list({ unread: true, order: 'pub_date', limit: 50, ...filter });
  const before = (await list({})).at(-1);
  const result = {
    list: await middle((n) => list(n % 2 === 0 ? {} : { before })),
    feed: await middle((n) => list({ feedId: one(feeds, n * 7).id })),
    group: await middle((n) => list({ groupId: one(groups, n).id })),
    counts: await middle(() => rows.feeds.list()),
  };
  const hold = watchEventLoop();
  const markMs = await timed(() => rows.entries.markAllRead());
  const longestHoldMs = hold.stop();
  if ((await rows.entries.count({ unread: true })) !== 0) throw new Error('not everything was marked read');
  return { ...result, markMs, longestHoldMs };
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

/** The time that a call takes, in the middle of many, in milliseconds. */
async function middle(ask: (n: number) => Promise<unknown>): Promise<number> {
  for (let n = 0; n < 20; n++) await ask(n);
  const times: number[] = [];
  for (let n = 0; n < asks; n++) times.push(await timed(() => ask(n)));
  return times.sort((a, b) => a - b)[asks / 2] as number;
}

/** For how long the event loop stood still at most. */
function watchEventLoop(): { stop(): number } {
  let longest = 0;
  let last = performance.now();
  const timer = setInterval(() => {
    longest = Math.max(longest, performance.now() - last - 1);
    last = performance.now();
  }, 1);
  return {
    stop: () => {
      clearInterval(timer);
      return longest;
    },
  };
}

function print(engine: Engine, results: readonly Measured[]): boolean {
  const line = (what: string, cells: readonly string[]) =>
    process.stdout.write(`  ${what.padEnd(34)}${cells.map((cell) => cell.padStart(12)).join('')}\n`);
  process.stdout.write(`unread on ${engine}, ms\n`);
  line('entries', [...sizes.map(String), 'ratio', 'goal']);
  let met = true;
  const row = (what: string, value: (measured: Measured) => number, goal?: number) => {
    const values = results.map(value);
    const ratio = (values.at(-1) ?? 0) / (values[0] ?? 1);
    if (goal !== undefined) met &&= ratio <= goal;
    const verdict = goal === undefined ? [] : [goal.toFixed(2), ratio <= goal ? 'met' : 'MISSED'];
    line(what, [...values.map((ms) => ms.toFixed(2)), ratio.toFixed(2), ...verdict]);
  };
  row('newest 50 of all', ({ list }) => list, goal);
  row('newest 50 of a feed', ({ feed }) => feed, goal);
  row('newest 50 of a group', ({ group }) => group, goal);
  row('all feeds with counts', ({ counts }) => counts, goal);
  row('mark everything read', ({ markMs }) => markMs);
  row('  longest stop of the event loop', ({ longestHoldMs }) => longestHoldMs);
  return met;
}
