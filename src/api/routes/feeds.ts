import { z } from '@hono/zod-openapi';
import type { FoundFeed } from '../../feeds/discover/describe-document.ts';
import { longestLink, parseFeedLink } from '../../feeds/feed-link.ts';
import { requestRefresh, requestRefreshOf } from '../../feeds/pull-jobs.ts';
import type { Feed, NewFeed } from '../../model/feed.ts';
import type { UserRows } from '../../store/store.ts';
import type { ApiDeps } from '../context.ts';
import type { EventStreams } from '../event-stream.ts';
import { feedPortions } from '../feed-portions.ts';
import { jsonList, mapEach } from '../json-list.ts';
import type { Router } from '../router.ts';
import { ErrorBody, eventStream, idParam, json, jsonBody, nameText, seconds, toSeconds } from '../schemas.ts';
import { sendParts } from '../send-parts.ts';
import { refreshEvents } from './refresh-events.ts';

const FeedBody = z
  .object({
    id: z.int(),
    group_id: z.int(),
    name: z.string(),
    link: z.string(),
    site_url: z.string(),
    suspended: z.boolean(),
    proxy: z.string(),
    keep_entries: z.int().nullable(),
    full_text: z
      .boolean()
      .openapi({ description: 'Whether the pages of its entries are read for their full text' }),
    gone_at: seconds.nullable(),
    moved_from: z
      .string()
      .openapi({ description: 'The address it had before it moved for good; empty if it did not' }),
    moved_at: seconds.nullable().openapi({ description: 'When its new address was taken over' }),
    created_at: seconds,
    updated_at: seconds,
    fetch_state: z.object({
      etag: z.string(),
      last_modified: z.string(),
      cache_control: z.string(),
      expires_at: seconds,
      last_checked_at: seconds,
      next_check_at: seconds,
      last_http_status: z.int(),
      retry_after_until: seconds,
      last_success_at: seconds,
      last_error_at: seconds,
      last_error: z.string(),
      consecutive_failures: z.int(),
      moved_to: z.string().openapi({
        description: 'Where the server says that the feed has moved for good, until that is confirmed',
      }),
    }),
    icon: z.boolean().openapi({ description: 'Whether GET /api/feeds/{id}/icon has one' }),
    unread_count: z.int(),
    item_count: z.int(),
  })
  .openapi('Feed');

const FoundFeedBody = z
  .object({
    title: z.string(),
    link: z.string(),
    site_url: z.string().nullable(),
    description: z.string(),
    item_count: z.int(),
    newest: z.array(z.object({ title: z.string(), pub_date: seconds.nullable() })),
    feed_id: z.int().nullable().openapi({ description: 'Your feed, if you follow it already' }),
  })
  .openapi('FoundFeed');

/** Of a feed, or of its site. */
export const address = z
  .string()
  .trim()
  .max(longestLink)
  .refine((text) => parseFeedLink(text) !== undefined, { message: 'expected an http(s) address' })
  .transform((text) => parseFeedLink(text) ?? text);

const siteUrl = z.union([z.literal(''), address]);

const proxy = z
  .string()
  .trim()
  .max(longestLink)
  .refine(
    (text) => text === '' || (URL.canParse(text) && /^(https?|socks5h?):$/.test(new URL(text).protocol)),
    {
      message: 'expected an address such as http://host:8080 or socks5://host:1080, or nothing',
    },
  );

const groupId = z.int().min(1);
const name = nameText(500);

export { name as feedName, proxy as feedProxy, siteUrl as feedSite };

const FeedInput = z
  .object({
    group_id: groupId.default(1),
    name: name.optional(),
    link: address,
    site_url: siteUrl.default(''),
    proxy: proxy.default(''),
  })
  .openapi('FeedInput');

const FeedPatch = z
  .object({
    group_id: groupId,
    name,
    link: address,
    site_url: siteUrl,
    suspended: z.boolean(),
    proxy,
    keep_entries: z.int().min(1).max(1_000_000).nullable(),
    full_text: z.boolean(),
  })
  .partial()
  .openapi('FeedPatch');

/** Each is looked at by itself: one that is wrong does not keep the others out. */
const BatchInput = z
  .object({
    feeds: z
      .array(
        z.object({
          group_id: z.unknown().optional().openapi({ type: 'integer', default: 1 }),
          name: z.unknown().optional().openapi({ type: 'string' }),
          link: z.string(),
          site_url: z.unknown().optional().openapi({ type: 'string' }),
        }),
      )
      .max(20_000),
  })
  .openapi('FeedBatch');

type BatchFeed = z.infer<typeof BatchInput>['feeds'][number];

