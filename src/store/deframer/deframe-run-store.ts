// What a worker writes while it runs a feed: under its lease, and nothing once that has moved on.
import { type RawBuilder, sql } from 'kysely';
import { LeaseLost } from '../../errors.ts';
import { clockToleranceMs } from '../../model/clock-jump.ts';
import type { Analysis, DeframedItem, DeframerFeed, Usage } from '../../model/deframer.ts';
import type { Clock, Millis } from '../../model/glossary.ts';
import { presencePrefix } from '../../model/presence.ts';
import type { Database, Writer } from '../database.ts';
import { dbNow } from '../db-now.ts';
import { textList } from '../id-list.ts';
import { isEpoch, leaseUntil, nextEpoch } from '../lease-columns.ts';
import { notePending } from '../search/pending.ts';
import type { Row } from '../tables.ts';
import { itemColumns, toItem } from './deframed-items.ts';
import { toFeed } from './deframer-feed-store.ts';

export type DeframeRunStore = ReturnType<typeof deframeRunStore>;

/** The right to run a feed, until somebody else has it. */
export interface FeedLease {
  readonly feedId: string;
  readonly epoch: number;
}

export interface AcquiredFeed extends FeedLease {
  readonly feed: DeframerFeed;
  readonly validators: FeedValidators | undefined;
}

export interface FeedLookup {
  readonly ttlMs: number;
  /** Who locks the feed. */
  readonly holder?: string;
  /** The feeds that the holder runs. Its locks on others were left behind, and it takes those feeds again. */
  readonly inHand?: readonly string[];
}

/** What a server gave to ask "has it changed?" by. */
export interface FeedValidators {
  readonly url: string;
  readonly etag: string | undefined;
  readonly lastModified: string | undefined;
}

export interface NewDeframedItem {
  readonly id: string;
  readonly hash: string;
  readonly url: string;
  readonly analysis: Analysis;
  readonly analysisKey: string;
  readonly content: string;
  readonly author: string;
  readonly pubDate: Millis;
  readonly usage: Usage;
}

export interface BuiltFeed {
  readonly xmlHeader: string;
  readonly itemRefs: readonly string[];
  readonly xmlContent: string;
  readonly updatedAt: Millis;
}

export interface RunEnd {
  /** Undefined when what is served stays as it is. */
  readonly built?: BuiltFeed | undefined;
  /** Why it failed, which ends the schedule; undefined for a success. */
  readonly error?: string | undefined;
  /** What is worth a look although it succeeded; undefined where that is as before. */
  readonly note?: string | null | undefined;
  /** Of the document whose every article was seen to; undefined where one is to be asked for again. */
  readonly validators?: FeedValidators | undefined;
  /** When to run again, where the feed is polled. */
  readonly intervalMs: number;
}

const dayMs = 86_400_000;

type TakenRow = Pick<Row<'feed_schedules'>, 'id' | 'epoch' | 'etag' | 'last_modified' | 'validators_url'>;

