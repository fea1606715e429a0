// RSS 0.9x, 1.0 (RDF) and 2.0 with the modules in use, and CDF, its ancestor. Publishers mix them, so one reader
// takes any element of any of them.

import { parseDate } from '../../html/parse-date.ts';
import { titleText } from '../../html/plain-text.ts';
import { baseOf, hrefOf, urlIn } from './base-url.ts';
import { languageTag } from './language.ts';
import { limits } from './limits.ts';
import { enclosuresOf, mediaDescription, mediaTitle } from './media.ts';
import { joinNames, personName } from './person.ts';
import type { Markup, RawEntry, RawFeed } from './raw-feed.ts';
import { collectEntries } from './roots.ts';
import { markupIn } from './text-construct.ts';
import { ttlOf } from './ttl.ts';
import {
  attribute,
  childrenNamed,
  elements,
  findChild,
  hasElements,
  markupOf,
  textOf,
  type XmlElement,
} from './xml/xml-element.ts';

type Name = readonly [name: string, ns?: string];

export function readRss(root: XmlElement, document: XmlElement, url: string | null): RawFeed {
  const channel = root.name === 'channel' ? root : (findChild(root, 'channel') ?? root);
  const atomLinks = childrenNamed(channel, 'link', 'atom');
  const self = atomLinks.find((link) => attribute(link, 'rel') === 'self');
  const alternate = atomLinks.find((link) => (attribute(link, 'rel') ?? 'alternate') === 'alternate');
  const link = firstText(channel, [['link']]) || (alternate && attribute(alternate, 'href'));
  return {
    title: titleText(firstHtml(channel, [['title'], ['title', 'dc'], ['title', 'media']])),
    siteUrl: urlIn(channel, link || attribute(channel, 'href'), url),
    selfUrl: self ? hrefOf(self, url) : null,
    description: titleText(
      firstHtml(channel, [
        ['description'],
        ['description', 'dc'],
        ['subtitle', 'itunes'],
        ['tagline'],
        ['abstract'],
      ]),
    ),
    language: languageTag(
      firstText(channel, [['language'], ['language', 'dc']]) ||
        attribute(channel, 'xml:lang') ||
        attribute(root, 'xml:lang'),
    ),
    ttlMinutes: ttlOf(channel),
    entries: collectEntries(document).map((item) => readItem(item, url)),
  };
}

function readItem(item: XmlElement, url: string | null): RawEntry {
  const guid = findChild(item, 'guid');
  const published = firstDate(item, [
    ['pubdate'],
    ['published', 'atom'],
    ['published'],
    ['issued', 'dcterms'],
    ['issued', 'atom'],
    ['date', 'dc'],
    ['date'],
    ['created', 'dcterms'],
  ]);
  const updated = firstDate(item, [
    ['updated', 'atom'],
    ['updated'],
    ['modified', 'dcterms'],
    ['modified', 'atom'],
    ['lastbuilddate'],
    ['date', 'dc'],
  ]);
  return {
    guid:
      textOf(guid).trim() ||
      firstText(item, [['id', 'atom'], ['id']]) ||
      (attribute(item, 'rdf:about') ?? '').trim(),
    title:
      titleText(firstHtml(item, [['title'], ['title', 'dc'], ['title', 'atom'], ['title', 'itunes']])) ||
      mediaTitle(item),
    link: linkOf(item, guid, url),
    author: authorOf(item),
    content: contentOf(item, url),
    categories: categoriesOf(item),
    enclosures: enclosuresOf(item, url),
    publishedAt: published,
    updatedAt: updated ?? parseDate(attribute(item, 'lastmod') ?? ''),
  };
}

