// The deframer, for its operator: which feeds it has, how they do, what they take.
import { z } from '@hono/zod-openapi';
import { addFeed } from '../../deframer/add-feed.ts';
import { parseRootDomain } from '../../deframer/root-domain.ts';
import { Invalid } from '../../errors.ts';
import { type DeframerFeedState, longestPrompt, type Usage } from '../../model/deframer.ts';
import type { ApiDeps } from '../context.ts';
import type { Router } from '../router.ts';
import { ErrorBodyV1, isoTime, json, jsonBody, pageLimit, toIso } from '../schemas.ts';

const UsageBody = z.object({
  calls: z.int(),
  tokens_in: z.int(),
  tokens_out: z.int(),
  cost: z.number().nullable().openapi({ description: 'By LECTERN_AI_PRICE; null where no price is known' }),
});

const DeframerBody = z
  .object({
    analyzer: z.object({ type: z.string(), model: z.string() }),
    interval_seconds: z.int(),
    items_per_feed: z.int(),
    open: z.boolean().openapi({ description: 'Whether what it serves can be read without logging in' }),
    totals: UsageBody.extend({ feeds: z.int(), items: z.int() }),
    usage: z
      .array(UsageBody.extend({ day: z.string().openapi({ example: '2026-03-12' }) }))
      .openapi({ description: 'Of the last 30 days; those on which nothing was done are left out' }),
  })
  .openapi('Deframer');

const states = ['deleted', 'disabled', 'running', 'dead', 'due', 'waiting', 'paused'] as const;

const FeedBody = z
  .object({
    id: z.uuid(),
    url: z.string(),
    root_domain: z.string().nullable(),
    enforce_feed_domain: z.boolean(),
    polling: z.boolean(),
    enabled: z.boolean(),
    prompt: z.string().nullable(),
    state: z.enum(states).openapi({
      description: 'dead: its last run failed, and sync revives it; paused: nothing is scheduled',
    }),
    next_run_at: isoTime.nullable(),
    last_run_at: isoTime.nullable(),
    last_error: z.string().nullable(),
    last_note: z.string().nullable(),
    items: z.int(),
    built_at: isoTime.nullable().openapi({ description: 'When what is served last changed' }),
    rss_path: z.string().openapi({ description: 'Where the feed is served' }),
    usage: UsageBody,
    created_at: isoTime,
    deleted_at: isoTime.nullable(),
  })
  .openapi('DeframerFeed');

const ItemBody = z
  .object({
    id: z.uuid(),
    url: z.string(),
    pub_date: isoTime,
    title_original: z.string(),
    title_corrected: z.string(),
    overall: z.number(),
    overall_reason: z.string(),
  })
  .openapi('DeframerFeedItem');

const rootDomain = z.string().min(1).max(253).nullable();
const prompt = z.string().trim().min(1).max(longestPrompt).nullable();

const CreateFeed = z
  .object({
    url: z.string().max(2_000),
    root_domain: rootDomain
      .optional()
      .openapi({ description: 'Taken from the address if it is left out; null for none' }),
    enforce_feed_domain: z.boolean().default(true),
    enabled: z.boolean().default(false),
    polling: z.boolean().default(false),
    sync: z.boolean().default(false).openapi({ description: 'Run it at once; it must be enabled for that' }),
  })
  .openapi('CreateDeframerFeed');

const UpdateFeed = z
  .object({
    enabled: z.boolean(),
    polling: z.boolean(),
    enforce_feed_domain: z.boolean(),
    root_domain: rootDomain,
    prompt,
  })
  .partial()
  .openapi('UpdateDeframerFeed');

const path = '/api/v1/deframer';
const tags = ['deframer'];
const one = json(z.object({ data: FeedBody }), 'The feed');
const idParam = z.object({ id: z.uuid('expected the id of a feed') });
const daysShown = 30;

