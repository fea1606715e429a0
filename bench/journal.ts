// What the journal costs those who write: the same rows into the same index, with its triggers on and off, while
// another process looks for notes and flushes them, as a worker does. Rounds with and without alternate.
import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { installTriggers, markJournaled, suspendTriggers } from '../src/store/journal/install.ts';
import type { Target } from '../src/store/open.ts';
import {
  type BenchIndex,
  benchTables,
  createIndex,
  type Engine,
  makeEntries,
  type Result,
  report,
  timed,
  withWorkshop,
} from './durable-bench.ts';

const entryRows = 100_000;
const entriesPerBatch = 200;
const markRows = 100_000;
/** What comes first has the smaller table: each order comes as often as the other. */
const rounds = [false, true, true, false, false, true, true, false];
const entryGoal = 0.75;
const markGoals = { sqlite: 0.5, postgres: 0.4 };

export async function run(): Promise<boolean> {
  return withWorkshop(async (workshop) => {
    let met = true;
    for (const engine of ['sqlite', 'postgres'] as const) {
      const target = await workshop.target(engine, 'journal');
      const index = await createIndex(target);
      const flusher = await startFlusher(target, workshop.folder(`library-${engine}`));
      try {
        const results = await measure(engine, index);
        met = report(`the journal on ${engine}`, { base: 'off', measured: 'on' }, results) && met;
      } finally {
        await flusher.end();
        await index.close();
      }
    }
    return met;
  });
}

async function measure(engine: Engine, index: BenchIndex): Promise<Result[]> {
  // The tables are new to the journal, but what they hold is not to be noted when the triggers come and go.
  await index.inTransaction(() => markJournaled(index.session, benchTables));
  const { session, inTransaction } = index;
  const results: Result[] = [];
  const add = async (what: string, rows: number, goal: number | undefined, work: Work) =>
    results.push({ what, ...perSecond(rows, await compare(index, work)), ...(goal ? { goal } : {}) });

  let nextEntry = 1;
  const insertEntries = async () => {
    const until = nextEntry + entryRows;
    for (; nextEntry < until; nextEntry += entriesPerBatch)
      await index.insertBatch(makeEntries(nextEntry, entriesPerBatch));
  };
  await insertEntries();
  await add('insert entries of 2 KB', entryRows, entryGoal, { run: insertEntries });

  // As the product marks entries: what is read is no longer among the unread.
  await add('mark read', markRows, markGoals[engine], {
    prepare: (round) =>
      session.run(insertNumbers(engine, `bench_unread SELECT ${100 + round}, n % 500, n % 20, n, n * 1000`)),
    run: (round) =>
      inTransaction(async () => {
        const user = 100 + round;
        await session.run(
          `INSERT INTO bench_marks SELECT user_id, entry_id, 1 FROM bench_unread WHERE user_id = ${user}
           ON CONFLICT (user_id, entry_id) DO UPDATE SET is_read = 1`,
        );
        await session.run(`DELETE FROM bench_unread WHERE user_id = ${user}`);
      }),
  });
  // What the triggers cost at most: rows of three integers, and nothing else done.
  await add('  its bare insert alone', markRows, undefined, {
    run: (round) => session.run(insertNumbers(engine, `bench_marks SELECT ${round}, n, 0`)),
  });
  await add('  a bare update alone', markRows, undefined, {
    run: (round) => session.run(`UPDATE bench_marks SET is_read = 1 WHERE user_id = ${round}`),
  });
  return results;
}

interface Work {
  /** Not timed. */
  prepare?(round: number): Promise<unknown>;
  run(round: number): Promise<unknown>;
}

/** The time of `work` without and with triggers. The flusher has nothing left to do when a round begins. */
async function compare(index: BenchIndex, { prepare, run }: Work) {
  const spent = { off: [] as number[], on: [] as number[] };
  for (const [round, withTriggers] of rounds.entries()) {
    await prepare?.(round);
    await index.inTransaction(() =>
      withTriggers ? installTriggers(index.session, benchTables) : suspendTriggers(index.session),
    );
    const ms = await timed(() => run(round));
    spent[withTriggers ? 'on' : 'off'].push(ms);
    const drainMs = await timed(() => untilFlushed(index));
    if (process.env.BENCH_VERBOSE) {
      process.stderr.write(
        `    ${withTriggers ? 'on ' : 'off'} ${ms.toFixed(0)} ms, then ${drainMs.toFixed(0)} ms\n`,
      );
    }
  }
  return { off: middle(spent.off), on: middle(spent.on) };
}

async function untilFlushed({ session }: BenchIndex): Promise<void> {
  while ((await session.rows('SELECT 1 AS found FROM journal_dirty LIMIT 1')).length > 0) await pause(50);
}

/** One statement that inserts a row for each n from 1 to `markRows`. */
function insertNumbers(engine: Engine, what: string): string {
  const numbers =
    engine === 'sqlite'
      ? `WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${markRows})`
      : `WITH numbers (n) AS (SELECT generate_series(1, ${markRows}))`;
  return `${numbers} INSERT INTO ${what} FROM numbers`;
}

/** The mean of the two in the middle: a machine that is busy for a moment spoils one round, not the result. */
function middle(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const half = sorted.length / 2;
  return ((sorted[half - 1] as number) + (sorted[half] as number)) / 2;
}

const perSecond = (rows: number, { off, on }: { off: number; on: number }) => ({
  base: (rows / off) * 1_000,
  measured: (rows / on) * 1_000,
});

async function startFlusher(target: Target, library: string): Promise<{ end: () => Promise<void> }> {
  const script = fileURLToPath(new URL('./journal-flusher.ts', import.meta.url));
  const where = target.engine === 'sqlite' ? target.path : target.url.reveal();
  const child: ChildProcess = spawn(process.execPath, [script, target.engine, where, library], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  await new Promise<void>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', () => reject(new Error('the flusher ended')));
    child.stdout?.once('data', () => resolve());
  });
  return {
    end: () => {
      child.kill();
      return ended;
    },
  };
}
