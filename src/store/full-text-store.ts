// The full texts of entries, as the job that fetches them writes them. The entry itself stays as its feed published it.
import { type RawBuilder, sql } from 'kysely';
import type { Clock } from '../model/glossary.ts';
import type { JobFence } from '../model/job.ts';
import type { Database, Writer } from './database.ts';
import { idList } from './id-list.ts';
import { finishJob, requirePayload } from './job-queue/fence.ts';
import { notePending } from './search/pending.ts';

export type FullTextStore = ReturnType<typeof fullTextStore>;

interface WantedEntry {
  readonly id: number;
  readonly user_id: number;
  /** As the feed published it. */
  readonly content: string;
}

export function fullTextStore(db: Database, now: Clock) {
  return {
    /** Whether one of them is still there, in a feed whose owner wants it. */
    async isWanted(entryIds: readonly number[]): Promise<boolean> {
      const { rows } = await selectWanted(db, entryIds).execute(db.read);
      return rows.length > 0;
    },

    /** Ends a job that nobody wanted. False when somebody has come to want it since: then it is to be begun anew. */
    async leave(fence: JobFence): Promise<boolean> {
      return db.write(async (trx) => {
        const { entryIds } = await requirePayload<{ entryIds: number[] }>(db, trx, fence);
        const { rows } = await selectWanted(db, entryIds).execute(trx);
        if (rows.length > 0) return false;
        await finishJob(db, trx, fence);
        return true;
      });
    },

    /**
     * What `decide` makes of each entry's own content: a full text, or undefined where the feed's is better. Ends the
     * job, for everybody who came to want it while it ran, too.
     */
    async settle(fence: JobFence, decide: (content: string) => string | undefined): Promise<void> {
      await db.write(async (trx) => {
        const { entryIds } = await requirePayload<{ entryIds: number[] }>(db, trx, fence);
        // Whoever deletes one of them waits, or is waited for.
        const lock = db.engine === 'postgres' ? sql`FOR KEY SHARE OF e` : sql``;
        const { rows } = await selectWanted(db, entryIds, lock).execute(trx);
        const found = rows.flatMap((entry) => {
          const content = decide(entry.content);
          return content === undefined ? [] : [{ entry, content }];
        });
        for (const { entry, content } of found) await putText(trx, entry, content, now());
        await notePending(
          trx,
          'entry',
          found.map(({ entry }) => entry.id),
        );
        await finishJob(db, trx, fence);
      });
    },
  };
}

function selectWanted(
  db: Database,
  entryIds: readonly number[],
  lock: RawBuilder<unknown> = sql``,
): RawBuilder<WantedEntry> {
  return sql<WantedEntry>`
    SELECT e.id, e.user_id, e.content FROM entries e JOIN feeds f ON f.id = e.feed_id
    WHERE e.id IN ${idList(db, entryIds)} AND f.full_text = 1 AND f.deleted_at IS NULL ORDER BY e.id ${lock}`;
}

async function putText(trx: Writer, entry: WantedEntry, content: string, at: number): Promise<void> {
  await sql`
    INSERT INTO entry_texts (entry_id, user_id, content, fetched_at)
    VALUES (${entry.id}, ${entry.user_id}, ${content}, ${at})
    ON CONFLICT (entry_id) DO UPDATE SET content = excluded.content, fetched_at = excluded.fetched_at`.execute(
    trx,
  );
}
