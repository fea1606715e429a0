// A change of many entries at once, such as "mark all read" or another group for a feed, is a few durable rows, written in
// one transaction. The unread rows follow in portions, so that nobody waits for long. Until they have,
// `feed_counts.stale` says so, and whoever comes after a crash can go on: a portion only brings rows into line with
// what is durable, however often and by however many at once.
import { type RawBuilder, sql } from 'kysely';
import type { Database, Reader, Writer } from '../database.ts';
import { idList } from '../id-list.ts';
import { letOthersIn } from '../let-others-in.ts';
import { addToUnread, takeTurn, type UnreadRange, unreadBy } from './unread.ts';

/** Rows that one transaction looks at. Those of a feed or a group lie far apart, which makes each of them dearer. */
export const unreadAtOnce = { ofUser: 3_000, ofFeedOrGroup: 500 };

interface Place {
  readonly pub_date: number;
  readonly entry_id: number;
}

/** `stale` is as our change left it: when it is another at the end, somebody has changed more since. */
interface StaleFeed {
  readonly feed_id: number;
  readonly user_id: number;
  readonly stale: number;
}

/** Rows that do not follow yet. */
export interface Unsettled {
  readonly range: UnreadRange;
  readonly feeds: readonly StaleFeed[];
  readonly before: Place;
}

const newest: Place = { pub_date: Number.MAX_SAFE_INTEGER, entry_id: 0 };
const oldest: Place = { pub_date: Number.MIN_SAFE_INTEGER, entry_id: 0 };

/** In the transaction of a durable change, which has taken its turn: few rows follow at once, of many the newest. The rest is for `settleUnread`. */
export async function settleFirst(
  db: Database,
  trx: Writer,
  range: UnreadRange,
  feedIds: readonly number[],
): Promise<Unsettled[]> {
  const { rows: feeds } = await sql<StaleFeed>`
    UPDATE feed_counts SET stale = stale + 1 WHERE user_id + 0 = ${range.userId} AND feed_id IN ${idList(db, feedIds)}
    RETURNING feed_id, user_id, stale`.execute(trx);
  // Rows of a feed that was behind already may stand outside the range, where its group was before.
  const elsewhere = range.feedId === undefined ? feeds.filter(({ stale }) => stale > 1) : [];
  const within = feeds.filter((feed) => !elsewhere.includes(feed));
  const rest = await settlePortion(db, trx, { range, feeds: within, before: newest });
  return [...(rest ? [rest] : []), ...elsewhere.map(unsettledFeed)];
}

export async function settleUnread(db: Database, unsettled: readonly Unsettled[]): Promise<void> {
  for (const each of unsettled) {
    for (let rest: Unsettled | undefined = each; rest; ) {
      const portion: Unsettled = rest;
      await letOthersIn();
      rest = await db.write(async (trx) => {
        await takeTurn(db, trx, portion.range.userId);
        return settlePortion(db, trx, portion);
      });
    }
  }
}

/** What was left behind when a process ended; or what another is at, which does no harm. */
export async function findUnsettled(reader: Reader): Promise<Unsettled[]> {
  const { rows } = await sql<StaleFeed>`
    SELECT feed_id, user_id, stale FROM feed_counts WHERE stale > 0 ORDER BY feed_id`.execute(reader);
  return rows.map(unsettledFeed);
}

function unsettledFeed(feed: StaleFeed): Unsettled {
  return { range: { userId: feed.user_id, feedId: feed.feed_id }, feeds: [feed], before: newest };
}

/** Returns what comes after it, if anything does. */
async function settlePortion(
  db: Database,
  trx: Writer,
  unsettled: Unsettled,
): Promise<Unsettled | undefined> {
  const { range, feeds, before } = unsettled;
  const source = unreadBy(db, range);
  const isAll = range.feedId === undefined && range.groupId === undefined;
  const atOnce = isAll ? unreadAtOnce.ofUser : unreadAtOnce.ofFeedOrGroup;
  const { rows: ends } = await sql<Place>`
    SELECT pub_date, entry_id FROM ${source} WHERE ${within(range)} AND ${isBefore(before)}
    ORDER BY pub_date DESC, entry_id DESC LIMIT 1 OFFSET ${atOnce - 1}`.execute(trx);
  const [end] = ends;
  const portion = sql`${within(range)} AND ${isBefore(before)} AND ${isFrom(end ?? oldest)}`;
  const { rows: read } = await sql<{ feed_id: number }>`
    DELETE FROM ${source} WHERE ${portion}
      AND entry_id <= (SELECT f.read_through_id FROM feeds f WHERE f.id = unread_entries.feed_id)
      AND NOT EXISTS (SELECT 1 FROM entry_marks m
        WHERE m.user_id = ${range.userId} AND m.entry_id = unread_entries.entry_id AND m.is_read = 0)
    RETURNING feed_id`.execute(trx);
  await addToUnread(db, trx, read, -1);
  const groupOfFeed = sql`(SELECT f.group_id FROM feeds f WHERE f.id = unread_entries.feed_id)`;
  await sql`UPDATE ${source} SET group_id = ${groupOfFeed}
    WHERE ${portion} AND group_id <> ${groupOfFeed}`.execute(trx);
  if (end) return { ...unsettled, before: end };
  await forgetStale(db, trx, feeds);
  return undefined;
}

async function forgetStale(db: Database, trx: Writer, feeds: readonly StaleFeed[]): Promise<void> {
  const byNumber = Map.groupBy(feeds, ({ stale }) => stale);
  for (const [stale, same] of byNumber) {
    const ids = same.map(({ feed_id }) => feed_id);
    await sql`UPDATE feed_counts SET stale = 0 WHERE stale = ${stale} AND feed_id IN ${idList(db, ids)}`.execute(
      trx,
    );
  }
}

function within({ userId, feedId, groupId }: UnreadRange): RawBuilder<boolean> {
  if (feedId !== undefined) return sql`user_id = ${userId} AND feed_id = ${feedId}`;
  if (groupId !== undefined) return sql`user_id = ${userId} AND group_id = ${groupId}`;
  return sql`user_id = ${userId}`;
}

function isBefore({ pub_date, entry_id }: Place): RawBuilder<boolean> {
  return sql`(pub_date, entry_id) < (${pub_date}, ${entry_id})`;
}

function isFrom({ pub_date, entry_id }: Place): RawBuilder<boolean> {
  return sql`(pub_date, entry_id) >= (${pub_date}, ${entry_id})`;
}
