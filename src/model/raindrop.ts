// What the mirror of Raindrop keeps in the index.
import type { SavedUrl } from './bookmark.ts';
import type { Millis } from './glossary.ts';

export const copyStatuses = ['stored', 'none', 'pending', 'refused', 'failed'] as const;
export type CopyStatus = (typeof copyStatuses)[number];

/** A raindrop, and what of it is within the limits that an item has. */
export interface KeptRaindrop {
  readonly id: number;
  /** Null for an address that no item can have. */
  readonly saved: SavedUrl | null;
  readonly link: string;
  readonly title: string;
  readonly excerpt: string;
  readonly note: string;
  readonly domain: string;
  readonly item: {
    readonly title: string;
    readonly excerpt: string;
    readonly siteName: string;
    readonly tags: readonly string[];
  };
  /** JSON. */
  readonly highlights: string;
  readonly collectionId: number;
  readonly isImportant: boolean;
  readonly cover: string;
  readonly copy: CopyStatus;
  readonly rawSha256: string;
  readonly textSha256: string;
  readonly wordCount: number;
  /** JSON. */
  readonly files: string;
  readonly createdAt: Millis;
  readonly updatedAt: Millis;
  readonly removedAt: Millis | null;
}

export interface SourceCollection {
  readonly id: number;
  readonly title: string;
  readonly parentId: number | null;
}

export interface RaindropCounts {
  readonly live: number;
  readonly removed: number;
  readonly copies: Readonly<Record<CopyStatus, number>>;
}

/** Of a page that something was highlighted on at Raindrop. */
export interface HighlightedRaindrop {
  readonly id: number;
  readonly link: string;
  readonly title: string;
  /** JSON. */
  readonly highlights: string;
}
