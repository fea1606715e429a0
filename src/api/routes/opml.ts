// All your feeds as a file, and the feeds of a file as yours.
import { z } from '@hono/zod-openapi';
import { exportOpml } from '../../feeds/opml/export-opml.ts';
import { importOpml } from '../../feeds/opml/import-opml.ts';
import { opmlLimits } from '../../feeds/opml/limits.ts';
import type { ApiDeps } from '../context.ts';
import { readDocument } from '../read-document.ts';
import type { Router } from '../router.ts';
import { json } from '../schemas.ts';

const OpmlImportBody = z
  .object({
    created: z.int().openapi({ description: 'Feeds that you follow now' }),
    existing: z.int().openapi({ description: 'Feeds that you followed before; they stay as they are' }),
    failed: z.int(),
    groups_created: z.int(),
    errors: z.array(z.object({ link: z.string(), error: z.string() })).openapi({
      description: `Why some have failed: the first ${opmlLimits.reports}`,
    }),
    warnings: z.array(z.string()).openapi({
      description: 'What of the file could not be taken over as it is, such as a feed in two folders',
    }),
  })
  .openapi('OpmlImport');

const ImportQuery = z.object({
  dry_run: z
    .enum(['true', 'false', '1', '0'])
    .transform((text) => text === 'true' || text === '1')
    .default(false)
    .openapi({ type: 'boolean', description: 'Say what would be done, and change nothing' }),
});

const path = '/api/opml';
const tags = ['feeds'];
const file = { 'text/x-opml': { schema: z.string().openapi({ format: 'binary' }) } };

export function opmlRoutes(
  router: Router,
  { now, parser, store }: Pick<ApiDeps, 'now' | 'parser' | 'store'>,
): void {
  router.user(
    {
      method: 'get',
      path,
      tags,
      summary: 'Your feeds and groups as an OPML file',
      responses: { 200: { description: 'The file', content: file } },
    },
    async (c) => {
      const day = new Date(now()).toISOString().slice(0, 10);
      return c.body(await exportOpml(c.get('actor').rows, { now }), 200, {
        'Content-Type': 'text/x-opml; charset=utf-8',
        'Content-Disposition': `attachment; filename="lectern-${day}.opml"`,
      }) as never;
    },
  );

  router.user(
    {
      method: 'post',
      path,
      tags,
      summary: 'Follow the feeds of an OPML file, whose bytes are the body, whatever its Content-Type',
      request: { query: ImportQuery, body: { required: true, content: file } },
      responses: { 200: json(z.object({ data: OpmlImportBody }), 'What was done') },
    },
    async (c) => {
      const dryRun = c.req.valid('query').dry_run;
      const content = await parser.parse('opml', await readDocument(c, store.journal));
      const { groupsCreated, ...done } = await importOpml(c.get('actor').rows, content, { dryRun });
      const errors = done.errors.map(({ link, error }) => ({ link, error }));
      return c.json(
        { data: { ...done, groups_created: groupsCreated, errors, warnings: [...done.warnings] } },
        200,
      );
    },
    { maxBodyBytes: opmlLimits.fileBytes },
  );
}
