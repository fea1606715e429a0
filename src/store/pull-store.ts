// What pulling feeds reads and writes. A pull is for an address, not for a feed: all feeds with that link and proxy are
// answered by one request, whoever's they are.
import { type RawBuilder, sql } from 'kysely';
import { clockToleranceMs } from '../model/clock-jump.ts';
import type { PublishedEntry } from '../model/entry.ts';
import type { Clock, Millis } from '../model/glossary.ts';
import type { JobFence } from '../model/job.ts';
import type { Database, Writer } from './database.ts';
import { dbNow } from './db-now.ts';
import { enqueue, hurry } from './job-queue/enqueue.ts';
import { finishJob, requireJob, requirePayload } from './job-queue/fence.ts';
import type { JobKind } from './job-queue/job-kind.ts';
import { dead } from './job-queue/job-row.ts';
import { letOthersIn } from './let-others-in.ts';
import { pruneEntries } from './reader/prune-entries.ts';
import { putEntries } from './reader/put-entries.ts';
import { notePending } from './search/pending.ts';

export type PullStore = ReturnType<typeof pullStore>;

export interface PullTarget {
  readonly link: string;
  readonly proxy: string;
}

/** A feed that a pull is for, with what was learnt at its last pull. */
export interface PullFeed {
  readonly id: number;
  readonly userId: number;
  readonly groupId: number;
  readonly name: string;
  readonly siteUrl: string;
  readonly siteOrigin: string;
  readonly description: string;
  readonly suspended: boolean;
  readonly keepEntries: number | null;
  readonly proxy: string;
  readonly fullText: boolean;
  readonly etag: string;
  readonly lastModified: string;
  readonly validatorsUrl: string;
  readonly bodyHash: string;
  readonly nextCheckAt: Millis;
  readonly retryAfterUntil: Millis;
  /** When the two were written. */
  readonly scheduledAt: Millis;
  readonly consecutiveFailures: number;
  readonly cacheControl: string;
  readonly expiresAt: Millis;
  readonly movedTo: string;
  readonly movedSeen: number;
}

/** Columns of feed_fetch_state to be set. */
export type FetchStateChange = Partial<{
  etag: string;
  last_modified: string;
  validators_url: string;
  cache_control: string;
  expires_at: Millis;
  last_checked_at: Millis;
  next_check_at: Millis;
  last_http_status: number;
  retry_after_until: Millis;
  last_success_at: Millis;
  last_error_at: Millis;
  last_error: string;
  consecutive_failures: number;
  body_hash: string;
  moved_to: string;
  moved_seen: number;
  site_origin: string;
}>;

/** How a pull ended for one feed. */
export interface PullEnd {
  readonly state: FetchStateChange;
  readonly feed?: FeedFinding;
  /** The entries of a new document: those that are written already, and those that are to be written with the state. */
  readonly document?:
    | { readonly ids: readonly number[]; readonly rest: readonly PublishedEntry[] }
    | undefined;
}

/** What changes of the feed itself. */
export interface FeedFinding {
  readonly name?: string;
  readonly siteUrl?: string;
  readonly description?: string;
  readonly link?: string;
  readonly gone?: boolean;
}

const entriesAtOnce = 100;
const pullsAtOnce = 100;

/** As `enqueue` below writes it. A proxy has no space in it. */
const pullKey = (link: RawBuilder<unknown>, proxy: RawBuilder<unknown>) =>
  sql`'pull ' || ${proxy} || ' ' || ${link}`;

/** A pull that was put off before it began writes a schedule without being a check. */
const scheduledAt = sql`CASE WHEN s.last_checked_at > s.updated_at THEN s.last_checked_at ELSE s.updated_at END`;

/** Few users are disabled, if any: the list is read once for a statement. */
const isUserEnabled = sql`f.user_id NOT IN (SELECT id FROM users WHERE disabled_at IS NOT NULL)`;

