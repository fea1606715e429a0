// Resources, annotations, comments and notes: the same routes for each, and what each has besides.
import { z } from '@hono/zod-openapi';
import { Invalid } from '../../errors.ts';
import { allOf } from '../../highlights/all-of.ts';
import { hashAnnotation, hashContent, hashTitle } from '../../highlights/hash.ts';
import { makeHighlight, makeResource, makeWords, pageOfEntry, pageWork } from '../../highlights/make.ts';
import {
  type HighlightKind,
  type HighlightRows,
  highlightKinds,
  resourceTypes,
} from '../../model/highlight.ts';
import type { HighlightFilter } from '../../store/owned/highlights/highlight-store.ts';
import type { UserRows } from '../../store/store.ts';
import type { ApiDeps } from '../context.ts';
import type { Router } from '../router.ts';
import { ErrorBody, idParam, idQuery, json, jsonBody, pageLimit } from '../schemas.ts';
import {
  AnnotationBody,
  bodies,
  CommentBody,
  colorText,
  externalId,
  flagQuery,
  type HighlightBody,
  highlightLimits,
  jsonValue,
  NoteBody,
  ResourceBody,
  timeQuery,
  toBodies,
  writtenText,
} from './highlight-body.ts';

const tags = ['highlights'];
const pathOf = (kind: HighlightKind) => `/api/${kind}`;
const inStep = json(ErrorBody, 'It is kept in step with its source, or one of that name is there already');

const PageQuery = { limit: pageLimit(50, 200), cursor: z.string().optional() };
const ListQuery = z.object({
  ...PageQuery,
  source: z.string().optional(),
  type: z.enum(resourceTypes).optional(),
  color: z.string().optional().openapi({ description: 'A colour, or "none"' }),
  resource_id: idQuery.optional(),
  annotation_id: idQuery.optional(),
  item_id: idQuery.optional(),
  entry_id: idQuery.optional(),
  from: timeQuery.optional(),
  to: timeQuery.optional(),
  deleted: flagQuery.openapi({
    description: 'Only replicas that were deleted and have not come back, the last deleted first',
  }),
  updated_after: timeQuery
    .optional()
    .openapi({ description: 'What changed after that, in the order in which it changed' }),
  include_deleted: flagQuery.openapi({ description: 'Deleted ones too, in the order in which they changed' }),
});
type ListQuery = z.infer<typeof ListQuery>;

export function highlightRoutes(router: Router, deps: Pick<ApiDeps, 'randomText'>): void {
  for (const kind of highlightKinds) {
    listRoute(router, kind);
    oneRoutes(router, kind);
  }
  resourceRoutes(router, deps);
  annotationRoutes(router, deps);
  wordsRoutes(router, deps, 'comments');
  wordsRoutes(router, deps, 'notes');
}

function listRoute(router: Router, kind: HighlightKind): void {
  const page = z.object({ data: z.array(bodies[kind]), next_cursor: z.string().nullable() });
  router.user(
    {
      method: 'get',
      path: pathOf(kind),
      tags,
      summary: `Your ${kind}, the newest first; with updated_after or include_deleted, in the order in which they changed`,
      request: { query: ListQuery },
      responses: { 200: json(page, 'A page of them') },
    },
    async (c) => {
      const { rows } = c.get('actor');
      return c.json((await listPage(rows, kind, c.req.valid('query'))) as never, 200);
    },
  );
}

async function listPage(rows: UserRows, kind: HighlightKind, query: ListQuery) {
  const { limit } = query;
  const cursor = query.cursor === undefined ? undefined : parseCursor(query.cursor);
  const { found, timeOf } = await findPage(rows, kind, query, cursor);
  const shown = found.slice(0, limit);
  const last = shown.at(-1);
  return {
    data: await toBodies(rows, kind, shown as never),
    next_cursor: found.length > limit && last ? `${timeOf(last)}_${last.id}` : null,
  };
}

type AnyRow = HighlightRows[HighlightKind];

