// Leases: the right to do a piece of work until a time. Whoever lost one is known by its epoch, which only grows.
import { LeaseLost } from '../errors.ts';
import type { Millis } from '../model/glossary.ts';
import type { Database, WriteOptions, Writer } from './database.ts';
import { dbNow } from './db-now.ts';
import { isEpoch, isLeaseOver, isLeaseTooLong, leaseUntil, nextEpoch } from './lease-columns.ts';

export type LeaseStore = ReturnType<typeof leaseStore>;

/**
 * The holder may be of a version that takes longer leases, and would lose one that is cut again and again before it
 * renews. So a lease is too long only at several times what we ask for; the clock is seldom set back by less, and then
 * it is soon over.
 */
const tooLongBy = 4;

export interface Lease {
  readonly name: string;
  readonly holder: string;
  readonly epoch: number;
}

export interface HeldLease {
  readonly name: string;
  readonly holder: string;
  /** Since its holder took it. Renewing it changes nothing. */
  readonly ageMs: number;
}

export function leaseStore(db: Database) {
  return {
    /**
     * The lease, or undefined while somebody else has it. One that reaches too far, since the clock was set back, is
     * cut to the length that is asked for here: a holder that lives renews it, and one that has ended is not waited
     * for by the hour.
     */
    async acquire(name: string, holder: string, ttlMs: number): Promise<Lease | undefined> {
      const row = await db.write(async (trx) => {
        await trx
          .updateTable('leases')
          .set({ expires: leaseUntil(db, ttlMs) })
          .where('name', '=', name)
          .where(isLeaseTooLong(db, 'expires', ttlMs * tooLongBy))
          .execute();
        return trx
          .insertInto('leases')
          .values({ name, holder, epoch: 1, expires: leaseUntil(db, ttlMs), acquired_at: dbNow(db) })
          .onConflict((conflict) =>
            conflict
              .column('name')
              .doUpdateSet({
                holder,
                epoch: nextEpoch('leases.epoch'),
                expires: leaseUntil(db, ttlMs),
                acquired_at: dbNow(db),
              })
              .where(isLeaseOver(db, 'leases.expires')),
          )
          .returning('epoch')
          .executeTakeFirst();
      });
      return row && { name, holder, epoch: row.epoch };
    },

    /** Every lease that is held now, in the order of the names. */
    async listHeld(): Promise<HeldLease[]> {
      const rows = await db.read
        .selectFrom('leases')
        .select(['name', 'holder', 'acquired_at', dbNow(db).as('now')])
        .where((where) => where.not(isLeaseOver(db, 'expires')))
        .orderBy('name')
        .execute();
      return rows.map(({ name, holder, acquired_at, now }) => ({
        name,
        holder,
        // A lease that a release before the column has taken is not known to be old.
        ageMs: acquired_at === 0 ? 0 : Math.max(0, Number(now) - acquired_at),
      }));
    },

    /** False when the lease has moved on: then stop, whatever is half done. */
    async renew(lease: Lease, ttlMs: number, options: WriteOptions = {}): Promise<boolean> {
      const { numUpdatedRows } = await db.write(
        (trx) =>
          trx
            .updateTable('leases')
            .set({ expires: leaseUntil(db, ttlMs) })
            .where('name', '=', lease.name)
            .where(isEpoch('epoch', lease.epoch))
            .executeTakeFirstOrThrow(),
        options,
      );
      return numUpdatedRows === 1n;
    },

    /** Takes the row away altogether: only for names that are never used again. */
    async discard({ name, epoch }: Lease): Promise<void> {
      await db.write((trx) =>
        trx.deleteFrom('leases').where('name', '=', name).where(isEpoch('epoch', epoch)).execute(),
      );
    },

    /** Deletes leases of one kind that expired before a time. */
    async discardExpired(prefix: string, before: Millis): Promise<void> {
      await db.write((trx) =>
        trx.deleteFrom('leases').where('name', 'like', `${prefix}%`).where('expires', '<', before).execute(),
      );
    },

    /** Releases every lease of a process that has ended. Its name is never used again. */
    async releaseHolder(holder: string): Promise<void> {
      await db.write((trx) =>
        trx.updateTable('leases').set({ expires: 0 }).where('holder', '=', holder).execute(),
      );
    },

    /** Lets the next one have it at once. */
    async release(lease: Lease): Promise<void> {
      await db.write((trx) =>
        trx
          .updateTable('leases')
          .set({ expires: 0 })
          .where('name', '=', lease.name)
          .where(isEpoch('epoch', lease.epoch))
          .execute(),
      );
    },
  };
}

/** The fence: first in the transaction that writes a result, so that one whose lease has moved on writes nothing. */
export async function requireLease(db: Database, trx: Writer, lease: Lease): Promise<void> {
  const held = await trx
    .selectFrom('leases')
    .select('epoch')
    .where('name', '=', lease.name)
    .where(isEpoch('epoch', lease.epoch))
    .$if(db.engine === 'postgres', (query) => query.forUpdate())
    .executeTakeFirst();
  if (!held) throw new LeaseLost(lease.name);
}
