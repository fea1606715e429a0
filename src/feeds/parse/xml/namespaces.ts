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

const wellKnown = new Set(shortNames.values());

/**
 * The prefixes in scope while a document is read. Each declaration is added once and removed once, however many elements it is
 * in scope for.
 */
export class Namespaces {
  /** For each prefix, the URIs of the open elements that declare it; the innermost is last. */
  readonly #uris = new Map<string, string[]>();

  /** Returns the prefixes that an element declares. They are in scope until `leave`. */
  enter(attributes: readonly string[]): string[] {
    const declared: string[] = [];
    for (let at = 0; at + 1 < attributes.length; at += 2) {
      const name = attributes[at] ?? '';
      if (name !== 'xmlns' && !name.startsWith('xmlns:')) continue;
      const prefix = name.slice(6);
      this.#declare(prefix, (attributes[at + 1] ?? '').trim().toLowerCase());
      declared.push(prefix);
    }
    return declared;
  }

  leave(declared: readonly string[]): void {
    for (const prefix of declared) this.#uris.get(prefix)?.pop();
  }

  /** The root of a feed is a feed, whatever namespace it claims. Adds the prefix to `declared` if that changes its meaning. */
  adoptRoot(prefix: string, declared: string[]): void {
    const uri = this.#uriOf(prefix);
    if (uri === undefined || shortNames.has(uri)) return;
    this.#declare(prefix, '');
    declared.push(prefix);
  }

  /** A prefix that nobody declared is taken at its word: feeds forget to declare `dc` and `media`. */
  shortNameOf(prefix: string): string {
    const uri = this.#uriOf(prefix);
    if (uri === undefined) return prefix;
    // `xmlns:dc="http://elsewhere"` is not Dublin Core: a name of nobody's keeps it from being read as such.
    return shortNames.get(uri) ?? (prefix === '' || wellKnown.has(prefix) ? uri : prefix);
  }

  #declare(prefix: string, uri: string): void {
    const uris = this.#uris.get(prefix);
    if (uris) uris.push(uri);
    else this.#uris.set(prefix, [uri]);
  }

  #uriOf(prefix: string): string | undefined {
    return this.#uris.get(prefix)?.at(-1);
  }
}
