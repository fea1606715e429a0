// What search is asked and what it answers. Words are `terms` here: folded and split by search/terms.ts, so that
// both engines are given the same ones.
import type { Millis } from './glossary.ts';

/** Terms that stand in a row. With `prefix`, the last one may go on. */
export interface PhraseTerms {
  readonly terms: readonly string[];
  readonly prefix: boolean;
}

export interface SearchPhrase extends PhraseTerms {
  /** As it was written, without quotes and the star. */
  readonly text: string;
  /** Whether there was a star. */
  readonly startsWith: boolean;
}

/** What a person can filter by, as in `tag:work`. */
export const filterNames = [
  'tag',
  'site',
  'feed',
  'kind',
  'author',
  'lang',
  'before',
  'after',
  'is',
] as const;
export type FilterName = (typeof filterNames)[number];

export interface SearchFilter {
  readonly name: FilterName;
  readonly value: string;
  /** Documents of which it holds are left out. */
  readonly not: boolean;
  /** It is enough that this one or the one before it holds. */
  readonly or?: boolean;
}

/** What a document can have several of. Of what it has one of, any of several filters is enough, since never more can hold. */
export const manyValued: ReadonlySet<FilterName> = new Set(['tag', 'author', 'is']);

/** A document is found when it has one of each group in `all`, and nothing of `none`, and the filters let it through. */
export interface SearchQuery {
  readonly all: readonly (readonly SearchPhrase[])[];
  readonly none: readonly SearchPhrase[];
  /** Words are looked for in titles alone. */
  readonly inTitle: boolean;
  /** Of the positive ones all must hold, but for what `manyValued` says; of the negative ones none may. */
  readonly filters: readonly SearchFilter[];
}

/** Every kind of document that can be found. Of several that are one page, the kind that stands first here is shown. */
export const searchKinds = ['item', 'bookmark', 'entry', 'feed', 'annotation', 'note', 'deframed'] as const;
export type SearchKind = (typeof searchKinds)[number];

/** What a search can be narrowed to. A raindrop is found as the item of its page. */
export const askedKinds = [...searchKinds, 'raindrop'] as const;
export type AskedKind = (typeof askedKinds)[number];

/** What is true of a document, or is not. */
export const docStates = ['unread', 'bookmarked', 'archived', 'highlighted'] as const;
export type DocState = (typeof docStates)[number];

/** `rank`: the best first. `newest`: the latest first, to the minute. */
export type SearchOrder = 'rank' | 'newest';

/** The last hit of a page; what follows it comes next. */
export interface SearchCursor {
  readonly id: number;
  readonly score: number;
}

/** Marks that a document must have all of: see store/search/marks.ts. */
export type MarkSet = readonly string[];

/** What filters come to: which documents are searched at all. */
export interface SearchScope {
  /** One of each of these. */
  readonly all: readonly (readonly MarkSet[])[];
  readonly none: readonly MarkSet[];
  /** Published from then on, and before that. */
  readonly from?: Millis;
  readonly before?: Millis;
  /** Entries that are unread, or are not. `orStates`: what has one of each of these is let through, too. */
  readonly unread?: { readonly wanted: boolean; readonly orStates: readonly (readonly DocState[])[] };
  /** Whether kinds were named: if not, a page that is there as several documents is found once. */
  readonly namesKinds: boolean;
}

export interface SearchOptions {
  /** What the filters of the query, and the kinds that are asked for, come to. Everything of the user, when absent. */
  readonly scope?: SearchScope;
  readonly order: SearchOrder;
  /** What the age of documents is counted from: see store/search/freshness.ts. The same for all pages of a search. Absent: age does not count. */
  readonly at?: Millis;
  readonly limit: number;
  readonly after?: SearchCursor;
  /** Whether hits say of which page they are: for lists that are put together. */
  readonly withPages?: boolean;
}

export interface SearchHit {
  /** Of the document in the index. */
  readonly docId: number;
  readonly kind: string;
  readonly refId: number;
  readonly title: string;
  readonly urlKey: string | null;
  readonly score: number;
  /** Hits that are one page share it, where that was asked for; the one with the lowest place is the one to show. */
  readonly page: number;
  readonly place: number;
}

/** What the matches that are ranked can be narrowed by, the most frequent first. */
export interface SearchFacets {
  readonly kind: readonly Facet[];
  readonly site: readonly Facet[];
  readonly tag: readonly Facet[];
  readonly feed: readonly Facet[];
  readonly lang: readonly Facet[];
  readonly year: readonly Facet[];
}

export interface Facet {
  /** As a filter takes it. */
  readonly value: string;
  /** What it is called, where that is something else. */
  readonly label?: string;
  readonly count: number;
}

export interface SearchPage {
  readonly hits: readonly SearchHit[];
  /** How many documents match, or `atLeast` so many: a common word is not counted to the end. */
  readonly found: number;
  readonly atLeast: boolean;
  readonly next?: SearchCursor;
}

/** What somebody wants to ask again. */
export interface SavedSearch {
  readonly id: number;
  readonly name: string;
  readonly q: string;
  readonly createdAt: Millis;
  readonly updatedAt: Millis;
}

/** A document as its feature gives it to be found. */
export interface SearchText {
  readonly userId: number;
  readonly refId: number;
  readonly title: string;
  readonly text: string;
  /** What it is found by, too, and nobody reads in it: an author, the names of tags. */
  readonly beside?: string;
  /** Where it is; empty for what has no address. */
  readonly url: string;
  /** Documents that have the same one are the same page. */
  readonly urlKey: string | null;
  readonly site: string | null;
  readonly publishedAt: Millis;
  readonly facts?: SearchFacts;
}

/** What a document can be filtered by, besides its site and its date. */
export interface SearchFacts {
  readonly tags?: readonly string[];
  readonly author?: string;
  readonly lang?: string;
  /** The feed that it came from, or is. */
  readonly feedId?: number | null;
  /** Whether an entry is unread is not among them: that changes with every click, and is looked up. */
  readonly states?: readonly DocState[];
  readonly isRaindrop?: boolean;
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
