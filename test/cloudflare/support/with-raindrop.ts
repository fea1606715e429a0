// The Worker and the Raindrop that it mirrors, which go by one clock.
import { startRaindropServer } from '../../support/raindrop-server.ts';
import { startCloudflare } from './miniflare.ts';

export const startAt = '2026-03-01T05:15:00.000Z';
export const hour = 3_600_000;

export type MirrorWithRaindrop = Awaited<ReturnType<typeof startWithRaindrop>>;

/** The account is empty. */
export async function startWithRaindrop({ hasVectors = false }: { hasVectors?: boolean } = {}) {
  let now = Date.parse(startAt);
  const raindrop = await startRaindropServer({ now: () => now });
  const onClock = (at: number) => {
    now = at;
  };
  const worker = await startCloudflare({ apiUrl: raindrop.apiUrl, startAt, hasVectors, onClock });
  return {
    raindrop,
    worker,
    /** The cron of the day, and all that follows from it. */
    async runToEnd(): Promise<void> {
      await worker.cron();
      await worker.waitUntilIdle();
    },
    async close(): Promise<void> {
      await worker.dispose();
      await raindrop.close();
    },
  };
}
