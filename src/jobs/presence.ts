// Holds the presence lease of this process, so that nobody rebuilds the index under it and nobody releases its locks.
import { type Presence, presenceName, presenceTtlMs } from '../model/presence.ts';
import type { Lease, LeaseStore } from '../store/lease-store.ts';
import { every } from './every.ts';

export async function announcePresence(
  leases: Pick<LeaseStore, 'acquire' | 'renew' | 'discard'>,
  presence: Presence,
  onError: (error: unknown) => void,
  renewEveryMs = presenceTtlMs / 3,
): Promise<{ stop(): Promise<void> }> {
  const acquire = () => leases.acquire(presenceName(presence), presence.holder, presenceTtlMs);
  let lease: Lease | undefined = await acquire();
  const renewing = every(
    renewEveryMs,
    async () => {
      // A process that stood still for a day finds that its lease was deleted.
      if (!lease || !(await leases.renew(lease, presenceTtlMs))) lease = await acquire();
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
