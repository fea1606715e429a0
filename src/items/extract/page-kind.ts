// What kind of page it is: from what it says of itself, from its address, and from what most of it consists of.
import type { Box } from './box.ts';
import { findGrids } from './cards.ts';
import type { LinkedNode } from './linked-data.ts';
import { topDown } from './measure.ts';
import type { Document } from './page-document.ts';

export type PageKind =
  | 'article'
  | 'documentation'
  | 'service'
  | 'forum'
  | 'listing'
  | 'product'
  | 'collection';

const forumPath =
  /\/(?:threads?|topics?|forums?|discussions?|questions|comments|talk)\/|showthread|showtopic|viewtopic|\/t\/[^/]+\/\d+|[?&](?:topic|tid|threadid)=/i;
const forumHost = /^(?:forums?|community|discuss|discussions?|board|boards|answers)\./i;
const forumSoftware = /discourse|xenforo|vbulletin|phpbb|mybb|\bsmf\b|vanilla|nodebb|flarum|invision/i;
const productPath = /\/(?:products?|dp|ip|p|itm|item|listing|pdp)\/[^/]{3,}/i;
const collectionPath =
  /\/(?:collections?|categor(?:y|ies)|cat|c|b|browse|departments?|shop|store|parts)(?:\/|$|\?)|-c\d+\.html/i;
const documentationPath =
  /\/(?:docs?|documentation|manual|reference|api|guide|guides|handbook|wiki|help|learn)\//i;
const documentationHost = /^(?:docs?|developers?|api|help|support|learn|wiki|man|reference)\./i;
const documentationSoftware =
  /sphinx|docutils|mkdocs|docusaurus|hugo|gitbook|bookdown|mediawiki|vitepress|vuepress|starlight|antora|javadoc|doxygen/i;

export interface PageSigns {
  readonly types: ReadonlySet<string>;
  /** How many products it tells of. */
  readonly products: number;
  readonly ogType: string;
  readonly generator: string;
  readonly host: string;
  /** With the query. */
  readonly path: string;
}

export function readSigns(document: Document, url: string, linked: readonly LinkedNode[]): PageSigns {
  const meta = (selector: string) => document.querySelector(selector)?.getAttribute('content') ?? '';
  const { hostname = '', pathname = '', search = '' } = URL.parse(url) ?? {};
  return {
    types: new Set(linked.flatMap((node) => node.types)),
    products: linked.filter(isProduct).length,
    ogType: meta('meta[property="og:type"]').toLowerCase(),
    generator: meta('meta[name="generator"]'),
    host: hostname,
    path: pathname + search,
  };
}

function isProduct({ types }: LinkedNode): boolean {
  return types.some((type) => /^(?:Product|ProductGroup|IndividualProduct)$/.test(type));
}

/** What the page says of itself, if it does. */
export function saidKind({
  types,
  products,
  ogType,
  generator,
  host,
  path,
}: PageSigns): PageKind | undefined {
  const has = (...names: string[]) => names.some((name) => types.has(name));
  if (has('DiscussionForumPosting', 'QAPage') || forumSoftware.test(generator)) return 'forum';
  if (documentationSoftware.test(generator) || documentationHost.test(host)) return 'documentation';
  if (forumPath.test(path) || forumHost.test(host)) return 'forum';
  if (
    /^product[.:]group/.test(ogType) ||
    has('CollectionPage', 'OfferCatalog', 'SomeProducts') ||
    products > 2
  ) {
    return 'collection';
  }
  if (has('SearchResultsPage') || (has('ItemList') && products === 0)) return 'listing';
  if (has('NewsArticle', 'BlogPosting', 'Article', 'Report', 'TechArticle') && !/^product/.test(ogType)) {
    return 'article';
  }
  // A firm calls itself a product to show its stars.
  if (products > 0 && !has('LocalBusiness', 'Service')) return 'product';
  if (collectionPath.test(path) && !productPath.test(path)) return 'collection';
  return documentationPath.test(path) ? 'documentation' : undefined;
}

/** What it looks like, if it says nothing. */
export function seenKind(page: Box, { ogType, path }: PageSigns): PageKind {
  const grids = findGrids(page);
  let cards = 0;
  let priced = 0;
  let chars = 0;
  for (const grid of grids) {
    cards += grid.cards.length;
    if (grid.priced) priced += grid.cards.length;
    for (const card of grid.cards) chars += card.chars;
  }
  const mostlyCards = cards >= 8 && chars > 0.4 * page.chars;
  if (/^product/.test(ogType) && !mostlyCards) return 'product';
  if (priced >= 8) return 'collection';
  if (mostlyCards) return 'listing';
  if (productPath.test(path) || marked(page, 'Product') === 1) return 'product';
  return 'service';
}

/** How many boxes are marked as a thing of this type. */
function marked(page: Box, type: string): number {
  return topDown(page).filter((box) => box.attributes.get('itemtype')?.endsWith(`schema.org/${type}`)).length;
}
