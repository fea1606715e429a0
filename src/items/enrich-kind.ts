// The job that finds out what a saved page is. Its payload is the contract of the seed; the code that does it is in
// enrich-item.ts.
import { z } from 'zod';
import { jobKind } from '../store/job-queue/job-kind.ts';

const id = z.string().regex(/^\d{1,15}$/);

export const enrichKind = jobKind({
  name: 'enrich-item',
  schema: z.object({ itemId: id, userId: id, url: z.string(), enqueuedAt: z.iso.datetime() }),
  // A page, three pictures and a browser, each with its own time, and turns to wait for.
  timeoutMs: 5 * 60_000,
  // Over a quarter of an hour: a router that is started anew has an end by then, and so has a person's patience.
  maxAttempts: 5,
  backoff: { firstMs: 60_000, longestMs: 3_600_000 },
  pool: 'pages',
});

export type EnrichJob = z.infer<typeof enrichKind.schema>;

/** One at a time for an item: its id stands behind this. */
export const enrichKeys = 'enrich ';

export function enrichKey(itemId: number): string {
  return enrichKeys + itemId;
}