function parseBatchFeed({ group_id, name: given, link, site_url }: BatchFeed): NewFeed | { error: string } {
  const found = address.safeParse(link);
  const group = groupId.safeParse(group_id ?? 1);
  const named = name.safeParse(given);
  const site = siteUrl.safeParse(site_url ?? '');
  if (!found.success) return { error: `${link.slice(0, 200)}: expected an http(s) address` };
  if (!group.success) return { error: `${found.data}: group_id: expected the id of a group` };
  return {
    groupId: group.data,
    name: named.success ? named.data : found.data,
    link: found.data,
    siteUrl: site.success ? site.data : '',
    proxy: '',
  };
}

const secondsAgo = z
  .string()
  .regex(/^\d{1,3}$/, 'expected a number from 0 to 600')
  .transform(Number)
  .pipe(z.int().max(600))
  .default(0)
  .openapi({
    type: 'integer',
    description: 'Also counts what was fetched within so many seconds before: since a refresh was asked for',
  });

const path = '/api/feeds';
const tags = ['feeds'];
const one = json(z.object({ data: FeedBody }), 'The feed');
const taken = json(ErrorBody, 'You follow that address already');

export function feedRoutes(router: Router, { store, discoverFeeds }: ApiDeps, streams: EventStreams): void {
  router.user(
    {
      method: 'get',
      path,
      tags,
      summary: 'List your feeds, with how fetching goes and how many entries are unread',
      responses: { 200: json(z.object({ data: z.array(FeedBody), total: z.int() }), 'Your feeds') },
    },
    async (c) => {
      return sendParts(c, 'application/json', feedList(c.get('actor').rows)) as never;
    },
  );

  router.user(
    {
      method: 'post',
      path,
      tags,
      summary: 'Follow a feed; it is fetched in the background',
      request: { body: jsonBody(FeedInput) },
      responses: { 200: one, 404: json(ErrorBody, 'There is no such group'), 409: taken },
    },
    async (c) => {
      const input = c.req.valid('json');
      const feed = await c.get('actor').rows.feeds.create({
        groupId: input.group_id,
        name: input.name ?? input.link,
        link: input.link,
        siteUrl: input.site_url,
        proxy: input.proxy,
      });
      if (feed.fetchState.lastSuccessAt === 0)
        await requestRefresh(store.pulls, feed, { evenSuspended: false });
      return c.json({ data: toBody(feed) }, 200);
    },
  );

  router.user(
    {
      method: 'post',
      path: `${path}/batch`,
      tags,
      summary: 'Follow many feeds at once; they are fetched politely in the background',
      request: { body: jsonBody(BatchInput) },
      responses: {
        200: json(
          z.object({ data: z.object({ created: z.int(), failed: z.int(), errors: z.array(z.string()) }) }),
          'How many were added, and why others were not',
        ),
      },
    },
    async (c) => {
      const { feeds } = c.req.valid('json');
      const parsed = feeds.map(parseBatchFeed);
      const bad = parsed.flatMap((feed) => ('error' in feed ? [feed.error] : []));
      const good = parsed.flatMap((feed) => ('error' in feed ? [] : [feed]));
      const { created, missingGroup, existing } = await c.get('actor').rows.feeds.createMany(good);
      const errors = [
        ...bad,
        ...missingGroup.map((link) => `${link}: there is no such group`),
        ...existing.map((link) => `${link}: you follow it already`),
      ];
      return c.json({ data: { created, failed: errors.length, errors } }, 200);
    },
  );

  router.user(
    {
      method: 'post',
      path: `${path}/validate`,
      tags,
      summary: 'Find the feeds of an address: of a feed, of a page, or of a site',
      request: { body: jsonBody(z.object({ url: z.string().trim().min(1).max(longestLink) })) },
      responses: {
        200: json(
          z.object({ data: z.object({ feeds: z.array(FoundFeedBody) }) }),
          'What was found, with what it says of itself',
        ),
        502: json(ErrorBody, 'The site does not answer as it should'),
      },
    },
    async (c) => {
      const found = await discoverFeeds(c.req.valid('json').url);
      const own = await c.get('actor').rows.feeds.findByLinks(found.map(({ link }) => link));
      return c.json(
        { data: { feeds: found.map((feed) => toFoundBody(feed, own.get(feed.link) ?? null)) } },
        200,
      );
    },
  );

  router.user(
    {
      method: 'post',
      path: `${path}/refresh`,
      tags,
      summary: 'Fetch all your feeds now, but for those that are suspended',
      responses: { 202: { description: 'Under way' } },
    },
    async (c) => {
      for await (const feeds of feedPortions(c.get('actor').rows))
        await requestRefreshOf(
          store.pulls,
          feeds.filter(({ suspended }) => !suspended),
        );
      return c.body(null, 202);
    },
  );

  // Before the routes with an id, which would take "refresh" for one.
  router.user(
    {
      method: 'get',
      path: `${path}/refresh/events`,
      tags,
      summary: 'Watch your feeds being fetched, until nothing is under way',
      request: { query: z.object({ within: secondsAgo }) },
      responses: {
        200: eventStream(
          'Events "progress" (total, done, failed, put_off, waiting, running, and finished in the last one) and "feed" (id, icon, unread_count, item_count, fetch_state) for each that was fetched',
        ),
        400: json(ErrorBody, 'The input is not as expected; the message names the field'),
        429: json(ErrorBody, 'Too many streams'),
      },
    },
    (c) => {
      const { rows } = c.get('actor');
      const withinMs = c.req.valid('query').within * 1000;
      return streams.open(c, refreshEvents(rows, { withinMs, toBody })) as never;
    },
  );

  router.user(
    {
      method: 'post',
      path: `${path}/{id}/refresh`,
      tags,
      summary: 'Fetch a feed now, even one that is suspended',
      request: { params: idParam },
      responses: { 202: { description: 'Under way' } },
    },
    async (c) => {
      const feed = await c.get('actor').rows.feeds.get(c.req.valid('param').id);
      await requestRefresh(store.pulls, feed, { evenSuspended: true });
      return c.body(null, 202);
    },
  );

  router.user(
    {
      method: 'get',
      path: `${path}/{id}`,
      tags,
      summary: 'Get a feed',
      request: { params: idParam },
      responses: { 200: one },
    },
    async (c) => c.json({ data: toBody(await c.get('actor').rows.feeds.get(c.req.valid('param').id)) }, 200),
  );

  router.user(
    {
      method: 'patch',
      path: `${path}/{id}`,
      tags,
      summary: 'Change a feed; what is not given stays as it is',
      request: { params: idParam, body: jsonBody(FeedPatch) },
      responses: { 200: one, 409: taken },
    },
    async (c) => {
      const input = c.req.valid('json');
      const feed = await c.get('actor').rows.feeds.update(c.req.valid('param').id, {
        groupId: input.group_id,
        name: input.name,
        link: input.link,
        siteUrl: input.site_url,
        suspended: input.suspended,
        proxy: input.proxy,
        keepEntries: input.keep_entries,
        fullText: input.full_text,
      });
      return c.json({ data: toBody(feed) }, 200);
    },
  );

  router.user(
    {
      method: 'delete',
      path: `${path}/{id}`,
      tags,
      summary: 'Follow a feed no longer; bookmarks of its entries stay',
      request: { params: idParam },
      responses: { 204: { description: 'Deleted' } },
    },
    async (c) => {
      await c.get('actor').rows.feeds.delete(c.req.valid('param').id);
      return c.body(null, 204);
    },
  );
}

