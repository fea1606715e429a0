// The Google Reader API with a million entries of one user: 10,000 ids and 1,000 contents at once, as an app gets them
// through the whole API, compared in the same run with one prepared statement on the same index and JSON.stringify of
// what it gives. Both must come to the same text.

import { Hono } from 'hono';
import { sql } from 'kysely';
import pg from 'pg';
import { createToken } from '../src/accounts/tokens.ts';
import { createAppLogin } from '../src/api/compat/app-login.ts';
import { toArticle } from '../src/api/compat/greader/article.ts';
import { greaderRoutes } from '../src/api/compat/greader/greader.ts';
import type { ApiDeps, ApiEnv } from '../src/api/context.ts';
import { Router } from '../src/api/router.ts';
import type { Database } from '../src/store/database.ts';
import { getTypeParser } from '../src/store/dialect/postgres/types.ts';
import { openSqlite } from '../src/store/dialect/sqlite/connection.ts';
import { openDatabase, type Target } from '../src/store/open.ts';
import { rebuildUnread } from '../src/store/reader/unread.ts';
import { createStore, type UserRows } from '../src/store/store.ts';
import { type Engine, randomText, timed, withWorkshop } from './durable-bench.ts';
import { percentile } from './load.ts';

const usualSize = 1_000_000;
const feedCount = 500;
const groupCount = 20;
/** One in so many is unread. */
const unreadOf = 20;
const rounds = 25;
const begin = 1_700_000_000_000;
/** Between one entry and the next. */
const everyMs = 10_000;
/** At most so many times as long as the bare statement. */
const goal = 2;
/** For so long nobody else is answered, at most. */
const stopGoalMs = 20;

interface Bare {
  rows(statement: string): Promise<readonly Row[]>;
  close(): Promise<void>;
}

type Row = Readonly<Record<string, string | number>>;

interface Setting {
  readonly ask: (path: string) => Promise<string>;
  readonly bare: Bare;
  readonly userId: number;
  readonly feedId: number;
  readonly groupId: number;
  readonly size: number;
}

export async function run(args: readonly string[]): Promise<boolean> {
  const size = Number(args[0] ?? usualSize);
  return withWorkshop(async (workshop) => {
    let met = true;
    for (const engine of ['sqlite', 'postgres'] as const) {
      const target = await workshop.target(engine, 'greader');
      const database = await openDatabase(target, { now: Date.now, onIdleError: () => {} });
      const bare = await openBare(target);
      try {
        const setting = { ...(await prepare(engine, database, size)), bare, size };
        process.stdout.write(`the Google Reader API on ${engine}, ${size} entries, ms\n`);
        line('', ['bare', 'API', 'ratio', 'goal', '', 'longest stop', '', '']);
        for (const one of contests(setting)) met = (await compare(setting, one)) && met;
      } finally {
        await bare.close();
        await database.close();
      }
    }
    return met;
  });
}

interface Contest {
  readonly what: string;
  readonly path: string;
  /** The ids, in their order. */
  readonly statement: string;
  readonly contents: boolean;
}

function contests({ userId, feedId, groupId, size }: Setting): Contest[] {
  const lately = begin + size * everyMs - 24 * 3_600_000;
  const longAgo = begin + (size / 2) * everyMs;
  const ids = (what: string, query: string, statement: string): Contest => ({
    what,
    path: `/reader/api/0/stream/items/ids?n=10000${query}`,
    statement: `${statement} DESC LIMIT 10000`,
    contents: false,
  });
  const contents = (what: string, query: string, statement: string): Contest => ({
    what,
    path: `/reader/api/0/stream/contents?n=1000${query}`,
    statement: `${statement} DESC LIMIT 1000`,
    contents: true,
  });
  const all = `SELECT id FROM entries WHERE user_id = ${userId}`;
  const unread = `SELECT entry_id AS id FROM unread_entries WHERE user_id = ${userId}`;
  const notRead = '&xt=user/-/state/com.google/read';
  const label = '&s=user/-/label/Group%201';
  const ofGroup = `feed_id IN (SELECT id FROM feeds WHERE group_id = ${groupId})`;
  const isUnread = `EXISTS (SELECT 1 FROM unread_entries u WHERE u.user_id = ${userId} AND u.entry_id = entries.id)`;
  // Few are gathered and sorted, which SQLite does not see by itself.
  return [
    ids('10,000 ids', '', `${all} ORDER BY id`),
    ids('  unread', notRead, `${unread} ORDER BY entry_id`),
    ids('  read', '&s=user/-/state/com.google/read', `${all} AND NOT ${isUnread} ORDER BY id`),
    ids('  of a feed', `&s=feed/${feedId}`, `${all} AND feed_id = ${feedId} ORDER BY id`),
    ids('  of a label', label, `${all} AND ${ofGroup} ORDER BY id`),
    ids(
      '  of the last day',
      `&ot=${lately / 1_000 + 10}`,
      `${all} AND created_at >= ${lately} ORDER BY id + 0`,
    ),
    ids(
      '  of half of the time',
      `&ot=${longAgo / 1_000 + 10}`,
      `${all} AND created_at >= ${longAgo} ORDER BY id`,
    ),
    contents('1,000 contents', '', `${all} ORDER BY id`),
    contents('  unread', notRead, `${unread} ORDER BY entry_id`),
    contents('  of a label', label, `${all} AND ${ofGroup} ORDER BY id`),
  ];
}