async function findPage(
  rows: UserRows,
  kind: HighlightKind,
  query: ListQuery,
  cursor: { at: number; id: number } | undefined,
): Promise<{ found: readonly AnyRow[]; timeOf: (row: AnyRow) => number }> {
  const limit = query.limit + 1;
  const isOfChanges = query.deleted || query.updated_after !== undefined || query.include_deleted;
  if (isOfChanges) refuseFilters(query);
  if (query.deleted) {
    const before = cursor && { deletedAt: cursor.at, id: cursor.id };
    return { found: await rows.replicas.deleted(kind, before, limit), timeOf: (row) => row.deletedAt ?? 0 };
  }
  if (query.updated_after !== undefined || query.include_deleted) {
    const after = cursor
      ? { updatedAt: cursor.at, id: cursor.id }
      : { updatedAt: query.updated_after ?? -1, id: Number.MAX_SAFE_INTEGER };
    const options = { includeDeleted: query.include_deleted, limit };
    return { found: await rows.replicas.changedAfter(kind, after, options), timeOf: (row) => row.updatedAt };
  }
  const filter = { ...(await filterOf(rows, kind, query)), before: cursor };
  return {
    found: await rows.highlights.list(kind, filter),
    timeOf: (row) => ('madeAt' in row ? row.madeAt : row.createdAt),
  };
}

/** Changes are listed as they are: a filter that was left out would look as if it had been heeded. */
function refuseFilters({
  limit: _,
  cursor: __,
  deleted,
  updated_after,
  include_deleted,
  ...filters
}: ListQuery): void {
  const [given] = Object.entries(filters).find(([, value]) => value !== undefined) ?? [];
  if (given)
    throw new Invalid(
      `${given}: cannot be asked for together with deleted, updated_after or include_deleted`,
    );
}

async function filterOf(rows: UserRows, kind: HighlightKind, query: ListQuery): Promise<HighlightFilter> {
  const { source, type, color, resource_id, annotation_id, item_id, entry_id, from, to, limit } = query;
  const parentId = kind === 'comments' ? annotation_id : kind === 'resources' ? undefined : resource_id;
  return {
    limit,
    from,
    to,
    source,
    parentId,
    ...(kind === 'resources' && { type }),
    ...(kind === 'annotations' && { color: color === 'none' ? null : color }),
    ...(kind !== 'comments' && {
      itemId: item_id,
      page: entry_id === undefined ? undefined : (await pageOfEntry(rows, entry_id)).saved,
    }),
  };
}

function parseCursor(text: string): { at: number; id: number } {
  const [, at, id] = /^(-?\d{1,16})_(\d{1,15})$/.exec(text) ?? [];
  if (at === undefined) throw new Invalid('cursor: expected the next_cursor of a page');
  return { at: Number(at), id: Number(id) };
}

/** What every kind has. */
function oneRoutes(router: Router, kind: HighlightKind): void {
  const path = `${pathOf(kind)}/{id}`;
  const body = z.object({ data: bodies[kind] });
  const request = { params: idParam };
  router.user(
    {
      method: 'get',
      path,
      tags,
      summary: `One of your ${kind}`,
      request,
      responses: { 200: json(body, 'It') },
    },
    async (c) => {
      const { rows } = c.get('actor');
      const row = await rows.highlights.get(kind, c.req.valid('param').id);
      return c.json((await one(rows, kind, row)) as never, 200);
    },
  );
  router.user(
    {
      method: 'delete',
      path,
      tags,
      summary:
        'Delete it, with all that is part of it. A replica stays; a source that still has it brings it back',
      request,
      responses: { 204: { description: 'Deleted' } },
    },
    async (c) => {
      await c.get('actor').rows.highlights.delete(kind, c.req.valid('param').id);
      return c.body(null, 204);
    },
  );
  router.user(
    {
      method: 'get',
      path: `${path}/history`,
      tags,
      summary: 'Every row that its source called the same, deleted ones too, the newest first',
      request,
      responses: { 200: json(z.object({ data: z.array(bodies[kind]) }), 'Its history') },
    },
    async (c) => {
      const { rows } = c.get('actor');
      const found = await rows.replicas.history(kind, c.req.valid('param').id);
      return c.json({ data: await toBodies(rows, kind, found as never) } as never, 200);
    },
  );
  router.user(
    {
      method: 'post',
      path: `${path}/restore`,
      tags,
      summary: 'Have a deleted one back, as a copy of source "restored" that no sync deletes',
      request,
      responses: { 200: json(body, 'The copy that there was already'), 201: json(body, 'The copy') },
    },
    async (c) => {
      const { rows } = c.get('actor');
      const { row, isNew } = await rows.replicas.restore(kind, c.req.valid('param').id, pageWork);
      return c.json((await one(rows, kind, row)) as never, isNew ? 201 : 200);
    },
  );
}

