// What Fever answers, list by list. Flags are 0 or 1, times are seconds, and lists of ids are texts with commas.
import type { Entry } from '../../../model/entry.ts';
import type { Feed } from '../../../model/feed.ts';
import type { StreamFilter, StreamScope } from '../../../store/owned/entry-stream.ts';
import type { FeedIcon } from '../../../store/owned/feed-icons.ts';
import type { UserRows } from '../../../store/store.ts';
import { allFeeds } from '../../feed-portions.ts';
import { jsonList, mapEach, someAtOnce } from '../../json-list.ts';
import { toSeconds } from '../../schemas.ts';
import { inPortions } from '../entry-portions.ts';
import { iconData } from '../icon-data.ts';
import { type ItemsWanted, itemsAtOnce, type Selector } from './fever-request.ts';

export const apiVersion = 3;

const idsAtOnce = 10_000;
const feedsAtOnce = 500;
const iconsAtOnce = 20;

export async function* feverAnswer(
  rows: UserRows,
  { wanted, items }: { readonly wanted: ReadonlySet<Selector>; readonly items: ItemsWanted },
): AsyncGenerator<string> {
  const refreshedAt = toSeconds(await rows.pulls.lastCheckedAt());
  yield `{"api_version":${apiVersion},"auth":1,"last_refreshed_on_time":${refreshedAt}`;
  if (wanted.has('groups')) {
    const groups = someAtOnce(await rows.groups.list(), feedsAtOnce);
    yield ',"groups":';
    yield* jsonList(mapEach(groups, ({ id, name }) => ({ id, title: name })));
  }
  if (wanted.has('groups') || wanted.has('feeds')) yield* feedsOf(rows, wanted);
  if (wanted.has('favicons')) {
    yield ',"favicons":';
    yield* jsonList(mapEach(iconsOf(rows), toFavicon));
  }
  if (wanted.has('items')) {
    yield `,"total_items":${await rows.entries.count({})},"items":`;
    yield* jsonList(mapEach(inPortions(rows, await findItems(rows, items)), toItem));
  }
  if (wanted.has('links')) yield ',"links":[]';
  if (wanted.has('unread_item_ids')) yield* idsOf(rows, 'unread_item_ids', { unread: true });
  if (wanted.has('saved_item_ids')) yield* idsOf(rows, 'saved_item_ids', { starred: true });
  yield '}';
}

async function* feedsOf(rows: UserRows, wanted: ReadonlySet<Selector>): AsyncGenerator<string> {
  const feeds = await allFeeds(rows);
  if (wanted.has('feeds')) {
    const icons = await rows.icons.idsByFeed();
    yield ',"feeds":';
    yield* jsonList(mapEach(someAtOnce(feeds, feedsAtOnce), (feed) => toFeed(feed, icons)));
  }
  const groups = [...Map.groupBy(feeds, ({ groupId }) => groupId)].map(([group_id, those]) => ({
    group_id,
    feed_ids: those.map(({ id }) => id).join(','),
  }));
  yield `,"feeds_groups":${JSON.stringify(groups)}`;
}

async function* iconsOf({ icons }: UserRows): AsyncGenerator<readonly FeedIcon[]> {
  const ids = [...new Set((await icons.idsByFeed()).values())];
  for await (const some of someAtOnce(ids, iconsAtOnce)) yield icons.getMany(some);
}

/** At most a page of them, in the order in which they came. */
async function findItems(
  { stream }: UserRows,
  { withIds, maxId, sinceId, feedIds, groupIds }: ItemsWanted,
): Promise<readonly number[]> {
  if (withIds !== undefined) return withIds;
  const scopes: StreamScope[] = [
    ...feedIds.map((feedId) => ({ feedId })),
    ...groupIds.map((groupId) => ({ groupId })),
  ];
  // 0 is where an app begins that has nothing yet: at the newest.
  const after = maxId === undefined ? sinceId : maxId > 0 ? maxId : undefined;
  const page = { after, oldestFirst: maxId === undefined, limit: itemsAtOnce };
  const found = new Set<number>();
  for (const scope of scopes.length > 0 ? scopes : [{}])
    for (const id of await stream.ids({ ...scope, ...page })) found.add(id);
  return [...found].sort((a, b) => (page.oldestFirst ? a - b : b - a)).slice(0, itemsAtOnce);
}

/** `"1,2,3"`, however many there are. */
async function* idsOf(
  { stream }: UserRows,
  name: Selector,
  filter: Pick<StreamFilter, 'unread' | 'starred'>,
): AsyncGenerator<string> {
  yield `,"${name}":"`;
  for (let after = 0; ; ) {
    const { ids, count } = await stream.idText({ ...filter, after, oldestFirst: true, limit: idsAtOnce });
    yield after > 0 && count > 0 ? `,${ids}` : ids;
    if (count < idsAtOnce) break;
    after = Number(ids.slice(ids.lastIndexOf(',') + 1));
  }
  yield '"';
}

function toFeed(feed: Feed, icons: ReadonlyMap<number, number>) {
  return {
    id: feed.id,
    favicon_id: icons.get(feed.id) ?? 0,
    title: feed.name,
    url: feed.link,
    site_url: feed.siteUrl,
    is_spark: 0,
    last_updated_on_time: toSeconds(feed.fetchState.lastSuccessAt),
  };
}

function toFavicon(icon: FeedIcon) {
  return { id: icon.id, data: iconData(icon) };
}

function toItem(entry: Entry) {
  return {
    id: entry.id,
    feed_id: entry.feedId,
    title: entry.title,
    author: entry.author,
    html: entry.content,
    url: entry.link,
    is_saved: entry.bookmarkId === null ? 0 : 1,
    is_read: entry.unread ? 0 : 1,
    created_on_time: toSeconds(entry.pubDate),
  };
}
