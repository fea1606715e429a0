// Saved items: what a page is, is found out by a job; every answer here comes at once.
import { z } from '@hono/zod-openapi';
import { Invalid } from '../../errors.ts';
import { changeItems, enrichAgain, restoreItem, saveItem } from '../../items/save-item.ts';
import {
  bulkActions,
  enrichmentStatuses,
  type ItemFilter,
  itemOrigins,
  itemStatuses,
  mostAtOnce,
} from '../../model/item.ts';
import type { FindClient } from '../client.ts';
import type { ApiDeps } from '../context.ts';
import type { EventStreams } from '../event-stream.ts';
import type { Router } from '../router.ts';
import { ErrorBodyV1, eventStream, idParam, json, jsonBody, pageLimit } from '../schemas.ts';
import {
  CreateItem,
  collectionIdText,
  ItemBody,
  idText,
  includeQuery,
  tagList,
  toItemBody,
  UpdateItem,
} from './item-body.ts';
import { cursorAfter, placeOf } from './item-cursor.ts';
import { itemEvents } from './item-events.ts';

const path = '/api/v1/items';
const tags = ['items'];
const one = json(ItemBody, 'The item');
const badInput = json(ErrorBodyV1, 'The input is not as expected; the message names the field');

const yesOrNo = z.enum(['true', 'false']).transform((text) => text === 'true');

const ListQuery = includeQuery.extend({
  status: z.enum(itemStatuses).optional(),
  collectionId: z
    .union([z.literal('none').transform(() => null), idText])
    .optional()
    .openapi({ type: 'string', description: 'An id, or none' }),
  nested: yesOrNo.optional().openapi({ description: 'With the items of its sub-collections' }),
  tag: z
    .preprocess((value) => (typeof value === 'string' ? [value] : value), tagList)
    .optional()
    .openapi({
      type: 'array',
      items: { type: 'string' },
      description: 'May repeat: items that have them all',
    }),
  untagged: yesOrNo.optional(),
  isFavorite: yesOrNo.optional(),
  enrichmentStatus: z.enum(enrichmentStatuses).optional(),
  origin: z.enum(itemOrigins).optional(),
  link: z.enum(['dead']).optional(),
  deleted: yesOrNo.optional().openapi({ description: 'What can be had back, by when it was deleted' }),
  sort: z.enum(['newest', 'oldest']).default('newest'),
  cursor: z.string().max(200).optional().openapi({ description: 'The nextCursor of the page before' }),
  limit: pageLimit(20, 50),
});

const BulkInput = z
  .object({
    ids: z.array(idText).min(1).max(mostAtOnce),
    action: z.enum(bulkActions),
    tags: tagList.optional().openapi({ description: 'For addTags and removeTags' }),
    collectionId: collectionIdText
      .optional()
      .openapi({ description: 'For move; null takes them out of theirs' }),
  })
  .openapi('BulkItemsRequest');

const Counts = z
  .object({
    all: z.int(),
    unread: z.int(),
    archived: z.int(),
    favorite: z.int(),
    untagged: z.int(),
    unsorted: z.int().openapi({ description: 'In no collection' }),
    pending: z.int(),
    failed: z.int(),
    deleted: z.int().openapi({ description: 'That can be had back' }),
    dead: z.int().openapi({ description: 'Whose page is gone' }),
  })
  .openapi('ItemCounts');

