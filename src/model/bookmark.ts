import type { Millis } from './glossary.ts';

/** A star: the entry as it was. It outlives the entry and its feed. */
export interface Bookmark {
  readonly id: number;
  readonly entryId: number | null;
  readonly feedId: number | null;
  readonly link: string;
  readonly title: string;
  readonly content: string;
  readonly pubDate: Millis;
  readonly feedName: string;
  readonly unread: boolean;
  readonly createdAt: Millis;
}

/** An address as an item keeps it. Made by items/save-url.ts alone. */
export interface SavedUrl {
  readonly url: string;
  /** By the newest rules for which addresses are the same page. */
  readonly key: string;
  /** What an item for it may have been saved under before, the newest first. */
  readonly olderKeys?: readonly string[];
}
