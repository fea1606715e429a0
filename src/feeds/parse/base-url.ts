// xml:base, which may be set on any element, relative to that of its parents.
import { webUrl } from '../../html/safe-url.ts';
import { attribute, type XmlElement } from './xml/xml-element.ts';

export function baseOf(element: XmlElement, documentUrl: string | null): string | null {
  const inherited = element.parent ? baseOf(element.parent, documentUrl) : documentUrl;
  const own = attribute(element, 'xml:base');
  if (own === undefined || own.trim() === '') return inherited;
  return webUrl(own, inherited) ?? inherited;
}

/** The address in an element's text or attribute, absolute; null if it is none that can be fetched. */
export function urlIn(
  element: XmlElement,
  value: string | undefined,
  documentUrl: string | null,
): string | null {
  return webUrl(value ?? '', baseOf(element, documentUrl)) ?? null;
}

/** The same for a `href`, which may be empty: then it is the base itself. */
export function hrefOf(link: XmlElement, documentUrl: string | null): string | null {
  const href = attribute(link, 'href');
  return href === '' ? baseOf(link, documentUrl) : urlIn(link, href, documentUrl);
}
