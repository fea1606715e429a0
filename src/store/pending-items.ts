// Items that wait to be enriched without a job that would do it: after a reinflate, which knows no jobs, or when the job
// ended without a word. Each gets one.
import { type RawBuilder, sql } from 'kysely';
import type { Clock, Millis } from '../model/glossary.ts';
import type { Database } from './database.ts';
import { idList } from './id-list.ts';
import { enqueue } from './job-queue/enqueue.ts';
import type { JobKind } from './job-queue/job-kind.ts';
import { letOthersIn } from './let-others-in.ts';

export type PendingItems = ReturnType<typeof pendingItems>;

export interface PendingItem {
  readonly id: number;
  readonly userId: number;
  readonly url: string;
}

export interface EnrichJobs<P> {
  readonly kind: JobKind<P>;
  /** One at a time for an item: the unique key of its job is this, and its id. */
  readonly keys: string;
  readonly payloadOf: (item: PendingItem, at: Millis) => P;
}

const itemsAtOnce = 100;
const isPending = sql`deleted_at IS NULL AND (enrichment_status IS NULL OR enrichment_status = 'pending')`;

/** Of a row of `items`. */
export function hasItemJob({ keys }: Pick<EnrichJobs<unknown>, 'keys'>): RawBuilder<boolean> {
  return sql<boolean>`EXISTS (SELECT 1 FROM jobs j WHERE j.unique_key = ${sql.lit(keys)} || items.id AND j.state < 2)`;
}

export function pendingItems(db: Database, now: Clock) {
  return {
    /** Makes items pending again, except deleted ones and those without a page. Returns the ids of the items that are pending now. */
    async reset(ids: readonly number[]): Promise<number[]> {
      return db.write(async (trx) => {
        const { rows } = await sql<{ id: number }>`
          UPDATE items SET enrichment_status = 'pending', enrichment_error = NULL, updated_at = ${now()}
          WHERE id IN ${idList(db, ids)} AND deleted_at IS NULL AND lower(substr(url, 1, 4)) = 'http'
          RETURNING id`.execute(trx);
        return rows.map(({ id }) => id);
      });
    },

    /** In portions, and one job every `gapMs`, so that however many there are, others get their turn. Returns how many. */
    async settle<P>(jobs: EnrichJobs<P>, { gapMs }: { gapMs: number }): Promise<number> {
      let settled = 0;
      for (let after = 0; ; ) {
        const items = await findWithoutJob(db, jobs, after);
        const last = items.at(-1);
        if (!last) return settled;
        const before = settled;
        await letOthersIn();
        await db.write(async (trx) => {
          for (const [n, item] of items.entries())
            await enqueue(db, trx, jobs.kind, jobs.payloadOf(item, now()), {
              uniqueKey: jobs.keys + item.id,
              lane: 'low',
              delayMs: (before + n) * gapMs,
            });
        });
        settled += items.length;
        after = last.id;
      }
    },
  };
}

async function findWithoutJob(
  db: Database,
  jobs: Pick<EnrichJobs<unknown>, 'keys'>,
  after: number,
): Promise<readonly PendingItem[]> {
  const { rows } = await sql<PendingItem>`
    SELECT id, user_id AS "userId", url FROM items
    WHERE ${isPending} AND id > ${after} AND lower(substr(url, 1, 4)) = 'http' AND NOT ${hasItemJob(jobs)}
    ORDER BY id LIMIT ${itemsAtOnce}`.execute(db.heavyRead);
  return rows;
}