async function* feedList(rows: Pick<UserRows, 'feeds'>): AsyncGenerator<string> {
  let total = 0;
  yield '{"data":';
  yield* jsonList(
    mapEach(feedPortions(rows), (feed) => {
      total += 1;
      return toBody(feed);
    }),
  );
  yield `,"total":${total}}`;
}

function toFoundBody(feed: FoundFeed, feedId: number | null): z.infer<typeof FoundFeedBody> {
  return {
    title: feed.title,
    link: feed.link,
    site_url: feed.siteUrl,
    description: feed.description,
    item_count: feed.entries,
    newest: feed.newest.map(({ title, pubDate }) => ({
      title,
      pub_date: pubDate === null ? null : toSeconds(pubDate),
    })),
    feed_id: feedId,
  };
}

function toBody(feed: Feed): z.infer<typeof FeedBody> {
  const { fetchState: state } = feed;
  return {
    id: feed.id,
    group_id: feed.groupId,
    name: feed.name,
    link: feed.link,
    site_url: feed.siteUrl,
    suspended: feed.suspended,
    proxy: feed.proxy,
    keep_entries: feed.keepEntries,
    full_text: feed.fullText,
    gone_at: feed.goneAt === null ? null : toSeconds(feed.goneAt),
    moved_from: feed.movedFrom,
    moved_at: feed.movedAt === null ? null : toSeconds(feed.movedAt),
    created_at: toSeconds(feed.createdAt),
    updated_at: toSeconds(feed.updatedAt),
    fetch_state: {
      etag: state.etag,
      last_modified: state.lastModified,
      cache_control: state.cacheControl,
      expires_at: toSeconds(state.expiresAt),
      last_checked_at: toSeconds(state.lastCheckedAt),
      next_check_at: toSeconds(state.nextCheckAt),
      last_http_status: state.lastHttpStatus,
      retry_after_until: toSeconds(state.retryAfterUntil),
      last_success_at: toSeconds(state.lastSuccessAt),
      last_error_at: toSeconds(state.lastErrorAt),
      last_error: state.lastError,
      consecutive_failures: state.consecutiveFailures,
      moved_to: state.movedTo,
    },
    icon: feed.hasIcon,
    unread_count: feed.unread,
    item_count: feed.entries,
  };
}
