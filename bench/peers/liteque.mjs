// liteque doing trivial jobs one by one: `node liteque.mjs FILE JOBS` prints {"enqueueMs", "doneMs", "patched"}.
import Database from 'better-sqlite3';
import { buildDBClient, Runner, SqliteQueue } from 'liteque';

const [path, jobs] = process.argv.slice(2);

// liteque hands better-sqlite3 a transaction that returns a promise, which that refuses. Without a transaction around
// it, taking a job is still a compare-and-swap on its allocation id, and costs no more than with one.
let patched = false;
try {
  new Database(':memory:').transaction(async () => {})();
} catch {
  patched = true;
  Database.prototype.transaction = (work) => Object.assign(work, { deferred: work, immediate: work });
}

const queue = new SqliteQueue('bench', buildDBClient(path, { runMigrations: true }), {
  defaultJobArgs: { numRetries: 3 },
  keepFailedJobs: false,
});
const started = performance.now();
for (let n = 0; n < Number(jobs); n++) await queue.enqueue({ n });
const enqueued = performance.now();
let done = 0;
const runner = new Runner(
  queue,
  {
    run: async () => {
      done += 1;
    },
  },
  { concurrency: 1, pollIntervalMs: 1, timeoutSecs: 30 },
);
await runner.runUntilEmpty();
const ended = performance.now();
if (done !== Number(jobs)) throw new Error(`liteque did ${done} of ${jobs} jobs`);
process.stdout.write(
  JSON.stringify({ enqueueMs: enqueued - started, doneMs: ended - enqueued, patched, node: process.version }),
);
process.exit(0);
