// Hosts that have asked not to be called before a time (Retry-After), remembered across restarts and processes.
import { clockToleranceMs } from '../model/clock-jump.ts';
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
        .where('written_at', '<=', now() + clockToleranceMs)
        .executeTakeFirst();
      return row?.until_ms;
    },

    /** The later of two pauses holds: an answer that was under way must not shorten what another has asked for. */
    async remember(host: string, untilMs: Millis): Promise<void> {
      const pause = { until_ms: untilMs, written_at: now() };
      await db.write((trx) =>
        trx
          .insertInto('host_pauses')
          .values({ host, ...pause })
          .onConflict((conflict) =>
            conflict
              .column('host')
              .doUpdateSet(pause)
              .where((e) =>
                e.or([
                  e('host_pauses.until_ms', '<', untilMs),
                  e('host_pauses.written_at', '>', pause.written_at + clockToleranceMs),
                ]),
              ),
          )
          .execute(),
      );
    },

    async deleteExpired(at: Millis): Promise<void> {
      await db.write((trx) => trx.deleteFrom('host_pauses').where('until_ms', '<=', at).execute());
    },
  };
}
