// The one way to an address that an item may have. The original is kept as it was given; url-identity.ts says which
// addresses are the same page.
import { createHash } from 'node:crypto';
import { Invalid } from '../errors.ts';
import type { SavedUrl } from '../model/bookmark.ts';
import { keysOf } from './url-identity.ts';

/** Browsers and servers take no more either. */
const longestUrl = 8_000;

/** `field` is what the caller calls it, for the message. */
export function savedUrl(text: string, field = 'link'): Required<SavedUrl> {
  const url = text.trim();
  if (url.length > longestUrl) throw new Invalid(`${field}: at most ${longestUrl} characters`);
  if (!isPageAddress(url)) throw new Invalid(`${field}: expected an http(s) address`);
  const [key = '', ...olderKeys] = keysOf(url);
  return { url, key, olderKeys };
}

/** Whether an item may have it; entries may link to anything, or to nothing. */
export function isPageAddress(text: string): boolean {
  const url = text.trim();
  if (url.length > longestUrl || !/^https?:\/\/[^/]/i.test(url) || !URL.canParse(url)) return false;
  return /[^.]/.test(new URL(url).hostname);
}

/** For what has no address of its own, such as an entry without a link. No rules have ever changed this key. */
export function savedWithoutUrl(...parts: readonly string[]): SavedUrl {
  const hash = createHash('sha256').update(JSON.stringify(parts)).digest('hex');
  return { url: `urn:sha256:${hash}`, key: `1:urn:sha256:${hash}`, olderKeys: [] };
}
