// The reading side of search, as each engine does it.
import type { SearchOptions, SearchQuery } from '../../model/search.ts';
import type { Database } from '../database.ts';
import type { Row } from '../tables.ts';

/** Only so many matches are ranked, the newest: a word in most documents would else take as long as there are documents. */
export const newestRanked = 2_000;
/** A word of the title counts as much as this many of the text. */
export const titleWeight = 10;

export interface Find extends SearchOptions {
  readonly userId: number;
  readonly query: SearchQuery;
}

export type FoundRow = Omit<Row<'search_docs'>, 'user_id' | 'text_sha256'> & {
  /** The higher the better. */
  readonly score: number;
  /** How many matches there are, counted up to `newestRanked`. */
  readonly matches: number;
  /** How many of those are left out, since another that is the same page is among them. */
  readonly copies: number;
};

/** At most `limit` rows, in order. Rows of other users are neither read nor counted. */
export type FindRows = (
  db: Pick<Database, 'heavyRead' | 'heavyRows'>,
  find: Find,
) => Promise<readonly FoundRow[]>;
