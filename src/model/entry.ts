import type { Millis } from './glossary.ts';

export interface Enclosure {
  readonly url: string;
  readonly type: string;
  readonly lengthBytes: number | null;
}

/** What a feed published, as it is now. */
export interface Entry {
  readonly id: number;
  readonly feedId: number;
  readonly guid: string;
  readonly title: string;
  readonly link: string;
  readonly author: string;
  /** HTML, sanitised. */
  readonly content: string;
  readonly enclosures: readonly Enclosure[];
  readonly categories: readonly string[];
  /** In whole seconds, so that a page can go on after it by what the API shows. */
  readonly pubDate: Millis;
  readonly unread: boolean;
  /** The star on it, if it has one. */
  readonly bookmarkId: number | null;
  readonly createdAt: Millis;
  readonly updatedAt: Millis;
}

/** An entry with the names of what it comes from. */
export interface SourcedEntry extends Entry {
  readonly feedName: string;
  readonly siteUrl: string;
  readonly groupName: string;
}

/** An entry as a document of its feed has it. */
export interface PublishedEntry {
  readonly guid: string;
  readonly title: string;
  readonly link: string;
  readonly author: string;
  readonly content: string;
  readonly enclosures: readonly Enclosure[];
  readonly categories: readonly string[];
  readonly pubDate: Millis;
  readonly contentHash: string;
}

/** Where a page ends: the next begins after it. */
export interface EntryPlace {
  readonly pubDate: Millis;
  readonly id: number;
}

export interface EntryFilter {
  readonly feedId?: number | undefined;
  readonly groupId?: number | undefined;
  readonly unread?: boolean | undefined;
  /** The last entry of the page before, in whichever direction. */
  readonly before?: EntryPlace | undefined;
  readonly order: 'pub_date' | 'created_at';
  readonly oldestFirst?: boolean | undefined;
  /** Of the content only so many characters, for lists that show how it begins. */
  readonly contentCharacters?: number | undefined;
  readonly limit: number;
}
