// The icons of sites, one for an origin, for everybody. Derived: after a reinflate they are fetched again, as feeds are.
import { sql } from 'kysely';
import { clockToleranceMs } from '../model/clock-jump.ts';
import type { Clock, Millis } from '../model/glossary.ts';
import type { JobFence } from '../model/job.ts';
import type { SiteIcon } from '../model/site-icon.ts';
import type { Database } from './database.ts';
import { dbNow } from './db-now.ts';
import { enqueue } from './job-queue/enqueue.ts';
import { finishJob, requireJob } from './job-queue/fence.ts';
import type { JobKind } from './job-queue/job-kind.ts';
import { running, waiting } from './job-queue/job-row.ts';

export type IconStore = ReturnType<typeof iconStore>;

export interface IconRules {
  /** An icon that was looked for before this is looked for again; without one, before that. */
  readonly triedBefore: Millis;
  readonly failedBefore: Millis;
  /** So many at most wait or are under way. Those that a host has put off keep no others from their turn. */
  readonly inQueue: number;
}

const soonMs = 60_000;

export function iconStore(db: Database, now: Clock) {
  return {
    /** Sites of feeds that were fetched and of saved items, each once. Returns how many came into the queue. */
    async enqueueDue<P>(
      kind: JobKind<P>,
      payloadOf: (origin: string) => P,
      { triedBefore, failedBefore, inQueue }: IconRules,
    ): Promise<number> {
      // The lanes and the time are there for the partial indexes, which begin with them.
      const { rows: active } = await sql<{ n: number }>`
        SELECT (SELECT count(*) FROM jobs WHERE state = ${sql.lit(waiting)} AND lane IN (0, 1, 2) AND name = ${kind.name}
            AND run_at <= ${dbNow(db)} + ${sql.lit(soonMs)})
          + (SELECT count(*) FROM jobs WHERE state = ${sql.lit(running)} AND expires >= 0 AND name = ${kind.name}) AS n`.execute(
        db.heavyRead,
      );
      const room = inQueue - Number(active[0]?.n ?? 0);
      if (room <= 0) return 0;
      const { rows: due } = await sql<{ origin: string }>`
        SELECT s.site_origin AS origin FROM (
            SELECT site_origin FROM feed_fetch_state WHERE site_origin <> ''
            UNION SELECT site_origin FROM items WHERE site_origin <> '' AND deleted_at IS NULL
          ) AS s LEFT JOIN site_icons i ON i.origin = s.site_origin
        WHERE (i.origin IS NULL OR i.tried_at < ${triedBefore} OR i.tried_at > ${now() + clockToleranceMs}
            OR (i.failures > 0 AND i.tried_at < ${failedBefore}))
          AND NOT EXISTS (SELECT 1 FROM jobs j WHERE j.unique_key = 'icon ' || s.site_origin AND j.state < 2)
        ORDER BY coalesce(i.tried_at, 0), s.site_origin LIMIT ${room}`.execute(db.heavyRead);
      if (due.length === 0) return 0;
      await db.write(async (trx) => {
        for (const { origin } of due)
          await enqueue(db, trx, kind, payloadOf(origin), { uniqueKey: `icon ${origin}` });
      });
      return due.length;
    },

    /** What a job has found, and its end. Without an icon, the one of before stays. */
    async keep(fence: JobFence, origin: string, icon: SiteIcon | undefined): Promise<void> {
      const at = now();
      await db.write(async (trx) => {
        await requireJob(db, trx, fence);
        const tried = icon
          ? { tried_at: at, failures: 0, fetched_at: at, type: icon.type, etag: icon.etag, bytes: icon.bytes }
          : { tried_at: at, failures: 1 };
        await trx
          .insertInto('site_icons')
          .values({ origin, bytes: null, ...tried })
          .onConflict((conflict) =>
            conflict
              .column('origin')
              .doUpdateSet(icon ? tried : { tried_at: at, failures: sql<number>`site_icons.failures + 1` }),
          )
          .execute();
        await finishJob(db, trx, fence);
      });
    },

    /** Those of sites that nobody follows, or has anything of, any more. */
    async forgetUnused(): Promise<void> {
      const { rows } = await sql<{ origin: string }>`
        SELECT i.origin FROM site_icons i
        WHERE NOT EXISTS (SELECT 1 FROM feed_fetch_state s WHERE s.site_origin = i.origin AND s.site_origin <> '')
          AND NOT EXISTS (SELECT 1 FROM items t WHERE t.site_origin = i.origin AND t.site_origin <> '' AND t.deleted_at IS NULL)
        LIMIT 100`.execute(db.heavyRead);
      if (rows.length === 0) return;
      await db.write((trx) =>
        trx
          .deleteFrom('site_icons')
          .where(
            'origin',
            'in',
            rows.map(({ origin }) => origin),
          )
          .execute(),
      );
    },
  };
}
