import type { Millis } from './glossary.ts';

export const itemStatuses = ['unread', 'archived'] as const;
export type ItemStatus = (typeof itemStatuses)[number];

/** What is stored. One that is under way is still pending. */
export const enrichmentStatuses = ['pending', 'succeeded', 'failed'] as const;
export type EnrichmentStatus = (typeof enrichmentStatuses)[number];

/** Why an item is there: saved by hand or import, starred in the reader, highlighted, bookmarked at Raindrop. */
export const itemOrigins = ['manual', 'bookmark', 'highlight', 'raindrop'] as const;
export type ItemOrigin = (typeof itemOrigins)[number];

/** What a user saved: a page, by whatever route. */
export interface Item {
  readonly id: number;
  readonly url: string;
  /** Of the rules that were in force when it was saved: see items/url-identity.ts. */
  readonly urlKey: string;
  readonly title: string;
  readonly excerpt: string;
  readonly author: string;
  readonly siteName: string;
  readonly language: string;
  readonly publishedAt: Millis | null;
  readonly canonicalUrl: string;
  readonly wordCount: number;
  readonly status: ItemStatus;
  readonly isFavorite: boolean;
  readonly collectionId: number | null;
  readonly tags: readonly string[];
  readonly origins: readonly ItemOrigin[];
  /** The star on it. */
  readonly bookmarkId: number | null;
  /** The folder of the kept copy in the library; null while there is none. */
  readonly snapshotKey: string | null;
  /** What Raindrop calls it, if it is mirrored from there; and whether its permanent copy is kept. */
  readonly raindropId: number | null;
  readonly hasPermanentCopy: boolean;
  /** `{userId}/{itemId}.jpg`, under thumbnails/ in the library. */
  readonly thumbnailKey: string | null;
  readonly thumbnailSha256: string | null;
  /** Whether there is something to read here: the kept copy, or what the star brought along. */
  readonly hasContent: boolean;
  readonly hasIcon: boolean;
  readonly link: ItemLink | null;
  readonly enrichmentStatus: EnrichmentStatus;
  readonly enrichmentError: string | null;
  readonly enrichedAt: Millis | null;
  readonly createdAt: Millis;
  readonly updatedAt: Millis;
  readonly deletedAt: Millis | null;
}

/** Whether its page is still there, for those who want to know. */
export interface ItemLink {
  readonly state: 'ok' | 'dead' | 'unsure';
  readonly checkedAt: Millis;
  readonly deadSince: Millis | null;
  readonly sentence: string;
}

/** A save by hand. What is given fills what is empty in an item that is there already. */
export interface NewItem {
  readonly title: string;
  readonly excerpt: string;
  readonly tags: readonly string[];
  readonly collectionId: number | null;
  readonly isFavorite: boolean;
  readonly status: ItemStatus;
}

/** An empty title or excerpt is handed back to the page: the next enrichment fills it. */
export type ItemChange = { readonly [K in keyof NewItem]?: NewItem[K] | undefined };

export const bulkActions = [
  'archive',
  'unarchive',
  'favorite',
  'unfavorite',
  'delete',
  'restore',
  'addTags',
  'removeTags',
  'move',
  'enrich',
  'unsave',
] as const;
export type BulkAction = (typeof bulkActions)[number];

export interface ItemFilter {
  readonly status?: ItemStatus | undefined;
  /** `null`: in none. */
  readonly collectionId?: number | null | undefined;
  /** Those of its sub-collections too. */
  readonly nested?: boolean | undefined;
  /** Items that have them all. */
  readonly tags?: readonly string[] | undefined;
  readonly untagged?: boolean | undefined;
  readonly isFavorite?: boolean | undefined;
  readonly enrichmentStatus?: EnrichmentStatus | undefined;
  readonly origin?: ItemOrigin | undefined;
  readonly isDead?: boolean | undefined;
  /** Those that can still be had back, by when they were deleted; the others by when they were saved. */
  readonly deleted?: boolean | undefined;
  readonly oldestFirst?: boolean | undefined;
  readonly after?: ItemPlace | undefined;
  readonly limit: number;
}

/** Where a page of items ends. */
export interface ItemPlace {
  readonly at: Millis;
  readonly id: number;
}

export interface ItemCounts {
  readonly all: number;
  readonly unread: number;
  readonly archived: number;
  readonly favorite: number;
  readonly untagged: number;
  readonly unsorted: number;
  readonly pending: number;
  readonly failed: number;
  readonly deleted: number;
  readonly dead: number;
}

/** A folder of items. */
export interface Collection {
  readonly id: number;
  readonly name: string;
  readonly description: string;
  readonly parentId: number | null;
  /** Of its own, without those of its sub-collections. */
  readonly itemCount: number;
  readonly createdAt: Millis;
  readonly updatedAt: Millis;
}

/** Limits of the contract, on what people give and what pages say alike. In characters. */
export const itemLimits = {
  url: 8_000,
  title: 200,
  excerpt: 500,
  enrichmentError: 500,
  tag: 50,
  tagsOfItem: 50,
  collectionName: 100,
  collectionDescription: 500,
} as const;

/** So many items are changed at once. */
export const mostAtOnce = 500;

/** How long a deleted item can be had back. */
export const keepDeletedMs = 30 * 24 * 3_600_000;
