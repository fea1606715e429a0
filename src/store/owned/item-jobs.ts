// The job that finds out what a page is, put into the queue in the transaction that needs it. Which job that is, the
// feature says: see items/save-item.ts.
import type { Lane } from '../../model/job.ts';
import type { Database, Writer } from '../database.ts';
import { enqueue, enqueueMany, hurry } from '../job-queue/enqueue.ts';
import type { EnrichJobs } from '../pending-items.ts';

export interface JobItem {
  readonly id: number;
  readonly url: string;
}

/** Entries without a link are kept too, and there is nothing to fetch for them. */
export function hasPage({ url }: Pick<JobItem, 'url'>): boolean {
  return /^https?:/i.test(url);
}

export async function enqueueEnrichment<P>(
  db: Database,
  trx: Writer,
  userId: number,
  jobs: EnrichJobs<P>,
  items: readonly JobItem[],
  { at, lane }: { at: number; lane?: Lane },
): Promise<void> {
  const { kind, keys, payloadOf } = jobs;
  const wanted = items
    .filter(hasPage)
    .map((item) => ({ id: item.id, payload: payloadOf({ ...item, userId }, at) }));
  const [first] = wanted;
  if (!first) return;
  if (wanted.length === 1) {
    const options = { uniqueKey: keys + first.id, ...(lane && { lane }) };
    for (;;) {
      const { id, isNew } = await enqueue(db, trx, kind, first.payload, options);
      if (isNew || lane !== 'interactive') return;
      // One that waits for its next attempt waits no more, once a person asks. One that has ended since is begun anew.
      if (await hurry(db, trx, id, kind, () => first.payload)) return;
    }
  }
  const ids = new Map(wanted.map(({ id, payload }) => [payload, id]));
  await enqueueMany(
    db,
    trx,
    kind,
    wanted.map(({ payload }) => payload),
    { keyOf: (payload) => keys + ids.get(payload), ...(lane && { lane }) },
  );
}
