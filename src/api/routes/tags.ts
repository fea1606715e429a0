// The tags of saved items. A tag is there as long as an item has it.
import { z } from '@hono/zod-openapi';
import { Invalid, NotFound } from '../../errors.ts';
import { parseTagName } from '../../items/tag-name.ts';
import { cleanText } from '../../store/clean-text.ts';
import type { Tag } from '../../store/owned/tag-store.ts';
import type { Router } from '../router.ts';
import { ErrorBodyV1, json, jsonBody, pageLimit } from '../schemas.ts';
import { tagText } from './item-body.ts';

const path = '/api/v1/tags';
const tags = ['tags'];
const badInput = json(ErrorBodyV1, 'The input is not as expected; the message names the field');

const TagBody = z.object({ name: z.string(), itemCount: z.int() }).openapi('Tag');
const sorts = ['name', 'count'] as const;
type Sort = (typeof sorts)[number];

const nameParam = z.object({ name: z.string().max(500).openapi({ example: 'to read' }) });
const changed = json(
  z.object({ oldName: z.string(), newName: z.string().nullable(), itemsUpdated: z.int() }),
  'What was changed',
);

export function tagRoutes(router: Router): void {
  router.user(
    {
      method: 'get',
      path,
      tags,
      summary: 'List your tags, each with the number of its items',
      request: {
        query: z.object({
          q: z.string().max(200).optional().openapi({ description: 'What the name has in it' }),
          sort: z.enum(sorts).default('name'),
          cursor: z
            .string()
            .max(1_000)
            .optional()
            .openapi({ description: 'The nextCursor of the page before' }),
          limit: pageLimit(200, 1_000),
        }),
      },
      responses: {
        200: json(
          z.object({ tags: z.array(TagBody), nextCursor: z.string().nullable(), hasMore: z.boolean() }),
          'A page of tags',
        ),
        400: badInput,
      },
    },
    async (c) => {
      const { q = '', sort, cursor, limit } = c.req.valid('query');
      const found = await c.get('actor').rows.tags.list({
        part: cleanText(q).replace(/\s+/g, ' ').toLowerCase().normalize('NFC').trim(),
        sort,
        after: cursor === undefined ? undefined : placeOf(cursor, sort),
        limit,
      });
      const page = found.slice(0, limit);
      const last = page.at(-1);
      const hasMore = found.length > limit;
      return c.json(
        { tags: page, nextCursor: hasMore && last ? cursorAfter(last, sort) : null, hasMore },
        200,
      );
    },
  );

  router.user(
    {
      method: 'patch',
      path: `${path}/{name}`,
      tags,
      summary: 'Rename a tag everywhere; one that has the new name already is joined with it',
      request: {
        params: nameParam,
        body: jsonBody(z.object({ newName: tagText }).openapi('RenameTagRequest')),
      },
      responses: { 200: changed },
    },
    async (c) => {
      const oldName = tagOf(c.req.valid('param').name);
      const { newName } = c.req.valid('json');
      const itemsUpdated = await c.get('actor').rows.tags.rename(oldName, newName);
      return c.json({ oldName, newName, itemsUpdated }, 200);
    },
  );

  router.user(
    {
      method: 'delete',
      path: `${path}/{name}`,
      tags,
      summary: 'Take a tag away from everything',
      request: { params: nameParam },
      responses: { 200: changed },
    },
    async (c) => {
      const oldName = tagOf(c.req.valid('param').name);
      const itemsUpdated = await c.get('actor').rows.tags.delete(oldName);
      return c.json({ oldName, newName: null, itemsUpdated }, 200);
    },
  );
}

function tagOf(text: string): string {
  const name = parseTagName(cleanText(text));
  if (name === undefined) throw new NotFound('tag');
  return name;
}

function cursorAfter({ name, itemCount }: Tag, sort: Sort): string {
  return Buffer.from(JSON.stringify([sort, name, itemCount])).toString('base64url');
}

function placeOf(cursor: string, sort: Sort): Tag {
  try {
    const [madeFor, name, itemCount] = z
      .tuple([z.literal(sort), z.string(), z.int()])
      .parse(JSON.parse(Buffer.from(cursor, 'base64url').toString()));
    return madeFor && { name, itemCount };
  } catch (cause) {
    throw new Invalid('cursor: expected the nextCursor of a page in the same order', { cause });
  }
}