async function one<K extends HighlightKind>(rows: UserRows, kind: K, row: HighlightRows[K]) {
  const [data] = await toBodies(rows, kind, [row]);
  return { data };
}

const titleText = z.string().trim().min(1).max(highlightLimits.title);
const authorText = z.string().trim().max(highlightLimits.title);

const ResourceInput = z
  .object({
    type: z.enum(resourceTypes),
    title: titleText,
    author: authorText.default(''),
    url: z.string().trim().max(8_000).default(''),
    config: jsonValue.optional(),
    external_id: externalId.optional(),
  })
  .openapi('ResourceInput');
const ResourceChange = z
  .object({ title: titleText.optional(), author: authorText.optional(), config: jsonValue.optional() })
  .openapi('ResourceChange');

function resourceRoutes(router: Router, { randomText }: Pick<ApiDeps, 'randomText'>): void {
  const body = z.object({ data: ResourceBody });
  router.user(
    {
      method: 'post',
      path: pathOf('resources'),
      tags,
      summary: 'Add a resource; a website with an address is the one resource of that page',
      request: { body: jsonBody(ResourceInput) },
      responses: { 201: json(body, 'The resource'), 409: inStep },
    },
    async (c) => {
      const { rows } = c.get('actor');
      const { external_id, config = null, ...given } = c.req.valid('json');
      const made = await makeResource({ rows, randomText }, { ...given, config, externalId: external_id });
      return c.json((await one(rows, 'resources', made)) as never, 201);
    },
  );
  router.user(
    {
      method: 'patch',
      path: `${pathOf('resources')}/{id}`,
      tags,
      summary: 'Change a resource',
      request: { params: idParam, body: jsonBody(ResourceChange) },
      responses: { 200: json(body, 'The resource'), 409: inStep },
    },
    async (c) => {
      const { rows } = c.get('actor');
      const change = c.req.valid('json');
      const contentHash = change.title === undefined ? undefined : hashTitle(change.title);
      const row = await rows.highlights.changeResource(c.req.valid('param').id, { ...change, contentHash });
      return c.json((await one(rows, 'resources', row)) as never, 200);
    },
  );
  for (const part of ['annotations', 'notes'] as const) partsRoute(router, 'resources', part, 'resource_id');
  router.user(
    {
      method: 'get',
      path: `${pathOf('resources')}/{id}/full`,
      tags,
      summary: 'A resource with its annotations, what was said about them, and its notes',
      request: { params: idParam },
      responses: {
        200: json(
          z.object({
            data: ResourceBody.extend({ annotations: z.array(AnnotationBody), notes: z.array(NoteBody) }),
          }),
          'All of it',
        ),
      },
    },
    async (c) => {
      const { rows } = c.get('actor');
      const row = await rows.highlights.get('resources', c.req.valid('param').id);
      const { data } = await one(rows, 'resources', row);
      const parts = async (kind: 'annotations' | 'notes') => {
        const all: HighlightBody[] = [];
        for await (const some of allOf(rows.highlights, kind, row.id))
          all.push(...(await toBodies(rows, kind, some as never)));
        return all;
      };
      return c.json(
        { data: { ...data, annotations: await parts('annotations'), notes: await parts('notes') } } as never,
        200,
      );
    },
  );
}

/** What is part of one, as a list under it. */
function partsRoute(
  router: Router,
  kind: 'resources' | 'annotations',
  part: 'annotations' | 'notes' | 'comments',
  column: 'resource_id' | 'annotation_id',
): void {
  router.user(
    {
      method: 'get',
      path: `${pathOf(kind)}/{id}/${part}`,
      tags,
      summary: `The ${part} of one of your ${kind}`,
      request: { params: idParam, query: z.object(PageQuery) },
      responses: {
        200: json(
          z.object({ data: z.array(bodies[part]), next_cursor: z.string().nullable() }),
          'A page of them',
        ),
      },
    },
    async (c) => {
      const { rows } = c.get('actor');
      const { id } = await rows.highlights.get(kind, c.req.valid('param').id);
      const query = { ...c.req.valid('query'), [column]: id, deleted: false, include_deleted: false };
      return c.json((await listPage(rows, part, query)) as never, 200);
    },
  );
}

