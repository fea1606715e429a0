// What is found out about saved pages, as the job that finds it writes it. Whose item it is stands in the job, and is
// checked in every statement; an item that is deleted, or that nobody waits for any more, is not touched.
import { type RawBuilder, sql } from 'kysely';
import { Later, LeaseLost } from '../errors.ts';
import type { Clock, Millis } from '../model/glossary.ts';
import { itemLimits } from '../model/item.ts';
import type { JobFence } from '../model/job.ts';
import type { Database, Writer } from './database.ts';
import { finishJob, isHeld, requireJob } from './job-queue/fence.ts';
import { countJob, itemCounter } from './job-queue/job-counters.ts';
import type { JobKind } from './job-queue/job-kind.ts';
import { cancelled, dead } from './job-queue/job-row.ts';
import { settle } from './job-queue/settle.ts';
import { rowsOf } from './owned/owned-rows.ts';
import { notePending } from './search/pending.ts';
import type { Row } from './tables.ts';

export type EnrichmentStore = ReturnType<typeof enrichmentStore>;

export interface ItemRef {
  readonly itemId: number;
  readonly userId: number;
}

/** The files that a row names. */
export interface NamedFiles {
  /** The SHA-256 of each file under `items/<id>`, by name; null while there is no copy. */
  readonly snapshot: Readonly<Record<string, string>> | null;
  /** Of `thumbnails/<userId>/<itemId>.jpg`; null while there is none. */
  readonly thumbnail: string | null;
}

export interface EnrichableItem extends ItemRef {
  readonly url: string;
  readonly isPending: boolean;
  /** Somebody waits for it: it is pending, and not deleted. */
  readonly isWanted: boolean;
  /** Of the feed through which alone it is known. */
  readonly proxy: string | undefined;
  /** That feed is gone, and its proxy with it. */
  readonly isHidden: boolean;
  readonly files: NamedFiles;
}

/** What a page says of itself, within the limits of the contract, and the files that are kept of it. */
export interface Enrichment {
  readonly title: string;
  readonly excerpt: string;
  readonly author: string;
  readonly siteName: string;
  readonly language: string;
  readonly publishedAt: Millis | null;
  readonly canonicalUrl: string;
  readonly siteOrigin: string;
  /** Absent when nothing could be read: what was known of the copy stays. */
  readonly wordCount?: number | undefined;
  readonly files: NamedFiles;
}

export interface Abandoned {
  readonly item: EnrichableItem;
  readonly sentence: string;
}

const cancelledSentence = 'Reading the page was cancelled.';
const unknownSentence = 'The page could not be read.';
/** Those that are known to have failed are few; the next look takes the rest. */
const abandonedAtOnce = 200;

