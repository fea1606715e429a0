// What comes with an entry: RSS enclosures, Atom links, and Media RSS, which also brings titles and descriptions.

import { titleText } from '../../html/plain-text.ts';
import { webUrl } from '../../html/safe-url.ts';
import { baseOf } from './base-url.ts';
import type { Enclosure } from './raw-feed.ts';
import { linesAsHtml } from './text-construct.ts';
import { attribute, childrenNamed, elements, findChild, textOf, type XmlElement } from './xml/xml-element.ts';

export function enclosuresOf(entry: XmlElement, documentUrl: string | null): Enclosure[] {
  const found = [
    ...elements(entry).filter(({ name }) => name === 'enclosure'),
    ...elements(entry).filter((child) => child.name === 'link' && attribute(child, 'rel') === 'enclosure'),
  ].map((element) =>
    enclosure(element, attribute(element, 'url') ?? attribute(element, 'href'), 'length', documentUrl),
  );
  const media = mediaParents(entry)
    .flatMap((parent) => childrenNamed(parent, 'content', 'media'))
    // Players of pages (YouTube's old Flash object) are not media.
    .filter((content) => !/shockwave|^text\/html/.test(attribute(content, 'type') ?? ''))
    .map((content) => enclosure(content, attribute(content, 'url'), 'filesize', documentUrl));
  const all = [...found, ...media].filter((one) => one !== undefined);
  const picture = all.some(({ type }) => type.startsWith('image/'))
    ? undefined
    : thumbnailOf(entry, documentUrl);
  return distinct(picture ? [...all, picture] : all);
}

/** Media RSS stands in the entry, in a group, or in a content of either. */
function mediaParents(entry: XmlElement): XmlElement[] {
  return [entry, ...childrenNamed(entry, 'group', 'media')];
}

function enclosure(
  element: XmlElement,
  address: string | undefined,
  lengthName: string,
  documentUrl: string | null,
): Enclosure | undefined {
  const url = webUrl(address ?? '', baseOf(element, documentUrl));
  if (url === undefined) return undefined;
  const length = /^\d{1,15}$/.exec((attribute(element, lengthName) ?? '').trim())?.[0];
  const title = titleText(attribute(element, 'title') ?? textOf(findChild(element, 'title', 'media')));
  return {
    url,
    type: mediaType(attribute(element, 'type'), attribute(element, 'medium'), url),
    lengthBytes: length === undefined || length === '0' ? null : Number(length),
    ...(title === '' ? {} : { title: title.slice(0, 300) }),
  };
}

function thumbnailOf(entry: XmlElement, documentUrl: string | null): Enclosure | undefined {
  for (const parent of [...mediaParents(entry), ...childrenNamed(entry, 'content', 'media')]) {
    const thumbnail = findChild(parent, 'thumbnail', 'media');
    const url = thumbnail && webUrl(attribute(thumbnail, 'url') ?? '', baseOf(thumbnail, documentUrl));
    if (url) return { url, type: mediaType(undefined, 'image', url), lengthBytes: null };
  }
  return undefined;
}

const typeByEnding = new Map(
  Object.entries({
    ...{
      mp3: 'audio/mpeg',
      m4a: 'audio/mp4',
      ogg: 'audio/ogg',
      opus: 'audio/ogg',
      mp4: 'video/mp4',
      m4v: 'video/mp4',
    },
    ...{ webm: 'video/webm', jpg: 'image/jpeg', jpeg: 'image/jpeg', png: 'image/png', gif: 'image/gif' },
    ...{
      webp: 'image/webp',
      avif: 'image/avif',
      pdf: 'application/pdf',
      torrent: 'application/x-bittorrent',
    },
  }),
);

/** The type as said; else by the address; else what kind of medium it is. Anything but a media type is no type. */
export function mediaType(type: string | undefined, medium: string | undefined, url: string): string {
  const said = /^[\w.+-]{1,60}\/[\w.+-]{1,80}/.exec((type ?? '').trim())?.[0].toLowerCase();
  if (said !== undefined) return said;
  const ending = /\.(\w{2,8})(?:[?#]|$)/.exec(url.slice(-400))?.[1]?.toLowerCase() ?? '';
  const guessed = typeByEnding.get(ending);
  if (guessed !== undefined) return guessed;
  return medium && /^(?:image|audio|video)$/.test(medium) ? `${medium}/*` : '';
}

function distinct(enclosures: readonly Enclosure[]): Enclosure[] {
  return [...new Map(enclosures.toReversed().map((one) => [one.url, one])).values()].reverse();
}

export function mediaTitle(entry: XmlElement): string {
  const [title] = mediaParents(entry).flatMap((parent) => childrenNamed(parent, 'title', 'media'));
  return titleText(textOf(title));
}

export function mediaDescription(entry: XmlElement): string {
  const [description] = mediaParents(entry).flatMap((parent) =>
    childrenNamed(parent, 'description', 'media'),
  );
  const text = textOf(description).trim();
  return description && attribute(description, 'type') === 'html' ? text : linesAsHtml(text);
}
