// Which articles of a document are the feed's own, and may be new to it. Pure.
import type { DeframerFeed } from '../model/deframer.ts';
import type { Millis } from '../model/glossary.ts';
import { longestUrl } from './feed-url.ts';
import type { SourceEntry, SourceFeed } from './fetch-feed.ts';
import { itemHash } from './item-hash.ts';

export interface NewArticle {
  readonly hash: string;
  readonly url: string;
  readonly title: string;
  /** Sanitised HTML. */
  readonly content: string;
  readonly author: string;
  readonly pubDate: Millis;
  /** Primary subtag; empty if the feed does not say. */
  readonly language: string;
}

/** The newest first, each address once. Without an address, an article can be neither read nor known again. */
export function newArticles(
  { url: feedUrl, enforceFeedDomain }: Pick<DeframerFeed, 'url' | 'enforceFeedDomain'>,
  { entries, language }: SourceFeed,
  now: Millis,
): { articles: NewArticle[]; discarded: number } {
  const { host } = new URL(feedUrl);
  const articles = new Map<string, NewArticle>();
  let discarded = 0;
  for (const entry of entries) {
    const link = entry.link === null || entry.link.length > longestUrl ? null : URL.parse(entry.link);
    if (!link || !/^https?:$/.test(link.protocol)) continue;
    if (enforceFeedDomain && link.host !== host) {
      discarded += 1;
      continue;
    }
    const article = toArticle(entry, entry.link as string, language, now);
    if (!articles.has(article.hash)) articles.set(article.hash, article);
  }
  return { articles: [...articles.values()].sort((a, b) => b.pubDate - a.pubDate), discarded };
}

function toArticle(entry: SourceEntry, url: string, language: string | null, now: Millis): NewArticle {
  return {
    hash: itemHash(url),
    url,
    title: entry.title,
    content: entry.content,
    author: entry.author,
    // One from the future would stay on top until then.
    pubDate: Math.floor(Math.min(entry.pubDate ?? now, now) / 1000) * 1000,
    language: (language ?? '').split('-')[0]?.toLowerCase() ?? '',
  };
}