function linkOf(item: XmlElement, guid: XmlElement | undefined, url: string | null): string | null {
  for (const link of [...childrenNamed(item, 'link'), ...childrenNamed(item, 'origlink', 'feedburner')]) {
    const found = urlIn(link, textOf(link).trim() || attribute(link, 'href'), url);
    if (found !== null) return found;
  }
  const atomLink = childrenNamed(item, 'link', 'atom').find(
    (link) => (attribute(link, 'rel') ?? 'alternate') === 'alternate',
  );
  if (atomLink) return urlIn(atomLink, attribute(atomLink, 'href'), url);
  const permanent = (guid && attribute(guid, 'ispermalink')?.trim().toLowerCase()) !== 'false';
  const id = textOf(guid).trim();
  if (guid && permanent && /^https?:\/\//i.test(id)) return urlIn(guid, id, url);
  return urlIn(item, attribute(item, 'href') ?? attribute(item, 'rdf:about'), url);
}

function authorOf(item: XmlElement): string {
  const creators = childrenNamed(item, 'creator', 'dc').map((creator) => personName(textOf(creator)));
  const authors = elements(item)
    .filter(({ name, ns }) => name === 'author' && ns !== 'media')
    .map((author) => personName(textOf(findChild(author, 'name', author.ns)) || textOf(author)));
  const others = firstText(item, [['contributor', 'dc'], ['managingeditor']]);
  return joinNames(creators) || joinNames(authors) || personName(others);
}

/** The whole text before the summary of it. */
function contentOf(item: XmlElement, url: string | null): Markup {
  const whole: Name[] = [['encoded', 'content'], ['body', 'xhtml'], ['body'], ['fullitem'], ['content']];
  const summary: Name[] = [['description'], ['summary'], ['description', 'dc'], ['abstract']];
  for (const [name, ns] of [...whole, ...summary]) {
    const element = findChild(item, name, ns);
    const html = element && rssHtml(element);
    if (html) return { html, baseUrl: baseOf(element, url) };
  }
  for (const name of ['content', 'summary']) {
    const element = findChild(item, name, 'atom');
    if (element && textOf(element).trim() !== '') return markupIn(element, url);
  }
  const late =
    mediaDescription(item) ||
    firstHtml(item, [
      ['summary', 'itunes'],
      ['subtitle', 'itunes'],
    ]);
  return { html: late, baseUrl: baseOf(item, url) };
}

function categoriesOf(item: XmlElement): string[] {
  return elements(item).flatMap((child) => {
    const { name, ns } = child;
    const isList =
      (name === 'tags' && ns === '') || (name === 'keywords' && (ns === 'media' || ns === 'itunes'));
    if (isList) return textOf(child).slice(0, limits.lineChars).split(',');
    if (name === 'category' && ns === 'itunes') return [attribute(child, 'text') ?? ''];
    if (name === 'category' && ns === 'atom')
      return [attribute(child, 'label') ?? attribute(child, 'term') ?? ''];
    return (name === 'category' && ns === '') || (name === 'subject' && ns === 'dc') ? [textOf(child)] : [];
  });
}

/** RSS has HTML in its texts, escaped or, against the rules, as it is. */
function rssHtml(element: XmlElement): string {
  return (hasElements(element) ? markupOf(element) : textOf(element)).trim();
}

function firstHtml(parent: XmlElement, names: readonly Name[]): string {
  return firstOf(parent, names, rssHtml);
}

function firstText(parent: XmlElement, names: readonly Name[]): string {
  return firstOf(parent, names, (element) => textOf(element).trim());
}

function firstDate(parent: XmlElement, names: readonly Name[]): number | null {
  for (const [name, ns] of names) {
    const element = findChild(parent, name, ns);
    const date = element ? parseDate(textOf(element)) : null;
    if (date !== null) return date;
  }
  return null;
}

function firstOf(parent: XmlElement, names: readonly Name[], read: (element: XmlElement) => string): string {
  for (const [name, ns] of names) {
    const element = findChild(parent, name, ns);
    const value = element ? read(element) : '';
    if (value !== '') return value;
  }
  return '';
}