export function itemRoutes(
  router: Router,
  { now, log }: Pick<ApiDeps, 'now' | 'log'>,
  findClient: FindClient,
  streams: EventStreams,
): void {
  const tellQueued = (user: number, item: number) =>
    log.debug({ item, user }, 'a saved page: enrichment queued');

  router.user(
    {
      method: 'get',
      path,
      tags,
      summary: 'List saved items, the newest first',
      request: { query: ListQuery },
      responses: {
        200: json(
          z.object({ items: z.array(ItemBody), nextCursor: z.string().nullable(), hasMore: z.boolean() }),
          'A page of items',
        ),
        400: badInput,
      },
    },
    async (c) => {
      const { include, tag, link, sort, cursor, limit, ...asked } = c.req.valid('query');
      const order = asked.deleted ? `deleted ${sort}` : sort;
      const filter: ItemFilter = {
        ...asked,
        tags: tag,
        isDead: link === 'dead' ? true : undefined,
        oldestFirst: sort === 'oldest',
        after: cursor === undefined ? undefined : placeOf(cursor, order),
        limit,
      };
      const found = await c.get('actor').rows.items.list(filter);
      const items = found.slice(0, limit);
      const last = items.at(-1);
      const hasMore = found.length > limit;
      const shown = { base: findClient(c).origin, include };
      return c.json(
        {
          items: items.map((item) => toItemBody(item, shown)),
          nextCursor: hasMore && last ? cursorAfter(last, order) : null,
          hasMore,
        },
        200,
      );
    },
  );

  router.user(
    {
      method: 'post',
      path,
      tags,
      summary: 'Save a page; what it is, is found out in the background',
      request: { query: includeQuery, body: jsonBody(CreateItem) },
      responses: { 201: json(ItemBody, 'Saved'), 200: json(ItemBody, 'It was there already') },
    },
    async (c) => {
      const { user, rows } = c.get('actor');
      const { item, isNew } = await saveItem(rows, given(c.req.valid('json')));
      if (isNew) tellQueued(user.id, item.id);
      const body = toItemBody(item, { base: findClient(c).origin, ...c.req.valid('query') });
      return isNew ? c.json(body, 201, { Location: `${path}/${item.id}` }) : c.json(body, 200);
    },
  );

  router.user(
    {
      method: 'post',
      path: `${path}/bulk`,
      tags,
      summary: 'Change many items at once: all of them that are there, or none',
      request: { body: jsonBody(BulkInput) },
      responses: {
        200: json(z.object({ changed: z.int(), notFound: z.array(z.string()) }), 'How many were changed'),
      },
    },
    async (c) => {
      const { ids, action, tags: names, collectionId } = c.req.valid('json');
      if (/Tags$/.test(action) && !names?.length) throw new Invalid(`tags: expected some for ${action}`);
      if (action === 'move' && collectionId === undefined)
        throw new Invalid('collectionId: expected an id, or null for none');
      const change = { ids, action, tags: names ?? [], collectionId: collectionId ?? null };
      const { changed, notFound } = await changeItems(c.get('actor').rows, change);
      return c.json({ changed, notFound: notFound.map(String) }, 200);
    },
  );

  router.user(
    {
      method: 'get',
      path: `${path}/counts`,
      tags,
      summary: 'How many items there are of each sort',
      responses: { 200: json(Counts, 'The counts') },
    },
    async (c) => c.json(await c.get('actor').rows.items.counts(), 200),
  );

  router.user(
    {
      method: 'get',
      path: `${path}/events`,
      tags,
      summary: 'Watch items change',
      responses: {
        200: eventStream(
          'Server-sent events: `item` with an item and its details, `gone` with the `id` of one that was deleted',
        ),
      },
    },
    async (c) => {
      const shown = { base: findClient(c).origin, include: 'details' } as const;
      const { items } = c.get('actor').rows;
      return streams.open(c, itemEvents(items, { now, toBody: (item) => toItemBody(item, shown) })) as never;
    },
  );

  router.user(
    {
      method: 'get',
      path: `${path}/{id}`,
      tags,
      summary: 'Get an item',
      request: { params: idParam, query: includeQuery },
      responses: { 200: one },
    },
    async (c) => {
      const item = await c.get('actor').rows.items.get(c.req.valid('param').id);
      return c.json(toItemBody(item, { base: findClient(c).origin, ...c.req.valid('query') }), 200);
    },
  );

  router.user(
    {
      method: 'patch',
      path: `${path}/{id}`,
      tags,
      summary: 'Change an item; an empty title or excerpt is left to the page again',
      request: { params: idParam, query: includeQuery, body: jsonBody(UpdateItem) },
      responses: { 200: one },
    },
    async (c) => {
      const { items } = c.get('actor').rows;
      const item = await items.change(c.req.valid('param').id, c.req.valid('json'));
      return c.json(toItemBody(item, { base: findClient(c).origin, ...c.req.valid('query') }), 200);
    },
  );

  router.user(
    {
      method: 'delete',
      path: `${path}/{id}`,
      tags,
      summary: 'Delete an item, and its bookmark; both can be had back for 30 days',
      request: { params: idParam },
      responses: { 204: { description: 'Deleted' } },
    },
    async (c) => {
      await c.get('actor').rows.items.delete(c.req.valid('param').id);
      return c.body(null, 204);
    },
  );

  router.user(
    {
      method: 'post',
      path: `${path}/{id}/restore`,
      tags,
      summary: 'Have a deleted item back',
      request: { params: idParam, query: includeQuery },
      responses: { 200: one },
    },
    async (c) => {
      const item = await restoreItem(c.get('actor').rows, c.req.valid('param').id);
      return c.json(toItemBody(item, { base: findClient(c).origin, ...c.req.valid('query') }), 200);
    },
  );

  router.user(
    {
      method: 'post',
      path: `${path}/{id}/enrich`,
      tags,
      summary: 'Find out anew what the page is',
      request: { params: idParam },
      responses: {
        202: json(
          z.object({ message: z.string(), itemId: z.string(), status: z.literal('pending') }),
          'It is in the queue',
        ),
      },
    },
    async (c) => {
      const { user, rows } = c.get('actor');
      const { id } = await enrichAgain(rows, c.req.valid('param').id);
      tellQueued(user.id, id);
      return c.json(
        { message: 'The page will be fetched anew.', itemId: String(id), status: 'pending' as const },
        202,
      );
    },
  );
}

/** Fields that are not there stay away, so that they do not stand over what is usual. */
function given<T extends object>(input: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined)) as never;
}
