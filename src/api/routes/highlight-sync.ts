// What keeps highlights in step with the programs that they are made in.
import { z } from '@hono/zod-openapi';
import { counters, shownPlan, syncLight } from '../../highlights/light.ts';
import { configureResearch, researchConfig, syncResearch } from '../../highlights/research.ts';
import { highlightKinds, type SyncSource, syncKinds } from '../../model/highlight.ts';
import type { ApiDeps } from '../context.ts';
import { readDocument } from '../read-document.ts';
import type { Router } from '../router.ts';
import { ErrorBody, isoTime, json, jsonBody, toIso } from '../schemas.ts';

const tags = ['highlights'];
/** Some hundred thousand highlights. */
const lightBytes = 64 * 1024 * 1024;

const LightInput = z
  .object({
    source: z.unknown().openapi({
      type: 'string',
      description: 'Which Light this is; each is kept in step by itself',
      example: 'light-macbook',
    }),
    scope: z.unknown().optional().openapi({
      type: 'string',
      description: 'The one page that this is about: what is on others is not touched',
    }),
    highlights: z.unknown().openapi({
      type: 'object',
      description: 'All highlights that there are, by the address of their page; {} deletes all',
      additionalProperties: {
        type: 'array',
        items: {
          type: 'object',
          required: ['groupID', 'repr'],
          properties: {
            groupID: { type: 'integer', format: 'int64' },
            repr: { type: 'string' },
            chunks: { type: 'array', items: { type: 'string' } },
            date: { type: 'string', format: 'date-time' },
            url: { type: 'string' },
          },
        },
      },
    }),
    dry_run: z
      .boolean()
      .default(false)
      .openapi({ description: 'Say what would be done, and change nothing' }),
  })
  .openapi('LightSync');

const Planned = z.record(z.string(), z.record(z.string(), z.array(z.string())));
const counterNames = (kinds: readonly string[], what: readonly string[]) =>
  Object.fromEntries(kinds.flatMap((kind) => what.map((one) => [`${kind}_${one}`, z.int()])));
const everything = ['created', 'updated', 'deleted', 'unchanged'];
const withPlan = {
  plan: Planned.optional().openapi({ description: 'Of a dry run: the first external ids of each' }),
};
const LightOutcome = z
  .object({ resources_created: z.int(), ...counterNames(['annotations'], everything), ...withPlan })
  .openapi('LightSynced');
const ResearchOutcome = z
  .object({ ...counterNames(highlightKinds, everything), ...withPlan })
  .openapi('ResearchSynced');

const ResearchConfigBody = z
  .object({ db_path: z.string().nullable(), last_sync_at: isoTime.nullable() })
  .openapi('ResearchConfig');

const Counts = z.object({ created: z.int(), updated: z.int(), deleted: z.int(), unchanged: z.int() });
const SourceBody = z
  .object({
    source: z.string(),
    kind: z.enum(syncKinds),
    config: z.unknown(),
    last_sync_at: isoTime.nullable(),
    last_error: z.string().openapi({ description: 'Empty when the last attempt went well' }),
    last_error_at: isoTime.nullable(),
    counts: z
      .object({ resources: Counts, annotations: Counts, comments: Counts, notes: Counts })
      .nullable()
      .openapi({ description: 'Of the last sync' }),
  })
  .openapi('SyncSource');

export function highlightSyncRoutes(
  router: Router,
  { parser, ownFiles, store }: Pick<ApiDeps, 'parser' | 'ownFiles' | 'store'>,
): void {
  router.user(
    {
      method: 'post',
      path: '/api/light/sync',
      tags,
      summary: 'Bring what is here in step with all that a Light has',
      request: { body: jsonBody(LightInput) },
      responses: {
        200: json(z.object({ data: LightOutcome }), 'What was done'),
        409: json(ErrorBody, 'The source is another one'),
      },
    },
    async (c) => {
      const { rows } = c.get('actor');
      const { dryRun, ...light } = await parser.parse('light', await readDocument(c, store.journal));
      const outcome = await syncLight(rows, light, { dryRun });
      const data = {
        resources_created: outcome.counts.resources.created,
        ...counters(outcome, ['annotations']),
        ...(dryRun && { plan: shownPlan(outcome.plan, ['annotations']) }),
      };
      return c.json({ data } as never, 200);
    },
    { maxBodyBytes: lightBytes, parsesBody: true },
  );

  router.owner(
    {
      method: 'get',
      path: '/api/research/config',
      tags,
      summary: 'Where the database of Research is',
      responses: { 200: json(z.object({ data: ResearchConfigBody }), 'The configuration') },
    },
    async (c) => c.json({ data: await configBody(c.get('actor').rows) }, 200),
  );

  router.owner(
    {
      method: 'post',
      path: '/api/research/config',
      tags,
      summary: 'Say where the database of Research is: a file on the machine of this Lectern',
      request: { body: jsonBody(z.object({ db_path: z.string().trim().min(1).max(4_000) })) },
      responses: { 200: json(z.object({ data: ResearchConfigBody }), 'The configuration') },
    },
    async (c) => {
      const { rows } = c.get('actor');
      await configureResearch(rows, c.req.valid('json').db_path, ownFiles);
      return c.json({ data: await configBody(rows) }, 200);
    },
  );

  router.owner(
    {
      method: 'post',
      path: '/api/research/sync',
      tags,
      summary: 'Bring what is here in step with the database of Research, which is read whole or not at all',
      responses: {
        200: json(z.object({ data: ResearchOutcome }), 'What was done'),
        409: json(ErrorBody, 'There is no db_path yet'),
      },
    },
    async (c) => {
      await store.journal.requireRoom();
      const outcome = await syncResearch(c.get('actor').rows, ownFiles);
      return c.json({ data: counters(outcome, highlightKinds) } as never, 200);
    },
  );

  router.user(
    {
      method: 'get',
      path: '/api/sync/sources',
      tags,
      summary: 'Where your highlights come from, and how the last sync of each went',
      responses: { 200: json(z.object({ data: z.array(SourceBody) }), 'All of them') },
    },
    async (c) => c.json({ data: (await c.get('actor').rows.syncs.sources()).map(sourceBody) } as never, 200),
  );
}

async function configBody(rows: Parameters<typeof researchConfig>[0]) {
  const { dbPath, lastSyncAt } = await researchConfig(rows);
  return { db_path: dbPath, last_sync_at: lastSyncAt === null ? null : toIso(lastSyncAt) };
}

function sourceBody({ source, kind, config, lastSyncAt, lastCounts, lastError, lastErrorAt }: SyncSource) {
  return {
    source,
    kind,
    config,
    last_sync_at: lastSyncAt === null ? null : toIso(lastSyncAt),
    last_error: lastError,
    last_error_at: lastErrorAt === null ? null : toIso(lastErrorAt),
    counts: lastCounts,
  };
}