export function deframeRunStore(db: Database, now: Clock) {
  /** First in every transaction of a run. Whoever switches the feed off ends the run too. */
  const requireFeedLease = async (trx: Writer, { feedId, epoch }: FeedLease): Promise<void> => {
    const held = await trx
      .selectFrom('feed_schedules')
      .select('epoch')
      .where('id', '=', feedId)
      .where(isEpoch('epoch', epoch))
      .where('locked_until', 'is not', null)
      .$if(db.engine === 'postgres', (query) => query.forUpdate())
      .executeTakeFirst();
    const feed =
      held &&
      (await trx
        .selectFrom('deframer_feeds')
        .select('id')
        .where('id', '=', feedId)
        .where('enabled', '=', 1)
        .where('deleted_at', 'is', null)
        .executeTakeFirst());
    if (!feed) throw new LeaseLost(`feed ${feedId}`);
  };

  const extend = (trx: Writer, { feedId }: FeedLease, ttlMs: number) =>
    trx
      .updateTable('feed_schedules')
      .set({ locked_until: leaseUntil(db, ttlMs) })
      .where('id', '=', feedId)
      .execute();

  const addUsage = async (trx: Writer, feedId: string, usage: Usage): Promise<void> => {
    if (usage.calls === 0) return;
    await sql`
      INSERT INTO deframer_usage (feed_id, day, calls, tokens_in, tokens_out, cost_micros, unpriced_calls)
      VALUES (${feedId}, ${Math.floor(now() / dayMs)}, ${usage.calls}, ${usage.tokensIn}, ${usage.tokensOut},
        ${usage.costMicros ?? 0}, ${usage.costMicros === null ? usage.calls : 0})
      ON CONFLICT (feed_id, day) DO UPDATE SET calls = deframer_usage.calls + excluded.calls,
        tokens_in = deframer_usage.tokens_in + excluded.tokens_in,
        tokens_out = deframer_usage.tokens_out + excluded.tokens_out,
        cost_micros = deframer_usage.cost_micros + excluded.cost_micros,
        unpriced_calls = deframer_usage.unpriced_calls + excluded.unpriced_calls`.execute(trx);
  };

  return {
    /** A feed that is due, enabled, and that nobody is at. On PostgreSQL, one that another worker is taking is skipped. */
    async acquire({ ttlMs, holder = '', inHand = [] }: FeedLookup): Promise<AcquiredFeed | undefined> {
      const skip = db.engine === 'postgres' ? sql`FOR UPDATE OF s SKIP LOCKED` : sql``;
      // Far beyond any lease: the clock was set back since, and whoever had it may have ended long ago.
      const tooFar = leaseUntil(db, ttlMs * 4);
      const [taken] = await db.writeOne(sql<TakenRow>`
        UPDATE feed_schedules SET locked_until = ${leaseUntil(db, ttlMs)}, locked_by = ${holder}, epoch = ${nextEpoch('epoch')}
        WHERE id = (
          SELECT s.id FROM feed_schedules s JOIN deframer_feeds f ON f.id = s.id
          WHERE (s.next_run_at <= ${dbNow(db)}
              OR s.next_run_at IS NOT NULL AND s.scheduled_at > ${leaseUntil(db, clockToleranceMs)})
            AND (s.locked_until IS NULL OR s.locked_until <= ${dbNow(db)} OR s.locked_until > ${tooFar}
              OR s.locked_by <> '' AND s.locked_by = ${holder} AND s.id NOT IN ${textList(db, inHand)})
            AND f.enabled = 1 AND f.deleted_at IS NULL
          ORDER BY s.next_run_at, s.id LIMIT 1 ${skip})
        RETURNING id, epoch, etag, last_modified, validators_url`);
      if (!taken) return undefined;
      const row = await db.read
        .selectFrom('deframer_feeds')
        .selectAll()
        .where('id', '=', taken.id)
        .executeTakeFirstOrThrow();
      return { feedId: taken.id, epoch: taken.epoch, feed: toFeed(row), validators: validatorsOf(taken) };
    },

    /** Those who have locked a feed and have no presence lease that is valid. */
    async findAbsentHolders(): Promise<readonly string[]> {
      const { rows } = await sql<{ holder: string }>`
        SELECT DISTINCT locked_by AS holder FROM feed_schedules WHERE ${isHolderAbsent(db)}`.execute(db.read);
      return rows.map(({ holder }) => holder);
    },

    /** Releases the feeds that these have locked, unless they are present again. Returns how many. */
    async releaseAbsent(holders: readonly string[]): Promise<number> {
      const released = await db.writeOne(sql`
        UPDATE feed_schedules SET locked_until = NULL, locked_by = ''
        WHERE ${isHolderAbsent(db)} AND locked_by IN ${textList(db, holders)} RETURNING id`);
      return released.length;
    },

    /** Throws LeaseLost. */
    async renew(lease: FeedLease, ttlMs: number): Promise<void> {
      await db.write(async (trx) => {
        await requireFeedLease(trx, lease);
        await extend(trx, lease, ttlMs);
      });
    },

    /** Gives the feed back as it was: still due. Nothing, if the lease has moved on. */
    async release({ feedId, epoch }: FeedLease): Promise<void> {
      await db.write((trx) =>
        trx
          .updateTable('feed_schedules')
          .set({ locked_until: null, locked_by: '' })
          .where('id', '=', feedId)
          .where(isEpoch('epoch', epoch))
          .execute(),
      );
    },

    /** Not now: whoever is asked wants to be left alone until then. Throws LeaseLost. */
    async postpone(lease: FeedLease, { delayMs, note }: { delayMs: number; note: string }): Promise<void> {
      await db.write(async (trx) => {
        await requireFeedLease(trx, lease);
        await trx
          .updateTable('feed_schedules')
          .set({
            next_run_at: leaseUntil(db, delayMs),
            scheduled_at: dbNow(db),
            last_note: note,
            locked_until: null,
            locked_by: '',
          })
          .where('id', '=', lease.feedId)
          .execute();
      });
    },

    /** Which of these the feed has already. */
    async findKnown(feedId: string, hashes: readonly string[]): Promise<Set<string>> {
      if (hashes.length === 0) return new Set();
      const { rows } = await sql<{ hash: string }>`
        SELECT hash FROM deframed_items WHERE feed_id = ${feedId} AND hash IN ${textList(db, hashes)}`.execute(
        db.read,
      );
      return new Set(rows.map(({ hash }) => hash));
    },

    /** Of the same article, by the same model, told the same: found under another address. */
    async findAnalysis(feedId: string, analysisKey: string): Promise<Analysis | undefined> {
      const row = await db.read
        .selectFrom('deframed_items')
        .select('analyzer_result')
        .where('feed_id', '=', feedId)
        .where('analysis_key', '=', analysisKey)
        .limit(1)
        .executeTakeFirst();
      return row && (JSON.parse(row.analyzer_result) as Analysis);
    },

    /** One article and what it took; the lease goes on from here. Throws LeaseLost. */
    async putItem(lease: FeedLease, item: NewDeframedItem, ttlMs: number): Promise<void> {
      await db.write(async (trx) => {
        await requireFeedLease(trx, lease);
        await extend(trx, lease, ttlMs);
        const at = now();
        const inserted = await trx
          .insertInto('deframed_items')
          .values({
            id: item.id,
            feed_id: lease.feedId,
            hash: item.hash,
            url: item.url,
            analyzer_result: JSON.stringify(item.analysis),
            overall: item.analysis.overall,
            content: item.content,
            author: item.author,
            pub_date: item.pubDate,
            analysis_key: item.analysisKey,
            tokens_in: item.usage.tokensIn,
            tokens_out: item.usage.tokensOut,
            cost_micros: item.usage.costMicros,
            created_at: at,
            updated_at: at,
          })
          .onConflict((conflict) => conflict.columns(['feed_id', 'hash']).doNothing())
          .returning('number')
          .execute();
        await notePending(
          trx,
          'deframed',
          inserted.map(({ number }) => number),
        );
        await addUsage(trx, lease.feedId, item.usage);
      });
    },

    /**
     * What was paid for nothing, or for a result that came too late. It is true whoever has the lease, and changes
     * nothing but the bill.
     */
    async noteUsage(feedId: string, usage: Usage): Promise<void> {
      await db.write((trx) => addUsage(trx, feedId, usage));
    },

    /** What the feed is built from. */
    async newestItems(feedId: string, limit: number): Promise<DeframedItem[]> {
      const rows = await db.read
        .selectFrom('deframed_items')
        .select(itemColumns)
        .where('feed_id', '=', feedId)
        .orderBy('pub_date', 'desc')
        .orderBy('id', 'desc')
        .limit(limit)
        .execute();
      return rows.map(toItem);
    },

    /** What is served now. */
    async findBuilt(feedId: string): Promise<BuiltFeed | undefined> {
      const row = await db.read
        .selectFrom('cached_feeds')
        .selectAll()
        .where('id', '=', feedId)
        .executeTakeFirst();
      return (
        row && {
          xmlHeader: row.xml_header,
          itemRefs: JSON.parse(row.item_refs) as string[],
          xmlContent: row.xml_content,
          updatedAt: row.updated_at,
        }
      );
    },

    /** The end of a run, whole or not at all: what is served, and when it comes again. Throws LeaseLost. */
    async finish(lease: FeedLease, { built, error, note, validators, intervalMs }: RunEnd): Promise<void> {
      await db.write(async (trx) => {
        await requireFeedLease(trx, lease);
        if (built) {
          const changed = {
            xml_header: built.xmlHeader,
            item_refs: JSON.stringify(built.itemRefs),
            xml_content: built.xmlContent,
            updated_at: built.updatedAt,
          };
          await trx
            .insertInto('cached_feeds')
            .values({ id: lease.feedId, created_at: built.updatedAt, ...changed })
            .onConflict((conflict) => conflict.column('id').doUpdateSet(changed))
            .execute();
        }
        const again = sql<number | null>`(SELECT CASE WHEN polling = 1 THEN ${dbNow(db)} + ${intervalMs} END
          FROM deframer_feeds WHERE id = ${lease.feedId})`;
        await trx
          .updateTable('feed_schedules')
          .set({
            next_run_at: error === undefined ? again : null,
            scheduled_at: dbNow(db),
            last_error: error ?? null,
            ...(error !== undefined ? { last_note: null } : note !== undefined && { last_note: note }),
            last_run_at: now(),
            locked_until: null,
            locked_by: '',
            etag: validators?.etag ?? '',
            last_modified: validators?.lastModified ?? '',
            validators_url: validators?.url ?? '',
          })
          .where('id', '=', lease.feedId)
          .execute();
      });
    },
  };
}

/** Locks of versions that did not write a holder are left to expire. */
function isHolderAbsent(db: Database): RawBuilder<boolean> {
  return sql<boolean>`feed_schedules.locked_until IS NOT NULL AND feed_schedules.locked_by <> '' AND NOT EXISTS (
    SELECT 1 FROM leases WHERE leases.name LIKE ${`${presencePrefix}%`}
      AND leases.holder = feed_schedules.locked_by AND leases.expires > ${dbNow(db)})`;
}

function validatorsOf(row: TakenRow): FeedValidators | undefined {
  if (row.etag === '' && row.last_modified === '') return undefined;
  return {
    url: row.validators_url,
    etag: row.etag || undefined,
    lastModified: row.last_modified || undefined,
  };
}
