// Highlight sync with 100,000 highlights on 5,000 pages: the first sync, one in which nothing has changed, and one with 1 %
// changed, against hashing the same records and one bulk upsert of those that changed, in the same run.
import pg from 'pg';
import { contentHash, fullHash } from '../src/highlights/hash.ts';
import { parseLightSync, syncLight } from '../src/highlights/light.ts';
import type { SourceAnnotation } from '../src/model/highlight.ts';
import type { Database } from '../src/store/database.ts';
import { openSqlite } from '../src/store/dialect/sqlite/connection.ts';
import { openDatabase, type Target } from '../src/store/open.ts';
import { createStore, type UserRows } from '../src/store/store.ts';
import { timed, withWorkshop } from './durable-bench.ts';
import { percentile } from './load.ts';

const usualSize = 100_000;
const perPage = 20;
const rounds = 7;
const unchangedGoal = 2;

interface Highlight {
  readonly groupID: number;
  readonly repr: string;
  readonly chunks: readonly string[];
  readonly date: string;
  readonly url: string;
}
type Body = { readonly source: string; readonly highlights: Record<string, Highlight[]> };

export async function run(args: readonly string[]): Promise<boolean> {
  const size = Number(args[0] ?? usualSize);
  return withWorkshop(async (workshop) => {
    let met = true;
    for (const engine of ['sqlite', 'postgres'] as const) {
      const target = await workshop.target(engine, 'sync');
      const bare = await openBare(await workshop.target(engine, 'bare'));
      const database = await openDatabase(target, { now: Date.now, onIdleError: () => {} });
      try {
        process.stdout.write(`highlight sync on ${engine}, ${size} highlights, ms\n`);
        met = (await contest(database, bare, size)) && met;
      } finally {
        await bare.close();
        await database.close();
      }
    }
    return met;
  });
}

async function contest(database: Database, bare: Bare, size: number): Promise<boolean> {
  const store = createStore(database, Date.now);
  const { id } = await store.users.create({ username: 'bench', passwordHash: null, role: 'owner' });
  const rows = store.forUser(id);
  const body = bodyOf(size, 0);
  line('', ['bare', 'sync', 'ratio', 'goal', '']);

  const all = await snapshotOf(body);
  const firstBare =
    (await timed(async () => hashAll(all))) + (await timed(() => bare.upsert(recordsOf(all))));
  compare('the first sync', firstBare, await timed(() => sync(rows, body)));

  const notes = await notesOf(database);
  const hashing: number[] = [];
  const unchanged: number[] = [];
  let longestStop = 0;
  for (let round = 0; round < rounds; round++) {
    hashing.push(await timed(async () => hashAll(all)));
    const parsed = await parseLightSync(body);
    const stop = watchStops();
    unchanged.push(await timed(() => syncLight(rows, parsed, { dryRun: false })));
    longestStop = Math.max(longestStop, stop());
  }
  const met = compare('nothing has changed', median(hashing), median(unchanged), unchangedGoal);
  const written = (await notesOf(database)) - notes;
  process.stdout.write(
    `  rows written by each sync without changes: ${written / rounds} (when it was); longest stop of the event loop ${longestStop.toFixed(0)} ms\n`,
  );

  const changed: number[] = [];
  const changedBare: number[] = [];
  for (let round = 1; round <= rounds; round++) {
    const next = bodyOf(size, round);
    const snapshot = await snapshotOf(next);
    const some = snapshot.filter((_, n) => n % 100 === 0);
    changedBare.push(
      (await timed(async () => hashAll(snapshot))) + (await timed(() => bare.upsert(recordsOf(some)))),
    );
    changed.push(await timed(() => sync(rows, next)));
  }
  compare('1 % has changed', median(changedBare), median(changed));
  const { rss, heapUsed } = process.memoryUsage();
  process.stdout.write(
    `  memory: ${(rss / 2 ** 20).toFixed(0)} MB, heap ${(heapUsed / 2 ** 20).toFixed(0)} MB\n\n`,
  );
  return met && written / rounds <= 1;
}

const sync = async (rows: UserRows, body: Body) =>
  syncLight(rows, await parseLightSync(body), { dryRun: false });
const snapshotOf = async (body: Body) => (await parseLightSync(body)).snapshot.annotations;
const median = (times: number[]) => percentile(times, 0.5);

