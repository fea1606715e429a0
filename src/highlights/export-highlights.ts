// All highlights of a user for other programs, a portion at a time.
import type { Annotation, Resource } from '../model/highlight.ts';
import type { UserRows } from '../store/store.ts';
import { allOf } from './all-of.ts';
import type { ExportedAnnotation, ExportedResource } from './export/exported-resource.ts';
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

type Rows = Pick<UserRows, 'highlights' | 'replicas'>;

export function exportHighlights(rows: Rows, format: ExportFormat): AsyncGenerator<string> {
  return writeAsTheyCome(exportFormats[format].writer(), exported(rows));
}

/** Also what its source has deleted, where somebody said something about it that is still there. */
async function* exported(rows: Rows): AsyncGenerator<ExportedResource> {
  const kept = await rows.replicas.stillSpokenOf();
  const goneIn = Map.groupBy(kept.annotations, ({ resourceId }) => resourceId);
  const left = new Map([...goneIn.keys(), ...kept.resourceIds].map((id) => [id, goneIn.get(id) ?? []]));
  for await (const resources of allOf(rows.highlights, 'resources')) {
    const named = await rows.highlights.named(resources.map(({ id }) => id));
    for (const resource of resources) {
      yield* whole(rows, named.get(resource.id) ?? resource, left.get(resource.id) ?? []);
      left.delete(resource.id);
    }
  }
  const named = await rows.highlights.named([...left.keys()]);
  for (const [id, gone] of left) {
    const resource = named.get(id);
    if (resource) yield* whole(rows, resource, gone);
  }
}

async function* whole(
  { highlights }: Rows,
  resource: Resource,
  gone: readonly Annotation[],
): AsyncGenerator<ExportedResource> {
  const annotations: ExportedAnnotation[] = [];
  const add = async (some: readonly Annotation[]) => {
    for (const { comments, resource: _, isInStep: __, ...annotation } of await highlights.describe(some))
      annotations.push({ annotation, comments });
  };
  for await (const some of allOf(highlights, 'annotations', resource.id)) await add(some);
  await add(gone);
  const notes: ExportedResource['notes'][number][] = [];
  for await (const some of allOf(highlights, 'notes', resource.id)) notes.push(...some);
  if (annotations.length + notes.length > 0) yield { resource, annotations: annotations.reverse(), notes };
}
