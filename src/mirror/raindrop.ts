// A raindrop as Raindrop sends it. Its documentation warns of fields that it does not name, so the whole is kept as it came,
// and of what is read here nothing is taken for granted.
import type { MirroredCollection, MirroredHighlight } from './host.ts';

/** As it came. */
export type RawRaindrop = Readonly<Record<string, unknown>> & { readonly _id: number };

export interface RaindropFacts {
  readonly id: number;
  readonly link: string;
  readonly title: string;
  readonly excerpt: string;
  readonly note: string;
  readonly domain: string;
  readonly type: string;
  readonly cover: string;
  readonly isImportant: boolean;
  readonly tags: readonly string[];
  /** ISO 8601. */
  readonly createdAt: string;
  readonly updatedAt: string;
  /** That of Raindrop; -1 for none. */
  readonly collectionId: number;
  readonly highlights: readonly MirroredHighlight[];
  readonly cache: { readonly status: string; readonly createdAt: string; readonly size: number } | undefined;
}

export function isRaw(value: unknown): value is RawRaindrop {
  return isObject(value) && Number.isSafeInteger(value._id) && (value._id as number) > 0;
}

export function factsOf(raw: RawRaindrop): RaindropFacts {
  const collection = isObject(raw.collection) ? raw.collection.$id : raw.collectionId;
  const updatedAt = time(raw.lastUpdate) ?? time(raw.created) ?? 0;
  return {
    id: raw._id,
    link: text(raw.link),
    title: text(raw.title),
    excerpt: text(raw.excerpt),
    note: text(raw.note),
    domain: text(raw.domain),
    type: text(raw.type),
    cover: text(raw.cover),
    isImportant: raw.important === true,
    tags: tagsOf(raw.tags),
    createdAt: iso(time(raw.created) ?? updatedAt),
    updatedAt: iso(updatedAt),
    collectionId: Number.isSafeInteger(collection) ? (collection as number) : -1,
    highlights: list(raw.highlights).flatMap(highlightOf),
    cache: isObject(raw.cache)
      ? {
          status: text(raw.cache.status),
          createdAt: text(raw.cache.created),
          size: typeof raw.cache.size === 'number' ? raw.cache.size : 0,
        }
      : undefined,
  };
}

/** What orders them. */
export function updatedMs(raw: RawRaindrop): number {
  return time(raw.lastUpdate) ?? time(raw.created) ?? 0;
}

export function collectionOf(value: unknown): MirroredCollection[] {
  if (!isObject(value) || !Number.isSafeInteger(value._id)) return [];
  const parent = isObject(value.parent) ? value.parent.$id : null;
  return [
    {
      id: value._id as number,
      title: text(value.title),
      parentId: Number.isSafeInteger(parent) ? (parent as number) : null,
    },
  ];
}

export const iso = (ms: number) => new Date(ms).toISOString();

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

function highlightOf(value: unknown): MirroredHighlight[] {
  if (!isObject(value) || text(value._id) === '' || text(value.text) === '') return [];
  const created = time(value.created);
  return [
    {
      id: text(value._id),
      text: text(value.text),
      note: text(value.note),
      color: text(value.color) || null,
      createdAt: created === undefined ? null : iso(created),
    },
  ];
}

/** Each once, in their order. */
function tagsOf(value: unknown): string[] {
  const names = list(value)
    .map((name) => text(name).trim())
    .filter((name) => name !== '');
  return [...new Set(names)];
}

/** No database takes U+0000, nor half of a character. */
function text(value: unknown): string {
  return typeof value === 'string' ? value.replaceAll('\0', '').toWellFormed() : '';
}

function time(value: unknown): number | undefined {
  const ms = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(ms) ? undefined : ms;
}
