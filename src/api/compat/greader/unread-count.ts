// How much is unread, of each feed, of each label, and in all.
import type { UserRows } from '../../../store/store.ts';
import { allFeeds } from '../../feed-portions.ts';
import { feedStream, labelStream, readingList } from './stream-id.ts';

/** Where Google stopped counting, and apps write "1000+". Ours are counted on. */
const max = 1_000;

export async function countUnread(rows: Pick<UserRows, 'feeds' | 'groups' | 'stream'>) {
  const newest = await rows.stream.newestUnread();
  const labels = await rows.groups.list();
  const ofFeeds = (await allFeeds(rows)).map(({ id, groupId, unread }) => ({
    groupId,
    id: feedStream(id),
    count: unread,
    newestAt: newest.get(id) ?? 0,
  }));
  const sumOf = (id: string, some: typeof ofFeeds) => ({
    id,
    count: some.reduce((sum, { count }) => sum + count, 0),
    newestAt: some.reduce((at, { newestAt }) => Math.max(at, newestAt), 0),
  });
  const byGroup = Map.groupBy(ofFeeds, ({ groupId }) => groupId);
  const all = [
    ...ofFeeds,
    ...labels.map(({ id, name }) => sumOf(labelStream(name), byGroup.get(id) ?? [])),
    sumOf(readingList, ofFeeds),
  ];
  const unreadcounts = all.map(({ id, count, newestAt }) => ({
    id,
    count,
    newestItemTimestampUsec: newestAt === 0 ? '0' : `${newestAt}000`,
  }));
  return { max, unreadcounts };
}
