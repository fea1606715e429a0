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
  const srcset = [given.get('srcset'), ...lateSrcsets.map((name) => given.get(name))]
    .map((value) => parseSrcset(value ?? '', base))
    .find((candidates) => candidates.length > 0);
  const late = lateSources
    .map((name) => imageUrl(given.get(name) ?? '', base))
    .find((url) => url !== undefined);
  const written = (given.get('src') ?? '').trim();
  const own = imageUrl(written, base);
  const better = late ?? bestCandidate(srcset ?? []);
  const src = own === undefined || placeholder.test(written.slice(0, 300)) ? (better ?? own) : own;
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

/** One or two pixels, or hidden: nobody is meant to see it. */
function isTiny(given: Attributes): boolean {
  const style = (given.get('style') ?? '').slice(0, 500).toLowerCase().replace(/\s+/g, '');
  if (/(?:^|;)(?:display:none|visibility:hidden)/.test(style)) return true;
  const size = (name: string) =>
    pixels(given.get(name)) ??
    pixels(new RegExp(`(?:^|;)${name}:(\\d{1,5})(?:px)?(?:[;!]|$)`).exec(style)?.[1]);
  const [width, height] = [size('width'), size('height')];
  if (width === 0 || height === 0) return true;
  return (width ?? height ?? 9) <= 2 && (height ?? width ?? 9) <= 2;
}

function pixels(value: string | undefined): number | undefined {
  const digits = /^\s{0,9}(\d{1,5})(?:\.\d{1,9})?\s{0,9}(?:px)?\s{0,9}$/i.exec(
    (value ?? '').slice(0, 40),
  )?.[1];
  return digits === undefined ? undefined : Number(digits);
}
