// Fills a Lectern with the demo content, by its API, as a person would have done over some weeks.

import { until } from '../test/support/until.ts';
import type { WebApp } from '../test/support/web-app.ts';
import { rss } from '../test/support/web-site.ts';
import { brokenDemoFeed, type DemoFeed, demoFeeds, demoGroups, demoPictures } from './demo-content.ts';
import { demoCollections, putDemoPages } from './demo-saved.ts';

export async function fillWithDemo(app: WebApp): Promise<void> {
  const { site, api } = app;
  for (const [path, body] of Object.entries(demoPictures)) site.put(path, { type: 'image/svg+xml', body });
  const groupIds = new Map<string, number>();
  for (const name of demoGroups) groupIds.set(name, (await api('POST', '/api/groups', { name })).data.id);
  const follow = ({ path, title, group, entries, newestMinutesAgo, hoursBetween }: DemoFeed) => {
    const home = `${site.origin}${path.replace(/[^/]+$/, '')}`;
    const newest = Date.now() - newestMinutesAgo * 60_000;
    const dated = entries.map((entry, n) => ({
      ...entry,
      guid: `${path}-${n}`,
      link: `${home}${n}`,
      at: newest - n * hoursBetween * 3_600_000,
    }));
    const feed = rss({ title, link: home, entries: dated });
    return app.follow({ path, title, entries: feed, groupId: groupIds.get(group) as number });
  };
  await Promise.all(demoFeeds(site.origin).map(follow));
  const broken = await follow(brokenDemoFeed);
  site.put(brokenDemoFeed.path, { status: 503, type: 'text/plain', body: 'Down for repairs' });
  await api('POST', `/api/feeds/${broken}/refresh`);
  await api('POST', '/api/v1/operations/library-check');

  const { data: items } = await api('GET', '/api/items?limit=100');
  const older = items.slice(9).map(({ id }: { id: number }) => id);
  await api('PATCH', '/api/items/-/read', { ids: older });
  // Others than the library has anyway.
  const starred = /A page that ends|Old-style figures|What the storm brought|Eleven soups/;
  for (const { id, title } of items)
    if (starred.test(title)) await api('POST', '/api/bookmarks', { item_id: id });
  await savePages(app);
}

/** The library: saved one after the other, then waited for until every page has been read. */
async function savePages({ site, api }: WebApp): Promise<void> {
  const collectionIds = new Map<string, string>();
  for (const { name, parent } of demoCollections) {
    const parentId = parent && { parentId: collectionIds.get(parent) };
    collectionIds.set(name, (await api('POST', '/api/v1/collections', { name, ...parentId })).id);
  }
  for (const { path, tags, collection, isFavorite = false, isArchived } of await putDemoPages(site)) {
    await api('POST', '/api/v1/items', {
      url: site.origin + path,
      tags,
      isFavorite,
      status: isArchived ? 'archived' : 'unread',
      ...(collection && { collectionId: collectionIds.get(collection) }),
    });
  }
  const isRead = async () => (await api('GET', '/api/v1/items/counts')).pending === 0;
  await until('the pages have been read', isRead, 120_000);
}
