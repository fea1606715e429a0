/** The address if it leads to a web page: what a feed or a page gives as one can be anything. */
export function webAddress(link: string | undefined): string | undefined {
  if (!link || !URL.canParse(link)) return undefined;
  const { protocol, href } = new URL(link);
  return protocol === 'http:' || protocol === 'https:' ? href : undefined;
}

export const hostOf = (link: string): string =>
  URL.canParse(link) ? new URL(link).hostname.replace(/^www\./, '') : '';
