// An item of an old database, as an entry that was pulled here would be: cleaned, identified and hashed by the same steps.
import { titleText } from '../../html/plain-text.ts';
import { safeLink, webUrl } from '../../html/safe-url.ts';
import type { Millis } from '../../model/glossary.ts';
import type { OldItem } from '../../store/legacy/old-rows.ts';
import type { EntryToPut } from '../../store/legacy/write-entries.ts';
import { cleanEntry, cleanLine, guidOf } from '../parse/clean-entry.ts';

type CleanedItem = Omit<EntryToPut, 'id' | 'feedId' | 'isBelow' | 'sameAs'> & {
  /** Other guids by which a pull brings the same entry. */
  readonly aliases: readonly string[];
};

export function toEntry(item: OldItem, feed: { readonly link: string }, now: Millis): CleanedItem {
  const raw = {
    guid: item.guid,
    title: titleText(item.title),
    link: linkOf(item.link, feed.link) || null,
    author: '',
    content: { html: item.content, baseUrl: feed.link },
    categories: [],
    enclosures: [],
    publishedAt: item.pubDate ?? null,
    updatedAt: null,
  };
  const { title, link, content, contentHash } = cleanEntry(raw);
  const createdAt = Math.min(item.createdAt ?? now, now);
  const guid = guidOfItem(item);
  return {
    guid,
    aliases: aliasesOf(item, raw).filter((alias) => alias !== guid),
    title,
    link: link ?? '',
    content,
    contentHash,
    pubDate: wholeSeconds(Math.min(item.pubDate ?? createdAt, now)),
    createdAt,
    isRead: !item.unread,
  };
}

export const wholeSeconds = (time: Millis) => Math.floor(time / 1000) * 1000;

/** As pulled entries have it, and beyond them whatever cannot do harm. */
export function linkOf(text: string, base: string): string {
  return webUrl(text, base) ?? safeLink(text, base) ?? '';
}

/** As ReedMe names items that have none, since that is what its clients know them by. */
export function guidOfItem({ id, guid }: Pick<OldItem, 'id' | 'guid'>): string {
  if (cleanLine(guid) === '') return `legacy-item-${id}`;
  return guidOf({
    guid,
    link: null,
    title: '',
    content: { html: '', baseUrl: null },
    publishedAt: null,
    updatedAt: null,
  });
}

/**
 * An item without a guid, or with one that was made from its link or its text, is known here by our own rules for that;
 * the text is only the same where the feed has not changed it since.
 */
function aliasesOf(item: OldItem, raw: Parameters<typeof guidOf>[0]): string[] {
  const guid = item.guid.trim();
  const isMade = cleanLine(guid) === '' || guid.startsWith('generated:') || guid === item.link.trim();
  return isMade ? [guidOf({ ...raw, guid: '' })] : [];
}
