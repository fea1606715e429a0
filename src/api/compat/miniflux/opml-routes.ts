// All feeds as a file, and those of a file.
import { exportOpml } from '../../../feeds/opml/export-opml.ts';
import { importOpml } from '../../../feeds/opml/import-opml.ts';
import { opmlLimits } from '../../../feeds/opml/limits.ts';
import type { ApiDeps } from '../../context.ts';
import { readDocument } from '../../read-document.ts';
import type { AddRoute } from './route.ts';

export function opmlRoutes(
  add: AddRoute,
  { now, parser, store }: Pick<ApiDeps, 'now' | 'parser' | 'store'>,
): void {
  add('get', '/export', async (c) =>
    c.body(await exportOpml(c.get('actor').rows, { now }), 200, {
      'Content-Type': 'text/xml; charset=utf-8',
    }),
  );

  add(
    'post',
    '/import',
    async (c) => {
      await importOpml(c.get('actor').rows, await parser.parse('opml', await readDocument(c, store.journal)));
      return c.json({ message: 'Feeds imported successfully' }, 201);
    },
    { maxBodyBytes: opmlLimits.fileBytes },
  );
}
