// Hosts that have asked not to be called before a time (Retry-After), remembered across restarts and processes.
import type { Clock, Millis } from '../model/glossary.ts';
import type { Database } from './database.ts';

export type HostPauseStore = ReturnType<typeof hostPauseStore>;

export function hostPauseStore(db: Database, now: Clock) {
  return {
    /** Until when the host is left alone, if it is. */
    async find(host: string): Promise<Millis | undefined> {
      const row = await db.read
        .selectFrom('host_pauses')
        .select('until_ms')
        .where('host', '=', host)
        .where('until_ms', '>', now())
        .executeTakeFirst();
      return row?.until_ms;
    },

    /** The later of two pauses holds: an answer that was under way must not shorten what another has asked for. */
    async remember(host: string, untilMs: Millis): Promise<void> {
      await db.write((trx) =>
        trx
          .insertInto('host_pauses')
          .values({ host, until_ms: untilMs })
          .onConflict((conflict) =>
            conflict
              .column('host')
              .doUpdateSet({ until_ms: untilMs })
              .where('host_pauses.until_ms', '<', untilMs),
          )
          .execute(),
      );
    },

    async forgetExpired(): Promise<void> {
      await db.write((trx) => trx.deleteFrom('host_pauses').where('until_ms', '<=', now()).execute());
    },
  };
}
