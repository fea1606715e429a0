// Namespaces by the short names that the mapping uses, whatever prefix a document chose.

/** '' stands for the feed formats themselves, which real feeds mix freely. */
const shortNames = new Map<string, string>([
  ['', ''],
  ['http://backend.userland.com/rss', ''],
  ['http://backend.userland.com/rss2', ''],
  ['http://blogs.law.harvard.edu/tech/rss', ''],
  ['http://cyber.law.harvard.edu/rss/rss.html', ''],
  ['http://www.rssboard.org/rss-specification', ''],
  ['http://purl.org/rss/1.0/', ''],
  ['http://my.netscape.com/rdf/simple/0.9/', ''],
  ['http://my.netscape.com/publish/formats/rss-0.91.dtd', ''],
  ['http://example.com/newformat#', ''],
  ['http://example.com/necho', ''],
  ['http://purl.org/echo/', ''],
  ['uri/of/echo/namespace#', ''],
  ['http://purl.org/pie/', ''],
  ['http://purl.org/atom/ns#', 'atom'],
  ['http://www.w3.org/2005/atom', 'atom'],
  ['http://purl.org/atom-blog/ns#', 'atom'],
  ['http://www.w3.org/1999/02/22-rdf-syntax-ns#', 'rdf'],
  ['http://purl.org/dc/elements/1.1/', 'dc'],
  ['http://purl.org/dc/elements/1.0/', 'dc'],
  ['http://purl.org/dc/terms/', 'dcterms'],
  ['http://purl.org/rss/1.0/modules/content/', 'content'],
  ['http://www.w3.org/1999/xhtml', 'xhtml'],
  ['http://search.yahoo.com/mrss', 'media'],
  ['http://search.yahoo.com/mrss/', 'media'],
  ['http://www.itunes.com/dtds/podcast-1.0.dtd', 'itunes'],
  ['http://example.com/dtds/podcast-1.0.dtd', 'itunes'],
  ['http://rssnamespace.org/feedburner/ext/1.0', 'feedburner'],
  ['http://www.w3.org/2000/svg', 'svg'],
  ['http://www.w3.org/1998/math/mathml', 'math'],
]);

/** Prefixes in scope; a child without declarations of its own shares the map of its parent. */
export type Scope = ReadonlyMap<string, string>;

export function declare(scope: Scope, attributes: readonly string[]): Scope {
  let own: Map<string, string> | undefined;
  for (let at = 0; at + 1 < attributes.length; at += 2) {
    const name = attributes[at] ?? '';
    if (name !== 'xmlns' && !name.startsWith('xmlns:')) continue;
    own ??= new Map(scope);
    own.set(name.slice(6), (attributes[at + 1] ?? '').trim().toLowerCase());
  }
  return own ?? scope;
}

/** A prefix that nobody declared is taken at its word: feeds forget to declare `dc` and `media`. */
export function shortNameOf(scope: Scope, prefix: string): string {
  const uri = scope.get(prefix);
  if (uri === undefined) return prefix;
  // `xmlns:dc="http://elsewhere"` is not Dublin Core: a name of nobody's keeps it from being read as such.
  return shortNames.get(uri) ?? (prefix === '' || wellKnown.has(prefix) ? uri : prefix);
}

const wellKnown = new Set(shortNames.values());

/** The root of a feed is a feed, whatever namespace it claims. */
export function adoptRoot(scope: Scope, prefix: string): Scope {
  const uri = scope.get(prefix);
  return uri === undefined || shortNames.has(uri) ? scope : new Map(scope).set(prefix, '');
}
