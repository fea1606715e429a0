// What is written out: a resource with everything that was marked in it and said about it.
import type { Annotation, Comment, Json, Note, Resource } from '../../model/highlight.ts';

export interface ExportedAnnotation {
  readonly annotation: Annotation;
  readonly comments: readonly Comment[];
}

export interface ExportedResource {
  readonly resource: Resource;
  readonly annotations: readonly ExportedAnnotation[];
  readonly notes: readonly Note[];
}

/** Null for what is no time. */
export function isoTime(millis: number | null): string | null {
  const date = new Date(millis ?? Number.NaN);
  return Number.isNaN(date.getTime()) ? null : date.toISOString();
}

/** Only such an address may become something that can be clicked. */
export function isWebAddress(url: string): boolean {
  return /^https?:\/\//i.test(url) && URL.canParse(url);
}

/** The page that an annotation is on, in whichever words its source says it. */
export function pageOf(boundary: Json): string | undefined {
  const page = fieldOf(boundary, 'pageNumber') ?? fieldOf(boundary, 'page');
  if (typeof page === 'number') return String(page);
  return typeof page === 'string' && page !== '' ? page : undefined;
}

export function fieldOf(value: Json | undefined, name: string): Json | undefined {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as { readonly [key: string]: Json })[name];
}
