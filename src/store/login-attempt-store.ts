// Counts login attempts under any key (an account, an address), for all processes together.
import { isFromFuture } from '../model/clock-jump.ts';
import type { Clock, Millis } from '../model/glossary.ts';
import type { Database } from './database.ts';

export type LoginAttemptStore = ReturnType<typeof loginAttemptStore>;

export interface AttemptLimits {
  readonly rateLimit: number;
  readonly windowMs: number;
  readonly blockMs: number;
}

export function loginAttemptStore(db: Database, now: Clock) {
  return {
    /**
     * Counts one attempt under every key before the password is looked at, so that many at once cannot slip
     * past the limit. Returns until when the attempt is refused, or undefined when it may go on; a refused
     * attempt is counted under no key.
     */
    async take(keys: readonly string[], limits: AttemptLimits): Promise<Millis | undefined> {
      return db.write(async (trx) => {
        const at = now();
        // The rows first, then their locks: two first attempts at once would otherwise both count as one.
        const fresh = [...keys]
          .sort()
          .map((key) => ({ key, failures: 0, window_started_at: at, blocked_until: 0 }));
        await trx
          .insertInto('login_attempts')
          .values(fresh)
          .onConflict((conflict) => conflict.doNothing())
          .execute();
        const found = await trx
          .selectFrom('login_attempts')
          .selectAll()
          .where('key', 'in', keys)
          .orderBy('key')
          .$if(db.engine === 'postgres', (query) => query.forUpdate())
          .execute();
        const known = found.map((row) =>
          isFromFuture(row.window_started_at, at)
            ? { ...row, failures: 0, window_started_at: at, blocked_until: 0 }
            : row,
        );
        const blockedUntil = Math.max(0, ...known.map((row) => row.blocked_until));
        if (blockedUntil > at) return blockedUntil;

        for (const row of known) {
          const inWindow = at - row.window_started_at < limits.windowMs;
          const failures = (inWindow ? row.failures : 0) + 1;
          await trx
            .updateTable('login_attempts')
            .set({
              failures,
              window_started_at: inWindow ? row.window_started_at : at,
              blocked_until: failures >= limits.rateLimit ? at + limits.blockMs : 0,
            })
            .where('key', '=', row.key)
            .execute();
        }
        return undefined;
      });
    },

    /** Takes one attempt back, and the block with it when there would be none without that attempt. */
    async giveBack(key: string, { rateLimit }: AttemptLimits): Promise<void> {
      await db.write(async (trx) => {
        await trx
          .updateTable('login_attempts')
          .set((e) => ({ failures: e('failures', '-', 1) }))
          .where('key', '=', key)
          .where('failures', '>', 0)
          .execute();
        await trx
          .updateTable('login_attempts')
          .set({ blocked_until: 0 })
          .where('key', '=', key)
          .where('failures', '<', rateLimit)
          .execute();
      });
    },

    /** A login that succeeded was no attack. */
    async forget(keys: readonly string[]): Promise<void> {
      await db.write((trx) => trx.deleteFrom('login_attempts').where('key', 'in', keys).execute());
    },

    async deleteStale(limits: AttemptLimits, at: Millis): Promise<void> {
      await db.write((trx) =>
        trx
          .deleteFrom('login_attempts')
          .where('blocked_until', '<=', at)
          .where('window_started_at', '<=', at - limits.windowMs)
          .execute(),
      );
    },
  };
}
