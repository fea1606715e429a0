// All highlights of a user for other programs, a page of resources at a time.
import type { HighlightRows } from '../model/highlight.ts';
import type { UserRows } from '../store/store.ts';
import type { ExportedResource } from './export/exported-resource.ts';
import { writeAsTheyCome } from './export/highlight-writer.ts';
import { jsonWriter } from './export/write-json.ts';
import { markdownWriter } from './export/write-markdown.ts';
import { webAnnotationWriter } from './export/write-web-annotations.ts';

export const exportFormats = {
  markdown: { writer: markdownWriter, type: 'text/markdown', extension: 'md' },
  json: { writer: jsonWriter, type: 'application/json', extension: 'json' },
  w3c: { writer: webAnnotationWriter, type: 'application/ld+json', extension: 'jsonld' },
} as const;
export type ExportFormat = keyof typeof exportFormats;

const resourcesAtOnce = 50;
const partsAtOnce = 500;

type Rows = Pick<UserRows, 'highlights'>;

export function exportHighlights(rows: Rows, format: ExportFormat): AsyncGenerator<string> {
  return writeAsTheyCome(exportFormats[format].writer(), exported(rows));
}

async function* exported(rows: Rows): AsyncGenerator<ExportedResource> {
  for await (const resources of pagesOf(rows, 'resources', undefined, resourcesAtOnce)) {
    const named = await rows.highlights.named(resources.map(({ id }) => id));
    for (const resource of resources) {
      const annotations: ExportedResource['annotations'][number][] = [];
      for await (const some of pagesOf(rows, 'annotations', resource.id, partsAtOnce))
        for (const { comments, resource: _, ...annotation } of await rows.highlights.describe(some))
          annotations.push({ annotation, comments });
      const notes: ExportedResource['notes'][number][] = [];
      for await (const some of pagesOf(rows, 'notes', resource.id, partsAtOnce)) notes.push(...some);
      if (annotations.length + notes.length === 0) continue;
      yield { resource: named.get(resource.id) ?? resource, annotations: annotations.reverse(), notes };
    }
  }
}

async function* pagesOf<K extends 'resources' | 'annotations' | 'notes'>(
  { highlights }: Rows,
  kind: K,
  parentId: number | undefined,
  limit: number,
): AsyncGenerator<HighlightRows[K][]> {
  for (let before: { at: number; id: number } | undefined; ; ) {
    const page = await highlights.list(kind, { parentId, before, limit });
    const shown = page.slice(0, limit);
    yield shown;
    const last = shown.at(-1);
    if (page.length <= limit || !last) return;
    before = { at: 'madeAt' in last ? last.madeAt : last.createdAt, id: last.id };
  }
}
