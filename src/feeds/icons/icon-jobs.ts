// Icons as jobs, a few at a time: however many sites are new, those who wait for feeds come first.
import { z } from 'zod';
import type { Clock } from '../../model/glossary.ts';
import type { IconStore } from '../../store/icon-store.ts';
import { jobKind } from '../../store/job-queue/job-kind.ts';

/** A site without an icon is no failed job: it is asked again after a while. */
export const iconKind = jobKind({
  name: 'fetch-icon',
  schema: z.object({ origin: z.string() }),
  lane: 'low',
  timeoutMs: 5 * 60_000,
  maxAttempts: 3,
});

const dayMs = 86_400_000;
const again = { afterMs: 30 * dayMs, afterFailureMs: 7 * dayMs };
/** In the queue at one time. */
const inQueue = 20;

/** Puts sites into the queue whose icon was never looked for, or long ago. Returns how many. */
export async function scheduleIcons({ icons, now }: { icons: IconStore; now: Clock }): Promise<number> {
  const at = now();
  return icons.enqueueDue(iconKind, (origin) => ({ origin }), {
    triedBefore: at - again.afterMs,
    failedBefore: at - again.afterFailureMs,
    inQueue,
  });
}
