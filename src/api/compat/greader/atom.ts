// Streams as Atom, which newsboat reads in its feedhq mode: whether an entry is read stands in a category of Google's.
import { escapeXml } from '../../../html/escape-xml.ts';
import type { SourcedEntry } from '../../../model/entry.ts';
import type { Millis } from '../../../model/glossary.ts';
import { ownCategories } from './article.ts';
import { longItemId } from './item-id.ts';
import type { Stream } from './selection.ts';
import { feedStream, labelStream, stateStream } from './stream-id.ts';

const scheme = 'http://www.google.com/reader/';

export function atomHead(
  { id, title, siteUrl }: Pick<Stream, 'id' | 'title' | 'siteUrl'>,
  { at, continuation }: { at: Millis; continuation: string | undefined },
): string {
  return [
    '<?xml version="1.0" encoding="utf-8"?>',
    '<feed xmlns="http://www.w3.org/2005/Atom" xmlns:gr="http://www.google.com/schemas/reader/atom/">',
    element('id', `tag:google.com,2005:reader/${id}`),
    element('title', title),
    ...(continuation === undefined ? [] : [element('gr:continuation', continuation)]),
    ...(siteUrl ? [link('alternate', siteUrl, 'text/html')] : []),
    element('updated', iso(at)),
    '',
  ].join('\n');
}

export const atomTail = '</feed>\n';

export function atomEntry(entry: SourcedEntry): string {
  return [
    `<entry gr:crawl-timestamp-msec="${entry.createdAt}">`,
    element('id', longItemId(entry.id)),
    category(stateStream('reading-list'), 'reading-list'),
    entry.unread ? category(stateStream('fresh'), 'fresh') : category(stateStream('read'), 'read'),
    ...(entry.bookmarkId === null ? [] : [category(stateStream('starred'), 'starred')]),
    // Without Google's scheme: a group named "read" would make all of its entries read.
    `<category term="${escapeXml(labelStream(entry.groupName))}"/>`,
    ...ownCategories(entry).map((term) => `<category term="${escapeXml(term)}"/>`),
    element('title', entry.title),
    element('published', iso(entry.pubDate)),
    element('updated', iso(entry.updatedAt)),
    ...(entry.link === '' ? [] : [link('alternate', entry.link, 'text/html')]),
    ...entry.enclosures.map(({ url, type }) => link('enclosure', url, type)),
    `<content type="html">${escapeXml(entry.content)}</content>`,
    ...(entry.author === '' ? [] : [`<author>${element('name', entry.author)}</author>`]),
    '<source>',
    element('id', `tag:google.com,2005:reader/${feedStream(entry.feedId)}`),
    element('title', entry.feedName),
    ...(entry.siteUrl === '' ? [] : [link('alternate', entry.siteUrl, 'text/html')]),
    '</source>',
    '</entry>',
    '',
  ].join('\n');
}

function element(name: string, text: string): string {
  return `<${name}>${escapeXml(text)}</${name}>`;
}

function category(term: string, label: string): string {
  return `<category term="${escapeXml(term)}" scheme="${scheme}" label="${label}"/>`;
}

function link(rel: string, href: string, type: string): string {
  const typed = type === '' ? '' : ` type="${escapeXml(type)}"`;
  return `<link rel="${rel}" href="${escapeXml(href)}"${typed}/>`;
}

/** A date that no calendar has is shown as the first that all have: without one, it would be no Atom. */
function iso(at: Millis): string {
  const date = new Date(at);
  return (Number.isNaN(date.getTime()) ? new Date(0) : date).toISOString().replace(/\.\d{3}Z$/, 'Z');
}
