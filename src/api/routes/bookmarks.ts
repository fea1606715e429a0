import { z } from '@hono/zod-openapi';
import { bookmarkEntry, bookmarkPage } from '../../feeds/bookmark.ts';
import type { Bookmark } from '../../model/bookmark.ts';
import type { Clock } from '../../model/glossary.ts';
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

const BookmarkBody = z
  .object({
    id: z.int(),
    item_id: z.int().nullable().openapi({ description: 'The entry, while it is there' }),
    feed_id: z.int().nullable(),
    link: z.string(),
    title: z.string(),
    content: z.string(),
    pub_date: seconds,
    feed_name: z.string(),
    unread: z.boolean(),
    created_at: seconds,
  })
  .openapi('Bookmark');

const BookmarkInput = z
  .union([
    z.object({ item_id: z.int().min(1) }),
    z.object({
      link: z.string().trim().min(1).max(8_000),
      title: z.string().max(2_000).default(''),
      content: z.string().max(900_000).default(''),
      feed_name: z.string().max(500).default(''),
      pub_date: z.int().min(0).max(100_000_000_000).optional(),
    }),
  ])
  .openapi('BookmarkInput');

const path = '/api/bookmarks';
const tags = ['bookmarks'];
const one = json(z.object({ data: BookmarkBody }), 'The bookmark');

export function bookmarkRoutes(router: Router, { now }: { now: Clock }): void {
  router.user(
    {
      method: 'get',
      path,
      tags,
      summary: 'List bookmarks, the newest first',
      request: {
        query: z.object({
          feed_id: idQuery.optional(),
          group_id: idQuery.optional(),
          limit: pageLimit(50, 100),
          before: z
            .string()
            .max(50)
            .optional()
            .openapi({ description: 'The next_cursor of the page before' }),
        }),
      },
      responses: {
        200: json(
          z.object({ data: z.array(BookmarkBody), total: z.int(), next_cursor: z.string().nullable() }),
          'A page of bookmarks',
        ),
        400: json(ErrorBody, 'The input is not as expected; the message names the field'),
      },
    },
    async (c) => {
      const { feed_id: feedId, group_id: groupId, limit, before } = c.req.valid('query');
      const place = before === undefined ? undefined : parseCursor(before);
      const { bookmarks, total } = await c.get('actor').rows.bookmarks.list({
        feedId,
        groupId,
        limit,
        before: place && { createdAt: place.seconds * 1000, id: place.id },
      });
      const last = bookmarks.length === limit ? bookmarks.at(-1) : undefined;
      return c.json(
        { data: bookmarks.map(toBody), total, next_cursor: last ? cursorOf(last.createdAt, last.id) : null },
        200,
      );
    },
  );

  router.user(
    {
      method: 'post',
      path,
      tags,
      summary: 'Bookmark an entry, or a page; one that is bookmarked already stays as it is',
      request: { body: jsonBody(BookmarkInput) },
      responses: { 200: one, 404: json(ErrorBody, 'There is no such entry') },
    },
    async (c) => {
      const input = c.req.valid('json');
      const { rows } = c.get('actor');
      const bookmark =
        'item_id' in input
          ? await bookmarkEntry(rows, input.item_id)
          : await bookmarkPage(rows, {
              link: input.link,
              title: input.title,
              content: input.content,
              feedName: input.feed_name,
              pubDate: input.pub_date === undefined ? now() : input.pub_date * 1000,
            });
      return c.json({ data: toBody(bookmark) }, 200);
    },
  );

  router.user(
    {
      method: 'get',
      path: `${path}/{id}`,
      tags,
      summary: 'Get a bookmark',
      request: { params: idParam },
      responses: { 200: one },
    },
    async (c) =>
      c.json({ data: toBody(await c.get('actor').rows.bookmarks.get(c.req.valid('param').id)) }, 200),
  );

  router.user(
    {
      method: 'get',
      path: `${path}/{id}/content`,
      tags,
      summary: 'The content of a bookmark as a document, to be shown in a frame',
      request: { params: idParam },
      responses: articleResponses,
    },
    async (c) => sendArticle(c, await c.get('actor').rows.bookmarks.get(c.req.valid('param').id)) as never,
  );

  router.user(
    {
      method: 'delete',
      path: `${path}/{id}`,
      tags,
      summary: 'Take a bookmark away',
      request: { params: idParam },
      responses: { 204: { description: 'Deleted' } },
    },
    async (c) => {
      await c.get('actor').rows.bookmarks.delete(c.req.valid('param').id);
      return c.body(null, 204);
    },
  );
}

function toBody(bookmark: Bookmark): z.infer<typeof BookmarkBody> {
  return {
    id: bookmark.id,
    item_id: bookmark.entryId,
    feed_id: bookmark.feedId,
    link: bookmark.link,
    title: bookmark.title,
    content: bookmark.content,
    pub_date: toSeconds(bookmark.pubDate),
    feed_name: bookmark.feedName,
    unread: bookmark.unread,
    created_at: toSeconds(bookmark.createdAt),
  };
}
