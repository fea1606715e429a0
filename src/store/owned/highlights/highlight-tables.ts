// The columns of the tables of highlights.
import type { Generated } from 'kysely';

export interface HighlightTables {
  resources: ResourcesTable;
  annotations: AnnotationsTable;
  comments: CommentsTable;
  notes: NotesTable;
  sync_sources: SyncSourcesTable;
}

export interface ResourcesTable {
  id: Generated<number>;
  user_id: number;
  source: string;
  original_id: string;
  content_hash: Generated<string>;
  full_hash: Generated<string>;
  deleted_at: number | null;
  deleted_by: Generated<'' | 'source' | 'person'>;
  created_at: number;
  updated_at: number;
  item_id: number | null;
  type: 'website' | 'pdf' | 'book';
  title: string;
  author: Generated<string>;
  url: Generated<string>;
  /** JSON. */
  config: string | null;
}

export interface AnnotationsTable {
  id: Generated<number>;
  user_id: number;
  source: string;
  original_id: string;
  content_hash: Generated<string>;
  full_hash: Generated<string>;
  deleted_at: number | null;
  deleted_by: Generated<'' | 'source' | 'person'>;
  created_at: number;
  updated_at: number;
  resource_id: number;
  text: string;
  color: string | null;
  /** JSON. */
  boundary: string | null;
  made_at: number;
}

export interface CommentsTable {
  id: Generated<number>;
  user_id: number;
  source: string;
  original_id: string;
  content_hash: Generated<string>;
  full_hash: Generated<string>;
  deleted_at: number | null;
  deleted_by: Generated<'' | 'source' | 'person'>;
  created_at: number;
  updated_at: number;
  annotation_id: number;
  content: string;
  made_at: number;
}

export interface NotesTable {
  id: Generated<number>;
  user_id: number;
  source: string;
  original_id: string;
  content_hash: Generated<string>;
  full_hash: Generated<string>;
  deleted_at: number | null;
  deleted_by: Generated<'' | 'source' | 'person'>;
  created_at: number;
  updated_at: number;
  resource_id: number;
  content: string;
  made_at: number;
}

export interface SyncSourcesTable {
  user_id: number;
  source: string;
  kind: string;
  /** JSON. */
  config: Generated<string>;
  last_sync_at: number | null;
  /** JSON. */
  last_counts: string | null;
  last_error: Generated<string>;
  last_error_at: number | null;
  created_at: number;
}
