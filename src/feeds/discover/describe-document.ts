// Classifies a fetched document as a feed or a page with feed links. Runs in the parse thread, so that the API process gets a short
// answer instead of every entry.
import type { Millis } from '../../model/glossary.ts';
import { NotAFeed } from '../parse/feed-errors.ts';
import { type ParsedFeed, parseFeed } from '../parse/parse-feed.ts';
import { type PageDocument, type PageFeeds, pageFeeds } from './page-feeds.ts';

export interface FoundFeed {
  readonly title: string;
  readonly link: string;
  /** The rest helps a person to recognise the feed. */
  readonly siteUrl: string | null;
  readonly description: string;
  readonly entries: number;
  readonly newest: readonly { readonly title: string; readonly pubDate: Millis | null }[];
}

export type ReadDocument = { readonly feed: FoundFeed } | { readonly links: PageFeeds };

const newestShown = 3;
const longestDescription = 1_000;

/** Throws BrokenFeed. */
export function describeDocument(document: PageDocument): ReadDocument {
  try {
    return { feed: describe(parseFeed(document), document.url) };
  } catch (error) {
    if (error instanceof NotAFeed) return { links: pageFeeds(document) };
    throw error;
  }
}

function describe(feed: ParsedFeed, link: string): FoundFeed {
  const newest = feed.entries.toSorted((a, b) => (b.pubDate ?? 0) - (a.pubDate ?? 0)).slice(0, newestShown);
  return {
    title: feed.title || new URL(link).host,
    link,
    siteUrl: feed.siteUrl,
    description: feed.description.slice(0, longestDescription),
    entries: feed.entries.length,
    newest: newest.map(({ title, pubDate }) => ({ title, pubDate })),
  };
}
