// Atom 1.0 (RFC 4287) and 0.3.

import { parseDate } from '../../html/parse-date.ts';
import { baseOf, hrefOf, urlIn } from './base-url.ts';
import { languageTag } from './language.ts';
import { enclosuresOf, mediaDescription, mediaTitle } from './media.ts';
import { joinNames, personName } from './person.ts';
import type { Markup, RawEntry, RawFeed } from './raw-feed.ts';
import { collectEntries } from './roots.ts';
import { markupIn, titleIn } from './text-construct.ts';
import { ttlOf } from './ttl.ts';
import { attribute, elements, textOf, type XmlElement } from './xml/xml-element.ts';

export function readAtom(root: XmlElement, document: XmlElement, url: string | null): RawFeed {
  const self = linksOf(root).find((link) => attribute(link, 'rel') === 'self');
  const author = authorOf(root);
  return {
    title: titleIn(child(root, 'title')),
    siteUrl: alternateOf(root, url),
    selfUrl: self ? hrefOf(self, url) : null,
    description: titleIn(child(root, 'subtitle') ?? child(root, 'tagline') ?? child(root, 'info')),
    language: languageTag(attribute(root, 'xml:lang') ?? textOf(child(root, 'language'))),
    ttlMinutes: ttlOf(root),
    entries: collectEntries(document).map((entry) => readEntry(entry, author, url)),
  };
}

function readEntry(entry: XmlElement, feedAuthor: string, url: string | null): RawEntry {
  const published = firstDate(entry, ['published', 'issued', 'created', 'date']);
  const updated = firstDate(entry, ['updated', 'modified']);
  return {
    guid: textOf(child(entry, 'id')).trim(),
    title: titleIn(child(entry, 'title')) || mediaTitle(entry),
    link: alternateOf(entry, url) ?? sourceOfContent(entry, url),
    // RFC 4287, 4.2.1: an entry without an author has the author of its source, else of the feed.
    author: authorOf(entry) || authorOf(child(entry, 'source')) || feedAuthor,
    content: contentOf(entry, url),
    categories: elements(entry)
      .filter(
        ({ name, ns }) => (name === 'category' && ns !== 'media') || (name === 'subject' && ns === 'dc'),
      )
      .map((category) => attribute(category, 'label') || attribute(category, 'term') || textOf(category)),
    enclosures: enclosuresOf(entry, url),
    publishedAt: published,
    updatedAt: updated,
  };
}

/** Atom's own elements, by whatever namespace the document gives them. */
function child(parent: XmlElement | undefined, name: string): XmlElement | undefined {
  return parent?.children.find((one) => typeof one !== 'string' && one.name === name && isAtoms(one)) as
    | XmlElement
    | undefined;
}

function isAtoms({ ns }: XmlElement): boolean {
  return ns === 'atom' || ns === '' || ns === 'dc' || ns === 'dcterms';
}

function linksOf(parent: XmlElement): XmlElement[] {
  return elements(parent).filter((one) => one.name === 'link' && isAtoms(one));
}

function alternateOf(parent: XmlElement, url: string | null): string | null {
  const alternates = linksOf(parent).filter(
    (link) => (attribute(link, 'rel') || 'alternate') === 'alternate',
  );
  const pages = alternates.filter((link) => /html/.test(attribute(link, 'type') ?? 'html'));
  for (const link of [...pages, ...alternates]) {
    const found = urlIn(link, attribute(link, 'href') || textOf(link).trim(), url);
    if (found !== null) return found;
  }
  return null;
}

function sourceOfContent(entry: XmlElement, url: string | null): string | null {
  const content = child(entry, 'content');
  return content ? urlIn(content, attribute(content, 'src'), url) : null;
}

function contentOf(entry: XmlElement, url: string | null): Markup {
  for (const name of ['content', 'summary', 'description']) {
    const element = child(entry, name);
    if (!element) continue;
    const markup = markupIn(element, url);
    if (markup.html !== '') return markup;
  }
  return { html: mediaDescription(entry), baseUrl: baseOf(entry, url) };
}

function authorOf(parent: XmlElement | undefined): string {
  if (!parent) return '';
  const people = elements(parent).filter(
    ({ name, ns }) =>
      (name === 'author' && ns !== 'media' && ns !== 'itunes') || (name === 'creator' && ns === 'dc'),
  );
  return joinNames(
    people.map((person) => {
      const name = textOf(child(person, 'name')).trim() || textOf(child(person, 'email')).trim();
      return personName(name || (elements(person).length === 0 ? textOf(person) : ''));
    }),
  );
}

function firstDate(parent: XmlElement, names: readonly string[]): number | null {
  for (const name of names) {
    const element = child(parent, name);
    const date = element ? parseDate(textOf(element)) : null;
    if (date !== null) return date;
  }
  return null;
}
