// The covers of raindrops, which become the pictures of their items. Whose item it is stands in the job, and is checked in
// every statement.
import { sql } from 'kysely';
import type { Clock } from '../model/glossary.ts';
import type { JobFence } from '../model/job.ts';
import type { Database } from './database.ts';
import { idList } from './id-list.ts';
import { enqueue } from './job-queue/enqueue.ts';
import { finishJob, requireJob } from './job-queue/fence.ts';
import type { JobKind } from './job-queue/job-kind.ts';

export type CoverStore = ReturnType<typeof coverStore>;

export interface CoverRef {
  readonly raindropId: number;
  readonly itemId: number;
  readonly userId: number;
}

interface DueRow {
  readonly id: number;
  readonly userId: number;
  readonly itemId: number | null;
  readonly isWanted: number;
}

export function coverStore(db: Database, now: Clock) {
  return {
    /** Puts some of those that are due into the queue; those that nobody needs are done with. Returns how many. */
    async enqueueDue<P>(
      kind: JobKind<P>,
      payloadOf: (ref: CoverRef) => P,
      /** `inQueue`: so many at most wait or are under way, so that saved pages get their turn. */
      { keys, inQueue }: { readonly keys: string; readonly inQueue: number },
    ): Promise<number> {
      const { rows: active } = await sql<{ n: number }>`
        SELECT count(*) AS n FROM jobs WHERE name = ${kind.name} AND state < 2`.execute(db.heavyRead);
      const room = inQueue - Number(active[0]?.n ?? 0);
      if (room <= 0) return 0;
      const { rows } = await sql<DueRow>`
        SELECT r.id, r.user_id AS "userId", r.item_id AS "itemId",
          CASE WHEN i.deleted_at IS NULL AND i.thumbnail_key IS NULL AND lower(substr(r.cover, 1, 4)) = 'http'
            THEN 1 ELSE 0 END AS "isWanted"
        FROM raindrops r LEFT JOIN items i ON i.id = r.item_id AND i.user_id = r.user_id
        WHERE r.cover_at IS NULL AND r.cover <> '' AND r.removed_at IS NULL
          AND NOT EXISTS (SELECT 1 FROM jobs j WHERE j.unique_key = ${sql.lit(keys)} || r.item_id AND j.state < 2)
        ORDER BY r.id LIMIT ${room}`.execute(db.heavyRead);
      if (rows.length === 0) return 0;
      const isDue = ({ itemId, isWanted }: DueRow) => itemId !== null && Number(isWanted) === 1;
      const idle = rows.filter((row) => !isDue(row)).map(({ id }) => id);
      await db.write(async (trx) => {
        await sql`UPDATE raindrops SET cover_at = ${now()} WHERE id IN ${idList(db, idle)}`.execute(trx);
        for (const { id, userId, itemId } of rows.filter(isDue))
          await enqueue(db, trx, kind, payloadOf({ raindropId: id, userId, itemId: itemId as number }), {
            uniqueKey: keys + itemId,
          });
      });
      return rows.length;
    },

    /** Its address; undefined when nobody needs it any more. */
    async findUrl({ raindropId, itemId, userId }: CoverRef): Promise<string | undefined> {
      const { rows } = await sql<{ cover: string }>`
        SELECT r.cover FROM raindrops r JOIN items i ON i.id = r.item_id AND i.user_id = r.user_id
        WHERE r.id = ${raindropId} AND r.item_id = ${itemId} AND r.user_id = ${userId} AND r.removed_at IS NULL
          AND i.deleted_at IS NULL AND i.thumbnail_key IS NULL`.execute(db.read);
      return rows[0]?.cover;
    },

    /** The row that names the picture, if there is one, and the end of the job. */
    async finish(
      fence: JobFence,
      { raindropId, itemId, userId }: CoverRef,
      sha256: string | undefined,
    ): Promise<void> {
      await db.write(async (trx) => {
        const at = now();
        if (sha256 !== undefined)
          await sql`UPDATE items SET thumbnail_key = ${`${userId}/${itemId}.jpg`}, thumbnail_sha256 = ${sha256},
            updated_at = ${at} WHERE id = ${itemId} AND user_id = ${userId} AND purged_at IS NULL
              AND thumbnail_key IS NULL`.execute(trx);
        await sql`UPDATE raindrops SET cover_at = ${at} WHERE id = ${raindropId} AND user_id = ${userId}`.execute(
          trx,
        );
        await requireJob(db, trx, fence);
        await finishJob(db, trx, fence);
      });
    },
  };
}
