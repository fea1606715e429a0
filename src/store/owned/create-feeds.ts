// New subscriptions, one or many. Many are made in small transactions: nobody waits for long. Feeds that nobody has fetched yet
// are rows of one statement; one that others have starts with their entries, and is made by itself.
import type { NewFeed } from '../../model/feed.ts';
import type { Clock } from '../../model/glossary.ts';
import type { Writer } from '../database.ts';
import { letOthersIn } from '../let-others-in.ts';
import { copySubscription, findCopyable } from '../reader/subscribe.ts';
import { notePending } from '../search/pending.ts';
import { findGroupId, noneIfMissing } from './group-store.ts';
import { type Owned, type OwnedRows, rowsOf } from './owned-rows.ts';

export interface CreatedFeeds {
  readonly created: number;
  /** The links that the user followed already. */
  readonly existing: readonly string[];
  /** The links whose group is not there. */
  readonly missingGroup: readonly string[];
}

/** What one transaction makes: so many feeds, or so many entries that others have already. */
const feedsAtOnce = 50;
const copiedAtOnce = 200;

/** As many as can be. */
export async function createFeeds(
  owned: Owned,
  feeds: readonly NewFeed[],
  now: Clock,
): Promise<CreatedFeeds> {
  const portions: CreatedFeeds[] = [];
  for (let at = 0; at < feeds.length; ) {
    await letOthersIn();
    const portion = feeds.slice(at, at + feedsAtOnce);
    const done = await owned.db.write((trx) => createPortion(owned, trx, portion, now()));
    at += done.created + done.existing.length + done.missingGroup.length;
    portions.push(done);
  }
  return {
    created: portions.reduce((sum, { created }) => sum + created, 0),
    existing: portions.flatMap(({ existing }) => existing),
    missingGroup: portions.flatMap(({ missingGroup }) => missingGroup),
  };
}

/** From the first on, until there are enough copied entries for one transaction. */
async function createPortion(
  { db, userId }: Owned,
  trx: Writer,
  feeds: readonly NewFeed[],
  at: number,
): Promise<CreatedFeeds> {
  const rows = rowsOf(trx, userId);
  const links = feeds.map(({ link }) => link);
  const copyable = await findCopyable(db, trx, links);
  const groups = new Map<number, number | null>();
  const added: number[] = [];
  const existing: string[] = [];
  const missingGroup: string[] = [];
  let waiting: NewFeed[] = [];
  let copied = 0;

  /** In the order in which they were given, which is the order that they are listed in. */
  const insertWaiting = async (): Promise<ReadonlyMap<string, number>> => {
    const ids = await insertFeeds(rows, waiting, at);
    const unnamed = new Map(ids);
    for (const { link } of waiting) {
      const id = unnamed.get(link);
      if (id === undefined) existing.push(link);
      else added.push(id);
      unnamed.delete(link);
    }
    waiting = [];
    return ids;
  };

  for (const feed of feeds) {
    if (copied >= copiedAtOnce) break;
    const known = groups.get(feed.groupId);
    const groupId =
      known ?? (await findGroupId(rows, feed.groupId, { lockOn: db.engine }).catch(noneIfMissing));
    groups.set(feed.groupId, groupId);
    if (groupId === null) {
      missingGroup.push(feed.link);
      continue;
    }
    waiting.push({ ...feed, groupId });
    if (!copyable.has(feed.link)) continue;
    const feedId = (await insertWaiting()).get(feed.link);
    if (feedId !== undefined) copied += await copySubscription(db, trx, { feedId, userId, groupId, now: at });
  }
  await insertWaiting();
  await notePending(trx, 'feed', added);
  return { created: added.length, existing, missingGroup };
}

/** Ids by link, of those that the user did not follow already. The groups are as they are in the index. */
export async function insertFeeds(
  rows: OwnedRows,
  feeds: readonly NewFeed[],
  at: number,
): Promise<ReadonlyMap<string, number>> {
  if (feeds.length === 0) return new Map();
  const inserted = await rows
    .insertMany(
      'feeds',
      feeds.map(({ groupId, name, link, siteUrl, proxy }) => ({
        group_id: groupId,
        name,
        link,
        site_url: siteUrl,
        proxy,
        gone_at: null,
        moved_at: null,
        keep_entries: null,
        deleted_at: null,
        created_at: at,
        updated_at: at,
      })),
    )
    .onConflict((conflict) => conflict.columns(['user_id', 'link']).doNothing())
    .returning(['id', 'link'])
    .execute();
  return new Map(inserted.map(({ id, link }) => [link, id]));
}
