// What is said of an item where its page has not said it, or not yet.
import type { Item } from '../lib/api-types.ts';
import { hostOf } from '../lib/web-address.ts';

const wordsPerMinute = 230;
const longestAddress = 120;

export const siteOf = ({ url, details }: Item): string => details.siteName || hostOf(url) || url;

/** The address reads better without its beginning. */
export function titleOf({ title, url }: Item): string {
  if (title) return title;
  const text = readable(url)
    .replace(/^https?:\/\/(www\.)?/i, '')
    .replace(/\/$/, '');
  return text.length > longestAddress ? `${text.slice(0, longestAddress)}…` : text;
}

/** For where there is little room: an address may be broken where it has parts. */
export const breakableTitle = (item: Item): string =>
  item.title ?? titleOf(item).replace(/[/.?&=_]+/g, '$&\u200b');

/** When it was saved; of what is in the bin, when it was deleted. */
export const timeOf = ({ createdAt, details }: Item): string => details.deletedAt ?? createdAt;

export const readingMinutes = (words: number): number =>
  words > 0 ? Math.max(1, Math.round(words / wordsPerMinute)) : 0;

export const secondsOf = (iso: string): number => Math.floor(Date.parse(iso) / 1000);

function readable(url: string): string {
  try {
    const text = decodeURI(url);
    // Signs that cannot be seen, or turn the direction of those that can, stay written out.
    return /\p{C}/u.test(text) ? url : text;
  } catch {
    return url;
  }
}

/** A new picture of an item has a new address, so that no old one is shown for it. Empty: it has none. */
export const thumbnailOf = ({ id, thumbnailUrl, enrichedAt }: Item): string =>
  thumbnailUrl !== null && id !== ''
    ? `/api/v1/items/${id}/thumbnail?at=${encodeURIComponent(enrichedAt ?? '')}`
    : '';

export const iconOf = ({ id, details }: Item): string | undefined =>
  details.hasIcon && id !== '' ? `/api/v1/items/${id}/icon` : undefined;
