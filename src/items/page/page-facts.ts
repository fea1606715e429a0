// What a page says of itself, and which of its sayings is believed: for each fact the first that holds.
import { bestIcons } from '../../html/icon-links.ts';
import { parseDate } from '../../html/parse-date.ts';
import { webUrl } from '../../html/safe-url.ts';
import type { Millis } from '../../model/glossary.ts';
import { readLinkedData } from '../extract/linked-data.ts';
import type { Document } from '../extract/page-document.ts';
import { contentImages, firstParagraph } from './content-facts.ts';
import { cutText, factText } from './fact-text.ts';
import { languageTag } from './language-tag.ts';
import { type LinkedFacts, linkedFacts } from './linked-facts.ts';
import { type PageTags, readTags } from './page-tags.ts';

/** Texts are one line each, and empty where the page does not say. */
export interface PageFacts {
  readonly title: string;
  readonly excerpt: string;
  readonly author: string;
  readonly siteName: string;
  /** A tag of BCP 47. */
  readonly language: string;
  readonly publishedAt: Millis | null;
  /** Absolute, as are the other addresses, and of the web. */
  readonly canonicalUrl: string;
  /** The likeliest cover first. */
  readonly imageUrls: readonly string[];
  /** The one that looks best in a list first; `/favicon.ico`, which no page names, is not among them. */
  readonly iconUrls: readonly string[];
}

export const maxChars = { title: 200, excerpt: 500, author: 200, siteName: 200 } as const;
export const maxImages = 8;

export const noFacts: PageFacts = {
  title: '',
  excerpt: '',
  author: '',
  siteName: '',
  language: '',
  publishedAt: null,
  canonicalUrl: '',
  imageUrls: [],
  iconUrls: [],
};

export interface PageSource {
  readonly url: string;
  /** The readable copy, sanitised: what the page does not say in so many words may be found there. */
  readonly content?: string;
}

export function pageFacts(document: Document, { url, content = '' }: PageSource): PageFacts {
  const tags = readTags(document, url);
  const linked = linkedFacts(readLinkedData(document));
  const { meta, base } = tags;
  return {
    title: firstText(maxChars.title, [
      ...meta('og:title'),
      tags.title,
      ...meta('twitter:title'),
      ...linked.headlines,
      ...tags.headings,
    ]),
    excerpt:
      firstText(maxChars.excerpt, meta('og:description', 'description')) ||
      cutText(firstParagraph(content), maxChars.excerpt) ||
      firstText(maxChars.excerpt, [...meta('twitter:description', 'dc.description'), ...linked.descriptions]),
    author: authorOf(tags, linked),
    siteName: firstText(maxChars.siteName, [
      ...meta('og:site_name'),
      ...linked.siteNames,
      ...meta('application-name', 'apple-mobile-web-app-title', 'dc.publisher'),
    ]),
    language: languageOf(tags, linked),
    publishedAt: dateOf(tags, linked),
    canonicalUrl:
      [...linksTo(tags, 'canonical'), ...meta('og:url')]
        .map((href) => webUrl(href, base))
        .find((found) => found) ?? '',
    imageUrls: webUrls(base, [
      ...meta('og:image', 'og:image:url', 'og:image:secure_url'),
      ...meta('twitter:image', 'twitter:image:src'),
      ...linked.imageUrls,
      ...linksTo(tags, 'image_src'),
      ...contentImages(content),
    ]).slice(0, maxImages),
    iconUrls: webUrls(base, bestIcons(tags.links, base)),
  };
}

function firstText(limit: number, candidates: readonly string[]): string {
  for (const candidate of candidates) {
    const text = factText(candidate, limit);
    if (text !== '') return text;
  }
  return '';
}

/** Several names of one source belong together; those of another are the same in other words. */
function authorOf({ meta, authors }: PageTags, linked: LinkedFacts): string {
  const sources = [
    linked.authors,
    meta('article:author', 'og:article:author'),
    meta('author'),
    meta('dc.creator', 'dcterms.creator', 'dc.contributor'),
    meta('citation_author'),
    meta('parsely-author', 'sailthru.author', 'byl'),
    authors.slice(0, 1),
    meta('twitter:creator'),
  ];
  for (const source of sources) {
    const names = source
      .map((name) => factText(name, maxChars.author).replace(/^by[\s:]+/i, ''))
      // Many name a profile instead of a person.
      .filter((name) => name !== '' && !/^(?:https?:)?\/\/|^www\./i.test(name));
    if (names.length > 0) return factText([...new Set(names)].slice(0, 20).join(', '), maxChars.author);
  }
  return '';
}

/** `og:locale` comes last: it is what the software was set to, and names a country that nobody chose. */
function languageOf({ meta, language }: PageTags, linked: LinkedFacts): string {
  const said = [
    language,
    ...linked.languages,
    ...meta('content-language', 'dc.language', 'dcterms.language', 'language'),
    ...meta('og:locale'),
  ];
  return said.map(languageTag).find((tag) => tag !== '') ?? '';
}

const dayMs = 24 * 3_600_000;
/** Papers are older than the web. */
const earliest = Date.UTC(1500, 0, 1);

function dateOf({ meta, dates }: PageTags, linked: LinkedFacts): Millis | null {
  const said = [
    ...linked.dates,
    ...meta('article:published_time', 'og:article:published_time', 'og:published_time', 'datepublished'),
    ...meta(
      'date',
      'pubdate',
      'publishdate',
      'publish-date',
      'publication_date',
      'parsely-pub-date',
      'sailthru.date',
    ),
    ...meta(
      'dc.date',
      'dc.date.issued',
      'dc.date.created',
      'dcterms.date',
      'dcterms.created',
      'dcterms.issued',
    ),
    ...meta('citation_publication_date', 'citation_date'),
    ...dates,
  ];
  for (const text of said) {
    const at = parseDate(text);
    // The first day of 1970 is that of a clock which nobody has set.
    if (at !== null && at >= earliest && Math.abs(at) > dayMs) return at;
  }
  return null;
}

function linksTo({ links }: PageTags, rel: string): string[] {
  return links.filter((link) => link.rel.toLowerCase().split(/\s+/).includes(rel)).map(({ href }) => href);
}

function webUrls(base: string, written: readonly string[]): string[] {
  const found = written.map((href) => webUrl(href, base)).filter((href) => href !== undefined);
  return [...new Set(found)];
}
