import { type RawBuilder, sql } from 'kysely';
import { Conflict, NotFound } from '../../errors.ts';
import type { Feed, FeedChange, NewFeed } from '../../model/feed.ts';
import type { Clock } from '../../model/glossary.ts';
import { DEFAULT_GROUP_ID } from '../../model/group.ts';
import { type SiteIcon, siteOriginOf } from '../../model/site-icon.ts';
import { isUniqueViolation } from '../constraint.ts';
import type { Reader, Writer } from '../database.ts';
import { idList, textList } from '../id-list.ts';
import { deleteFeed } from '../reader/delete-feed.ts';
import { enqueueNewest } from '../reader/full-text-jobs.ts';
import { settleFirst, settleUnread } from '../reader/settle-unread.ts';
import { copySubscription } from '../reader/subscribe.ts';
import { takeTurn } from '../reader/unread.ts';
import { notePending, notePendingOf } from '../search/pending.ts';
import { type CreatedFeeds, createFeeds, insertFeeds } from './create-feeds.ts';
import { findGroupId } from './group-store.ts';
import { type Owned, rowsOf } from './owned-rows.ts';

export type FeedName = Pick<Feed, 'id' | 'name' | 'link' | 'siteUrl'>;

const namesAtOnce = 1_000;

export type FeedStore = ReturnType<typeof feedStore>;