export function pullStore(db: Database, now: Clock) {
  return {
    /**
     * Addresses with a feed that is due and not in the queue yet, the most overdue first; and how many there are. A pull
     * that died of a fault of ours wrote nothing down, and would be due again at once: its address is left alone for
     * `restMs`.
     */
    async findDue(
      limit: number,
      { restMs }: { restMs: number },
    ): Promise<{ targets: PullTarget[]; total: number }> {
      const at = now();
      const isScheduleVoid = sql`coalesce(${scheduledAt}, 0) > ${at + clockToleranceMs}`;
      const died = sql`SELECT unique_key FROM jobs
        WHERE state = ${sql.lit(dead)} AND state >= 2 AND finished_at > ${dbNow(db)} - ${sql.lit(restMs)}
          AND finished_at <= ${dbNow(db)} + ${sql.lit(clockToleranceMs)} AND unique_key IS NOT NULL`;
      const due = sql`
        SELECT f.link, f.proxy, min(coalesce(s.next_check_at, 0)) AS since
        FROM feeds f LEFT JOIN feed_fetch_state s ON s.feed_id = f.id
        WHERE f.suspended = 0 AND ${isUserEnabled} AND (${isScheduleVoid}
            OR coalesce(s.next_check_at, 0) <= ${at} AND coalesce(s.retry_after_until, 0) <= ${at})
          AND NOT EXISTS (SELECT 1 FROM jobs j WHERE j.unique_key = ${pullKey(sql`f.link`, sql`f.proxy`)} AND j.state < 2)
          AND ${pullKey(sql`f.link`, sql`f.proxy`)} NOT IN (${died})
        GROUP BY f.link, f.proxy`;
      const { rows } = await sql<PullTarget & { total: number }>`
        SELECT link, proxy, count(*) OVER () AS total FROM (${due}) AS due ORDER BY since, link LIMIT ${limit}`.execute(
        db.heavyRead,
      );
      return {
        targets: rows.map(({ link, proxy }) => ({ link, proxy })),
        total: Number(rows[0]?.total ?? 0),
      };
    },

    /** Puts pulls into the queue, each address once, in small transactions. */
    async enqueue<P>(
      kind: JobKind<P>,
      pulls: readonly { readonly target: PullTarget; readonly payload: P; readonly delayMs: number }[],
    ): Promise<void> {
      for (let at = 0; at < pulls.length; at += pullsAtOnce) {
        await letOthersIn();
        await db.write(async (trx) => {
          for (const { target, payload, delayMs } of pulls.slice(at, at + pullsAtOnce))
            await enqueue(db, trx, kind, payload, {
              delayMs,
              uniqueKey: `pull ${target.proxy} ${target.link}`,
            });
        });
      }
    },

    /** Now, for somebody who waits: one that is in the queue already comes first, and does what is asked here, too. */
    async expedite<P>(
      kind: JobKind<P>,
      { link, proxy }: PullTarget,
      payload: P,
      join: (present: P) => P,
    ): Promise<void> {
      await db.write(async (trx) => {
        const options = { uniqueKey: `pull ${proxy} ${link}`, lane: 'interactive' as const };
        for (;;) {
          const { id, isNew } = await enqueue(db, trx, kind, payload, options);
          if (isNew || (await hurry(db, trx, id, kind, join))) return;
        }
      });
    },

    /** All feeds with that address but those of disabled users; suspended ones too. */
    async findFeeds({ link, proxy }: PullTarget): Promise<PullFeed[]> {
      const { rows } = await selectFeeds(
        sql`f.link = ${link} AND f.proxy = ${proxy} AND ${isUserEnabled}`,
      ).execute(db.read);
      return rows.map(toPullFeed);
    },

    /**
     * Most of the entries of a document, in transactions small enough for others to get their turn. Returns those that
     * are left for `settle`, and the ids of the others.
     */
    async putEntries(
      fence: JobFence,
      target: PullTarget,
      feed: PullFeed,
      entries: readonly PublishedEntry[],
    ): Promise<{ ids: readonly number[]; rest: readonly PublishedEntry[] }> {
      const ids: number[] = [];
      // The oldest first: ids then grow with the age of what they stand for.
      const inOrder = [...entries].sort((a, b) => a.pubDate - b.pubDate);
      let at = 0;
      for (; inOrder.length - at > entriesAtOnce; at += entriesAtOnce) {
        const some = inOrder.slice(at, at + entriesAtOnce);
        ids.push(
          ...(await db.write(async (trx) => {
            await requireJob(db, trx, fence);
            const present = await lockFeed(db, trx, feed.id, target);
            return present ? putEntries(db, trx, present, some, now()) : [];
          })),
        );
      }
      return { ids, rest: inOrder.slice(at) };
    },

    /**
     * How a pull ended, for each feed it was for. The next check depends on the failures so far, which are read in the
     * transaction that counts one more: two that fail at once are two failures. Ends the job, unless its payload has
     * come to ask for more than was done; then it returns true.
     */
    async settle<P>(
      fence: JobFence,
      target: PullTarget,
      feedIds: readonly number[],
      decide: (feed: PullFeed) => PullEnd,
      isMore: (payload: P) => boolean,
    ): Promise<boolean> {
      return db.write(async (trx) => {
        const payload = await requirePayload<P>(db, trx, fence);
        for (const id of feedIds) {
          const present = await lockFeed(db, trx, id, target);
          // Deleted, or pointed elsewhere, while we asked for it: what we found is not about it.
          if (!present) continue;
          const { state, feed = {}, document } = decide(present);
          const ids = document && [
            ...document.ids,
            ...(await putEntries(db, trx, present, document.rest, now())),
          ];
          await writeState(
            trx,
            id,
            { ...state, ...(ids && { document_entries: JSON.stringify(ids) }) },
            now(),
          );
          await writeFinding(trx, id, feed, now());
          await pruneEntries(db, trx, present);
        }
        if (isMore(payload)) return true;
        await finishJob(db, trx, fence);
        return false;
      });
    },
  };
}

/**
 * The feed as it is now, and until this transaction ends: whoever moves or deletes it waits, or we wait for them. Feeds
 * of one pull are locked in the order of their ids, as everywhere.
 */
