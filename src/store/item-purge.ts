// What becomes of items that were deleted long ago: what they had goes for good. The row stays with its address, so that
// no sync brings the item back.
//
// A row must never name a file that is missing, not even one that is read back from the journal. So a row lets go of its
// files first, the files go when that is written to the library, and then the rest. Whatever happens in between, the row
// is still one to be purged.
import { type RawBuilder, sql } from 'kysely';
import { LeaseLost } from '../errors.ts';
import type { Clock, Millis } from '../model/glossary.ts';
import { keepDeletedMs } from '../model/item.ts';
import type { JobFence } from '../model/job.ts';
import type { Database, Writer } from './database.ts';
import { durableTables } from './durable.ts';
import { idList } from './id-list.ts';
import { enqueue } from './job-queue/enqueue.ts';
import { finishJob, isHeld, requireJob } from './job-queue/fence.ts';
import { type EnrichJobs, hasItemJob, type PendingItem } from './pending-items.ts';
import { notePending } from './search/pending.ts';

export type ItemPurge = ReturnType<typeof itemPurge>;

const itemsAtOnce = 100;
/** By then the journal is usually written. */
const afterMs = 60_000;
const itemsTable = durableTables.find(({ name }) => name === 'items')?.id;

const letGoOfFiles = sql`snapshot_key = NULL, snapshot_files = NULL, text_sha256 = NULL, thumbnail_key = NULL,
  thumbnail_sha256 = NULL`;
const forgetPage = sql`title = '', title_from = '', excerpt = '', excerpt_from = '', author = '', site_name = '',
  language = '', published_at = NULL, canonical_url = '', word_count = 0, site_origin = ''`;
const forgetPerson = sql`status = 'unread', is_favorite = 0, collection_id = NULL, saved_at = NULL,
  enrichment_status = NULL, enrichment_error = NULL, enriched_at = NULL`;

export function itemPurge(db: Database, now: Clock) {
  const isDue = (at = now()): RawBuilder<boolean> =>
    sql<boolean>`items.deleted_at <= ${at - keepDeletedMs} AND items.deleted_at IS NOT NULL AND items.purged_at IS NULL`;
  const lock = db.engine === 'postgres' ? sql`FOR UPDATE` : sql``;

  return {
    /** Enqueues a batch of the items that were due at a time, each with its own job. Returns how many. */
    async enqueueDue<P>({ kind, keys, payloadOf }: EnrichJobs<P>, at: Millis): Promise<number> {
      const { rows } = await sql<PendingItem>`
        SELECT id, user_id AS "userId", url FROM items WHERE ${isDue(at)} AND NOT ${hasItemJob({ keys })}
        LIMIT ${itemsAtOnce}`.execute(db.heavyRead);
      if (rows.length === 0) return 0;
      await db.write(async (trx) => {
        const ids = idList(
          db,
          rows.map(({ id }) => id),
        );
        await sql`UPDATE items SET ${letGoOfFiles}
          WHERE id IN ${ids} AND ${isDue(at)} AND (snapshot_key IS NOT NULL OR thumbnail_key IS NOT NULL)`.execute(
          trx,
        );
        for (const item of rows)
          await enqueue(db, trx, kind, payloadOf(item, now()), {
            uniqueKey: keys + item.id,
            delayMs: afterMs,
          });
      });
      return rows.length;
    },

    /** `unwritten`: the library may still have a row that names files. `kept`: it is not to be purged any more. */
    async look(itemId: number): Promise<'ready' | 'unwritten' | 'kept'> {
      const { rows } = await sql<{ named: number; noted: number }>`
        SELECT CASE WHEN snapshot_key IS NULL AND thumbnail_key IS NULL THEN 0 ELSE 1 END AS named,
          (SELECT count(*) FROM journal_dirty WHERE tbl = ${sql.lit(itemsTable)} AND k1 = ${itemId}) AS noted
        FROM items WHERE id = ${itemId} AND ${isDue()}`.execute(db.read);
      const [row] = rows;
      if (!row || row.named === 1) return 'kept';
      return Number(row.noted) > 0 ? 'unwritten' : 'ready';
    },

    /** Asked before each file: while the job is held, nobody else writes or deletes files of its item. */
    async requireHeld(fence: JobFence): Promise<void> {
      const { rows } = await sql`SELECT 1 FROM jobs WHERE ${isHeld(fence)}`.execute(db.read);
      if (rows.length === 0) throw new LeaseLost(`job ${fence.id}`);
    },

    /** After its files are gone. One that somebody has saved anew meanwhile is theirs. */
    async finish(
      fence: JobFence,
      itemId: number,
      { keys }: Pick<EnrichJobs<unknown>, 'keys'>,
    ): Promise<void> {
      await db.write(async (trx) => {
        // Before the job, as everybody else locks the two.
        const { rows } = await sql`SELECT id FROM items WHERE id = ${itemId} AND ${isDue()} ${lock}`.execute(
          trx,
        );
        await requireJob(db, trx, fence);
        if (rows.length > 0) await purge(trx, itemId, now());
        // What became of the page before says nothing of one that is saved anew.
        await sql`DELETE FROM jobs WHERE unique_key = ${keys + itemId} AND state >= 2`.execute(trx);
        await finishJob(db, trx, fence);
      });
    },
  };
}

async function purge(trx: Writer, itemId: number, at: Millis): Promise<void> {
  await sql`DELETE FROM item_tags WHERE item_id = ${itemId}`.execute(trx);
  await sql`DELETE FROM item_links WHERE item_id = ${itemId}`.execute(trx);
  const { rows: stars } = await sql<{ id: number }>`
    DELETE FROM bookmarks WHERE item_id = ${itemId} AND deleted_at IS NOT NULL RETURNING id`.execute(trx);
  await sql`UPDATE items SET ${forgetPage}, ${forgetPerson}, purged_at = ${at}, updated_at = ${at}
    WHERE id = ${itemId}`.execute(trx);
  await notePending(trx, 'item', [itemId]);
  await notePending(
    trx,
    'bookmark',
    stars.map(({ id }) => id),
  );
}
