// pg-boss doing trivial jobs: `node pg-boss.cjs URL JOBS BATCH` prints {"enqueueMs", "doneMs"}. Jobs are fetched and
// completed in a loop, which is as fast as it goes: its own workers pause half a second between two fetches.
const PgBoss = require('pg-boss');

const [url, jobs, batchSize] = process.argv.slice(2);

async function main() {
  const boss = new PgBoss({ connectionString: url, supervise: false, schedule: false });
  await boss.start();
  await boss.createQueue('bench');
  const started = performance.now();
  for (let n = 0; n < Number(jobs); n++) await boss.send('bench', { n });
  const enqueued = performance.now();
  let done = 0;
  while (done < Number(jobs)) {
    const fetched = await boss.fetch('bench', { batchSize: Number(batchSize) });
    await boss.complete(
      'bench',
      fetched.map(({ id }) => id),
    );
    done += fetched.length;
  }
  const ended = performance.now();
  process.stdout.write(JSON.stringify({ enqueueMs: enqueued - started, doneMs: ended - enqueued }));
  process.exit(0);
}

main();