export function feedStore(owned: Owned, now: Clock) {
  const { db, userId } = owned;

  return {
    async list(): Promise<Feed[]> {
      return (await selectFeeds(userId, sql``).execute(db.read)).rows.map(toFeed);
    },

    /** Of all of them, for who takes them in portions. */
    async ids(): Promise<number[]> {
      const { rows } = await sql<{ id: number }>`
        SELECT id FROM feeds WHERE user_id = ${userId} AND deleted_at IS NULL ORDER BY id`.execute(
        db.heavyRead,
      );
      return rows.map(({ id }) => id);
    },

    get: (id: number): Promise<Feed> => getFeed(db.read, userId, id),

    /** What another reader needs to follow the same feeds. */
    async listSubscriptions(): Promise<Pick<Feed, 'name' | 'link' | 'siteUrl' | 'groupId'>[]> {
      const { rows } = await sql<{ name: string; link: string; siteUrl: string; groupId: number }>`
        SELECT f.name, f.link, f.site_url AS "siteUrl",
          CASE WHEN g.is_default = 1 THEN ${sql.lit(DEFAULT_GROUP_ID)} ELSE f.group_id END AS "groupId"
        FROM feeds f JOIN groups g ON g.id = f.group_id
        WHERE f.user_id = ${userId} AND f.deleted_at IS NULL ORDER BY f.id`.execute(db.heavyRead);
      return rows;
    },

    /** The first `limit` feeds, by id, whose name or addresses contain the text in any case. */
    async findByText(text: string, limit = Number.POSITIVE_INFINITY): Promise<FeedName[]> {
      const words = text.toLowerCase();
      const found: FeedName[] = [];
      for (let after = 0; found.length < limit; ) {
        const { rows } = await sql<FeedName>`
          SELECT id, name, link, site_url AS "siteUrl" FROM feeds
          WHERE user_id = ${userId} AND deleted_at IS NULL AND id > ${after} ORDER BY id LIMIT ${namesAtOnce}`.execute(
          db.heavyRead,
        );
        for (const feed of rows) if (namesOf(feed).toLowerCase().includes(words)) found.push(feed);
        if (rows.length < namesAtOnce) break;
        after = rows.at(-1)?.id ?? after;
      }
      return found.slice(0, limit);
    },

    /** Those that are there. */
    async getMany(ids: readonly number[]): Promise<Feed[]> {
      if (ids.length === 0) return [];
      return (await selectFeeds(userId, sql`AND f.id IN ${idList(db, ids)}`).execute(db.read)).rows.map(
        toFeed,
      );
    },

    /** Those whose last pull failed, and those that are gone; the ones that fail longest first. */
    async listFailing(limit: number): Promise<Feed[]> {
      const { rows } = await selectFeeds(
        userId,
        sql`AND s.consecutive_failures > 0 AND (f.suspended = 0 OR f.gone_at IS NOT NULL)`,
      ).execute(db.heavyRead);
      const failing = rows.map(toFeed);
      return failing
        .sort((a, b) => b.fetchState.consecutiveFailures - a.fetchState.consecutiveFailures || a.id - b.id)
        .slice(0, limit);
    },

    /** The icon of the feed's site. */
    async getIcon(id: number): Promise<SiteIcon> {
      const feed = await getFeed(db.read, userId, id);
      const { rows } = await sql<SiteIcon>`
        SELECT i.type, i.etag, i.bytes FROM feed_fetch_state s JOIN site_icons i ON i.origin = s.site_origin
        WHERE s.feed_id = ${feed.id} AND i.type <> ''`.execute(db.read);
      if (!rows[0]) throw new NotFound('icon');
      return rows[0];
    },

    /** The ids of the feeds with these links, by link. */
    async findByLinks(links: readonly string[]): Promise<ReadonlyMap<string, number>> {
      const { rows } = await sql<{ id: number; link: string }>`
        SELECT id, link FROM feeds WHERE user_id = ${userId} AND link IN ${textList(db, links)}`.execute(
        db.read,
      );
      return new Map(rows.map(({ id, link }) => [link, id]));
    },

    /** A feed that others have fetched already starts with what they have. */
    async create(feed: NewFeed): Promise<Feed> {
      return db
        .write(async (trx) => {
          const groupId = await findGroupId(rowsOf(trx, userId), feed.groupId, { lockOn: db.engine });
          const ids = await insertFeeds(rowsOf(trx, userId), [{ ...feed, groupId }], now());
          const id = ids.get(feed.link);
          if (id === undefined) throw linkTaken(feed.link);
          await copySubscription(db, trx, { feedId: id, userId, groupId, now: now() });
          await notePending(trx, 'feed', [id]);
          return getFeed(trx, userId, id);
        })
        .catch((error) => {
          throw isUniqueViolation(error) ? linkTaken(feed.link) : error;
        });
    },

    createMany: (feeds: readonly NewFeed[]): Promise<CreatedFeeds> => createFeeds(owned, feeds, now),

    async update(id: number, change: FeedChange): Promise<Feed> {
      const { feed, unsettled } = await db
        .write(async (trx) => {
          const rows = rowsOf(trx, userId);
          if (change.groupId !== undefined) await takeTurn(db, trx, userId);
          const before = await getFeed(trx, userId, id);
          const groupId =
            change.groupId === undefined
              ? undefined
              : await findGroupId(rows, change.groupId, { lockOn: db.engine });
          const isElsewhere =
            (change.link !== undefined && change.link !== before.link) ||
            (change.proxy !== undefined && change.proxy !== before.proxy);
          await rows
            .update('feeds')
            .set({
              ...defined({
                group_id: groupId,
                name: change.name,
                link: change.link,
                site_url: change.siteUrl,
                proxy: change.proxy,
                keep_entries: change.keepEntries,
                suspended: flag(change.suspended),
                full_text: flag(change.fullText),
              }),
              // Whoever takes a feed up again, or says where it is now, does not believe that it is gone.
              ...(change.suspended === false || isElsewhere ? { gone_at: null } : {}),
              // Where a person says that it is, it has not moved to.
              ...(change.link !== undefined && change.link !== before.link
                ? { moved_from: '', moved_at: null }
                : {}),
              updated_at: now(),
            })
            .where('id', '=', id)
            .execute();
          if (change.name !== undefined || change.siteUrl !== undefined || isElsewhere)
            await notePending(trx, 'feed', [id]);
          if (change.fullText !== undefined && change.fullText !== before.fullText)
            await showFullTexts(db, trx, { ...before, ...defined({ proxy: change.proxy }) }, change.fullText);
          // What was learnt of one address says nothing about another.
          if (isElsewhere) await sql`DELETE FROM feed_fetch_state WHERE feed_id = ${id}`.execute(trx);
          else if (change.siteUrl !== undefined && change.siteUrl !== before.siteUrl) {
            const origin = siteOriginOf({ ...before, siteUrl: change.siteUrl });
            await sql`UPDATE feed_fetch_state SET site_origin = ${origin}
              WHERE feed_id = ${id} AND last_success_at > 0`.execute(trx);
          }
          const unsettled =
            groupId === undefined ? [] : await settleFirst(db, trx, { userId, feedId: id }, [id]);
          return { feed: await getFeed(trx, userId, id), unsettled };
        })
        .catch((error) => {
          throw isUniqueViolation(error) ? linkTaken(change.link ?? '') : error;
        });
      await settleUnread(db, unsettled);
      return feed;
    },

    /** Bookmarks stay, without their source; entries, marks and tombstones go with the feed. */
    async delete(id: number): Promise<void> {
      await db.write(async (trx) => {
        await takeTurn(db, trx, userId);
        // Whoever brings it entries is waited for, and finds it gone after.
        await getFeed(trx, userId, id, db.engine === 'postgres' ? sql`FOR UPDATE OF f` : sql``);
        await deleteFeed(db, trx, { id, user_id: userId }, now());
      });
    },
  };
}

/** Other texts are shown from now on: those that are there, and when it is switched on, those of the newest entries. */
async function showFullTexts(
  db: Owned['db'],
  trx: Writer,
  feed: Pick<Feed, 'id' | 'proxy'>,
  isOn: boolean,
): Promise<void> {
  await notePendingOf(
    trx,
    'entry',
    sql`SELECT t.entry_id FROM entries e JOIN entry_texts t ON t.entry_id = e.id AND t.user_id = e.user_id
      WHERE e.feed_id = ${feed.id} ORDER BY t.entry_id`,
  );
  if (isOn) await enqueueNewest(db, trx, feed);
}

