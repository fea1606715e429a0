// Rows of highlights as the rest of Lectern knows them.
import type { HighlightKind, HighlightRows, Json } from '../../../model/highlight.ts';
import type { Row } from '../../tables.ts';

type Mappers = { readonly [K in HighlightKind]: (row: Row<K>) => HighlightRows[K] };

export const toHighlight: Mappers = {
  resources: (row) => ({
    ...kept(row),
    type: row.type,
    title: row.title,
    author: row.author,
    url: row.url,
    config: parsed(row.config),
    itemId: row.item_id,
  }),
  annotations: (row) => ({
    ...kept(row),
    resourceId: row.resource_id,
    text: row.text,
    color: row.color,
    boundary: parsed(row.boundary),
    madeAt: row.made_at,
  }),
  comments: (row) => ({
    ...kept(row),
    annotationId: row.annotation_id,
    content: row.content,
    madeAt: row.made_at,
  }),
  notes: (row) => ({ ...kept(row), resourceId: row.resource_id, content: row.content, madeAt: row.made_at }),
};

function kept(row: Row<HighlightKind>) {
  return {
    id: row.id,
    source: row.source,
    originalId: row.original_id,
    contentHash: row.content_hash,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    deletedAt: row.deleted_at,
  };
}

const parsed = (json: string | null): Json => (json === null ? null : (JSON.parse(json) as Json));

export const toJson = (value: Json): string | null => (value === null ? null : JSON.stringify(value));
