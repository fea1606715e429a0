// Says that a process is running on the index, so that nobody rebuilds it under its feet.
import type { LeaseStore } from '../store/lease-store.ts';
import { every } from './every.ts';

const prefix = 'serve:';
const ttlMs = 15_000;
const renewEveryMs = 5_000;
const forgetAfterMs = 24 * 3600 * 1000;

export async function announcePresence(
  leases: LeaseStore,
  holder: string,
  onError: (error: unknown) => void,
) {
  await leases.discardExpired(prefix, forgetAfterMs);
  const lease = await leases.acquire(prefix + holder, holder, ttlMs);
  const renewing = every(
    renewEveryMs,
    async () => {
      if (lease) await leases.renew(lease, ttlMs);
    },
    onError,
  );
  return {
    stop: async () => {
      await renewing.stop();
      if (lease) await leases.discard(lease);
    },
  };
}
