// How often each kind of job ended in which way, added up over all workers.
import { sql } from 'kysely';
import type { Database, Writer } from '../database.ts';

export interface JobCounter {
  readonly name: string;
  readonly counter: string;
  readonly n: number;
}

/** How long attempts took, in seconds, as Prometheus names buckets: counted as `le:0.1`, and in all as `ms`. */
export const durationBuckets = [0.01, 0.1, 0.5, 1, 5, 30, 120, 600];

/** Begins the counters of what became of items: a page that could not be read is no failed job. */
export const itemCounter = 'item:';

export function jobCounters(db: Database) {
  return {
    async add(counters: readonly JobCounter[]): Promise<void> {
      if (counters.length === 0) return;
      // In one order, so that two workers never wait for each other.
      const rows = [...counters].sort((a, b) => compare(a.name, b.name) || compare(a.counter, b.counter));
      await db.write((trx) => addTo(trx, rows));
    },

    list: (): Promise<JobCounter[]> => db.read.selectFrom('job_counters').selectAll().execute(),
  };
}

/** One more, in the transaction that makes it so: last in it, since others wait for that row. */
export async function countJob(trx: Writer, name: string, counter: string): Promise<void> {
  await addTo(trx, [{ name, counter, n: 1 }]);
}

async function addTo(trx: Writer, rows: readonly JobCounter[]): Promise<void> {
  await trx
    .insertInto('job_counters')
    .values(rows)
    .onConflict((conflict) =>
      conflict.columns(['name', 'counter']).doUpdateSet({ n: sql<number>`job_counters.n + excluded.n` }),
    )
    .execute();
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
