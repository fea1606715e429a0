// A feed of deframed articles as RSS 2.0: https://www.rssboard.org/rss-specification
//
// Whoever wrote the articles wrote these texts too. Outside of CDATA each is escaped, so that a tag that stands there
// is one of ours: this is what `filterFeed` cuts by.
import { allowedInXml, escapeXml } from '../html/escape-xml.ts';
import { excerptOf } from '../html/excerpt.ts';
import type { DeframedItem } from '../model/deframer.ts';
import type { Millis } from '../model/glossary.ts';
import { analysisFields } from './analysis-fields.ts';
import { plainDecimal, textAsHtml, toCdata } from './xml-text.ts';

export interface FeedHead {
  readonly title: string;
  /** The page that the feed is of; that of the feed itself where nobody knows it. */
  readonly siteUrl: string;
  readonly feedUrl: string;
  readonly description: string;
  /** As a feed writes it, such as `en-GB`. */
  readonly language: string | null;
}

export interface FeedInput {
  readonly head: FeedHead;
  readonly items: readonly DeframedItem[];
  readonly builtAt: Millis;
}

const itemStart = '<item>';
const itemEnd = '</item>\n';
const footer = '</channel>\n</rss>\n';
/** The name that clients of News Deframer know. */
const deframerNamespace = 'https://github.com/deframer/news-deframer/';

export function buildFeed({ head, items, builtAt }: FeedInput): {
  xmlHeader: string;
  itemRefs: string[];
  xmlContent: string;
} {
  const xmlHeader = headerOf(head, builtAt);
  return {
    xmlHeader,
    itemRefs: items.map(({ hash }) => hash),
    xmlContent: xmlHeader + items.map(toItem).join('') + footer,
  };
}

/** The same document with those articles alone that were found to be so bad at most. */
export function filterFeed(xmlContent: string, maxScore: number): string {
  const { header, items } = cutFeed(xmlContent);
  const kept = items.filter(({ overall }) => overall <= maxScore);
  return header + kept.map(({ xml }) => xml).join('') + footer;
}

export interface CutFeed {
  readonly header: string;
  readonly items: readonly { readonly xml: string; readonly overall: number }[];
}

/** A document of `buildFeed`, in pieces. */
export function cutFeed(xmlContent: string): CutFeed {
  const items: { xml: string; overall: number }[] = [];
  const first = xmlContent.indexOf(itemStart);
  if (first < 0) return { header: xmlContent.slice(0, -footer.length), items };
  let start = first;
  while (xmlContent.startsWith(itemStart, start)) {
    const end = endOfItem(xmlContent, start);
    const xml = xmlContent.slice(start, end);
    items.push({ xml, overall: overallOf(xml) });
    start = end;
  }
  return { header: xmlContent.slice(0, first), items };
}

/** What looks like an end inside of CDATA is text of the article. */
function endOfItem(xml: string, start: number): number {
  let from = start;
  for (;;) {
    const end = xml.indexOf(itemEnd, from);
    if (end < 0) return xml.length - footer.length;
    const cdata = xml.indexOf('<![CDATA[', from);
    if (cdata < 0 || cdata > end) return end + itemEnd.length;
    from = xml.indexOf(']]>', cdata);
  }
}

/** The first one: it stands before the CDATA. */
function overallOf(itemXml: string): number {
  const tag = '<deframer:overall>';
  const start = itemXml.indexOf(tag) + tag.length;
  return Number(itemXml.slice(start, itemXml.indexOf('<', start)));
}

function headerOf(head: FeedHead, builtAt: Millis): string {
  const title = firstText(head.title, head.siteUrl, head.feedUrl);
  const link = webAddress(head.siteUrl) ?? webAddress(head.feedUrl) ?? head.feedUrl;
  const description = firstText(head.description, `${title}: headlines that were weighed and set anew`);
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/" ' +
      `xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:deframer="${deframerNamespace}">`,
    '<channel>',
    element('title', titleText(`Deframer: ${title}`)),
    element('link', link),
    element('description', textAsHtml(description)),
    ...optional('language', wellFormedLanguage(head.language)),
    element('lastBuildDate', new Date(builtAt).toUTCString()),
    element('generator', 'Lectern'),
    element('docs', 'https://www.rssboard.org/rss-specification'),
    '',
  ].join('\n');
}

function toItem(item: DeframedItem): string {
  const { analysis } = item;
  const link = webAddress(item.url);
  const description = firstText(analysis.description_corrected, excerptOf(item.content));
  return [
    itemStart,
    element(
      'title',
      titleText(firstText(analysis.title_corrected, analysis.title_original, item.url, item.hash)),
    ),
    ...optional('link', link),
    guid(item),
    ...optional('description', textAsHtml(description)),
    ...optional('dc:creator', firstText(item.author)),
    ...optional('pubDate', rfc822(item.pubDate)),
    element('category', analysis.category),
    ...analysisFields.map((field) => element(`deframer:${field}`, writtenValue(analysis[field]))),
    // Last, since it is the one text that is not escaped.
    ...(item.content === '' ? [] : [`<content:encoded>${toCdata(item.content)}</content:encoded>`]),
    itemEnd,
  ].join('\n');
}

/** Some readers show a title as text and others as HTML. It has no tags as HTML, and everything else reads the same as text. */
function titleText(text: string): string {
  return text.replaceAll(/<(?=[a-z/!?])/gi, '&lt;');
}

/** The address, for as long as it can be read as one by whoever compares it; else what it is known by here. */
function guid({ url, hash }: DeframedItem): string {
  const isAddress = /^https?:\/\/[\w.~:/?#[\]@!$&'()*+,;=%-]+$/i.test(url) && URL.canParse(url);
  return isAddress
    ? `<guid isPermaLink="true">${escapeXml(url)}</guid>`
    : `<guid isPermaLink="false">${escapeXml(hash)}</guid>`;
}

function writtenValue(value: string | number): string {
  return typeof value === 'number' ? plainDecimal(value) : value;
}

function element(name: string, text: string): string {
  return `<${name}>${escapeXml(text)}</${name}>`;
}

function optional(name: string, text: string | undefined): string[] {
  return text === undefined || text === '' ? [] : [element(name, text)];
}

/** The first that has something to show. */
function firstText(...texts: readonly string[]): string {
  for (const text of texts) {
    const shown = allowedInXml(text).trim();
    if (shown !== '') return shown;
  }
  return '';
}

function webAddress(text: string): string | undefined {
  const url = URL.parse(text);
  return url && /^https?:$/.test(url.protocol) ? url.href : undefined;
}

/** A year has four digits there. */
function rfc822(at: Millis): string | undefined {
  const date = new Date(at);
  const year = date.getUTCFullYear();
  return year >= 1000 && year <= 9999 ? date.toUTCString() : undefined;
}

function wellFormedLanguage(language: string | null): string | undefined {
  const text = language?.trim() ?? '';
  return text.length <= 35 && /^[a-z]{2,3}(-[a-z\d]{2,8})*$/i.test(text) ? text : undefined;
}
