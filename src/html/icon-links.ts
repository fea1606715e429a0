// The icons that a page names, the one that looks best beside a feed first.
import { decodeHTMLAttribute } from 'entities';
import { webUrl } from './safe-url.ts';
import { tokeniseHtml } from './tokenise-html.ts';

/** As it is shown, on a screen with two dots for a pixel. */
const wantedSize = 32;
const usualTouchSize = 180;
const maxFound = 20;
const longestInline = 175_000;

/** The attributes of a `<link>`, as they are written. */
export interface WrittenLink {
  readonly href: string;
  readonly rel: string;
  readonly sizes: string;
  readonly type: string;
  readonly media: string;
}

export function iconLinks(html: string, pageUrl: string): readonly string[] {
  const found: RankedIcon[] = [];
  let base = pageUrl;
  tokeniseHtml(html, {
    text() {},
    close() {},
    open(name, attributes) {
      if (name !== 'link' && name !== 'base') return;
      const given = (wanted: string) => {
        const at = attributes.findIndex((one, index) => index % 2 === 0 && one === wanted);
        return at < 0 ? '' : decodeHTMLAttribute(attributes[at + 1] ?? '');
      };
      const href = given('href');
      if (name === 'base') base = webUrl(href, pageUrl) ?? base;
      else if (found.length < maxFound) {
        const link = {
          href,
          rel: given('rel'),
          sizes: given('sizes'),
          type: given('type'),
          media: given('media'),
        };
        found.push(...rank(link, base));
      }
    },
  });
  return bestFirst(found);
}

/** The same for somebody who has the links already. */
export function bestIcons(links: readonly WrittenLink[], base: string): readonly string[] {
  return bestFirst(links.flatMap((link) => rank(link, base)).slice(0, maxFound));
}

interface RankedIcon {
  readonly url: string;
  readonly distance: number;
}

/** None for what is no icon. */
function rank({ href, rel, sizes, type, media }: WrittenLink, base: string): RankedIcon[] {
  const url = iconUrl(href, base);
  const distance = distanceOf({
    rel: rel.toLowerCase().split(/\s+/),
    sizes,
    isSvg: /svg/i.test(type) || /^[^?#]*\.svg(?:[?#]|$)|^data:image\/svg/i.test(href.trim()),
    media,
  });
  return url === undefined || distance === undefined ? [] : [{ url, distance }];
}

/** Of those that are as good, the last: so the standard has it. */
function bestFirst(found: readonly RankedIcon[]): readonly string[] {
  const best = found.toReversed().sort((a, b) => a.distance - b.distance);
  return [...new Set(best.map(({ url }) => url))];
}

/** Some sites have an emoji for an icon, written out in the page. */
function iconUrl(href: string, base: string): string | undefined {
  const trimmed = href.trim();
  if (!/^data:/i.test(trimmed)) return webUrl(trimmed, base);
  return trimmed.length <= longestInline ? trimmed : undefined;
}

/** How far it is from what is wanted; undefined for what is no icon. */
function distanceOf(link: {
  rel: readonly string[];
  sizes: string;
  isSvg: boolean;
  media: string;
}): number | undefined {
  const isTouch = link.rel.some((word) => /^apple-touch-icon(-precomposed)?$/.test(word));
  if (!isTouch && !link.rel.includes('icon')) return undefined;
  // Ours stand on light paper in every theme.
  const forDark = /prefers-color-scheme\s*:\s*dark/i.test(link.media) ? 1_000 : 0;
  return forDark + (link.isSvg ? 4 : sizeDistance(link.sizes, isTouch));
}

function sizeDistance(sizes: string, isTouch: boolean): number {
  const known = [...sizes.matchAll(/(\d{1,4})x\d{1,4}/gi)].map(([, width]) => Number(width));
  if (known.length === 0 && !isTouch) return 20;
  // One that is too small is blurred, one that is too large only takes its time.
  const of = (size: number) => (size < wantedSize ? (wantedSize - size) * 4 : (size - wantedSize) / 4);
  return Math.min(...(known.length > 0 ? known : [usualTouchSize]).map(of)) + (isTouch ? 10 : 0);
}
