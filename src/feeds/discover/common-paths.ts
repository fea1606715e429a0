// Where sites that do not say it keep their feeds, the commonest first.

const paths = [
  'feed',
  'rss',
  'atom.xml',
  'feed.xml',
  'rss.xml',
  'index.xml',
  'feed.json',
  'feeds/posts/default',
  'rss/feed.xml',
];

/** Beside the page first, as one host may have many blogs; then at the top of the site. */
export function commonPaths(url: URL): string[] {
  const folder = new URL(url.pathname.endsWith('/') ? './' : `${url.pathname}/`, url.origin + url.pathname)
    .href;
  const beside = url.pathname === '/' ? [] : paths.slice(0, 3).map((path) => new URL(path, folder).href);
  return [...new Set([...beside, ...paths.map((path) => new URL(`/${path}`, url.origin).href)])];
}