type FeedRow = Awaited<ReturnType<ReturnType<typeof selectFeeds>['execute']>>['rows'][number];

function selectFeeds(userId: number, where: RawBuilder<unknown>, lock: RawBuilder<unknown> = sql``) {
  return sql<{
    id: number;
    group_id: number;
    name: string;
    link: string;
    site_url: string;
    suspended: number;
    proxy: string;
    gone_at: number | null;
    moved_from: string;
    moved_at: number | null;
    keep_entries: number | null;
    full_text: number;
    created_at: number;
    updated_at: number;
    etag: string;
    last_modified: string;
    cache_control: string;
    expires_at: number;
    last_checked_at: number;
    next_check_at: number;
    last_http_status: number;
    retry_after_until: number;
    last_success_at: number;
    last_error_at: number;
    last_error: string;
    consecutive_failures: number;
    moved_to: string;
    icon_type: string;
    unread: number;
    entries: number;
  }>`
    SELECT f.id, CASE WHEN g.is_default = 1 THEN ${sql.lit(DEFAULT_GROUP_ID)} ELSE f.group_id END AS group_id,
      f.name, f.link, f.site_url, f.suspended, f.proxy, f.gone_at, f.moved_from, f.moved_at, f.keep_entries, f.full_text, f.created_at, f.updated_at,
      coalesce(s.etag, '') AS etag, coalesce(s.last_modified, '') AS last_modified,
      coalesce(s.cache_control, '') AS cache_control, coalesce(s.expires_at, 0) AS expires_at,
      coalesce(s.last_checked_at, 0) AS last_checked_at, coalesce(s.next_check_at, 0) AS next_check_at,
      coalesce(s.last_http_status, 0) AS last_http_status, coalesce(s.retry_after_until, 0) AS retry_after_until,
      coalesce(s.last_success_at, 0) AS last_success_at, coalesce(s.last_error_at, 0) AS last_error_at,
      coalesce(s.last_error, '') AS last_error, coalesce(s.consecutive_failures, 0) AS consecutive_failures,
      coalesce(s.moved_to, '') AS moved_to, coalesce(i.type, '') AS icon_type,
      coalesce(c.unread, 0) AS unread, coalesce(c.entries, 0) AS entries
    FROM feeds f JOIN groups g ON g.id = f.group_id
    LEFT JOIN feed_fetch_state s ON s.feed_id = f.id
    LEFT JOIN feed_counts c ON c.feed_id = f.id
    LEFT JOIN site_icons i ON i.origin = s.site_origin
    WHERE f.user_id = ${userId} AND f.deleted_at IS NULL ${where} ORDER BY f.id ${lock}`;
}

async function getFeed(
  reader: Reader | Writer,
  userId: number,
  id: number,
  lock: RawBuilder<unknown> = sql``,
): Promise<Feed> {
  const { rows } = await selectFeeds(userId, sql`AND f.id = ${id}`, lock).execute(reader);
  if (!rows[0]) throw new NotFound('feed');
  return toFeed(rows[0]);
}

function toFeed(row: FeedRow): Feed {
  return {
    id: row.id,
    groupId: row.group_id,
    name: row.name,
    link: row.link,
    siteUrl: row.site_url,
    suspended: row.suspended === 1,
    proxy: row.proxy,
    goneAt: row.gone_at,
    movedFrom: row.moved_from,
    movedAt: row.moved_at,
    keepEntries: row.keep_entries,
    fullText: row.full_text === 1,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    fetchState: {
      etag: row.etag,
      lastModified: row.last_modified,
      cacheControl: row.cache_control,
      expiresAt: row.expires_at,
      lastCheckedAt: row.last_checked_at,
      nextCheckAt: row.next_check_at,
      lastHttpStatus: row.last_http_status,
      retryAfterUntil: row.retry_after_until,
      lastSuccessAt: row.last_success_at,
      lastErrorAt: row.last_error_at,
      lastError: row.last_error,
      consecutiveFailures: row.consecutive_failures,
      movedTo: row.moved_to,
    },
    hasIcon: row.icon_type !== '',
    unread: row.unread,
    entries: row.entries,
  };
}

function namesOf({ name, link, siteUrl }: FeedName): string {
  return `${name}\n${link}\n${siteUrl}`;
}

function linkTaken(link: string): Conflict {
  return new Conflict(`link: you follow ${link} already`);
}

function flag(value: boolean | undefined): 0 | 1 | undefined {
  return value === undefined ? undefined : value ? 1 : 0;
}

/** Only what is given is changed. */
function defined<T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as never;
}
