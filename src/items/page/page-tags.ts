// The tags of a page that say something about it, found in one walk.
import type { WrittenLink } from '../../html/icon-links.ts';
import { webUrl } from '../../html/safe-url.ts';
import type { Document, PageElement } from '../extract/page-document.ts';

export interface PageTags {
  /** Against which the addresses on the page are resolved. */
  readonly base: string;
  readonly language: string;
  readonly title: string;
  readonly headings: readonly string[];
  readonly links: readonly WrittenLink[];
  /** Who is named as the author in the text, and when it says to be from. */
  readonly authors: readonly string[];
  readonly dates: readonly string[];
  /** What the metas of that name say, in their order; names in lower case, and none is empty. */
  meta(...names: string[]): readonly string[];
}

const telling = 'meta, link, title, h1, time, [rel~="author"], [itemprop]';
/** Whoever has more is not describing a page. */
const maxOfAKind = 500;

/** Where the addresses on a page begin: its own address, or what it says instead. */
export function baseUrlOf(document: Document, url: string): string {
  return webUrl(document.querySelector('base[href]')?.getAttribute('href') ?? '', url) ?? url;
}

export function readTags(document: Document, url: string): PageTags {
  const metas = new Map<string, string[]>();
  const links: WrittenLink[] = [];
  const titles: string[] = [];
  const headings: string[] = [];
  const authors: string[] = [];
  const sureDates: string[] = [];
  const datesOfContent: string[] = [];
  const otherDates: string[] = [];

  for (const element of document.querySelectorAll(telling)) {
    const given = (name: string) => element.getAttribute(name) ?? '';
    const property = given('itemprop').toLowerCase().split(/\s+/);
    switch (element.localName) {
      case 'link':
        if (links.length < maxOfAKind) {
          const [href, rel, sizes, type, media] = ['href', 'rel', 'sizes', 'type', 'media'].map(given);
          links.push({
            href: href ?? '',
            rel: rel ?? '',
            sizes: sizes ?? '',
            type: type ?? '',
            media: media ?? '',
          });
        }
        break;
      case 'title':
        titles.push(element.textContent ?? '');
        break;
      case 'h1':
        headings.push(element.textContent ?? '');
        break;
      case 'meta': {
        const content = given('content').trim();
        // Several names may stand in one attribute, and all three are used for the same.
        const names = `${given('property')} ${given('name')} ${given('itemprop')} ${given('http-equiv')}`;
        if (content !== '') for (const name of wordsOf(names)) note(name, content);
        break;
      }
      case 'time':
        if (property.includes('datepublished') || element.getAttribute('pubdate') !== null)
          sureDates.push(dateOf(element));
        else if (isInContent(element)) datesOfContent.push(dateOf(element));
        else otherDates.push(dateOf(element));
        break;
    }
    if (property.includes('datepublished') && element.localName !== 'time') sureDates.push(dateOf(element));
    if ((property.includes('author') || isAuthorLink(element)) && element.localName !== 'meta') {
      authors.push(nameIn(element));
    }
  }

  return {
    base: baseUrlOf(document, url),
    language:
      document.documentElement?.getAttribute('lang') ??
      document.documentElement?.getAttribute('xml:lang') ??
      '',
    title: titles.find((title) => title.trim() !== '') ?? '',
    headings: headings.filter((heading) => heading.trim() !== ''),
    links,
    authors,
    // Dates outside of the content are those of other pages, unless there is but one.
    dates: [...sureDates, ...datesOfContent, ...(new Set(otherDates).size === 1 ? otherDates : [])],
    meta: (...names) => names.flatMap((name) => metas.get(name) ?? []),
  };

  function note(name: string, content: string): void {
    const values = metas.get(name);
    if (!values) {
      if (metas.size < maxOfAKind) metas.set(name, [content]);
    } else if (values.length < maxOfAKind) values.push(content);
  }
}

function wordsOf(text: string): string[] {
  return text
    .slice(0, 1_000)
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
}

function dateOf(element: PageElement): string {
  return element.getAttribute('datetime') ?? element.getAttribute('content') ?? element.textContent ?? '';
}

function isAuthorLink(element: PageElement): boolean {
  return element.localName !== 'link' && /(?:^|\s)author(?:\s|$)/i.test(element.getAttribute('rel') ?? '');
}

/** The name may be one of several things that are said of an author. */
function nameIn(element: PageElement): string {
  const name = element.querySelector('[itemprop~="name"]') ?? element;
  return name.getAttribute('content') ?? name.textContent ?? '';
}

function isInContent(element: PageElement): boolean {
  for (let node = element.parentNode; node; node = node.parentNode) {
    if (node.localName === 'article' || node.localName === 'main') return true;
  }
  return false;
}
