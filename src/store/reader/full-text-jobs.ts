// The job that reads the page an entry links to, for feeds whose owners want the full text. It is put into the queue in the
// transaction that brings the entries, so its kind stands here; feeds/full-text/fetch-full-text.ts does it.
import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { z } from 'zod';
import type { Database, Writer } from '../database.ts';
import { amend, enqueue } from '../job-queue/enqueue.ts';
import { jobKind } from '../job-queue/job-kind.ts';

export const fullTextKind = jobKind({
  name: 'fetch-full-text',
  schema: z.object({
    url: z.string(),
    /** That of the feed: its pages are asked for through it, or not at all. */
    proxy: z.string(),
    /** Of everybody who follows the feed. */
    entryIds: z.array(z.int()),
  }),
  lane: 'low',
  timeoutMs: 3 * 60_000,
  maxAttempts: 4,
  backoff: { firstMs: 60_000, longestMs: 3_600_000 },
  pool: 'pages',
});

interface LinkedEntry {
  readonly id: number;
  readonly link: string;
}

/** What is fetched when somebody switches it on. */
const newestAtFirst = 20;

/** One for each page, whoever has entries that link to it. */
export async function enqueueFullTexts(
  db: Database,
  trx: Writer,
  { proxy }: { readonly proxy: string },
  entries: readonly LinkedEntry[],
): Promise<void> {
  const pages = Map.groupBy(
    entries.filter(({ link }) => /^https?:\/\//i.test(link)),
    ({ link }) => link,
  );
  for (const [url, linked] of pages) {
    const entryIds = linked.map(({ id }) => id);
    const options = { uniqueKey: keyOf(url, proxy) };
    for (;;) {
      const { id, isNew } = await enqueue(db, trx, fullTextKind, { url, proxy, entryIds }, options);
      if (isNew || (await amend(db, trx, id, fullTextKind, (asked) => withEntries(asked, entryIds)))) break;
    }
  }
}

/** The newest of those that have no full text yet. */
export async function enqueueNewest(
  db: Database,
  trx: Writer,
  feed: { readonly id: number; readonly proxy: string },
): Promise<void> {
  const { rows } = await sql<LinkedEntry & { has_text: number }>`
    SELECT e.id, e.link, CASE WHEN t.entry_id IS NULL THEN 0 ELSE 1 END AS has_text
    FROM entries e LEFT JOIN entry_texts t ON t.entry_id = e.id
    WHERE e.feed_id = ${feed.id} ORDER BY e.pub_date DESC, e.id DESC LIMIT ${newestAtFirst}`.execute(trx);
  await enqueueFullTexts(
    db,
    trx,
    feed,
    rows.filter(({ has_text }) => has_text === 0),
  );
}

function withEntries<P extends { entryIds: number[] }>(asked: P, entryIds: readonly number[]): P {
  return { ...asked, entryIds: [...new Set([...asked.entryIds, ...entryIds])] };
}

/** Of the hash, since an address can be longer than an index takes. */
function keyOf(url: string, proxy: string): string {
  return `full text ${createHash('sha256').update(`${proxy}\n${url}`).digest('hex')}`;
}
