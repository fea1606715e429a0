// Texts of Atom, which say what they are: `type` in 1.0, `type` and `mode` in 0.3.

import { titleText } from '../../html/plain-text.ts';
import { baseOf } from './base-url.ts';
import { limits } from './limits.ts';
import type { Markup } from './raw-feed.ts';
import { attribute, elements, hasElements, markupOf, textOf, type XmlElement } from './xml/xml-element.ts';

export function markupIn(element: XmlElement, documentUrl: string | null): Markup {
  return { html: htmlOf(element), baseUrl: baseOf(element, documentUrl) };
}

export function titleIn(element: XmlElement | undefined): string {
  return element === undefined ? '' : titleText(htmlOf(element));
}

function htmlOf(element: XmlElement): string {
  const type = (attribute(element, 'type') ?? '').trim().toLowerCase();
  const mode = (attribute(element, 'mode') ?? '').trim().toLowerCase();
  if (hasElements(element)) return markupOf(type === 'xhtml' ? wrapped(element) : element).trim();
  const text = textOf(element).trim().slice(0, limits.contentChars);
  if (mode === 'base64' || isBinary(type, mode)) return decodeBase64(text) ?? escapeHtml(text);
  const isText = type === '' || type === 'text' || type === 'text/plain' || mode === 'xml';
  return isText && mode !== 'escaped' ? escapeHtml(text) : type === 'text/plain' ? escapeHtml(text) : text;
}

/** RFC 4287, 3.1.1.3: the div around XHTML is not part of it. */
function wrapped(element: XmlElement): XmlElement {
  const [only, ...others] = elements(element);
  return only?.name === 'div' && others.length === 0 ? only : element;
}

/** RFC 4287, 4.1.3.3: any other media type is base64. */
function isBinary(type: string, mode: string): boolean {
  return mode === '' && type.includes('/') && !/^text\/|[+/]xml$/.test(type);
}

function decodeBase64(text: string): string | undefined {
  const packed = text.replace(/\s+/g, '');
  if (packed === '' || !/^[A-Za-z0-9+/]+={0,2}$/.test(packed)) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(packed, 'base64'));
  } catch {
    return undefined;
  }
}

export function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** Text whose lines matter, as HTML. */
export function linesAsHtml(text: string): string {
  return escapeHtml(text.slice(0, limits.contentChars)).replace(/\r\n?|\n/g, '<br>');
}
