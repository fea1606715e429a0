// How much there is of highlights, and highlights as files: those of other programs in, our own out.
import { z } from '@hono/zod-openapi';
import { type ExportFormat, exportFormats, exportHighlights } from '../../highlights/export-highlights.ts';
import { importKinds } from '../../highlights/import/import-kinds.ts';
import { importLimits } from '../../highlights/import/import-limits.ts';
import { importHighlights } from '../../highlights/import-highlights.ts';
import { counters } from '../../highlights/light.ts';
import { dayOf } from '../../model/glossary.ts';
import { highlightKinds } from '../../model/highlight.ts';
import type { ApiDeps } from '../context.ts';
import { readDocument } from '../read-document.ts';
import type { Router } from '../router.ts';
import { ErrorBody, json } from '../schemas.ts';
import { flagQuery } from './highlight-body.ts';

const tags = ['highlights'];

const Summary = z
  .object({
    total: z.int(),
    deleted: z.int().openapi({ description: 'Replicas that were deleted and have not come back' }),
    sources: z.array(z.object({ source: z.string(), count: z.int() })),
    colors: z.array(z.object({ color: z.string().nullable(), count: z.int() })),
  })
  .openapi('HighlightSummary');

const Imported = z
  .object({
    ...Object.fromEntries(
      highlightKinds.flatMap((kind) =>
        ['created', 'updated', 'deleted', 'unchanged'].map((what) => [`${kind}_${what}`, z.int()]),
      ),
    ),
    left_out: z.int().openapi({ description: 'What you have deleted here, and is not brought back' }),
    skipped: z.array(z.object({ place: z.string(), why: z.string() })),
  })
  .openapi('HighlightsImported');

const ImportQuery = z.object({ kind: z.enum(importKinds as never), dry_run: flagQuery });

const formats = Object.keys(exportFormats) as [ExportFormat, ...ExportFormat[]];
const ExportQuery = z.object({ format: z.enum(formats).default('markdown') });
const fileTypes = Object.fromEntries(
  Object.values(exportFormats).map(({ type }) => [type, { schema: z.string() }]),
);

export function highlightFileRoutes(
  router: Router,
  { now, parser, store }: Pick<ApiDeps, 'now' | 'parser' | 'store'>,
): void {
  router.user(
    {
      method: 'get',
      path: '/api/highlights/export',
      tags,
      summary: 'Your highlights as a file: Markdown, JSON, or W3C Web Annotations',
      request: { query: ExportQuery },
      responses: { 200: { description: 'The file', content: fileTypes } },
    },
    async (c) => {
      const { format } = c.req.valid('query');
      const { type, extension } = exportFormats[format];
      const text = ReadableStream.from(exportHighlights(c.get('actor').rows, format));
      return c.body(text.pipeThrough(new TextEncoderStream()) as ReadableStream, 200, {
        'Content-Type': `${type}; charset=utf-8`,
        'Content-Disposition': `attachment; filename="highlights-${dayOf(now())}.${extension}"`,
      }) as never;
    },
  );

  router.user(
    {
      method: 'get',
      path: '/api/highlights/summary',
      tags,
      summary: 'How many highlights there are, by source and colour',
      responses: { 200: json(z.object({ data: Summary }), 'The counts') },
    },
    async (c) => {
      const { highlights, replicas } = c.get('actor').rows;
      const summary = await highlights.summary();
      return c.json({ data: { ...summary, deleted: await replicas.countDeleted() } } as never, 200);
    },
  );

  router.user(
    {
      method: 'post',
      path: '/api/highlights/import',
      tags,
      summary: 'Take in the highlights of a file, whose bytes are the body, whatever its Content-Type',
      request: {
        query: ImportQuery,
        body: {
          required: true,
          content: { 'application/octet-stream': { schema: z.string().openapi({ format: 'binary' }) } },
        },
      },
      responses: {
        200: json(z.object({ data: Imported }), 'What was done'),
        409: json(ErrorBody, 'The source is another one'),
      },
    },
    async (c) => {
      const { kind, dry_run: dryRun } = c.req.valid('query');
      const { bytes } = await readDocument(c, store.journal);
      const imported = await parser.parse('highlights', { kind, bytes });
      const { outcome, skipped } = await importHighlights(c.get('actor').rows, kind, imported, { dryRun });
      const data = { ...counters(outcome, highlightKinds), left_out: outcome.leftOut, skipped };
      return c.json({ data } as never, 200);
    },
    { maxBodyBytes: importLimits.fileBytes },
  );
}
