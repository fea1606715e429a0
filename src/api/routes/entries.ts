// Entries, which the reader's API calls items.
import { z } from '@hono/zod-openapi';
import { itemHash } from '../../deframer/item-hash.ts';
import { Invalid } from '../../errors.ts';
import { excerptOf, excerptSource } from '../../html/excerpt.ts';
import { type ShownArticle, scoreNames } from '../../model/deframer.ts';
import type { Entry } from '../../model/entry.ts';
import type { DeframedStore } from '../../store/deframer/deframed-store.ts';
import type { ApiDeps } from '../context.ts';
import { sendArticle } from '../pages/reading-page.ts';
import type { Router } from '../router.ts';
import {
  articleResponses,
  cursorOf,
  ErrorBody,
  idParam,
  idQuery,
  json,
  jsonBody,
  pageLimit,
  parseCursor,
  seconds,
  toSeconds,
} from '../schemas.ts';

const Deframed = z
  .object({ title: z.string(), overall: z.number() })
  .openapi({ description: 'What the deframer has made of its title; absent where it has not seen it' });

const DeframedInFull = Deframed.extend({
  title_reason: z.string(),
  description: z.string(),
  overall_reason: z.string(),
  category: z.string(),
  model: z.string(),
  scores: z.array(z.object({ name: z.enum(scoreNames), score: z.number(), reason: z.string() })),
});

const EntryBody = z
  .object({
    id: z.int(),
    feed_id: z.int(),
    guid: z.string(),
    title: z.string(),
    link: z.string(),
    author: z.string(),
    content: z.string().openapi({ description: 'HTML, sanitised' }),
    enclosures: z.array(z.object({ url: z.string(), type: z.string(), length: z.int().nullable() })),
    categories: z.array(z.string()),
    pub_date: seconds,
    unread: z.boolean(),
    bookmark_id: z.int().nullable().openapi({ description: 'Your bookmark of it' }),
    created_at: seconds,
    updated_at: seconds,
  })
  .openapi('Item');

const ListedEntryBody = EntryBody.extend({
  excerpt: z
    .string()
    .optional()
    .openapi({ description: 'With view=brief, how its text begins; content is empty then' }),
  deframed: Deframed.optional(),
}).openapi('ListedItem');

const OpenedEntryBody = EntryBody.extend({ deframed: DeframedInFull.optional() }).openapi('OpenedItem');

const mostEntries = { full: 100, brief: 200 };

const ListQuery = z.object({
  feed_id: idQuery.optional(),
  group_id: idQuery.optional(),
  unread: z
    .enum(['true', 'false', '1', '0'])
    .transform((text) => text === 'true' || text === '1')
    .optional()
    .openapi({ type: 'boolean' }),
  limit: pageLimit(10, mostEntries.brief).openapi({
    description: `At most ${mostEntries.full}, or ${mostEntries.brief} with view=brief`,
  }),
  before: z.string().max(50).optional().openapi({ description: 'The next_cursor of the page before' }),
  order_by: z.enum(['pub_date', 'created_at']).default('pub_date'),
  order: z.enum(['newest', 'oldest']).default('newest').openapi({ description: 'Which come first' }),
  view: z
    .enum(['full', 'brief'])
    .default('full')
    .openapi({ description: 'brief: an excerpt in place of the content' }),
});

const MarkInput = z.object({ ids: z.array(z.int().min(1)).min(1).max(1_000) }).openapi('MarkInput');

const ReadAllInput = z
  .object({ feed_id: z.int().min(1), group_id: z.int().min(1), through_id: z.int().min(1) })
  .partial()
  .openapi('ReadAllInput');

const path = '/api/items';
const tags = ['items'];

