// An image as it should load: from its real address, and not at all if it is there to count readers.
import { imageUrl } from './safe-url.ts';
import { bestCandidate, parseSrcset, writeSrcset } from './srcset.ts';

export type Attributes = ReadonlyMap<string, string>;

/** Where scripts that load images late keep the address. */
const lateSources = [
  'data-src',
  'data-lazy-src',
  'data-original',
  'data-orig-file',
  'data-url',
  'data-hi-res-src',
];
const lateSrcsets = ['data-srcset', 'data-lazy-srcset'];
const placeholder =
  /^data:|(?:^|[/_.-])(?:placeholder|blank|spacer|transparent|pixel|lazy|loading|1x1)[\w-]*\.(?:gif|png|svg|jpe?g)/i;

/** Counters that give no size. Each is named for the service that puts it into feeds. */
const counters = [
  /^https?:\/\/(?:feeds|feedproxy)\.(?:feedburner|google)\.com\/~[rf]+\//,
  /^https?:\/\/(?:pixel|stats)\.(?:wp|wordpress)\.com\//,
  /^https?:\/\/[\w.-]{0,80}\.feedsportal\.com\//,
  /^https?:\/\/[\w.-]{0,80}\.?(?:doubleclick\.net|google-analytics\.com|scorecardresearch\.com|quantserve\.com)\//,
  /^https?:\/\/medium\.com\/_\/stat\?/,
  /^https?:\/\/[\w.-]{0,80}\.list-manage\.com\/track\//,
  /^https?:\/\/(?:www\.)?facebook\.com\/tr\?/,
];

/** The attributes to write; undefined if the image should not be shown. */
export function cleanImage(given: Attributes, base: string | null): [string, string][] | undefined {
  if (isTiny(given)) return undefined;
  const srcset = ['srcset', ...lateSrcsets]
    .map((name) => parseSrcset(given.get(name) ?? '', base))
    .find((candidates) => candidates.length > 0);
  const written = (given.get('src') ?? '').trim();
  const own = imageUrl(written, base);
  const src =
    own === undefined || placeholder.test(written.slice(0, 300))
      ? (lateSource(given, base) ?? bestCandidate(srcset ?? []) ?? own)
      : own;
  if (src === undefined || counters.some((counter) => counter.test(src))) return undefined;
  const shown: [string, string][] = [['src', src]];
  if (srcset) shown.push(['srcset', writeSrcset(srcset)]);
  for (const name of ['alt', 'title']) {
    const value = given.get(name);
    if (value !== undefined) shown.push([name, value]);
  }
  for (const name of ['width', 'height']) {
    const value = pixels(given.get(name));
    if (value !== undefined) shown.push([name, String(value)]);
  }
  return shown;
}

function lateSource(given: Attributes, base: string | null): string | undefined {
  return lateSources.map((name) => imageUrl(given.get(name) ?? '', base)).find((url) => url !== undefined);
}

const hidden = /(?:^|;)(?:display:none|visibility:hidden)/;
const styledWidth = /(?:^|;)width:(\d{1,5})(?:px)?(?:[;!]|$)/;
const styledHeight = /(?:^|;)height:(\d{1,5})(?:px)?(?:[;!]|$)/;

/** One or two pixels, or hidden: nobody is meant to see it. */
function isTiny(given: Attributes): boolean {
  const style = (given.get('style') ?? '').slice(0, 500).toLowerCase().replace(/\s+/g, '');
  if (hidden.test(style)) return true;
  const width = pixels(given.get('width')) ?? pixels(styledWidth.exec(style)?.[1]);
  const height = pixels(given.get('height')) ?? pixels(styledHeight.exec(style)?.[1]);
  if (width === 0 || height === 0) return true;
  return (width ?? height ?? 9) <= 2 && (height ?? width ?? 9) <= 2;
}

function pixels(value: string | undefined): number | undefined {
  const digits = /^\s{0,9}(\d{1,5})(?:\.\d{1,9})?\s{0,9}(?:px)?\s{0,9}$/i.exec(
    (value ?? '').slice(0, 40),
  )?.[1];
  return digits === undefined ? undefined : Number(digits);
}