async function compare(setting: Setting, contest: Contest): Promise<boolean> {
  const { ask, bare } = setting;
  const plain = () => (contest.contents ? bareContents(setting, contest) : bareIds(bare, contest));
  const [given, expected] = [await ask(contest.path), await plain()];
  if (JSON.stringify(shownIn(given)) !== JSON.stringify(shownIn(expected)))
    throw new Error(`${contest.what}: the API answers otherwise than the bare statement`);
  const times = { bare: [] as number[], ours: [] as number[] };
  const stops: number[] = [];
  for (let round = 0; round < rounds; round++) {
    times.bare.push(await timed(plain));
    times.ours.push(await timed(() => ask(contest.path)));
  }
  for (let round = 0; round < rounds; round++) stops.push(await longestStopOf(() => ask(contest.path)));
  // The middle one: others that use the machine stop the event loop, too.
  const longestStop = percentile(stops, 0.5);
  const [ofBare, ofOurs] = [percentile(times.bare, 0.5), percentile(times.ours, 0.5)];
  const ratio = ofOurs / ofBare;
  line(contest.what, [
    ofBare.toFixed(2),
    ofOurs.toFixed(2),
    ratio.toFixed(2),
    goal.toFixed(0),
    ratio <= goal ? 'met' : 'MISSED',
    longestStop.toFixed(1),
    stopGoalMs.toFixed(0),
    longestStop <= stopGoalMs ? 'met' : 'MISSED',
  ]);
  return ratio <= goal && longestStop <= stopGoalMs;
}

/** Without what depends on the moment, and on there being another page. */
function shownIn(text: string): unknown {
  const { items, itemRefs } = JSON.parse(text);
  return items ?? itemRefs;
}

async function bareIds(bare: Bare, { statement }: Contest): Promise<string> {
  const rows = await bare.rows(statement);
  return JSON.stringify({ itemRefs: rows.map(({ id }) => ({ id: String(id) })) });
}

async function bareContents({ bare, userId }: Setting, { statement }: Contest): Promise<string> {
  const rows = await bare.rows(`
    SELECT e.id, e.feed_id, e.guid, e.title, e.link, e.author, e.content, e.enclosures, e.categories, e.pub_date,
      e.created_at, e.updated_at, f.name AS feed_name, f.site_url, g.name AS label,
      CASE WHEN EXISTS (SELECT 1 FROM unread_entries u WHERE u.user_id = ${userId} AND u.entry_id = e.id)
        THEN 1 ELSE 0 END AS unread,
      CASE WHEN EXISTS (SELECT 1 FROM bookmarks b WHERE b.entry_id = e.id) THEN 1 ELSE 0 END AS starred
    FROM (${statement}) AS page JOIN entries e ON e.id = page.id JOIN feeds f ON f.id = e.feed_id
    JOIN groups g ON g.id = f.group_id ORDER BY e.id DESC`);
  const items = rows.map((row) => {
    const text = (column: string) => String(row[column]);
    const number = (column: string) => Number(row[column]);
    const entry = {
      id: number('id'),
      feedId: number('feed_id'),
      guid: text('guid'),
      title: text('title'),
      link: text('link'),
      author: text('author'),
      content: text('content'),
      enclosures: JSON.parse(text('enclosures')),
      categories: JSON.parse(text('categories')),
      pubDate: number('pub_date'),
      unread: row.unread === 1,
      bookmarkId: row.starred === 1 ? 1 : null,
      createdAt: number('created_at'),
      updatedAt: number('updated_at'),
      feedName: text('feed_name'),
      siteUrl: text('site_url'),
      groupName: text('label'),
    };
    return toArticle(entry);
  });
  return JSON.stringify({ items });
}

async function openBare(target: Target): Promise<Bare> {
  if (target.engine === 'sqlite') {
    const db = await openSqlite(target.path, 'read');
    const prepared = new Map<string, ReturnType<typeof db.prepare>>();
    return {
      rows: async (statement) => {
        const known = prepared.get(statement) ?? db.prepare(statement);
        prepared.set(statement, known);
        return known.all() as Row[];
      },
      close: async () => db.close(),
    };
  }
  const client = new pg.Client({ connectionString: target.url.reveal(), types: { getTypeParser } });
  await client.connect();
  const names = new Map<string, string>();
  return {
    rows: async (text) => {
      const name = names.get(text) ?? `bare ${names.size}`;
      names.set(text, name);
      return (await client.query({ name, text })).rows;
    },
    close: () => client.end(),
  };
}

