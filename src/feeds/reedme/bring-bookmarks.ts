// Stars and bookmarks of an old database, after its items: they are put on what those have become.
import { titleText } from '../../html/plain-text.ts';
import { sanitiseHtml } from '../../html/sanitise-html.ts';
import { isPageAddress, savedUrl, savedWithoutUrl } from '../../items/save-url.ts';
import type { SavedUrl } from '../../model/bookmark.ts';
import type { OldBookmark } from '../../store/legacy/old-rows.ts';
import type { BookmarkToPut, EntryFound } from '../../store/legacy/write-bookmarks.ts';
import { cleanLine } from '../parse/clean-entry.ts';
import { limits } from '../parse/limits.ts';
import { type Home, type HomeOf, keptId, type Run, type Star } from './import-run.ts';
import { count, skip } from './report.ts';
import { guidOfItem, linkOf, toEntry, wholeSeconds } from './to-entry.ts';

export async function bringBookmarks(run: Run, homeOf: HomeOf, stars: readonly Star[]): Promise<void> {
  const { source, into, report } = run;
  // One for a link; and one for a page, which may be linked to in several ways.
  const seen = new Set<string>();
  const isNew = (key: string) => {
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  };
  const put = async (bookmarks: readonly BookmarkToPut[]) => {
    for (const how of await into.putBookmarks(bookmarks)) count(report.bookmarks, how);
  };
  const take = (bookmark: BookmarkToPut | undefined): BookmarkToPut[] => {
    if (!bookmark) skip(report.bookmarks, 'no link');
    else if (isNew(bookmark.link) && isNew(bookmark.saved.key)) return [bookmark];
    else report.bookmarks.folded += 1;
    return [];
  };
  for (let from = 0; from < stars.length; from += starsAtOnce)
    await put((await fromStars(run, stars.slice(from, from + starsAtOnce))).flatMap(take));
  for (const bookmark of source.bookmarks()) await put(take(await fromBookmark(run, homeOf, bookmark)));
}

const starsAtOnce = 20;

/** The entry that the star is on, as it is here; where it was let go of, the item as it was there. */
async function fromStars(
  { into, source, now }: Run,
  stars: readonly Star[],
): Promise<(BookmarkToPut | undefined)[]> {
  const guidsOf = ({ guid, aliases }: Star) => [guid, ...aliases];
  const found = await into.findEntries(
    stars.flatMap((star) => guidsOf(star).map((guid) => ({ feedId: star.home.rowId, guid }))),
  );
  const entries = new Map(found.map((entry) => [`${entry.feedId} ${entry.guid}`, entry]));
  return stars.map((star) => {
    const { home, guid, itemId } = star;
    const [entry] = guidsOf(star).flatMap((one) => entries.get(`${home.rowId} ${one}`) ?? []);
    const link = entry?.link ?? star.link;
    if (link === '') return undefined;
    const { title, content, pubDate, createdAt } = entry ?? toEntry(source.item(itemId), home, now);
    return {
      id: undefined,
      saved: savedOf(link, home.link, guid),
      entryId: entry?.id ?? null,
      feedId: home.rowId,
      link,
      title,
      content,
      pubDate,
      feedName: home.name,
      createdAt: wholeSeconds(createdAt),
      proxy: home.proxy,
    };
  });
}

/** A bookmark keeps what it was put on, whatever has become of that. */
async function fromBookmark(
  run: Run,
  homeOf: HomeOf,
  bookmark: OldBookmark,
): Promise<BookmarkToPut | undefined> {
  const home = homeOf(bookmark.item?.feedId) ?? homeOf(bookmark.feedId);
  const link = linkOf(bookmark.link, home?.link ?? bookmark.link);
  if (link === '') return undefined;
  const guid = bookmark.item && guidOfItem(bookmark.item);
  const entry = home && bookmark.item && (await entryOf(run, home, bookmark.item));
  const { now } = run;
  const createdAt = Math.min(bookmark.createdAt ?? now, now);
  return {
    id: keptId(bookmark.id),
    saved: savedOf(link, home?.link ?? cleanLine(bookmark.feedName), guid ?? link),
    entryId: entry?.id ?? null,
    feedId: home?.rowId ?? null,
    link,
    title: cleanLine(titleText(bookmark.title)),
    content: sanitiseHtml(bookmark.content.slice(0, limits.contentChars), { baseUrl: home?.link ?? link }),
    pubDate: wholeSeconds(Math.min(bookmark.pubDate ?? createdAt, now)),
    feedName: cleanLine(bookmark.feedName) || (home?.name ?? ''),
    createdAt: wholeSeconds(createdAt),
    proxy: home?.proxy ?? '',
  };
}

/** By its guid, or by one that a pull may have brought it under. */
async function entryOf(
  { into, source, now }: Run,
  home: Home,
  item: NonNullable<OldBookmark['item']>,
): Promise<EntryFound | undefined> {
  const feedId = home.rowId;
  const [own] = await into.findEntries([{ feedId, guid: guidOfItem(item) }]);
  if (own) return own;
  const { aliases } = toEntry(source.item(item.id), home, now);
  const [other] = await into.findEntries(aliases.map((guid) => ({ feedId, guid })));
  return other;
}

function savedOf(link: string, ...otherwise: readonly string[]): SavedUrl {
  return isPageAddress(link) ? savedUrl(link) : savedWithoutUrl(...otherwise);
}