export function deframerFeedRoutes(router: Router, deps: ApiDeps): void {
  const { store, randomText, deframer } = deps;
  const bodyOf = async (id: string) => ({ data: toBody(await store.deframerFeeds.get(id)) });

  router.owner(
    {
      method: 'get',
      path,
      tags,
      summary: 'What analyses, and what it took',
      responses: { 200: json(z.object({ data: DeframerBody }), 'The deframer') },
    },
    async (c) => {
      const [live, deleted] = [
        await store.deframerFeeds.list(),
        await store.deframerFeeds.list({ deleted: true }),
      ];
      const usage = await store.deframerFeeds.usageByDay({ days: daysShown });
      const data = {
        analyzer: { ...deframer.analyzer },
        interval_seconds: deframer.intervalMs / 1000,
        items_per_feed: deframer.items,
        open: deframer.open,
        totals: {
          feeds: live.length,
          items: live.reduce((sum, { items }) => sum + items, 0),
          // What a feed took is not given back when it is deleted.
          ...toUsageBody(sumOf([...live, ...deleted].map((feed) => feed.usage))),
        },
        usage: usage.map(({ day, ...took }) => ({ day, ...toUsageBody(took) })),
      };
      return c.json({ data }, 200);
    },
  );

  router.owner(
    {
      method: 'get',
      path: `${path}/feeds`,
      tags,
      summary: 'List the feeds of the deframer, or those that were deleted',
      request: {
        query: z.object({
          deleted: z.enum(['true', 'false']).default('false').openapi({ type: 'boolean' }),
        }),
      },
      responses: { 200: json(z.object({ data: z.array(FeedBody) }), 'The feeds') },
    },
    async (c) => {
      const list = await store.deframerFeeds.list({ deleted: c.req.valid('query').deleted === 'true' });
      return c.json({ data: list.map(toBody) }, 200);
    },
  );

  router.owner(
    {
      method: 'post',
      path: `${path}/feeds`,
      tags,
      summary: 'Add a feed',
      request: { body: jsonBody(CreateFeed) },
      responses: { 201: one, 409: json(ErrorBodyV1, 'The feed is there already') },
    },
    async (c) => {
      const input = c.req.valid('json');
      if (input.sync && !input.enabled) throw new Invalid('sync: a feed is only run when it is enabled');
      const named = checkedRootDomain(input.root_domain);
      const feed = await addFeed(
        { deframerFeeds: store.deframerFeeds, randomText },
        {
          url: input.url,
          withRootDomain: named !== null,
          enforceFeedDomain: input.enforce_feed_domain,
        },
      );
      const { enabled, polling } = input;
      await store.deframerFeeds.change(feed.id, { enabled, polling, ...(named && { rootDomain: named }) });
      if (input.sync) await store.deframerFeeds.sync(feed.id);
      return c.json(await bodyOf(feed.id), 201, { Location: `${path}/feeds/${feed.id}` });
    },
  );

  router.owner(
    {
      method: 'patch',
      path: `${path}/feeds/{id}`,
      tags,
      summary: 'Change how a feed is treated; null as prompt is the prompt of its language',
      request: { params: idParam, body: jsonBody(UpdateFeed) },
      responses: { 200: one, 409: json(ErrorBodyV1, 'The feed is deleted') },
    },
    async (c) => {
      const { enforce_feed_domain: enforceFeedDomain, root_domain: root, ...rest } = c.req.valid('json');
      const { id } = await store.deframerFeeds.change(c.req.valid('param').id, {
        ...rest,
        enforceFeedDomain,
        rootDomain: checkedRootDomain(root),
      });
      return c.json(await bodyOf(id), 200);
    },
  );

  router.owner(
    {
      method: 'delete',
      path: `${path}/feeds/{id}`,
      tags,
      summary: 'Delete a feed: nothing of it is served or fetched any more',
      request: { params: idParam },
      responses: { 204: { description: 'Deleted' }, 409: json(ErrorBodyV1, 'It was deleted before') },
    },
    async (c) => {
      await store.deframerFeeds.remove(c.req.valid('param').id);
      return c.body(null, 204);
    },
  );

  router.owner(
    {
      method: 'post',
      path: `${path}/feeds/{id}/sync`,
      tags,
      summary: 'Run a feed at once, even if its last run has failed',
      request: { params: idParam },
      responses: { 202: one, 409: json(ErrorBodyV1, 'The feed is deleted') },
    },
    async (c) => {
      const { id } = await store.deframerFeeds.sync(c.req.valid('param').id);
      return c.json(await bodyOf(id), 202);
    },
  );

  router.owner(
    {
      method: 'get',
      path: `${path}/feeds/{id}/items`,
      tags,
      summary: 'The newest articles of a feed, and what was made of their titles',
      request: { params: idParam, query: z.object({ limit: pageLimit(20, 100) }) },
      responses: { 200: json(z.object({ data: z.array(ItemBody) }), 'The articles') },
    },
    async (c) => {
      const { id } = await store.deframerFeeds.get(c.req.valid('param').id);
      const items = await store.deframeRuns.newestItems(id, c.req.valid('query').limit);
      const data = items.map(({ id, url, pubDate, analysis }) => ({
        id,
        url,
        pub_date: toIso(pubDate),
        title_original: analysis.title_original,
        title_corrected: analysis.title_corrected,
        overall: analysis.overall,
        overall_reason: analysis.overall_reason,
      }));
      return c.json({ data }, 200);
    },
  );
}

