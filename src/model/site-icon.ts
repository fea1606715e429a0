// The icon of a site, which is shown beside its feeds.

export interface SiteIcon {
  /** A media type that was told from the bytes. */
  readonly type: string;
  /** Strong, with its quotes. */
  readonly etag: string;
  readonly bytes: Uint8Array;
}

/**
 * Whose icon a feed goes by: that of its site, or of the host it is fetched from. None behind a proxy: to ask directly would
 * give away what the proxy hides, and what one user's proxy answers is not for others to see.
 */
export function siteOriginOf({
  siteUrl,
  link,
  proxy,
}: {
  siteUrl: string;
  link: string;
  proxy: string;
}): string {
  if (proxy !== '') return '';
  const url = [siteUrl, link]
    .map((text) => URL.parse(text))
    .find((one) => /^https?:$/.test(one?.protocol ?? ''));
  return url?.origin ?? '';
}
