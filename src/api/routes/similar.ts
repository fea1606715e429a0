// What else there is like an item or an entry, and how far search by meaning has come.
import { z } from '@hono/zod-openapi';
import { searchKinds } from '../../model/search.ts';
import { findSimilar, type Similar } from '../../search/similar.ts';
import type { ApiDeps } from '../context.ts';
import type { Router } from '../router.ts';
import { ErrorBody, ErrorBodyV1, idParam, json, pageLimit } from '../schemas.ts';

const common = {
  kind: z.enum(searchKinds),
  title: z.string(),
  url: z.string(),
  site: z.string().nullable(),
  score: z.number().openapi({ description: 'Up to 1' }),
};
const about = {
  by: z.enum(['meaning', 'words']),
  notice: z.string().nullable().openapi({ description: 'Why it is by words' }),
};
const SimilarItems = z
  .object({ data: z.array(z.object({ ...common, id: z.string() })), ...about })
  .openapi('SimilarItems');
const SimilarEntries = z
  .object({ data: z.array(z.object({ ...common, id: z.int() })), ...about })
  .openapi('SimilarEntries');

const MeaningBody = z
  .object({
    kind: z.enum(['local', 'openai', 'off']),
    model: z.string().nullable(),
    documents: z.int().openapi({ description: 'That can be found by their words' }),
    chunks: z.int().openapi({ description: 'Passages that have a vector' }),
    pending: z.int().openapi({ description: 'Documents whose passages are yet to be embedded' }),
  })
  .openapi('Meaning');

const query = z.object({ limit: pageLimit(10, 50) });

export function similarRoutes(router: Router, deps: ApiDeps): void {
  const { store, searchSources: sources, meaning, now } = deps;

  router.user(
    {
      method: 'get',
      path: '/api/v1/items/{id}/similar',
      tags: ['items'],
      summary: 'What else you have that is like a saved item, the most alike first',
      request: { params: idParam, query },
      responses: {
        200: json(SimilarItems, 'Without the item itself and other copies of its page'),
        400: json(ErrorBodyV1, 'The input is not as expected; the message names the field'),
      },
    },
    async (c) => {
      const { user, rows } = c.get('actor');
      const { id: refId } = c.req.valid('param');
      await rows.items.get(refId);
      const input = { userId: user.id, kind: 'item', refId, limit: c.req.valid('query').limit } as const;
      const similar = await findSimilar({ store, sources, meaning, now }, input);
      return c.json({ ...toBody(similar, String), ...aboutOf(similar) }, 200);
    },
  );

  router.user(
    {
      method: 'get',
      path: '/api/items/{id}/similar',
      tags: ['items'],
      summary: 'What else you have that is like an entry, the most alike first',
      request: { params: idParam, query },
      responses: {
        200: json(SimilarEntries, 'Without the entry itself and other copies of its page'),
        400: json(ErrorBody, 'The input is not as expected; the message names the field'),
      },
    },
    async (c) => {
      const { user, rows } = c.get('actor');
      const { id: refId } = c.req.valid('param');
      await rows.entries.get(refId);
      const input = { userId: user.id, kind: 'entry', refId, limit: c.req.valid('query').limit } as const;
      const similar = await findSimilar({ store, sources, meaning, now }, input);
      return c.json({ ...toBody(similar, Number), ...aboutOf(similar) }, 200);
    },
  );

  router.owner(
    {
      method: 'get',
      path: '/api/v1/search/meaning',
      tags: ['search'],
      summary: 'By what search finds meaning, and how much of it is done',
      responses: { 200: json(z.object({ data: MeaningBody }), 'How far it is') },
    },
    async (c) => {
      const { kind } = deps.embeddings;
      if (!meaning) {
        const documents = await store.searchIndex.count();
        return c.json({ data: { kind, model: null, documents, chunks: 0, pending: 0 } }, 200);
      }
      return c.json({ data: { kind, model: meaning.model, ...(await meaning.status()) } }, 200);
    },
  );
}

function toBody<T>({ hits }: Similar, toId: (id: number) => T) {
  return {
    data: hits.map(({ kind, score, text: { refId, title, url, site } }) => ({
      ...{ kind, title, url, site },
      id: toId(refId),
      score: Math.round(score * 1_000) / 1_000,
    })),
  };
}

function aboutOf({ by, notice }: Similar) {
  return { by, notice: notice ?? null };
}