function checkedRootDomain(text: string | null | undefined): string | null | undefined {
  if (text === null || text === undefined) return text;
  const domain = parseRootDomain(text);
  if (domain === undefined) throw new Invalid('root_domain: expected the name of a host such as example.com');
  return domain;
}

function stateOf(feed: DeframerFeedState): (typeof states)[number] {
  if (feed.deletedAt !== null) return 'deleted';
  if (!feed.enabled) return 'disabled';
  if (feed.isRunning) return 'running';
  if (feed.nextRunAt !== null) return feed.isDue ? 'due' : 'waiting';
  return feed.lastError === null ? 'paused' : 'dead';
}

function toBody(feed: DeframerFeedState): z.infer<typeof FeedBody> {
  const time = (at: number | null) => (at === null ? null : toIso(at));
  return {
    id: feed.id,
    url: feed.url,
    root_domain: feed.rootDomain,
    enforce_feed_domain: feed.enforceFeedDomain,
    polling: feed.polling,
    enabled: feed.enabled,
    prompt: feed.prompt,
    state: stateOf(feed),
    next_run_at: time(feed.nextRunAt),
    last_run_at: time(feed.lastRunAt),
    last_error: feed.lastError,
    last_note: feed.lastNote,
    items: feed.items,
    built_at: time(feed.builtAt),
    rss_path: `/rss?url=${encodeURIComponent(feed.url)}`,
    usage: toUsageBody(feed.usage),
    created_at: toIso(feed.createdAt),
    deleted_at: time(feed.deletedAt),
  };
}

function sumOf(usages: readonly Usage[]): Usage {
  const sum = (key: 'calls' | 'tokensIn' | 'tokensOut') => usages.reduce((total, one) => total + one[key], 0);
  const costs = usages.flatMap(({ costMicros }) => costMicros ?? []);
  const isUnknown = costs.length < usages.length && costs.every((cost) => cost === 0);
  return {
    calls: sum('calls'),
    tokensIn: sum('tokensIn'),
    tokensOut: sum('tokensOut'),
    costMicros: isUnknown ? null : costs.reduce((total, cost) => total + cost, 0),
  };
}

function toUsageBody({ calls, tokensIn, tokensOut, costMicros }: Usage): z.infer<typeof UsageBody> {
  const cost = costMicros === null ? null : costMicros / 1_000_000;
  return { calls, tokens_in: tokensIn, tokens_out: tokensOut, cost };
}
