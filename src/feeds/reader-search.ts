// Entries, bookmarks and feeds as documents that can be found.

import { plainText } from '../html/plain-text.ts';
import { itemFacts } from '../items/item-facts.ts';
import { isPageAddress, savedUrl } from '../items/save-url.ts';
import type { SearchSource, SearchText } from '../model/search.ts';
import type { ReaderTexts, Texts } from '../store/reader-texts.ts';

export function entrySource({ entries }: ReaderTexts): SearchSource {
  return sourceOf(
    'entry',
    entries,
    ({ id, title, author, content, link, pubDate, feedId, isBookmarked }) => ({
      title,
      text: plainText(content),
      beside: author,
      ...pageOf(link, id),
      publishedAt: pubDate,
      facts: { author, feedId, states: isBookmarked ? ['bookmarked'] : [] },
    }),
  );
}

/** The snapshot as it was taken, whatever has become of the entry. */
export function bookmarkSource({ bookmarks }: ReaderTexts): SearchSource {
  return sourceOf('bookmark', bookmarks, (bookmark) => {
    const { entryId, title, content, link, pubDate, feedId } = bookmark;
    const facts = itemFacts(bookmark);
    return {
      title,
      text: plainText(content),
      ...pageOf(link, entryId),
      publishedAt: pubDate,
      facts: { ...facts, feedId, states: ['bookmarked', ...facts.states] },
    };
  });
}

export function feedSource({ feeds }: ReaderTexts): SearchSource {
  return sourceOf('feed', feeds, ({ id, name, description, siteUrl, link, createdAt }) => {
    const url = siteUrl === '' ? link : siteUrl;
    return {
      title: name,
      text: [description, shownAddress(url)].filter((line) => line !== '').join('\n'),
      url,
      // A feed is no page, even where an entry links to the front page of its site.
      urlKey: null,
      site: hostOf(url),
      publishedAt: createdAt,
      facts: { feedId: id },
    };
  });
}

function sourceOf<T extends { readonly id: number; readonly userId: number }>(
  kind: string,
  texts: Texts<T>,
  toText: (row: T) => Omit<SearchText, 'userId' | 'refId'>,
): SearchSource {
  return {
    kind,
    list: texts.list,
    read: async (ids, ofUser) =>
      (await texts.read(ids, ofUser)).map((row) => ({ userId: row.userId, refId: row.id, ...toText(row) })),
  };
}

/** What has no address of its own is known by its entry, as the bookmark of a podcast's episode is. */
function pageOf(link: string, entryId: number | null): Pick<SearchText, 'url' | 'urlKey' | 'site'> {
  if (isPageAddress(link)) return { url: link, urlKey: savedUrl(link).key, site: hostOf(link) };
  return { url: link, urlKey: entryId === null ? null : `entry:${entryId}`, site: null };
}

function hostOf(url: string): string | null {
  return isPageAddress(url) ? new URL(url).hostname : null;
}

/** Without what no one looks for, or must not: the scheme, credentials, keys in the query. */
function shownAddress(url: string): string {
  if (!isPageAddress(url)) return '';
  const { hostname, pathname } = new URL(url);
  return hostname + pathname.replace(/\/$/, '');
}
