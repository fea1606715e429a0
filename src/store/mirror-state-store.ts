// Where the mirror of Raindrop stands.
import type { Database } from './database.ts';
import { type Lease, requireLease } from './lease-store.ts';

export type MirrorStateStore = ReturnType<typeof mirrorStateStore>;

export function mirrorStateStore(db: Database) {
  return {
    async get(key: string): Promise<string | null> {
      const row = await db.read
        .selectFrom('mirror_state')
        .select('value')
        .where('key', '=', key)
        .executeTakeFirst();
      return row?.value ?? null;
    },

    /** With a lease, nothing is written once it has moved on. */
    async set(key: string, value: string, lease?: Lease): Promise<void> {
      await db.write(async (trx) => {
        if (lease) await requireLease(db, trx, lease);
        await trx
          .insertInto('mirror_state')
          .values({ key, value })
          .onConflict((conflict) => conflict.column('key').doUpdateSet({ value }))
          .execute();
      });
    },
  };
}
