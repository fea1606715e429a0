// The address of a feed of the deframer, in the one spelling that it is kept and asked for in.

/** What an index of PostgreSQL can hold, and more than any address that works. */
export const longestUrl = 2_000;

/** undefined: it is no http(s) address, or too long for one. */
export function parseDeframerUrl(text: string): string | undefined {
  if (text.length > longestUrl) return undefined;
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol)) return undefined;
  url.hash = '';
  // A letter that is not ASCII has grown to as many as twelve.
  return url.href.length <= longestUrl ? url.href : undefined;
}
