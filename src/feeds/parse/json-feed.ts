// JSON Feed 1 and 1.1. Every value is looked at before it is used: the document can hold anything.

import { parseDate } from '../../html/parse-date.ts';
import { titleText } from '../../html/plain-text.ts';
import { webUrl } from '../../html/safe-url.ts';
import { BrokenFeed, NotAFeed } from './feed-errors.ts';
import { languageTag } from './language.ts';
import { limits } from './limits.ts';
import { mediaType } from './media.ts';
import { joinNames, personName } from './person.ts';
import type { Enclosure, Markup, RawEntry, RawFeed } from './raw-feed.ts';
import { linesAsHtml } from './text-construct.ts';

export function readJsonFeed(text: string, url: string | null): RawFeed {
  const feed = parse(text);
  const items = own(feed, 'items');
  if (!Array.isArray(items)) throw new NotAFeed('The address answers with JSON that is not a feed.');
  const author = authorOf(feed);
  return {
    title: titleText(string(feed, 'title')),
    siteUrl: address(feed, 'home_page_url', url),
    selfUrl: address(feed, 'feed_url', url),
    description: titleText(string(feed, 'description')),
    language: languageTag(string(feed, 'language')),
    ttlMinutes: null,
    entries: items.slice(0, limits.entries).map((item) => readItem(item, author, url)),
  };
}

function parse(text: string): unknown {
  // Objects cost far more than the letters they are written with, so they are counted before they are made.
  let nodes = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x7b || code === 0x5b) nodes++;
  }
  if (nodes > limits.jsonNodes) throw new BrokenFeed('The feed has too many parts.');
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new BrokenFeed('The feed is not valid JSON.', { cause });
  }
}

function readItem(item: unknown, feedAuthor: string, url: string | null): RawEntry {
  const base = address(item, 'url', url) ?? url;
  return {
    guid: string(item, 'id').trim(),
    title: titleText(string(item, 'title')),
    link: address(item, 'url', url) ?? address(item, 'external_url', url),
    author: authorOf(item) || feedAuthor,
    content: contentOf(item, base),
    categories: list(item, 'tags').map((tag) => (typeof tag === 'string' ? tag : '')),
    enclosures: enclosuresOf(item, url),
    publishedAt: parseDate(string(item, 'date_published')),
    updatedAt: parseDate(string(item, 'date_modified')),
  };
}

function contentOf(item: unknown, baseUrl: string | null): Markup {
  const html = string(item, 'content_html');
  if (html.trim() !== '') return { html, baseUrl };
  return { html: linesAsHtml(string(item, 'content_text') || string(item, 'summary')), baseUrl };
}

function authorOf(parent: unknown): string {
  const people = [...list(parent, 'authors'), own(parent, 'author')];
  return joinNames(people.map((person) => personName(string(person, 'name'))));
}

function enclosuresOf(item: unknown, url: string | null): Enclosure[] {
  const attachments = list(item, 'attachments').flatMap((attachment): Enclosure[] => {
    const found = address(attachment, 'url', url);
    if (found === null) return [];
    const size = own(attachment, 'size_in_bytes');
    const title = titleText(string(attachment, 'title')).slice(0, 300);
    return [
      {
        url: found,
        type: mediaType(string(attachment, 'mime_type'), undefined, found),
        lengthBytes: typeof size === 'number' && Number.isSafeInteger(size) && size > 0 ? size : null,
        ...(title === '' ? {} : { title }),
      },
    ];
  });
  const image = address(item, 'image', url) ?? address(item, 'banner_image', url);
  if (image === null || attachments.some(({ type }) => type.startsWith('image/'))) return attachments;
  return [...attachments, { url: image, type: mediaType(undefined, 'image', image), lengthBytes: null }];
}

/** Only what the document itself says: `constructor` is there in every object. */
function own(parent: unknown, name: string): unknown {
  return typeof parent === 'object' && parent !== null && Object.hasOwn(parent, name)
    ? (parent as Record<string, unknown>)[name]
    : undefined;
}

/** Numbers count as text: ids are written as numbers. */
function string(parent: unknown, name: string): string {
  const value = own(parent, name);
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : '';
}

function list(parent: unknown, name: string): unknown[] {
  const value = own(parent, name);
  return Array.isArray(value) ? value.slice(0, limits.categoriesPerEntry) : [];
}

function address(parent: unknown, name: string, url: string | null): string | null {
  return webUrl(string(parent, name), url) ?? null;
}
