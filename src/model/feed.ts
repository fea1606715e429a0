import type { Millis } from './glossary.ts';

export interface Feed {
  readonly id: number;
  readonly groupId: number;
  readonly name: string;
  /** The address that is fetched. */
  readonly link: string;
  readonly siteUrl: string;
  readonly suspended: boolean;
  readonly proxy: string;
  readonly goneAt: Millis | null;
  /** The address that it had before it moved for good, and when we followed it; empty and null when it did not. */
  readonly movedFrom: string;
  readonly movedAt: Millis | null;
  /** How many entries to keep; null keeps all. */
  readonly keepEntries: number | null;
  /** Whether the pages of its entries are read for their full text. */
  readonly fullText: boolean;
  readonly createdAt: Millis;
  readonly updatedAt: Millis;
  readonly fetchState: FetchState;
  /** Whether there is an icon of its site. */
  readonly hasIcon: boolean;
  readonly unread: number;
  readonly entries: number;
}

/** How fetching goes. Times are 0 and texts empty where there is nothing to say. */
export interface FetchState {
  readonly etag: string;
  readonly lastModified: string;
  readonly cacheControl: string;
  readonly expiresAt: Millis;
  readonly lastCheckedAt: Millis;
  readonly nextCheckAt: Millis;
  readonly lastHttpStatus: number;
  readonly retryAfterUntil: Millis;
  readonly lastSuccessAt: Millis;
  readonly lastErrorAt: Millis;
  readonly lastError: string;
  readonly consecutiveFailures: number;
  /** Where the server says that the feed has moved for good, before that was confirmed. */
  readonly movedTo: string;
}

export interface NewFeed {
  readonly groupId: number;
  readonly name: string;
  readonly link: string;
  readonly siteUrl: string;
  readonly proxy: string;
}

export interface FeedChange {
  readonly groupId?: number | undefined;
  readonly name?: string | undefined;
  readonly link?: string | undefined;
  readonly siteUrl?: string | undefined;
  readonly suspended?: boolean | undefined;
  readonly proxy?: string | undefined;
  readonly keepEntries?: number | null | undefined;
  readonly fullText?: boolean | undefined;
}

/**
 * How a pull can end: a new document, the same as before, a failure, or not asked, since the host wants to be left alone.
 * For one that is for several feeds, the first of these that is true of any.
 */
export const pullOutcomes = ['new', 'unchanged', 'failed', 'put_off'] as const;
export type PullOutcome = (typeof pullOutcomes)[number];