/** The API with all that a request passes, but for the socket. */
async function prepare(engine: Engine, database: Database, size: number) {
  const store = createStore(database, Date.now);
  const user = await store.users.create({ username: 'anna', passwordHash: null, role: 'owner' });
  const rows = store.forUser(user.id);
  await fill(engine, database, rows, user.id, size);
  const accounts = { store, now: Date.now, randomText } as unknown as ApiDeps['accounts'];
  const { secret } = await createToken(accounts, user, { name: 'an app', scope: 'read' });
  const router = new Router({} as never);
  const deps = { store, accounts, now: Date.now } as unknown as ApiDeps;
  greaderRoutes(
    router,
    deps,
    createAppLogin(deps, () => ({ address: '', origin: '', secure: false }) as never),
  );
  const app = new Hono<ApiEnv>().route('/', router.app);
  const headers = { Authorization: `GoogleLogin auth=${secret}` };
  const ask = async (path: string) => {
    const response = await app.request(`http://reader.example${path}`, { headers });
    const bytes = await response.arrayBuffer();
    if (response.status !== 200) throw new Error(`${path}: ${response.status} ${Buffer.from(bytes)}`);
    return Buffer.from(bytes).toString();
  };
  const feed = (await rows.feeds.list()).reduce((a, b) => (b.entries > a.entries ? b : a));
  const group = (await rows.groups.list()).find(({ name }) => name === 'Group 1');
  return { ask, userId: user.id, feedId: feed.id, groupId: group?.id ?? 0 };
}

async function fill(engine: Engine, database: Database, rows: UserRows, userId: number, size: number) {
  for (let n = 1; n < groupCount; n++) await rows.groups.create({ name: `Group ${n}` });
  const groups = await rows.groups.list();
  await rows.feeds.createMany(
    Array.from({ length: feedCount }, (_, n) => ({
      groupId: groups[n % groups.length]?.id ?? 1,
      name: `Feed ${n}`,
      link: `https://${n}.example/feed`,
      siteUrl: `https://${n}.example/`,
      proxy: '',
    })),
  );
  const [{ id: firstFeed } = { id: 1 }] = await rows.feeds.list();
  const content = '<p>A paragraph with a <a href="https://example.org/">link</a> &amp; more.</p>\n'.repeat(
    13,
  );
  const perStatement = 25_000;
  for (let done = 0; done < size; done += perStatement) {
    const until = Math.min(done + perStatement, size);
    const numbers =
      engine === 'sqlite'
        ? sql`WITH RECURSIVE numbers (n) AS (SELECT ${done} + 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${until})`
        : sql`WITH numbers (n) AS (SELECT generate_series(${done}::bigint + 1, ${until}::bigint))`;
    await database.write((trx) =>
      sql`${numbers} INSERT INTO entries (user_id, feed_id, guid, title, link, author, content, enclosures, categories,
            pub_date, created_at, updated_at, content_hash)
          SELECT ${userId}, ${firstFeed} + (n * n) % ${feedCount}, 'guid ' || n, 'Entry ' || n, 'https://example.org/' || n,
            'Somebody', ${content}, '[]', '["News"]', ${begin} + n * 1000, ${begin} + n * ${everyMs},
            ${begin} + n * ${everyMs}, '' FROM numbers`.execute(trx),
    );
    await database.write((trx) => sql`DELETE FROM journal_dirty`.execute(trx));
    await database.tidy('light');
  }
  await database.write(async (trx) => {
    await sql`UPDATE feeds SET read_through_id = (SELECT max(id) FROM entries)`.execute(trx);
    await sql`INSERT INTO entry_marks (entry_id, user_id, is_read)
      SELECT id, user_id, 0 FROM entries WHERE id % ${unreadOf} = 0`.execute(trx);
    await sql`DELETE FROM journal_dirty`.execute(trx);
    await rebuildUnread(trx);
  });
  await database.tidy('thorough');
  if (engine === 'postgres') await database.write((trx) => sql`ANALYZE`.execute(trx));
}

/** For how long the event loop stood still meanwhile. */
async function longestStopOf(work: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let last = performance.now();
  const look = () => {
    longest = Math.max(longest, performance.now() - last - 1);
    last = performance.now();
  };
  const timer = setInterval(look, 1);
  try {
    await work();
    look();
    return longest;
  } finally {
    clearInterval(timer);
  }
}

function line(what: string, cells: readonly string[]): void {
  process.stdout.write(`  ${what.padEnd(24)}${cells.map((cell) => cell.padStart(10)).join('')}\n`);
}