/** `round`: which text one in a hundred has. */
function bodyOf(size: number, round: number): Body {
  const highlights: Record<string, Highlight[]> = {};
  for (let n = 0; n < size; n++) {
    const url = `https://example.org/articles/${Math.floor(n / perPage)}`;
    const words = `A passage that somebody found worth keeping, number ${n}, of about a hundred and fifty characters, as most of them are`;
    const repr = n % 100 === 0 ? `${words}, in version ${round}.` : `${words}.`;
    highlights[url] ??= [];
    highlights[url].push({
      groupID: 1_766_149_301_308 + n,
      repr,
      chunks: [repr.slice(0, 60), repr.slice(60)],
      date: new Date(1_766_149_301_308 + n).toISOString(),
      url,
    });
  }
  return { source: 'light-bench', highlights };
}

function hashAll(annotations: readonly SourceAnnotation[]): number {
  let length = 0;
  for (const { resource, ...fields } of annotations)
    length += contentHash.annotations(fields).length + fullHash('annotations', resource, fields).length;
  return length;
}

type Bound = readonly (string | number | null)[];

function recordsOf(annotations: readonly SourceAnnotation[]): Bound[] {
  return annotations.map((one) => [
    'light-bench',
    one.originalId,
    1,
    one.text,
    one.color,
    JSON.stringify(one.boundary),
    one.madeAt,
    'h'.repeat(64),
    'f'.repeat(66),
  ]);
}

interface Bare {
  /** In one transaction. */
  upsert(records: readonly Bound[]): Promise<void>;
  close(): Promise<void>;
}

const columns = [
  'source',
  'original_id',
  'resource_id',
  'text',
  'color',
  'boundary',
  'made_at',
  'content_hash',
  'full_hash',
];
const rowsAtOnce = 200;

function upsertSql(rows: number, place: (n: number) => string): string {
  let n = 0;
  const values = Array.from({ length: rows }, () => `(${columns.map(() => place(++n)).join(', ')})`);
  const changes = columns.slice(2).map((column) => `${column} = excluded.${column}`);
  return `INSERT INTO bare (${columns.join(', ')}) VALUES ${values.join(', ')}
    ON CONFLICT (source, original_id) DO UPDATE SET ${changes.join(', ')}`;
}

const table = (id: string) => `CREATE TABLE bare (id ${id}, source text NOT NULL, original_id text NOT NULL,
  resource_id bigint NOT NULL, text text NOT NULL, color text, boundary text, made_at bigint NOT NULL,
  content_hash text NOT NULL, full_hash text NOT NULL, UNIQUE (source, original_id))`;

async function openBare(target: Target): Promise<Bare> {
  if (target.engine === 'sqlite') {
    const db = await openSqlite(target.path, 'write');
    db.exec(table('INTEGER PRIMARY KEY'));
    return {
      async upsert(records) {
        db.exec('BEGIN IMMEDIATE');
        for (let at = 0; at < records.length; at += rowsAtOnce) {
          const some = records.slice(at, at + rowsAtOnce);
          db.prepare(upsertSql(some.length, () => '?')).run(...some.flat());
        }
        db.exec('COMMIT');
      },
      close: async () => db.close(),
    };
  }
  const client = new pg.Client({ connectionString: target.url.reveal() });
  await client.connect();
  await client.query(table('bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY'));
  return {
    async upsert(records) {
      await client.query('BEGIN');
      for (let at = 0; at < records.length; at += rowsAtOnce) {
        const some = records.slice(at, at + rowsAtOnce);
        await client.query(
          upsertSql(some.length, (n) => `$${n}`),
          some.flat(),
        );
      }
      await client.query('COMMIT');
    },
    close: () => client.end(),
  };
}

/** Every change of a durable row leaves one. */
async function notesOf(database: Database): Promise<number> {
  const { last } = await database.read
    .selectFrom('journal_dirty')
    .select((e) => e.fn.max('seq').as('last'))
    .executeTakeFirstOrThrow();
  return Number(last);
}

/** The longest time for which nobody else would have been answered. */
function watchStops(): () => number {
  let [last, longest] = [performance.now(), 0];
  const look = () => {
    const at = performance.now();
    longest = Math.max(longest, at - last);
    last = at;
  };
  const timer = setInterval(look, 1);
  return () => {
    look();
    clearInterval(timer);
    return longest;
  };
}

function compare(what: string, bare: number, ours: number, goal?: number): boolean {
  const ratio = ours / bare;
  const isMet = goal === undefined || ratio <= goal;
  line(what, [
    bare.toFixed(0),
    ours.toFixed(0),
    ratio.toFixed(2),
    goal?.toFixed(2) ?? '',
    goal === undefined ? '' : isMet ? 'met' : 'MISSED',
  ]);
  return isMet;
}

function line(what: string, cells: readonly string[]): void {
  process.stdout.write(`  ${what.padEnd(26)}${cells.map((cell) => cell.padStart(10)).join('')}\n`);
}
