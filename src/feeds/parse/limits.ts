// How much of a document is read. A feed comes from anyone; each of these turns an attack into an error or a cut.

export const limits = {
  /** Larger documents are refused. The largest feeds of real podcasts are near 10 MB. */
  documentBytes: 20 * 1024 * 1024,
  /** Elements and texts after these are not read, as if the document had been cut there. */
  nodes: 300_000,
  /** Elements below this depth stand beside each other, as unclosed tags in broken HTML would nest for ever. */
  depth: 150,
  attributesPerElement: 64,
  /** `&...;` in one document. */
  references: 2_000_000,
  /** What the entities that a document declares may grow to, all together. */
  expandedChars: 256 * 1024,
  declaredEntities: 1_000,
  /** Entries after these are dropped: publishers put the newest first. */
  entries: 5_000,
  /** One entry's HTML before it is sanitised; more is cut. */
  contentChars: 1024 * 1024,
  /** Guids, titles, links, names. */
  lineChars: 4_096,
  enclosuresPerEntry: 50,
  categoriesPerEntry: 50,
  /** `{` and `[` in a JSON Feed. */
  jsonNodes: 300_000,
} as const;
