// Says that a process is running on the index, so that nobody rebuilds it under its feet.
import type { LeaseStore } from '../store/lease-store.ts';
import { every } from './every.ts';

export const presencePrefix = 'serve:';
const ttlMs = 15_000;
const renewEveryMs = 5_000;

export async function announcePresence(
  leases: LeaseStore,
  holder: string,
  onError: (error: unknown) => void,
) {
  const lease = await leases.acquire(presencePrefix + holder, holder, ttlMs);
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
