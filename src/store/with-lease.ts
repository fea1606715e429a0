// Work under a lease that is renewed in the background, however long one step of the work takes.
import { LeaseLost } from '../errors.ts';
import type { Lease, LeaseStore } from './lease-store.ts';

export interface KeptLease {
  readonly lease: Lease;
  /** Aborted with LeaseLost once another process has taken the lease. */
  readonly signal: AbortSignal;
}

export interface LeaseRequest {
  readonly name: string;
  readonly holder: string;
  readonly ttlMs: number;
}

/** Undefined when another process holds the lease. */
export async function withLease<T>(
  leases: Pick<LeaseStore, 'acquire' | 'renew' | 'release'>,
  { name, holder, ttlMs }: LeaseRequest,
  work: (kept: KeptLease) => Promise<T>,
): Promise<T | undefined> {
  const lease = await leases.acquire(name, holder, ttlMs);
  if (!lease) return undefined;
  const lost = new AbortController();
  let renewal: Promise<void> | undefined;
  const renew = async () => {
    try {
      if (!(await leases.renew(lease, ttlMs))) lost.abort(new LeaseLost(name));
    } catch {
      // While the index is away, no other process can take the lease. The next renewal tells whether it is still ours.
    } finally {
      renewal = undefined;
    }
  };
  const timer = setInterval(() => {
    renewal ??= renew();
  }, ttlMs / 3);
  try {
    return await work({ lease, signal: lost.signal });
  } finally {
    clearInterval(timer);
    await renewal;
    // The work's result or error counts. A lease that is not released expires.
    await leases.release(lease).catch(() => {});
  }
}
