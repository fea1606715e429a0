// How often each kind of job ended in which way, added up over all workers.
import { sql } from 'kysely';
import type { Database } from '../database.ts';

export interface JobCounter {
  readonly name: string;
  readonly counter: string;
  readonly n: number;
}

/** How long attempts took, in seconds, as Prometheus names buckets: counted as `le:0.1`, and in all as `ms`. */
export const durationBuckets = [0.01, 0.1, 0.5, 1, 5, 30, 120, 600];

export function jobCounters(db: Database) {
  return {
    async add(counters: readonly JobCounter[]): Promise<void> {
      if (counters.length === 0) return;
      // In one order, so that two workers never wait for each other.
      const rows = [...counters].sort((a, b) => compare(a.name, b.name) || compare(a.counter, b.counter));
      await db.write((trx) =>
        trx
          .insertInto('job_counters')
          .values(rows)
          .onConflict((conflict) =>
            conflict
              .columns(['name', 'counter'])
              .doUpdateSet({ n: sql<number>`job_counters.n + excluded.n` }),
          )
          .execute(),
      );
    },

    list: (): Promise<JobCounter[]> => db.read.selectFrom('job_counters').selectAll().execute(),
  };
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
