// The reading side of search, as each engine does it.
import type { SearchOptions, SearchQuery } from '../../model/search.ts';
import type { Reader } from '../database.ts';
import type { Row } from '../tables.ts';

/** A word that is in more documents of the user is common: it is ranked over its newest matches alone. */
export const commonAbove = 5_000;
export const newestRanked = 1_000;
/** A word of the title counts as much as this many of the text. */
export const titleWeight = 10;

export interface Find extends SearchOptions {
  readonly userId: number;
  readonly query: SearchQuery;
}

export type FoundRow = Row<'search_docs'> & {
  /** The higher the better. */
  readonly score: number;
  readonly found: number;
  readonly at_least: number;
};

/** At most `limit` rows, in order. Rows of other users are neither read nor counted. */
export type FindRows = (reader: Reader, find: Find) => Promise<readonly FoundRow[]>;