export function enrichmentStore(db: Database, now: Clock) {
  /** Before the job, as everybody else locks the two. */
  const lock = async (trx: Writer, ref: ItemRef): Promise<EnrichableItem | undefined> => {
    const row = await selectItem(trx, ref)
      .$if(db.engine === 'postgres', (query) => query.forUpdate())
      .executeTakeFirst();
    return row && toItem(ref, row);
  };

  const update = async (trx: Writer, { itemId, userId }: ItemRef, changes: Partial<Row<'items'>>) => {
    await rowsOf(trx, userId)
      .update('items')
      .set({ ...changes, updated_at: now() })
      .where('id', '=', itemId)
      .execute();
    await notePending(trx, 'item', [itemId]);
  };

  const markFailed = async (
    trx: Writer,
    item: EnrichableItem,
    { sentence, files }: { sentence: string; files?: NamedFiles | undefined },
    name: string,
  ) => {
    await update(trx, item, {
      ...(files && fileColumns(item, files)),
      enrichment_status: 'failed',
      enrichment_error: cut(sentence, itemLimits.enrichmentError),
    });
    await countJob(trx, name, `${itemCounter}failed`);
  };

  return {
    /** Undefined when that user has no such item. */
    async find(ref: ItemRef): Promise<EnrichableItem | undefined> {
      const row = await selectItem(db.read, ref).executeTakeFirst();
      return row && toItem(ref, row);
    },

    /** Whether what was found may still be written, asked right before files are. */
    async isStillOurs(fence: JobFence, ref: ItemRef): Promise<boolean> {
      const { rows } = await sql`SELECT 1 FROM jobs WHERE ${isHeld(fence)}`.execute(db.read);
      if (rows.length === 0) throw new LeaseLost(`job ${fence.id}`);
      const row = await selectItem(db.read, ref).executeTakeFirst();
      return row !== undefined && toItem(ref, row).isWanted;
    },

    /** The row that names the files, and the end of the job. False when nobody waits for it any more: nothing is written. */
    async succeed(fence: JobFence, ref: ItemRef, found: Enrichment, name: string): Promise<boolean> {
      return db.write(async (trx) => {
        const row = await selectItem(trx, ref)
          .select(['title_from', 'excerpt_from', 'site_origin'])
          .$if(db.engine === 'postgres', (query) => query.forUpdate())
          .executeTakeFirst();
        await requireJob(db, trx, fence);
        if (!row || !toItem(ref, row).isWanted) return false;
        await update(trx, ref, {
          ...ofPage(row, found),
          ...fileColumns(ref, found.files),
          enrichment_status: 'succeeded',
          enrichment_error: null,
          enriched_at: now(),
        });
        await countJob(trx, name, `${itemCounter}succeeded`);
        await finishJob(db, trx, fence);
        return true;
      });
    },

    /**
     * The page could not be had: what was known of it stays. `files` is what the row is to name from now on, if a worker
     * ended before it could say so. With `dead`, the job itself is at fault, and kept as a dead letter.
     */
    async fail(
      fence: JobFence,
      ref: ItemRef,
      {
        name,
        dead: sentenceOfJob,
        ...failure
      }: { sentence: string; files?: NamedFiles | undefined; name: string; dead?: string },
    ): Promise<void> {
      await db.write(async (trx) => {
        const item = await lock(trx, ref);
        await requireJob(db, trx, fence);
        if (item?.isWanted) await markFailed(trx, item, failure, name);
        if (sentenceOfJob === undefined) await finishJob(db, trx, fence);
        else await settle(db, trx, [{ fence, outcome: { kind: 'dead', error: sentenceOfJob } }]);
      });
    },

    /** Ends a job that nobody waits for. One whose item was brought back meanwhile is begun anew: there is no other. */
    async leave(fence: JobFence, ref: ItemRef, files?: NamedFiles): Promise<void> {
      const isWanted = await db.write(async (trx) => {
        const item = await lock(trx, ref);
        await requireJob(db, trx, fence);
        if (item?.isWanted) return true;
        if (item && files) await update(trx, item, fileColumns(item, files));
        await finishJob(db, trx, fence);
        return false;
      });
      if (isWanted) throw new Later(0);
    },

    /** What the row names, for one who found it otherwise. Whoever is at the item, or was since, says it themselves. */
    async rename(
      ref: ItemRef,
      { before, after, uniqueKey }: { before: NamedFiles; after: NamedFiles; uniqueKey: string },
    ): Promise<void> {
      if (isSame(before, after)) return;
      await db.write(async (trx) => {
        const item = await lock(trx, ref);
        if (!item || !isSame(item.files, before) || (await hasUnfinished(trx, uniqueKey))) return;
        await update(trx, item, fileColumns(item, after));
      });
    },

    /**
     * Items that wait for a job that nobody will do: it is a dead letter, or was cancelled. Deleted ones too: they can be
     * brought back, and what they name is to be there then.
     */
    async findAbandoned(kind: JobKind): Promise<readonly Abandoned[]> {
      const { rows } = await sql<AbandonedRow>`
        SELECT j.state, j.last_error, i.id, i.user_id, i.url, i.snapshot_files, i.thumbnail_sha256, i.enrichment_status, i.deleted_at,
          ${proxyOf('i')} AS proxy
        FROM jobs j
        JOIN items i ON i.id = ${payloadNumber(db, 'itemId')} AND i.user_id = ${payloadNumber(db, 'userId')}
        WHERE j.state IN (${sql.lit(dead)}, ${sql.lit(cancelled)}) AND j.state >= 2 AND j.name = ${kind.name}
          AND i.purged_at IS NULL AND (i.enrichment_status IS NULL OR i.enrichment_status = 'pending')
          AND NOT ${isUnfinished(sql.ref('j.unique_key'))}
        ORDER BY j.id DESC LIMIT ${abandonedAtOnce}`.execute(db.heavyRead);
      // Of several jobs the last one says why.
      const byItem = new Map(rows.toReversed().map((row) => [row.id, row]));
      return [...byItem.values()].map((row) => ({
        item: toItem({ itemId: row.id, userId: row.user_id }, row),
        sentence: row.state === cancelled ? cancelledSentence : (row.last_error ?? unknownSentence),
      }));
    },

    /** One of those, unless somebody has asked for it again since. */
    async failAbandoned(
      kind: JobKind,
      { item: ref, sentence }: Abandoned,
      { uniqueKey, files }: { uniqueKey: string; files?: NamedFiles | undefined },
    ): Promise<boolean> {
      return db.write(async (trx) => {
        const item = await lock(trx, ref);
        if (!item?.isPending || (await hasUnfinished(trx, uniqueKey))) return false;
        await markFailed(trx, item, { sentence, files }, kind.name);
        return true;
      });
    },
  };
}

type Selected = Pick<
  Row<'items'>,
  'url' | 'snapshot_files' | 'thumbnail_sha256' | 'enrichment_status' | 'deleted_at'
> & { readonly proxy: string | null };

interface AbandonedRow extends Selected {
  readonly id: number;
  readonly user_id: number;
  readonly state: number;
  readonly last_error: string | null;
}

