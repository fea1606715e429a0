// Everything that reads documents of strangers: feeds, pages that name feeds, and files that a user uploads.
import { type PageDocument, pageFeeds } from '../feeds/discover/page-feeds.ts';
import { type OpmlDocument, parseOpml } from '../feeds/opml/parse-opml.ts';
import { type FeedDocument, parseFeed } from '../feeds/parse/parse-feed.ts';
import { type ImportKind, parseHighlights } from '../highlights/import/import-kinds.ts';

export const tasks = {
  feed: (document: FeedDocument) => parseFeed(document),
  pageFeeds: (document: PageDocument) => pageFeeds(document),
  opml: (document: OpmlDocument) => parseOpml(document),
  highlights: (file: { kind: ImportKind; bytes: Uint8Array }) => parseHighlights(file.kind, file.bytes),
} as const;

export type Tasks = typeof tasks;
export type TaskName = keyof Tasks;
