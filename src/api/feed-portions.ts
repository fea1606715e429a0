// All feeds of a user, in portions small enough that everybody else is answered in between.
import type { Feed } from '../model/feed.ts';
import type { UserRows } from '../store/store.ts';
import { someAtOnce } from './json-list.ts';

const feedsAtOnce = 500;

export async function* feedPortions({ feeds }: Pick<UserRows, 'feeds'>): AsyncGenerator<readonly Feed[]> {
  for await (const ids of someAtOnce(await feeds.ids(), feedsAtOnce)) yield feeds.getMany(ids);
}

export async function allFeeds(rows: Pick<UserRows, 'feeds'>): Promise<Feed[]> {
  return (await Array.fromAsync(feedPortions(rows))).flat();
}
