import { z } from '@hono/zod-openapi';
import { askedKinds, type Facet, searchKinds } from '../../model/search.ts';
import { searchLibrary, searchModes } from '../../search/search-library.ts';
import { searchText } from '../../search/search-text.ts';
import type { ApiDeps } from '../context.ts';
import type { Router } from '../router.ts';
import { ErrorBody, ErrorBodyV1, json, pageLimit, seconds, toSeconds } from '../schemas.ts';

const tags = ['search'];
const q = z
  .string()
  .trim()
  .min(1, 'expected what to search for')
  .max(1_000, 'expected at most 1000 characters');

const FoundFeed = z.object({ id: z.int(), name: z.string(), link: z.string(), site_url: z.string() });
const FoundItem = z.object({ id: z.int(), feed_id: z.int(), title: z.string(), pub_date: seconds });

const Hit = z
  .object({
    kind: z.enum(searchKinds),
    id: z.string(),
    title: z.string(),
    url: z.string(),
    site: z.string().nullable(),
    published_at: z.string().openapi({ format: 'date-time' }),
    snippet: z.object({
      text: z.string(),
      hits: z.array(z.tuple([z.int(), z.int()])).openapi({ description: 'From and to, in the text' }),
      cut_before: z.boolean(),
      cut_after: z.boolean(),
    }),
  })
  .openapi('Hit');

const FacetBody = z
  .object({
    value: z.string().openapi({ description: 'As the filter of that name takes it' }),
    label: z.string().optional(),
    count: z.int(),
  })
  .openapi('Facet');
const facetList = z.array(FacetBody);
const Facets = z
  .object({
    kind: facetList,
    site: facetList,
    tag: facetList,
    feed: facetList,
    lang: facetList,
    year: facetList,
  })
  .openapi('Facets');

export function searchRoutes(router: Router, { store, searchSources, now, meaning }: ApiDeps): void {
  router.user(
    {
      method: 'get',
      path: '/api/search',
      tags,
      summary: 'Search feeds by name and address, and entries by their text',
      request: { query: z.object({ q, limit: pageLimit(10, 100) }) },
      responses: {
        200: json(
          z.object({ data: z.object({ feeds: z.array(FoundFeed), items: z.array(FoundItem) }) }),
          'What was found, the best first',
        ),
        400: json(ErrorBody, 'The input is not as expected; the message names the field'),
      },
    },
    async (c) => {
      const { q, limit } = c.req.valid('query');
      const { user, rows } = c.get('actor');
      const feeds = await rows.feeds.findByText(q, limit);
      const { hits } = await searchText({ store, now }, { userId: user.id, q, kinds: ['entry'], limit });
      const entries = await rows.entries.getMany(hits.map(({ refId }) => refId));
      return c.json(
        {
          data: {
            feeds: feeds.map(({ id, name, link, siteUrl }) => ({ id, name, link, site_url: siteUrl })),
            items: entries.map(({ id, feedId, title, pubDate }) => ({
              id,
              feed_id: feedId,
              title,
              pub_date: toSeconds(pubDate),
            })),
          },
        },
        200,
      );
    },
  );

  router.user(
    {
      method: 'get',
      path: '/api/v1/search',
      tags,
      summary: 'Search everything that you have',
      description:
        'Words, "phrases", -not, this OR that, prefix*, and filters: tag: site: feed: kind: author: lang: before: after: is: (unread, bookmarked, archived, highlighted) and in:title. A filter is negated by a minus. Of several of tag:, author: or is: all must hold unless OR stands between them; of the others any is enough. A value with spaces stands in quotes. Dates are 2026-03-12, 2026-03, 2026, 7d, 2w or today, in UTC. Without words the newest come first.',
      request: {
        query: z.object({
          q,
          kind: z.enum(askedKinds).optional().openapi({
            description:
              'Only this kind; a raindrop is found as the item of its page. Without it everything is searched, and a page that is there as several kinds is shown once: as the saved item rather than the bookmark, and as the bookmark rather than the entry, as long as each matches',
          }),
          mode: z.enum(searchModes).default('hybrid').openapi({
            description:
              'By words, by meaning, or by both. Where search by meaning is off, words serve, and notice says so',
          }),
          limit: pageLimit(20, 100),
          cursor: z.string().max(200).optional(),
        }),
      },
      responses: {
        200: json(
          z.object({
            data: z.array(Hit),
            found: z.int(),
            at_least: z.boolean().openapi({ description: 'There may be more than were counted' }),
            facets: Facets.optional().openapi({
              description:
                'What it can be narrowed by, counted over the matches that are ranked; of the first page alone',
            }),
            mode: z.enum(searchModes).openapi({ description: 'The mode that served' }),
            notice: z.string().optional().openapi({ description: 'Why that is another than was asked for' }),
            suggestion: z
              .string()
              .optional()
              .openapi({ description: 'A query that finds something, where this one finds nothing' }),
            next_cursor: z.string().nullable(),
          }),
          'A page of hits, the best first',
        ),
        400: json(ErrorBodyV1, 'The input is not as expected; the message names the field'),
      },
    },
    async (c) => {
      const { q, kind, mode, limit, cursor } = c.req.valid('query');
      const { user } = c.get('actor');
      const result = await searchLibrary(
        { store, sources: searchSources, now, meaning },
        { userId: user.id, q, mode, limit, ...(kind && { kinds: [kind] }), ...(cursor && { cursor }) },
      );
      const data = result.hits.map(({ kind, text, snippet }) => ({
        kind,
        id: String(text.refId),
        title: text.title,
        url: text.url,
        site: text.site,
        published_at: new Date(text.publishedAt).toISOString(),
        snippet: {
          text: snippet.text,
          hits: snippet.hits.map(([from, to]): [number, number] => [from, to]),
          cut_before: snippet.cutBefore,
          cut_after: snippet.cutAfter,
        },
      }));
      const { found, atLeast, nextCursor = null, facets, mode: served, notice, suggestion } = result;
      return c.json(
        {
          data,
          found,
          at_least: atLeast,
          ...(facets && {
            facets: {
              kind: toBodies(facets.kind),
              site: toBodies(facets.site),
              tag: toBodies(facets.tag),
              feed: toBodies(facets.feed),
              lang: toBodies(facets.lang),
              year: toBodies(facets.year),
            },
          }),
          mode: served,
          ...(notice && { notice }),
          ...(suggestion && { suggestion }),
          next_cursor: nextCursor,
        },
        200,
      );
    },
  );
}

function toBodies(facets: readonly Facet[]) {
  return facets.map(({ value, label, count }) => ({ value, ...(label !== undefined && { label }), count }));
}