const AnnotationInput = z
  .object({
    resource_id: z.int().positive().optional(),
    item_id: z.int().positive().optional(),
    entry_id: z.int().positive().optional(),
    url: z.string().trim().min(1).max(8_000).optional(),
    text: writtenText,
    color: colorText.default(null),
    boundary: jsonValue.optional(),
    made_at: timeQuery.optional(),
    comment: writtenText.optional(),
    external_id: externalId.optional(),
  })
  .openapi('AnnotationInput', { description: 'With one of resource_id, item_id, entry_id and url' });
const AnnotationChange = z
  .object({ text: writtenText.optional(), color: colorText.optional(), boundary: jsonValue.optional() })
  .openapi('AnnotationChange');

function annotationRoutes(router: Router, { randomText }: Pick<ApiDeps, 'randomText'>): void {
  const body = z.object({ data: AnnotationBody });
  router.user(
    {
      method: 'post',
      path: pathOf('annotations'),
      tags,
      summary: 'Highlight a passage of a resource, a saved page, an entry, or any page by its address',
      request: { body: jsonBody(AnnotationInput) },
      responses: { 201: json(body, 'The annotation'), 409: inStep },
    },
    async (c) => {
      const { rows } = c.get('actor');
      const { resource_id, item_id, entry_id, made_at, external_id, ...given } = c.req.valid('json');
      const made = await makeHighlight(
        { rows, randomText },
        {
          ...given,
          boundary: given.boundary ?? null,
          resourceId: resource_id,
          itemId: item_id,
          entryId: entry_id,
          madeAt: made_at ?? null,
          externalId: external_id,
        },
      );
      return c.json((await one(rows, 'annotations', made)) as never, 201);
    },
  );
  router.user(
    {
      method: 'patch',
      path: `${pathOf('annotations')}/{id}`,
      tags,
      summary: 'Change an annotation',
      request: { params: idParam, body: jsonBody(AnnotationChange) },
      responses: { 200: json(body, 'The annotation'), 409: inStep },
    },
    async (c) => {
      const { rows } = c.get('actor');
      const change = { ...c.req.valid('json'), hash: hashAnnotation };
      const row = await rows.highlights.changeAnnotation(c.req.valid('param').id, change);
      return c.json((await one(rows, 'annotations', row)) as never, 200);
    },
  );
  partsRoute(router, 'annotations', 'comments', 'annotation_id');
}

function wordsRoutes(
  router: Router,
  { randomText }: Pick<ApiDeps, 'randomText'>,
  kind: 'comments' | 'notes',
): void {
  const parent = kind === 'comments' ? 'annotation_id' : 'resource_id';
  const body = z.object({ data: kind === 'comments' ? CommentBody : NoteBody });
  const common = { content: writtenText, external_id: externalId.optional() };
  const id = z.int().positive();
  const Input = (
    kind === 'comments'
      ? z.object({ ...common, annotation_id: id })
      : z.object({ ...common, resource_id: id })
  ).openapi(kind === 'comments' ? 'CommentInput' : 'NoteInput');
  const Change = z.object({ content: writtenText });
  router.user(
    {
      method: 'post',
      path: pathOf(kind),
      tags,
      summary: kind === 'comments' ? 'Say something about an annotation' : 'Say something about a resource',
      request: { body: jsonBody(Input) },
      responses: { 201: json(body, 'It'), 409: inStep },
    },
    async (c) => {
      const { rows } = c.get('actor');
      const given = c.req.valid('json') as { content: string; external_id?: string } & Record<
        typeof parent,
        number
      >;
      const made = await makeWords({ rows, randomText }, kind, {
        parentId: given[parent],
        content: given.content,
        externalId: given.external_id,
      });
      return c.json((await one(rows, kind, made)) as never, 201);
    },
  );
  router.user(
    {
      method: 'patch',
      path: `${pathOf(kind)}/{id}`,
      tags,
      summary: 'Say it differently',
      request: { params: idParam, body: jsonBody(Change) },
      responses: { 200: json(body, 'It'), 409: inStep },
    },
    async (c) => {
      const { rows } = c.get('actor');
      const { content } = c.req.valid('json');
      const change = { content, contentHash: hashContent(content) };
      const row = await rows.highlights.changeWords(kind, c.req.valid('param').id, change);
      return c.json((await one(rows, kind, row)) as never, 200);
    },
  );
}
