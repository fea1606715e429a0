// Folders of saved items, in folders.
import { z } from '@hono/zod-openapi';
import { type Collection, itemLimits } from '../../model/item.ts';
import { cleanText } from '../../store/clean-text.ts';
import type { Router } from '../router.ts';
import { ErrorBodyV1, idParam, isoTime, json, jsonBody, nameText, toIso } from '../schemas.ts';
import { collectionIdText } from './item-body.ts';

const path = '/api/v1/collections';
const tags = ['collections'];

const CollectionBody = z
  .object({
    id: z.string(),
    name: z.string(),
    description: z.string().nullable(),
    parentId: z.string().nullable(),
    itemCount: z.int().openapi({ description: 'Of its own, without those of its sub-collections' }),
    createdAt: isoTime,
    updatedAt: isoTime,
  })
  .openapi('Collection');

const description = z
  .string()
  .overwrite(cleanText)
  .trim()
  .max(itemLimits.collectionDescription)
  .nullable()
  .transform((text) => text ?? '');

const CreateCollection = z
  .object({
    name: nameText(itemLimits.collectionName),
    description: description.optional(),
    parentId: collectionIdText.optional(),
  })
  .openapi('CreateCollectionRequest');

const UpdateCollection = CreateCollection.partial()
  .refine(
    (change) => Object.values(change).some((value) => value !== undefined),
    'expected at least one field',
  )
  .openapi('UpdateCollectionRequest');

const one = json(CollectionBody, 'The collection');
const nameTaken = json(ErrorBodyV1, 'There is a collection of that name already');

export function collectionRoutes(router: Router): void {
  router.user(
    {
      method: 'get',
      path,
      tags,
      summary: 'List your collections',
      responses: { 200: json(z.object({ collections: z.array(CollectionBody) }), 'All of them, by name') },
    },
    async (c) => {
      const collections = await c.get('actor').rows.collections.list();
      return c.json({ collections: collections.map(toBody) }, 200);
    },
  );

  router.user(
    {
      method: 'post',
      path,
      tags,
      summary: 'Add a collection',
      request: { body: jsonBody(CreateCollection) },
      responses: { 201: one, 409: nameTaken },
    },
    async (c) => {
      const { name, description = '', parentId = null } = c.req.valid('json');
      const collection = await c.get('actor').rows.collections.create({ name, description, parentId });
      return c.json(toBody(collection), 201, { Location: `${path}/${collection.id}` });
    },
  );

  router.user(
    {
      method: 'get',
      path: `${path}/{id}`,
      tags,
      summary: 'Get a collection',
      request: { params: idParam },
      responses: { 200: one },
    },
    async (c) => c.json(toBody(await c.get('actor').rows.collections.get(c.req.valid('param').id)), 200),
  );

  router.user(
    {
      method: 'patch',
      path: `${path}/{id}`,
      tags,
      summary: 'Rename or describe a collection, or move it; null as parentId is the top',
      request: { params: idParam, body: jsonBody(UpdateCollection) },
      responses: { 200: one, 409: nameTaken },
    },
    async (c) => {
      const { collections } = c.get('actor').rows;
      return c.json(toBody(await collections.update(c.req.valid('param').id, c.req.valid('json'))), 200);
    },
  );

  router.user(
    {
      method: 'delete',
      path: `${path}/{id}`,
      tags,
      summary: 'Delete a collection; with mode=cascade all that is inside it too',
      request: {
        params: idParam,
        query: z.object({
          mode: z.enum(['default', 'cascade']).default('default').openapi({
            description:
              'default: its items stay, in no collection, and its sub-collections move up; cascade: sub-collections and items go too, the items for 30 days',
          }),
        }),
      },
      responses: { 204: { description: 'Deleted' } },
    },
    async (c) => {
      const { collections } = c.get('actor').rows;
      const { id } = c.req.valid('param');
      if (c.req.valid('query').mode === 'cascade') await collections.deleteWithItems(id);
      else await collections.delete(id);
      return c.body(null, 204);
    },
  );
}

function toBody(collection: Collection): z.infer<typeof CollectionBody> {
  return {
    id: String(collection.id),
    name: collection.name,
    description: collection.description || null,
    parentId: collection.parentId === null ? null : String(collection.parentId),
    itemCount: collection.itemCount,
    createdAt: toIso(collection.createdAt),
    updatedAt: toIso(collection.updatedAt),
  };
}
