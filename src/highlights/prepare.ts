// What a source says, made ready to be compared: each id once, each record with its hash and its parent.
import { hash } from 'node:crypto';
import { isPageAddress, savedUrl } from '../items/save-url.ts';
import type { HighlightKind, Snapshot, SourceResource } from '../model/highlight.ts';
import { cleanText } from '../store/clean-text.ts';
import { letOthersIn } from '../store/let-others-in.ts';
import type { Page } from '../store/owned/highlights/page-resources.ts';
import type { RecordFields } from '../store/owned/highlights/sync-store.ts';
import { fullHash } from './hash.ts';

export interface Prepared<K extends HighlightKind> {
  readonly originalId: string;
  /** The id of its parent at the source; empty for a resource. */
  readonly parent: string;
  readonly fields: RecordFields[K];
  readonly fullHash: string;
}

export type PreparedSnapshot = { readonly [K in HighlightKind]: ReadonlyMap<string, Prepared<K>> } & {
  /** Resources that are pages, by their ids at the source. */
  readonly pages: ReadonlyMap<string, Page>;
};

const hashedAtOnce = 1_000;
/** What an index of PostgreSQL can hold, whatever the characters are. */
const longestId = 500;

export async function prepare(snapshot: Snapshot): Promise<PreparedSnapshot> {
  const own = snapshot.resources.filter((resource) => !isPage(resource)).map(withAuthor);
  return {
    pages: await pagesOf(snapshot.resources.filter(isPage)),
    resources: await records('resources', own, () => ''),
    annotations: await records('annotations', snapshot.annotations, ({ resource }) => resource),
    comments: await records('comments', snapshot.comments, ({ annotation }) => annotation),
    notes: await records('notes', snapshot.notes, ({ resource }) => resource),
  };
}

const isPage = (resource: SourceResource) => resource.type === 'website' && Boolean(resource.url);
const withAuthor = (resource: SourceResource) => ({ ...resource, author: resource.author ?? '' });

async function pagesOf(resources: readonly SourceResource[]): Promise<Map<string, Page>> {
  const pages = new Map<string, Page>();
  for (const { originalId, url, title } of resources) {
    pages.set(idOf(originalId), pageOf(url as string, title));
    if (pages.size % hashedAtOnce === 0) await letOthersIn();
  }
  return pages;
}

async function records<K extends HighlightKind, T extends RecordFields[K] & { readonly originalId: string }>(
  kind: K,
  all: readonly T[],
  parentOf: (record: T) => string,
): Promise<Map<string, Prepared<K>>> {
  const list: Prepared<K>[] = [];
  const byId = new Map<string, Prepared<K>>();
  for (const fields of all) {
    if (list.length % hashedAtOnce === hashedAtOnce - 1) await letOthersIn();
    const originalId = idOf(fields.originalId);
    const parent = idOf(parentOf(fields));
    const prepared = { originalId, parent, fields, fullHash: fullHash(kind, parent, fields) };
    list.push(prepared);
    byId.set(originalId, prepared);
  }
  if (byId.size < list.length) for (const one of list) preferOf(byId, one);
  return byId;
}

function preferOf<K extends HighlightKind>(byId: Map<string, Prepared<K>>, one: Prepared<K>): void {
  const other = byId.get(one.originalId);
  if (other && isRather(one, other)) byId.set(one.originalId, one);
}

/** Of two that a source calls the same: the later one, and else always the same of the two, in whatever order they come. */
function isRather<K extends HighlightKind>(one: Prepared<K>, other: Prepared<K>): boolean {
  const dateOf = ({ fields }: Prepared<K>) => ('madeAt' in fields ? (fields.madeAt ?? 0) : 0);
  return dateOf(one) === dateOf(other) ? one.fullHash > other.fullHash : dateOf(one) > dateOf(other);
}

/** As it can be kept and found again. */
export function idOf(text: string): string {
  const clean = cleanText(text);
  return clean.length <= longestId ? clean : `sha256:${hash('sha256', clean, 'hex')}`;
}

/** A page by its address, whatever kind of address that is. */
export function pageOf(url: string, title: string): Page {
  if (isPageAddress(url)) return { saved: savedUrl(url), isItem: true, title };
  const address = cleanText(url.trim());
  return { saved: { url: address, key: idOf(`url:${address}`) }, isItem: false, title };
}
