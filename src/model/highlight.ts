// Highlights and what was said about them, kept in step with the sources that they come from.
import type { Millis } from './glossary.ts';

export const highlightKinds = ['resources', 'annotations', 'comments', 'notes'] as const;
export type HighlightKind = (typeof highlightKinds)[number];

export const resourceTypes = ['website', 'pdf', 'book'] as const;
export type ResourceType = (typeof resourceTypes)[number];

/** The source of what people make here. */
export const ownSource = 'lectern';
/** Of what they had back after its source deleted it: no sync knows this name, so none deletes it again. */
export const restoredSource = 'restored';
/** Of pages, which are one resource each, whichever source tells of them. */
export const webSource = 'web';

/** What can be kept as JSON. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

/** What a row of every kind has. */
interface Kept {
  readonly id: number;
  readonly source: string;
  /** What its source calls it. */
  readonly originalId: string;
  readonly contentHash: string;
  readonly createdAt: Millis;
  readonly updatedAt: Millis;
  /** Only a replica has this: see store/owned/highlights/replicas.ts. */
  readonly deletedAt: Millis | null;
}

/** What was read: a page, a PDF, a book. */
export interface Resource extends Kept {
  readonly type: ResourceType;
  readonly title: string;
  readonly author: string;
  /** Empty where there is none. */
  readonly url: string;
  readonly config: Json;
  /** The item of its page. */
  readonly itemId: number | null;
}

/** A passage of a resource. */
export interface Annotation extends Kept {
  readonly resourceId: number;
  readonly text: string;
  readonly color: string | null;
  /** Where it is, in the words of its source. */
  readonly boundary: Json;
  readonly madeAt: Millis;
}

/** What somebody said about an annotation. */
export interface Comment extends Kept {
  readonly annotationId: number;
  readonly content: string;
  readonly madeAt: Millis;
}

/** What somebody said about a resource. */
export interface Note extends Kept {
  readonly resourceId: number;
  readonly content: string;
  readonly madeAt: Millis;
}

export interface HighlightRows {
  readonly resources: Resource;
  readonly annotations: Annotation;
  readonly comments: Comment;
  readonly notes: Note;
}

/** What a source has, as it says it. Ids are the source's; a parent is named by the id that it has there. */
export interface Snapshot {
  readonly resources: readonly SourceResource[];
  readonly annotations: readonly SourceAnnotation[];
  readonly comments: readonly SourceComment[];
  readonly notes: readonly SourceNote[];
}

export interface SourceResource {
  readonly originalId: string;
  readonly type: ResourceType;
  readonly title: string;
  readonly author?: string;
  /** A website has one, and is then one resource for all sources. */
  readonly url?: string;
}

export interface SourceAnnotation {
  readonly originalId: string;
  readonly resource: string;
  readonly text: string;
  readonly color: string | null;
  readonly boundary: Json;
  /** Null where the source does not know. */
  readonly madeAt: Millis | null;
}

export interface SourceComment {
  readonly originalId: string;
  readonly annotation: string;
  readonly content: string;
  readonly madeAt: Millis | null;
}

export interface SourceNote {
  readonly originalId: string;
  readonly resource: string;
  readonly content: string;
  readonly madeAt: Millis | null;
}

export interface Counts {
  readonly created: number;
  readonly updated: number;
  readonly deleted: number;
  readonly unchanged: number;
}

export type SyncCounts = Readonly<Record<HighlightKind, Counts>>;

/** How a source is kept in step. */
export const syncKinds = [
  'light',
  'research',
  'raindrop',
  'kindle',
  'readwise',
  'hypothesis',
  'koreader',
] as const;
export type SyncKind = (typeof syncKinds)[number];

/** Each file that is imported is of the one source of its kind. */
export const importSources = ['kindle', 'readwise', 'hypothesis', 'koreader'] as const satisfies SyncKind[];

/** Whether a value has more values in each other than that. */
export function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1));
}

export interface SyncSource {
  readonly source: string;
  readonly kind: SyncKind;
  readonly config: Json;
  readonly lastSyncAt: Millis | null;
  readonly lastCounts: SyncCounts | null;
  /** Empty when the last attempt went well. */
  readonly lastError: string;
  readonly lastErrorAt: Millis | null;
}