async function lockFeed(
  db: Database,
  trx: Writer,
  id: number,
  { link, proxy }: PullTarget,
): Promise<PullFeed | undefined> {
  const lock = db.engine === 'postgres' ? sql`FOR UPDATE OF f` : sql``;
  const where = sql`f.id = ${id} AND f.link = ${link} AND f.proxy = ${proxy}`;
  const { rows } = await selectFeeds(where, lock).execute(trx);
  return rows[0] && toPullFeed(rows[0]);
}

export async function writeState(
  trx: Writer,
  feedId: number,
  state: FetchStateChange & { document_entries?: string },
  at: Millis,
): Promise<void> {
  const row = { ...state, updated_at: at };
  await trx
    .insertInto('feed_fetch_state')
    .values({ feed_id: feedId, ...row })
    .onConflict((conflict) => conflict.column('feed_id').doUpdateSet(row))
    .execute();
}

async function writeFinding(
  trx: Writer,
  feedId: number,
  { name, siteUrl, description, link, gone }: FeedFinding,
  at: Millis,
): Promise<void> {
  const changes: RawBuilder<unknown>[] = [
    ...(name === undefined ? [] : [sql`name = ${name}`]),
    ...(siteUrl === undefined ? [] : [sql`site_url = ${siteUrl}`]),
    ...(description === undefined ? [] : [sql`description = ${description}`]),
    ...(gone ? [sql`suspended = 1, gone_at = ${at}`] : []),
  ];
  if (changes.length > 0)
    await sql`UPDATE feeds SET ${sql.join(changes)}, updated_at = ${at} WHERE id = ${feedId}`.execute(trx);
  if (link !== undefined) await follow(trx, feedId, link, at);
  if ([name, siteUrl, description, link].some((found) => found !== undefined))
    await notePending(trx, 'feed', [feedId]);
}

/** A user who follows the new address already keeps both: which one to let go is not ours to say. */
async function follow(trx: Writer, feedId: number, link: string, at: Millis): Promise<void> {
  await sql`UPDATE feeds SET moved_from = link, moved_at = ${at}, link = ${link}, updated_at = ${at}
    WHERE id = ${feedId} AND NOT EXISTS (
      SELECT 1 FROM feeds o WHERE o.user_id = feeds.user_id AND o.link = ${link})`.execute(trx);
  await sql`UPDATE feed_fetch_state SET moved_to = '', moved_seen = 0
    WHERE feed_id = ${feedId} AND moved_to = (SELECT link FROM feeds WHERE id = ${feedId})`.execute(trx);
}

interface PullFeedRow {
  id: number;
  user_id: number;
  group_id: number;
  name: string;
  site_url: string;
  description: string;
  suspended: number;
  keep_entries: number | null;
  proxy: string;
  full_text: number;
  etag: string | null;
  last_modified: string | null;
  validators_url: string | null;
  body_hash: string | null;
  next_check_at: number | null;
  retry_after_until: number | null;
  scheduled_at: number | null;
  consecutive_failures: number | null;
  cache_control: string | null;
  expires_at: number | null;
  moved_to: string | null;
  moved_seen: number | null;
  site_origin: string | null;
}

function selectFeeds(where: RawBuilder<unknown>, lock: RawBuilder<unknown> = sql``) {
  return sql<PullFeedRow>`
    SELECT f.id, f.user_id, f.group_id, f.name, f.site_url, f.description, f.suspended, f.keep_entries,
      f.proxy, f.full_text, s.etag, s.last_modified, s.validators_url,
      s.body_hash, s.next_check_at, s.retry_after_until, ${scheduledAt} AS scheduled_at, s.consecutive_failures, s.cache_control, s.expires_at,
      s.moved_to, s.moved_seen, s.site_origin
    FROM feeds f LEFT JOIN feed_fetch_state s ON s.feed_id = f.id WHERE ${where} ORDER BY f.id ${lock}`;
}

function toPullFeed(row: PullFeedRow): PullFeed {
  return {
    id: row.id,
    userId: row.user_id,
    groupId: row.group_id,
    name: row.name,
    siteUrl: row.site_url,
    siteOrigin: row.site_origin ?? '',
    description: row.description,
    suspended: row.suspended === 1,
    keepEntries: row.keep_entries,
    proxy: row.proxy,
    fullText: row.full_text === 1,
    etag: row.etag ?? '',
    lastModified: row.last_modified ?? '',
    validatorsUrl: row.validators_url ?? '',
    bodyHash: row.body_hash ?? '',
    nextCheckAt: row.next_check_at ?? 0,
    retryAfterUntil: row.retry_after_until ?? 0,
    scheduledAt: row.scheduled_at ?? 0,
    consecutiveFailures: row.consecutive_failures ?? 0,
    cacheControl: row.cache_control ?? '',
    expiresAt: row.expires_at ?? 0,
    movedTo: row.moved_to ?? '',
    movedSeen: row.moved_seen ?? 0,
  };
}
