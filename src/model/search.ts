// What search is asked and what it answers. Words are `terms` here: folded and split by search/terms.ts, so that
// both engines are given the same ones.
import type { Millis } from './glossary.ts';

/** Terms that stand in a row. With `prefix`, the last one may go on. */
export interface SearchPhrase {
  readonly terms: readonly string[];
  readonly prefix: boolean;
}

/** A document is found when it has one of each group in `all`, and nothing of `none`. */
export interface SearchQuery {
  readonly all: readonly (readonly SearchPhrase[])[];
  readonly none: readonly SearchPhrase[];
}

/** Every kind of document that can be found. Of several that are one page, the kind that stands first here is shown. */
export const searchKinds = ['item', 'bookmark', 'entry', 'feed', 'annotation'] as const;
export type SearchKind = (typeof searchKinds)[number];

/** `rank`: the best first. `newest`: the latest first, to the minute. */
export type SearchOrder = 'rank' | 'newest';

/** The last hit of a page; what follows it comes next. */
export interface SearchCursor {
  readonly id: number;
  readonly score: number;
}

export interface SearchOptions {
  /** All kinds when absent; then a page that is there as several documents is found once. */
  readonly kinds?: readonly string[];
  readonly order: SearchOrder;
  readonly limit: number;
  readonly after?: SearchCursor;
}

export interface SearchHit {
  readonly kind: string;
  readonly refId: number;
  readonly title: string;
  readonly site: string | null;
  readonly urlKey: string | null;
  readonly publishedAt: Millis;
  readonly score: number;
}

export interface SearchPage {
  readonly hits: readonly SearchHit[];
  /** How many documents match, or `atLeast` so many: a common word is not counted to the end. */
  readonly found: number;
  readonly atLeast: boolean;
  readonly next?: SearchCursor;
}

/** A document as its feature gives it to be found. */
export interface SearchText {
  readonly userId: number;
  readonly refId: number;
  readonly title: string;
  readonly text: string;
  /** Where it is; empty for what has no address. */
  readonly url: string;
  /** Documents that have the same one are the same page. */
  readonly urlKey: string | null;
  readonly site: string | null;
  readonly publishedAt: Millis;
}

/** Where the documents of one kind come from. */
export interface SearchSource {
  /** Lower-case letters. */
  readonly kind: string;
  /** How many the indexer may ask for at once, where texts may be as long as books. */
  readonly atOnce?: number;
  /** Those that are gone, or are not to be found, are left out; with `ofUser`, those of others too. */
  read(refIds: readonly number[], ofUser?: number): Promise<readonly SearchText[]>;
  /** Ids above `after`, in rising order, for a rebuild. */
  list(after: number, limit: number): Promise<readonly number[]>;
}

export type SearchSources = Readonly<Record<SearchKind, SearchSource>>;
