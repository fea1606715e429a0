// Two hashes of what a source says. The content hash is the one that the sources' own design gives; it sees some changes
// only, and puts fields together without a boundary. The full hash decides what has changed: it covers every field.
import { hash } from 'node:crypto';
import type { HighlightKind, Json } from '../model/highlight.ts';
import type { RecordFields } from '../store/owned/highlights/sync-store.ts';

const sha256 = (text: string) => hash('sha256', text, 'hex');

export const hashTitle = sha256;
export const hashContent = sha256;

export const hashAnnotation = (text: string, color: string | null) => sha256(text + (color ?? ''));

export const contentHash: { readonly [K in HighlightKind]: (fields: RecordFields[K]) => string } = {
  resources: ({ title }) => hashTitle(title),
  annotations: ({ text, color }) => hashAnnotation(text, color),
  comments: ({ content }) => hashContent(content),
  notes: ({ content }) => hashContent(content),
};

/** Stands in front of every full hash. Another way to hash gets another number, and finds all rows changed once. */
const version = 1;

/** Every field that is kept, in one order. */
const fieldsOf: { readonly [K in HighlightKind]: (fields: RecordFields[K]) => readonly Json[] } = {
  resources: ({ type, title, author }) => [type, title, author],
  annotations: ({ text, color, boundary, madeAt }) => [text, color, boundary, madeAt],
  comments: ({ content, madeAt }) => [content, madeAt],
  notes: ({ content, madeAt }) => [content, madeAt],
};

/** JSON tells where a field ends and keeps its type, so that no two records have one text. */
export function fullHash<K extends HighlightKind>(kind: K, parent: string, fields: RecordFields[K]): string {
  return `${version}:${sha256(JSON.stringify([kind, parent, ...fieldsOf[kind](fields)]))}`;
}
