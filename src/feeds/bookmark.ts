// Bookmarks: a star keeps what it is put on, whatever becomes of the feed.
import { isPageAddress, savedUrl, savedWithoutUrl } from '../items/save-url.ts';
import type { Bookmark } from '../model/bookmark.ts';
import type { UserRows } from '../store/store.ts';

type Rows = Pick<UserRows, 'entries' | 'feeds' | 'bookmarks'>;

export async function bookmarkEntry({ entries, feeds, bookmarks }: Rows, entryId: number): Promise<Bookmark> {
  const entry = await entries.get(entryId);
  const feed = await feeds.get(entry.feedId);
  const { link, title, content, pubDate } = entry;
  return bookmarks.create({
    saved: isPageAddress(link) ? savedUrl(link) : savedWithoutUrl(feed.link, entry.guid),
    entryId,
    feedId: feed.id,
    link,
    title,
    content,
    pubDate,
    feedName: feed.name,
  });
}

export interface PageToBookmark {
  readonly link: string;
  readonly title: string;
  readonly content: string;
  readonly feedName: string;
  readonly pubDate: number;
}

export async function bookmarkPage({ bookmarks }: Rows, page: PageToBookmark): Promise<Bookmark> {
  return bookmarks.create({ ...page, saved: savedUrl(page.link), entryId: null, feedId: null });
}
