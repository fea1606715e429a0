// Searches that somebody wants to ask again.
import { z } from '@hono/zod-openapi';
import type { SavedSearch } from '../../model/search.ts';
import { parseQuery } from '../../search/parse-query.ts';
import { cleanText } from '../../store/clean-text.ts';
import type { Router } from '../router.ts';
import { ErrorBodyV1, idParam, isoTime, json, jsonBody, nameText, toIso } from '../schemas.ts';

const path = '/api/v1/searches';
const tags = ['search'];

const SavedSearchBody = z
  .object({
    id: z.string(),
    name: z.string(),
    q: z.string(),
    created_at: isoTime,
    updated_at: isoTime,
  })
  .openapi('SavedSearch');

const SavedSearchInput = z
  .object({
    name: nameText(200),
    q: z
      .string()
      .overwrite(cleanText)
      .trim()
      .max(1_000)
      .openapi({ description: 'As GET /api/v1/search takes it' }),
  })
  .openapi('SavedSearchInput');

const SavedSearchChange = SavedSearchInput.partial()
  .refine(
    (change) => Object.values(change).some((value) => value !== undefined),
    'expected at least one field',
  )
  .openapi('SavedSearchChange');

const one = json(z.object({ data: SavedSearchBody }), 'The search');
const nameTaken = json(ErrorBodyV1, 'You have saved a search of that name');

export function savedSearchRoutes(router: Router): void {
  router.user(
    {
      method: 'get',
      path,
      tags,
      summary: 'List your saved searches, by name',
      responses: { 200: json(z.object({ data: z.array(SavedSearchBody) }), 'All of them') },
    },
    async (c) => c.json({ data: (await c.get('actor').rows.savedSearches.list()).map(toBody) }, 200),
  );

  router.user(
    {
      method: 'post',
      path,
      tags,
      summary: 'Save a search',
      request: { body: jsonBody(SavedSearchInput) },
      responses: { 201: one, 409: nameTaken },
    },
    async (c) => {
      const { name, q } = c.req.valid('json');
      // What cannot be asked is not worth keeping.
      parseQuery(q);
      const search = await c.get('actor').rows.savedSearches.create({ name, q });
      return c.json({ data: toBody(search) }, 201, { Location: `${path}/${search.id}` });
    },
  );

  router.user(
    {
      method: 'patch',
      path: `${path}/{id}`,
      tags,
      summary: 'Change a saved search',
      request: { params: idParam, body: jsonBody(SavedSearchChange) },
      responses: { 200: one, 409: nameTaken },
    },
    async (c) => {
      const { name, q } = c.req.valid('json');
      if (q !== undefined) parseQuery(q);
      const change = { ...(name !== undefined && { name }), ...(q !== undefined && { q }) };
      const search = await c.get('actor').rows.savedSearches.change(c.req.valid('param').id, change);
      return c.json({ data: toBody(search) }, 200);
    },
  );

  router.user(
    {
      method: 'delete',
      path: `${path}/{id}`,
      tags,
      summary: 'Delete a saved search',
      request: { params: idParam },
      responses: { 204: { description: 'Deleted' } },
    },
    async (c) => {
      await c.get('actor').rows.savedSearches.delete(c.req.valid('param').id);
      return c.body(null, 204);
    },
  );
}

function toBody({ id, name, q, createdAt, updatedAt }: SavedSearch) {
  return { id: String(id), name, q, created_at: toIso(createdAt), updated_at: toIso(updatedAt) };
}