function selectItem(db: Parameters<typeof rowsOf>[0], { itemId, userId }: ItemRef) {
  return rowsOf(db, userId)
    .select('items')
    .select(['url', 'snapshot_files', 'thumbnail_sha256', 'enrichment_status', 'deleted_at'])
    .select(proxyOf('items').as('proxy'))
    .where('id', '=', itemId);
}

/** One that a person saved, or that came with its site, is asked for directly. NULL: nobody knows the way any more. */
function proxyOf(items: string): RawBuilder<string | null> {
  const column = (name: string) => sql.ref(`${items}.${name}`);
  return sql<
    string | null
  >`CASE WHEN ${column('saved_at')} IS NOT NULL OR ${column('site_origin')} <> '' THEN ''
    ELSE (SELECT f.proxy FROM bookmarks b JOIN feeds f ON f.id = b.feed_id AND f.deleted_at IS NULL
      WHERE b.item_id = ${column('id')} AND b.user_id = ${column('user_id')} AND b.deleted_at IS NULL LIMIT 1) END`;
}

function toItem({ itemId, userId }: ItemRef, row: Selected): EnrichableItem {
  // One without a status is one that nobody has looked at yet.
  const isPending = (row.enrichment_status ?? 'pending') === 'pending';
  return {
    itemId,
    userId,
    url: row.url,
    isPending,
    isWanted: isPending && row.deleted_at === null,
    proxy: row.proxy || undefined,
    isHidden: row.proxy === null,
    files: {
      snapshot: row.snapshot_files === null ? null : JSON.parse(row.snapshot_files),
      thumbnail: row.thumbnail_sha256,
    },
  };
}

/** A title of a person or of Raindrop holds against the page's, as does an excerpt; one of an entry does not. */
function ofPage(
  row: Pick<Row<'items'>, 'title_from' | 'excerpt_from' | 'site_origin'>,
  found: Enrichment,
): Partial<Row<'items'>> {
  const isOurs = (from: string) => from === '' || from === 'entry' || from === 'page';
  return {
    ...(found.title !== '' && isOurs(row.title_from) && { title: found.title, title_from: 'page' as const }),
    ...(found.excerpt !== '' &&
      isOurs(row.excerpt_from) && { excerpt: found.excerpt, excerpt_from: 'page' as const }),
    // One without a site is known through somebody's proxy, and its icon is not to be asked for past that.
    ...(row.site_origin !== '' && { site_origin: found.siteOrigin }),
    ...(found.wordCount === undefined
      ? onlyWhatIsSaid(factsOf(found))
      : { ...factsOf(found), word_count: found.wordCount }),
  };
}

function factsOf(found: Enrichment) {
  return {
    author: found.author,
    site_name: found.siteName,
    language: found.language,
    published_at: found.publishedAt,
    canonical_url: found.canonicalUrl,
  };
}

/** What is known of a copy stays with the copy, until there is another. */
function onlyWhatIsSaid<T extends object>(facts: T): Partial<T> {
  const said = Object.entries(facts).filter(([, value]) => value !== '' && value !== null);
  return Object.fromEntries(said) as Partial<T>;
}

function fileColumns(
  { itemId, userId }: ItemRef,
  { snapshot, thumbnail }: NamedFiles,
): Partial<Row<'items'>> {
  return {
    snapshot_key: snapshot && `items/${itemId}`,
    snapshot_files: snapshot && JSON.stringify(snapshot),
    text_sha256: snapshot?.['plain.txt'] ?? null,
    thumbnail_key: thumbnail && `${userId}/${itemId}.jpg`,
    thumbnail_sha256: thumbnail,
  };
}

function isUnfinished(uniqueKey: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql<boolean>`EXISTS (SELECT 1 FROM jobs o
    WHERE o.unique_key = ${uniqueKey} AND o.unique_key IS NOT NULL AND o.state < 2)`;
}

async function hasUnfinished(trx: Writer, uniqueKey: string): Promise<boolean> {
  const { rows } = await sql`SELECT 1 WHERE ${isUnfinished(sql`${uniqueKey}`)}`.execute(trx);
  return rows.length > 0;
}

function isSame(one: NamedFiles, other: NamedFiles): boolean {
  const sorted = ({ snapshot, thumbnail }: NamedFiles) =>
    JSON.stringify([snapshot && Object.entries(snapshot).sort(), thumbnail]);
  return sorted(one) === sorted(other);
}

function payloadNumber(db: Database, field: 'itemId' | 'userId') {
  return db.engine === 'sqlite'
    ? sql`CAST(j.payload ->> ${sql.lit(field)} AS INTEGER)`
    : sql`CAST(CAST(j.payload AS jsonb) ->> ${sql.lit(field)} AS bigint)`;
}

/** Not through the middle of a character. */
function cut(text: string, most: number): string {
  return text.length <= most
    ? text
    : text
        .slice(0, most - 1)
        .replace(/[\ud800-\udbff]$/, '')
        .concat('…');
}
