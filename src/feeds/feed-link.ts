// The address that a feed is followed by, in the one spelling that it is kept in.

/** What an index of PostgreSQL can hold, and more than any address that works. */
export const longestLink = 2_000;

/** undefined: it is no http(s) address, or too long for one. */
export function parseFeedLink(text: string): string | undefined {
  if (text.length > longestLink) return undefined;
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol)) return undefined;
  url.hash = '';
  // A letter that is not ASCII has grown to as many as twelve.
  return url.href.length <= longestLink ? url.href : undefined;
}