export function entryRoutes(router: Router, { store }: Pick<ApiDeps, 'store'>): void {
  router.user(
    {
      method: 'get',
      path,
      tags,
      summary: 'List entries, the newest or the oldest first',
      request: { query: ListQuery },
      responses: {
        200: json(
          z.object({ data: z.array(ListedEntryBody), total: z.int(), next_cursor: z.string().nullable() }),
          'A page of entries',
        ),
        400: json(ErrorBody, 'The input is not as expected; the message names the field'),
      },
    },
    async (c) => {
      const {
        feed_id: feedId,
        group_id: groupId,
        unread,
        limit: wanted,
        before,
        order_by: order,
        order: first,
        view,
      } = c.req.valid('query');
      if (before !== undefined && order === 'created_at')
        throw new Invalid('before: pages go by pub_date only; leave out before or order_by');
      const place = before === undefined ? undefined : parseCursor(before);
      const limit = Math.min(wanted, mostEntries[view]);
      const { entries } = c.get('actor').rows;
      const list = await entries.list({
        feedId,
        groupId,
        unread,
        order,
        oldestFirst: first === 'oldest',
        contentCharacters: view === 'brief' ? excerptSource : undefined,
        limit,
        before: place && { pubDate: place.seconds * 1000, id: place.id },
      });
      const last = list.length === limit ? list.at(-1) : undefined;
      return c.json(
        {
          data: view === 'brief' ? await briefBodies(store.deframed, list) : list.map(toBody),
          total: await entries.count({ feedId, groupId, unread }),
          next_cursor: last && order === 'pub_date' ? cursorOf(last.pubDate, last.id) : null,
        },
        200,
      );
    },
  );

  for (const [word, read] of [
    ['read', true],
    ['unread', false],
  ] as const) {
    router.user(
      {
        method: 'patch',
        path: `${path}/-/${word}`,
        tags,
        summary: `Mark entries ${word}; ids that are not yours are passed over`,
        request: { body: jsonBody(MarkInput) },
        responses: { 204: { description: 'Marked' } },
      },
      async (c) => {
        await c.get('actor').rows.entries.mark(c.req.valid('json').ids, { read });
        return c.body(null, 204);
      },
    );
  }

  router.user(
    {
      method: 'post',
      path: `${path}/-/read-all`,
      tags,
      summary: 'Mark everything read, or a feed, or a group; up to an entry, if one is named',
      request: { body: jsonBody(ReadAllInput) },
      responses: { 204: { description: 'Marked' } },
    },
    async (c) => {
      const { feed_id: feedId, group_id: groupId, through_id: throughId } = c.req.valid('json');
      await c.get('actor').rows.entries.markAllRead({ feedId, groupId, throughId });
      return c.body(null, 204);
    },
  );

  router.user(
    {
      method: 'get',
      path: `${path}/{id}`,
      tags,
      summary: 'Get an entry',
      request: { params: idParam },
      responses: { 200: json(z.object({ data: OpenedEntryBody }), 'The entry') },
    },
    async (c) => {
      const entry = await c.get('actor').rows.entries.get(c.req.valid('param').id);
      const [hash] = hashesOf([entry]);
      const found = hash && ofTitle(entry, (await store.deframed.findItems([hash])).get(hash));
      return c.json({ data: { ...toBody(entry), ...(found && { deframed: inFull(found) }) } }, 200);
    },
  );

  router.user(
    {
      method: 'get',
      path: `${path}/{id}/content`,
      tags,
      summary: 'The content of an entry as a document, to be shown in a frame',
      request: { params: idParam },
      responses: articleResponses,
    },
    async (c) => sendArticle(c, await c.get('actor').rows.entries.get(c.req.valid('param').id)) as never,
  );
}

/** One question for the whole page, by the addresses that its entries have. */
async function briefBodies(
  deframed: DeframedStore,
  entries: readonly Entry[],
): Promise<z.infer<typeof ListedEntryBody>[]> {
  const hashes = hashesOf(entries);
  const found = await deframed.findItems([...new Set(hashes.filter((hash) => hash !== undefined))]);
  return entries.map((entry, place) => {
    const analysis = ofTitle(entry, found.get(hashes[place] ?? ''))?.analysis;
    return {
      ...toBody(entry),
      content: '',
      excerpt: excerptOf(entry.content),
      ...(analysis && { deframed: { title: analysis.title_corrected, overall: analysis.overall } }),
    };
  });
}

function hashesOf(entries: readonly Entry[]): (string | undefined)[] {
  return entries.map(({ link }) => (link === '' ? undefined : itemHash(link)));
}

/**
 * Of the analyses of a page, the one of the title that the entry has: a publisher may have corrected it since, and another
 * feed may have called the page whatever it liked.
 */
function ofTitle({ title }: Entry, found: readonly ShownArticle[] | undefined): ShownArticle | undefined {
  const folded = (text: string) => text.replace(/\s+/g, ' ').trim();
  // Whoever follows the deframed feed has the other title.
  return found?.find(({ analysis }) =>
    [analysis.title_original, analysis.title_corrected].some((one) => folded(one) === folded(title)),
  );
}

function inFull({ analysis }: ShownArticle): z.infer<typeof DeframedInFull> {
  return {
    title: analysis.title_corrected,
    title_reason: analysis.title_correction_reason,
    description: analysis.description_corrected,
    overall: analysis.overall,
    overall_reason: analysis.overall_reason,
    category: analysis.category,
    model: analysis.llm_model,
    scores: scoreNames.map((name) => ({ name, score: analysis[name], reason: analysis[`${name}_reason`] })),
  };
}

function toBody(entry: Entry): z.infer<typeof EntryBody> {
  return {
    id: entry.id,
    feed_id: entry.feedId,
    guid: entry.guid,
    title: entry.title,
    link: entry.link,
    author: entry.author,
    content: entry.content,
    enclosures: entry.enclosures.map(({ url, type, lengthBytes }) => ({ url, type, length: lengthBytes })),
    categories: [...entry.categories],
    pub_date: toSeconds(entry.pubDate),
    unread: entry.unread,
    bookmark_id: entry.bookmarkId,
    created_at: toSeconds(entry.createdAt),
    updated_at: toSeconds(entry.updatedAt),
  };
}
