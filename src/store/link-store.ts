// Whether the pages of saved items are still there, for users who have asked for it. Derived: it is simply asked again.
import { type RawBuilder, sql } from 'kysely';
import { clockToleranceMs } from '../model/clock-jump.ts';
import type { Clock, Millis } from '../model/glossary.ts';
import type { JobFence } from '../model/job.ts';
import type { Database, Writer } from './database.ts';
import { dbNow } from './db-now.ts';
import { enqueue } from './job-queue/enqueue.ts';
import { finishJob, requireJob } from './job-queue/fence.ts';
import type { JobKind } from './job-queue/job-kind.ts';
import { running, waiting } from './job-queue/job-row.ts';

export type LinkStore = ReturnType<typeof linkStore>;

/** The preference by which a person asks for it. */
export const checkLinks = 'check_links';

export interface LinkRef {
  readonly itemId: number;
  readonly userId: number;
}

export interface LinkRow {
  readonly state: '' | 'ok' | 'dead' | 'unsure';
  readonly httpStatus: number;
  readonly failures: number;
  readonly deadSince: Millis | null;
  readonly sentence: string;
}

export interface LinkRules {
  /** First checks are spread over so long. */
  readonly firstWithinMs: number;
  /** So many at most wait or are under way. Those that a host has put off keep no others from their turn. */
  readonly inQueue: number;
}

const rowsAtOnce = 500;
const soonMs = 60_000;

const isWanted = (userId: string): RawBuilder<boolean> => sql<boolean>`EXISTS (SELECT 1 FROM preferences p
  WHERE p.user_id = ${sql.ref(userId)} AND p.name = ${sql.lit(checkLinks)} AND p.value = 'true')`;

/** Without an origin, it was seen through a proxy alone, or is from before that was known: then its feed says. */
const isAskable = sql`i.deleted_at IS NULL AND lower(substr(i.url, 1, 4)) = 'http' AND (
  i.saved_at IS NOT NULL OR i.site_origin <> '' OR EXISTS (SELECT 1 FROM bookmarks b JOIN feeds f ON f.id = b.feed_id
    WHERE b.item_id = i.id AND b.user_id = i.user_id AND b.deleted_at IS NULL AND f.proxy = ''))`;

export function linkStore(db: Database, now: Clock) {
  return {
    /** Takes in new items, and forgets those that are gone or that nobody asks about any more; some at a time. */
    async follow({ firstWithinMs }: Pick<LinkRules, 'firstWithinMs'>): Promise<void> {
      // CROSS JOIN keeps SQLite to this order: where nobody asks, nobody's items are looked at.
      const { rows: fresh } = await sql<LinkRef>`
        SELECT i.id AS "itemId", i.user_id AS "userId" FROM preferences p CROSS JOIN items i
        WHERE i.user_id = p.user_id AND p.name = ${sql.lit(checkLinks)} AND p.value = 'true' AND ${isAskable}
          AND NOT EXISTS (SELECT 1 FROM item_links l WHERE l.item_id = i.id)
        LIMIT ${sql.lit(rowsAtOnce)}`.execute(db.heavyRead);
      const { rows: over } = await sql<{ id: number }>`
        SELECT l.item_id AS id FROM item_links l LEFT JOIN items i ON i.id = l.item_id
        WHERE i.id IS NULL OR i.deleted_at IS NOT NULL OR NOT ${isWanted('l.user_id')}
        LIMIT ${sql.lit(rowsAtOnce)}`.execute(db.heavyRead);
      if (fresh.length === 0 && over.length === 0) return;
      await db.write(async (trx) => {
        for (const { id } of over) await sql`DELETE FROM item_links WHERE item_id = ${id}`.execute(trx);
        for (const ref of fresh) await addLink(trx, ref, { at: now(), firstWithinMs });
      });
    },

    /** Puts what is due into the queue. Returns how many. */
    async enqueueDue<P>(
      kind: JobKind<P>,
      payloadOf: (ref: LinkRef) => P,
      { inQueue }: Pick<LinkRules, 'inQueue'>,
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
      const { rows: due } = await sql<LinkRef>`
        SELECT l.item_id AS "itemId", l.user_id AS "userId" FROM item_links l JOIN items i ON i.id = l.item_id
        WHERE (l.next_check_at <= ${now()} OR l.scheduled_at > ${now() + clockToleranceMs}) AND ${isAskable} AND ${isWanted('l.user_id')}
          AND NOT EXISTS (SELECT 1 FROM jobs j WHERE j.unique_key = 'link ' || l.item_id AND j.state < 2)
        ORDER BY l.next_check_at LIMIT ${room}`.execute(db.heavyRead);
      if (due.length === 0) return 0;
      await db.write(async (trx) => {
        for (const ref of due)
          await enqueue(db, trx, kind, payloadOf(ref), { uniqueKey: `link ${ref.itemId}` });
      });
      return due.length;
    },

    /** The address to ask for; undefined when nobody wants to know any more. */
    async findUrl({ itemId, userId }: LinkRef): Promise<string | undefined> {
      const { rows } = await sql<{ url: string }>`
        SELECT i.url FROM item_links l JOIN items i ON i.id = l.item_id AND i.user_id = l.user_id
        WHERE l.item_id = ${itemId} AND l.user_id = ${userId} AND ${isAskable} AND ${isWanted('l.user_id')}`.execute(
        db.read,
      );
      return rows[0]?.url;
    },

    /** What became of a check, and the end of its job. With undefined, nothing did. */
    async settle(
      fence: JobFence,
      { itemId, userId }: LinkRef,
      decide?: (before: LinkRow) => LinkRow & { readonly nextCheckAt: Millis },
    ): Promise<void> {
      await db.write(async (trx) => {
        await requireJob(db, trx, fence);
        const { rows } = await sql<LinkRow>`
          SELECT state, http_status AS "httpStatus", failures, dead_since AS "deadSince", sentence FROM item_links
          WHERE item_id = ${itemId} AND user_id = ${userId}`.execute(trx);
        if (rows[0] && decide) {
          const { state, httpStatus, failures, deadSince, sentence, nextCheckAt } = decide(rows[0]);
          await sql`UPDATE item_links SET state = ${state}, http_status = ${httpStatus}, failures = ${failures},
              dead_since = ${deadSince}, sentence = ${sentence}, next_check_at = ${nextCheckAt}, scheduled_at = ${now()},
              checked_at = ${now()}
            WHERE item_id = ${itemId} AND user_id = ${userId}`.execute(trx);
        }
        await finishJob(db, trx, fence);
      });
    },
  };
}

async function addLink(
  trx: Writer,
  { itemId, userId }: LinkRef,
  { at, firstWithinMs }: { at: Millis } & Pick<LinkRules, 'firstWithinMs'>,
): Promise<void> {
  await sql`INSERT INTO item_links (item_id, user_id, next_check_at, scheduled_at)
    VALUES (${itemId}, ${userId}, ${at + spread(itemId, firstWithinMs)}, ${at})
    ON CONFLICT (item_id) DO NOTHING`.execute(trx);
}

/** Multiples of the golden section lie evenly, however many there are. */
function spread(id: number, withinMs: number): Millis {
  return Math.floor((((id % 1_000_000) * 618_033) % 1_000_000) * (withinMs / 1_000_000));
}

/** When a person has changed what they want to be checked. */
export async function forgetLinks(trx: Writer, userId: number): Promise<void> {
  await sql`DELETE FROM item_links WHERE user_id = ${userId}`.execute(trx);
}
