import { z } from 'zod';
import { NotFound } from '../../../errors.ts';
import { requestRefresh, requestRefreshOf } from '../../../feeds/pull-jobs.ts';
import type { Feed } from '../../../model/feed.ts';
import { DEFAULT_GROUP_ID } from '../../../model/group.ts';
import type { Actor, ApiDeps } from '../../context.ts';
import { allFeeds, feedPortions } from '../../feed-portions.ts';
import { jsonList, jsonType } from '../../json-list.ts';
import { address, feedName, feedProxy, feedSite } from '../../routes/feeds.ts';
import { sendParts } from '../../send-parts.ts';
import { iconData } from '../icon-data.ts';
import { type FeedContext, toFeed } from './bodies.ts';
import { type AddRoute, type AppContext, invalidCategory, pathId, readBody } from './route.ts';

/** 0 is what a client sends that knows no categories. */
const categoryId = z.int().min(0);

const FeedInput = z.object({
  feed_url: address,
  category_id: categoryId.optional(),
  crawler: z.boolean().optional(),
  disabled: z.boolean().optional(),
  proxy_url: feedProxy.default(''),
});

/** An empty text is not a change. */
const unlessEmpty = <T extends z.ZodType>(schema: T) =>
  z.union([z.literal('').transform(() => undefined), schema]).optional();

const FeedChange = z.object({
  title: unlessEmpty(feedName),
  feed_url: unlessEmpty(address),
  site_url: unlessEmpty(feedSite),
  category_id: categoryId.optional(),
  crawler: z.boolean().optional(),
  disabled: z.boolean().optional(),
  proxy_url: feedProxy.optional(),
});

const Discovery = z.object({ url: z.string().trim().min(1).max(2_000) });

export function feedRoutes(add: AddRoute, { store, discoverFeeds }: ApiDeps): void {
  add('get', '/feeds', (c) => sendFeeds(c, () => true));

  add('post', '/feeds', async (c) => {
    const { rows } = c.get('actor');
    const input = await readBody(c, FeedInput);
    const feed = await rows.feeds
      .create({
        groupId: input.category_id || DEFAULT_GROUP_ID,
        name: input.feed_url,
        link: input.feed_url,
        siteUrl: '',
        proxy: input.proxy_url,
      })
      .catch(invalidCategory);
    if (input.disabled || input.crawler)
      await rows.feeds.update(feed.id, { suspended: input.disabled, fullText: input.crawler });
    if (feed.fetchState.lastSuccessAt === 0)
      await requestRefresh(store.pulls, feed, { evenSuspended: false });
    return c.json({ feed_id: feed.id }, 201);
  });

  add('get', '/feeds/counters', async (c) => {
    const feeds = await allFeeds(c.get('actor').rows);
    const counts = (of: (feed: Feed) => number) =>
      Object.fromEntries(feeds.filter((feed) => of(feed) > 0).map((feed) => [feed.id, of(feed)]));
    return c.json({
      reads: counts(({ entries, unread }) => entries - unread),
      unreads: counts(({ unread }) => unread),
    });
  });

  add('put', '/feeds/refresh', async (c) => {
    const feeds = await allFeeds(c.get('actor').rows);
    await requestRefreshOf(
      store.pulls,
      feeds.filter(({ suspended }) => !suspended),
    );
    return c.body(null, 204);
  });

  add('get', '/feeds/{id}', async (c) => {
    const { rows, user } = c.get('actor');
    const feed = await rows.feeds.get(pathId(c));
    return c.json(toFeed(await feedContext({ rows, user }), feed));
  });

  add('put', '/feeds/{id}', async (c) => {
    const { rows, user } = c.get('actor');
    const { id } = await rows.feeds.get(pathId(c));
    const change = await readBody(c, FeedChange);
    const feed = await rows.feeds
      .update(id, {
        name: change.title,
        link: change.feed_url,
        siteUrl: change.site_url,
        groupId: change.category_id || undefined,
        fullText: change.crawler,
        suspended: change.disabled,
        proxy: change.proxy_url,
      })
      .catch(invalidCategory);
    return c.json(toFeed(await feedContext({ rows, user }), feed), 201);
  });

  add('delete', '/feeds/{id}', async (c) => {
    await c.get('actor').rows.feeds.delete(pathId(c));
    return c.body(null, 204);
  });

  add('put', '/feeds/{id}/refresh', async (c) => {
    const feed = await c.get('actor').rows.feeds.get(pathId(c));
    await requestRefresh(store.pulls, feed, { evenSuspended: true });
    return c.body(null, 204);
  });

  add('put', '/feeds/{id}/mark-all-as-read', async (c) => {
    const { rows } = c.get('actor');
    const { id } = await rows.feeds.get(pathId(c));
    await rows.entries.markAllRead({ feedId: id });
    return c.body(null, 204);
  });

  // An icon goes by the id of a feed, so that both ask the same.
  for (const path of ['/feeds/{id}/icon', '/icons/{id}'])
    add('get', path, async (c) => {
      const [icon] = await c.get('actor').rows.icons.getMany([pathId(c)]);
      if (!icon) throw new NotFound('icon');
      return c.json({ id: icon.id, mime_type: icon.type, data: iconData(icon) });
    });

  add('post', '/discover', async (c) => {
    const { url } = await readBody(c, Discovery);
    const found = await discoverFeeds(url);
    if (found.length === 0) throw new NotFound('feed');
    return c.json(found.map(({ title, link }) => ({ title, url: link, type: 'rss' })));
  });
}

export async function sendFeeds(c: AppContext, isWanted: (feed: Feed) => boolean): Promise<Response> {
  const { rows, user } = c.get('actor');
  return sendParts(c, jsonType, jsonList(feedBodies({ rows, user }, isWanted)));
}

async function* feedBodies(
  actor: Pick<Actor, 'rows' | 'user'>,
  isWanted: (feed: Feed) => boolean,
): AsyncGenerator<readonly unknown[]> {
  const context = await feedContext(actor);
  for await (const feeds of feedPortions(actor.rows))
    yield feeds.filter(isWanted).map((feed) => toFeed(context, feed));
}

export async function feedContext({ rows, user }: Pick<Actor, 'rows' | 'user'>): Promise<FeedContext> {
  const groups = new Map((await rows.groups.list()).map((group) => [group.id, group]));
  return { user, groups, icons: await rows.icons.idsByFeed() };
}
