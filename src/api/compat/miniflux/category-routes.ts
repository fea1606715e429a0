// Categories, which are our groups.
import { z } from 'zod';
import { requestRefreshOf } from '../../../feeds/pull-jobs.ts';
import type { ApiDeps } from '../../context.ts';
import { allFeeds } from '../../feed-portions.ts';
import { nameText } from '../../schemas.ts';
import { toCategory } from './bodies.ts';
import { sendFeeds } from './feed-routes.ts';
import { type AddRoute, pathId, readBody } from './route.ts';

const CategoryInput = z.object({ title: nameText(200) });
const CategoryChange = CategoryInput.partial();

export function categoryRoutes(add: AddRoute, { store }: ApiDeps): void {
  add('get', '/categories', async (c) => {
    const { user, rows } = c.get('actor');
    const groups = await rows.groups.list();
    if (!/^(1|true)$/i.test(c.req.query('counts') ?? ''))
      return c.json(groups.map((group) => toCategory(user, group)));
    const feeds = Map.groupBy(await allFeeds(rows), ({ groupId }) => groupId);
    const withCounts = groups.map((group) => {
      const those = feeds.get(group.id) ?? [];
      const unread = those.reduce((sum, feed) => sum + feed.unread, 0);
      return { ...toCategory(user, group), feed_count: those.length, total_unread: unread };
    });
    return c.json(withCounts);
  });

  add('post', '/categories', async (c) => {
    const { user, rows } = c.get('actor');
    const { title } = await readBody(c, CategoryInput);
    return c.json(toCategory(user, await rows.groups.create({ name: title })), 201);
  });

  add('put', '/categories/{id}', async (c) => {
    const { user, rows } = c.get('actor');
    const group = await rows.groups.get(pathId(c));
    const { title } = await readBody(c, CategoryChange);
    const renamed = title === undefined ? group : await rows.groups.rename(group.id, { name: title });
    return c.json(toCategory(user, renamed), 201);
  });

  // Its feeds stay: they move to the default group.
  add('delete', '/categories/{id}', async (c) => {
    await c.get('actor').rows.groups.delete(pathId(c));
    return c.body(null, 204);
  });

  add('get', '/categories/{id}/feeds', async (c) => {
    const { rows } = c.get('actor');
    const { id } = await rows.groups.get(pathId(c));
    return sendFeeds(c, ({ groupId }) => groupId === id);
  });

  add('put', '/categories/{id}/refresh', async (c) => {
    const { rows } = c.get('actor');
    const { id } = await rows.groups.get(pathId(c));
    const feeds = await allFeeds(rows);
    await requestRefreshOf(
      store.pulls,
      feeds.filter(({ groupId, suspended }) => groupId === id && !suspended),
    );
    return c.body(null, 204);
  });

  add('put', '/categories/{id}/mark-all-as-read', async (c) => {
    const { rows } = c.get('actor');
    const { id } = await rows.groups.get(pathId(c));
    await rows.entries.markAllRead({ groupId: id });
    return c.body(null, 204);
  });
}
