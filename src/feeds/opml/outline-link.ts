import { longestLink, parseFeedLink } from '../feed-link.ts';

/** The address of a feed as OPML files have it: also feed:// and such, and without a scheme. */
export function parseOutlineLink(written: string): string | undefined {
  if (written.length > longestLink * 2) return undefined;
  const bare = written
    .trim()
    .replace(/^(?:feed|rss|itpc|pcast):(?:\/\/)?(?=https?:)/i, '')
    .replace(/^(?:feed|rss|itpc|pcast):\/\//i, 'http://');
  return parseFeedLink(bare) ?? (hostFirst.test(bare) ? parseFeedLink(`https:${slashed(bare)}`) : undefined);
}

/** `example.org/feed`, `//example.org:8080` */
const hostFirst = /^(?:\/\/)?[^\s/:?#@.]+(?:\.[^\s/:?#@.]+)+(?::\d{1,5})?(?:[/?#]|$)/;

function slashed(bare: string): string {
  return bare.startsWith('//') ? bare : `//${bare}`;
}
