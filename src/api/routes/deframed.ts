// What the deframer serves: feeds for every reader, and articles for a plugin of a browser. It only reads.
import { type RouteConfig, z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { analysisFields } from '../../deframer/analysis-fields.ts';
import { takeTurns } from '../../deframer/fair-turns.ts';
import { itemHash } from '../../deframer/item-hash.ts';
import { parseRootDomain, rootDomainOf } from '../../deframer/root-domain.ts';
import { NotFound } from '../../errors.ts';
import { type Analysis, categories, type ShownArticle } from '../../model/deframer.ts';
import type { ApiDeps, ApiEnv } from '../context.ts';
import { feedParameters, maxScore, serveFeed } from '../deframed-feed.ts';
import type { Router } from '../router.ts';
import { ErrorBody, isoTime, json, pageLimit, toIso } from '../schemas.ts';
import { sendDeframedJson } from '../send-deframed.ts';

export const deframedPaths = { rss: '/rss', item: '/api/item', site: '/api/site' } as const;

const tags = ['deframed'];
const longestUrl = 4_096;

const ItemQuery = z.object({
  url: z
    .string('expected the address of an article')
    .max(longestUrl)
    .refine((text) => webUrl(text) !== undefined, 'expected the http(s) address of an article')
    .openapi({ example: 'https://example.com/2026/an-article' }),
  max_score: maxScore,
});

const SiteQuery = z.object({
  root: z
    .string('expected a domain')
    .max(longestUrl)
    .refine((text) => /[^\s./]/.test(text), 'expected a domain')
    .openapi({ example: 'example.com', description: 'A domain, or any address of it' }),
  max_score: maxScore,
  limit: pageLimit(50, 200),
});

const score = z.number().min(0).max(1);
const DeframedItemBody = z
  .object({
    id: z.uuid(),
    feed_id: z.uuid(),
    hash: z.string().openapi({ description: 'SHA-256 of the URL' }),
    url: z.string(),
    ...(Object.fromEntries(analysisFields.map((field) => [field, z.string()])) as {
      [K in keyof Analysis]: z.ZodString;
    }),
    framing: score,
    clickbait: score,
    persuasive: score,
    hyper_stimulus: score,
    speculative: score,
    overall: score,
    category: z.enum(categories),
    rating: score.openapi({ description: 'The same as overall' }),
    authors: z.array(z.string()),
    pub_date: isoTime,
    created_at: isoTime,
    updated_at: isoTime,
  })
  .openapi('DeframedItem');

const SiteBody = z.object({ root: z.string(), items: z.array(DeframedItemBody) }).openapi('DeframedSite');

/** Also those that a route has only where LECTERN_DEFRAMER_OPEN is false. */
const refusals = {
  304: { description: 'It is as the If-None-Match of the request says' },
  400: json(ErrorBody, 'The input is not as expected; the message names the field'),
  401: json(ErrorBody, 'Not logged in, where LECTERN_DEFRAMER_OPEN is false'),
};

const access =
  'For everybody, and for pages of every origin. With LECTERN_DEFRAMER_OPEN=false only for users of this Lectern, by a session or a token.';

export function deframedRoutes(router: Router, deps: ApiDeps): void {
  const { store, deframer } = deps;
  const add = <R extends RouteConfig>(spec: R, handler: (c: Context<ApiEnv>) => Promise<Response>) => {
    if (deframer.open) router.open(spec, handler as never);
    else router.user(spec, handler as never);
  };

  add(
    {
      method: 'get',
      path: deframedPaths.rss,
      tags,
      summary: 'A feed, deframed, as RSS 2.0',
      description: access,
      parameters: [...feedParameters],
      responses: {
        200: { description: 'The feed', content: { 'application/rss+xml': { schema: z.string() } } },
        ...refusals,
        403: json(ErrorBody, 'The feed is disabled'),
        404: json(ErrorBody, 'The feed is unknown, or has nothing yet'),
      },
    },
    serveFeed(deps),
  );

  add(
    {
      method: 'get',
      path: deframedPaths.item,
      tags,
      summary: 'What was made of an article',
      description: access,
      request: { query: ItemQuery },
      responses: {
        200: json(DeframedItemBody, 'The newest analysis of it'),
        ...refusals,
        404: json(ErrorBody, 'The article is unknown, or has a higher score'),
      },
    },
    async (c) => {
      const { url, max_score } = validQuery<typeof ItemQuery>(c);
      const asked = { maxScore: max_score };
      const item =
        (await store.deframed.findItem(itemHash(url), asked)) ??
        (await store.deframed.findItem(itemHash(webUrl(url) ?? url), asked));
      if (!item) throw new NotFound('article');
      return sendDeframedJson(c, deframer, toBody(item));
    },
  );

  add(
    {
      method: 'get',
      path: deframedPaths.site,
      tags,
      summary: 'The newest articles of a site, from each of its feeds in turn',
      description: access,
      request: { query: SiteQuery },
      responses: {
        200: json(SiteBody, 'Each article once'),
        ...refusals,
        404: json(ErrorBody, 'There is no feed of that domain'),
      },
    },
    async (c) => {
      const { root: text, max_score, limit } = validQuery<typeof SiteQuery>(c);
      for (const root of domainsMeant(text)) {
        const lists = await store.deframed.findSite(root, { limit, maxScore: max_score });
        if (!lists) continue;
        const chosen = takeTurns(lists, { keyOf: ({ url }) => url, limit });
        const items = await store.deframed.getItems(chosen.map(({ id }) => id));
        return sendDeframedJson(c, deframer, { root, items: items.map(toBody) });
      }
      throw new NotFound('site');
    },
  );
}

function validQuery<T extends z.ZodType>(c: Context<ApiEnv>): z.infer<T> {
  return c.req.valid('query' as never) as z.infer<T>;
}

function webUrl(text: string): string | undefined {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol)) return undefined;
  url.hash = '';
  return url.href;
}

/** The domain as it is written, and then what it or the address of a page belongs to. */
function domainsMeant(text: string): Set<string> {
  const written = text
    .trim()
    .toLowerCase()
    .replace(/[./]+$/, '');
  const address = /^[a-z][a-z\d+.-]*:\/\//.test(written) ? written : `http://${written}`;
  return new Set([written, parseRootDomain(written), rootDomainOf(address)].filter((one) => one != null));
}

function toBody(item: ShownArticle): z.infer<typeof DeframedItemBody> {
  const analysis = Object.fromEntries(analysisFields.map((field) => [field, item.analysis[field]]));
  return {
    id: item.id,
    feed_id: item.feedId,
    hash: item.hash,
    url: item.url,
    ...(analysis as unknown as Analysis),
    rating: item.analysis.overall,
    authors: item.author === '' ? [] : [item.author],
    pub_date: toIso(item.pubDate),
    created_at: toIso(item.createdAt),
    updated_at: toIso(item.updatedAt),
  };
}
