// Highlights as the API shows them.
import { z } from '@hono/zod-openapi';
import {
  type Comment,
  type HighlightKind,
  type HighlightRows,
  isDeeper,
  type Json,
  type Note,
  type Resource,
  resourceTypes,
} from '../../model/highlight.ts';
import { cleanText } from '../../store/clean-text.ts';
import type { ShownAnnotation } from '../../store/owned/highlights/highlight-store.ts';
import type { UserRows } from '../../store/store.ts';
import { isoTime, toIso } from '../schemas.ts';

export const highlightLimits = { text: 200_000, title: 2_000, color: 100, externalId: 700, json: 100_000 };

const kept = {
  id: z.int(),
  source: z.string().openapi({ description: 'Where it comes from; "lectern" is what was made here' }),
  external_id: z.string().openapi({ example: 'light-macbook:1766149301308' }),
  content_hash: z.string(),
  created_at: isoTime,
  updated_at: isoTime,
  deleted_at: isoTime
    .nullable()
    .openapi({ description: 'Of a replica: when its source no longer had it, or a person deleted it' }),
};
const anyJson = z.unknown().openapi({ description: 'Any JSON, as it was given' });

export const ResourceBody = z
  .object({
    ...kept,
    type: z.enum(resourceTypes),
    title: z.string(),
    author: z.string(),
    url: z.string().openapi({ description: 'Empty where there is none' }),
    config: anyJson,
    item_id: z.int().nullable().openapi({ description: 'The saved page that it is of' }),
    annotation_count: z.int(),
    note_count: z.int(),
  })
  .openapi('Resource');

export const CommentBody = z
  .object({ ...kept, annotation_id: z.int(), content: z.string(), made_at: isoTime })
  .openapi('Comment');

export const NoteBody = z
  .object({ ...kept, resource_id: z.int(), content: z.string(), made_at: isoTime })
  .openapi('Note');

export const AnnotationBody = z
  .object({
    ...kept,
    resource_id: z.int(),
    text: z.string(),
    color: z.string().nullable(),
    boundary: anyJson,
    made_at: isoTime.openapi({ description: 'When the person made it, as far as its source knows' }),
    resource: ResourceBody.pick({
      id: true,
      type: true,
      title: true,
      author: true,
      url: true,
      item_id: true,
    }),
    comments: z.array(CommentBody),
    in_step: z.boolean().openapi({ description: 'Kept in step with its source, which alone can change it' }),
  })
  .openapi('Annotation');

export const bodies = {
  resources: ResourceBody,
  annotations: AnnotationBody,
  comments: CommentBody,
  notes: NoteBody,
} as const;

/** Any of them. */
export type HighlightBody = Record<string, unknown>;

export async function toBodies<K extends HighlightKind>(
  rows: Pick<UserRows, 'highlights'>,
  kind: K,
  found: readonly HighlightRows[K][],
): Promise<HighlightBody[]> {
  if (kind === 'annotations')
    return (await rows.highlights.describe(found as readonly HighlightRows['annotations'][])).map(
      annotationBody,
    );
  if (kind === 'resources') return resourceBodies(rows, found as readonly Resource[]);
  return found.map((row) => wordsBody(row as Comment | Note));
}

async function resourceBodies({ highlights }: Pick<UserRows, 'highlights'>, found: readonly Resource[]) {
  const ids = found.map(({ id }) => id);
  const [named, parts] = [await highlights.named(ids), await highlights.countParts(ids)];
  return found.map((resource) => ({
    ...keptBody(resource),
    ...resourceName(named.get(resource.id) ?? resource),
    config: resource.config,
    annotation_count: parts.get(resource.id)?.annotations ?? 0,
    note_count: parts.get(resource.id)?.notes ?? 0,
  }));
}

const resourceName = ({ id, type, title, author, url, itemId }: Resource) => ({
  id,
  type,
  title,
  author,
  url,
  item_id: itemId,
});

function annotationBody(annotation: ShownAnnotation) {
  const { resourceId, text, color, boundary, madeAt, resource, comments, isInStep } = annotation;
  return {
    ...keptBody(annotation),
    resource_id: resourceId,
    text,
    color,
    boundary,
    made_at: toIso(madeAt),
    resource: resourceName(resource),
    comments: comments.map(wordsBody),
    in_step: isInStep,
  };
}

function wordsBody(row: Comment | Note) {
  const parent =
    'annotationId' in row ? { annotation_id: row.annotationId } : { resource_id: row.resourceId };
  return { ...keptBody(row), ...parent, content: row.content, made_at: toIso(row.madeAt) };
}

function keptBody(row: HighlightRows[HighlightKind]) {
  const { id, source, originalId, contentHash, createdAt, updatedAt, deletedAt } = row;
  return {
    id,
    source,
    external_id: `${source}:${originalId}`,
    content_hash: contentHash,
    created_at: toIso(createdAt),
    updated_at: toIso(updatedAt),
    deleted_at: deletedAt === null ? null : toIso(deletedAt),
  };
}

/** Text that somebody wrote, at least a character of it. */
export const writtenText = z
  .string()
  .overwrite(cleanText)
  .max(highlightLimits.text)
  .refine((text) => text.trim() !== '', 'expected some text');

export const colorText = z.string().overwrite(cleanText).min(1).max(highlightLimits.color).nullable();

const deepest = 50;

export const jsonValue = z
  .unknown()
  .refine((value) => !isDeeper(value, deepest), `expected at most ${deepest} values in each other`)
  .refine(
    (value) => isDeeper(value, deepest) || (JSON.stringify(value) ?? '').length <= highlightLimits.json,
    `expected at most ${highlightLimits.json} characters of JSON`,
  )
  .transform((value) => (value === undefined ? null : cleanJson(value as Json)));

/** As an engine can hold it. */
function cleanJson(value: Json): Json {
  return JSON.parse(JSON.stringify(value, (_name, part) => cleanText(part))) as Json;
}

export const externalId = z
  .string()
  .overwrite(cleanText)
  .max(highlightLimits.externalId)
  .regex(/^[^:]+:./s, 'expected the name of a source, a colon, and an id')
  .openapi({ example: 'kindle:B08XYZ_loc123' });

const wholeTime = /^(\d{4}-\d\d-\d\d)(T\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d))?$/;

/** With its zone, or a day, which begins in UTC; JavaScript alone would take the 31st of February. */
function isTime(text: string): boolean {
  const day = Date.parse(`${wholeTime.exec(text)?.[1]}T00:00:00Z`);
  return !Number.isNaN(day) && !Number.isNaN(Date.parse(text)) && toIso(day).startsWith(text.slice(0, 10));
}

export const timeQuery = z
  .string()
  .refine(isTime, 'expected a time like 2026-03-12T14:05:00Z')
  .transform((text) => Date.parse(text))
  .openapi({ type: 'string', format: 'date-time' });

export const flagQuery = z
  .enum(['true', 'false', '1', '0'])
  .transform((text) => text === 'true' || text === '1')
  .default(false)
  .openapi({ type: 'boolean' });
