// Which attributes an element keeps. No style, class, id, name or handler is on any list.
import { decodeHTMLAttribute } from 'entities';
import { cleanFrame } from './clean-frame.ts';
import { type Attributes, cleanImage } from './clean-image.ts';
import { imageUrl, safeLink, webUrl } from './safe-url.ts';
import { parseSrcset, writeSrcset } from './srcset.ts';

type Clean = (value: string, base: string | null) => string | undefined;

const text: Clean = (value) => value;
const flag: Clean = () => '';
const number: Clean = (value) => /^-?\d{1,6}$/.exec(value.trim())?.[0];
const word: Clean = (value) => /^[\w/+.:-]{1,60}$/.exec(value.trim())?.[0];
const direction: Clean = (value) => /^(?:ltr|rtl|auto)$/i.exec(value.trim())?.[0].toLowerCase();
const sourceSet: Clean = (value, base) => writeSrcset(parseSrcset(value, base)) || undefined;

const everywhere: Record<string, Clean> = { dir: direction, lang: word };
const size = { width: number, height: number };
const cell = { colspan: number, rowspan: number, scope: word };
const media = { src: webUrl, title: text, ...size };

const byElement = new Map<string, Record<string, Clean>>(
  Object.entries({
    a: { href: safeLink, title: text },
    abbr: { title: text },
    acronym: { title: text },
    audio: media,
    blockquote: { cite: webUrl },
    col: { span: number },
    colgroup: { span: number },
    del: { cite: webUrl, datetime: word },
    details: { open: flag },
    dfn: { title: text },
    ins: { cite: webUrl, datetime: word },
    li: { value: number },
    ol: { start: number, reversed: flag, type: word },
    q: { cite: webUrl },
    source: { src: webUrl, srcset: sourceSet, type: word, ...size },
    td: cell,
    th: cell,
    time: { datetime: word },
    track: { src: webUrl, kind: word, srclang: word, label: text },
    video: { ...media, poster: imageUrl },
  }),
);

const players = new Set(['audio', 'video']);

/** As pairs to write, in an order that does not depend on the document; undefined if the element must go. */
export function cleanAttributes(
  element: string,
  written: readonly string[],
  base: string | null,
): [string, string][] | undefined {
  const given = decodeAll(written);
  if (element === 'img') return cleanImage(given, base);
  if (element === 'iframe') return cleanFrame(given, base);
  const shown: [string, string][] = [];
  if (given.size > 0) {
    for (const rules of [byElement.get(element), everywhere]) {
      for (const name in rules) {
        const value = given.get(name);
        const clean = value === undefined ? undefined : rules[name]?.(value, base);
        if (clean !== undefined) shown.push([name, clean]);
      }
    }
  }
  if (element === 'a' && shown.some(([name]) => name === 'href')) shown.push(['rel', 'noopener noreferrer']);
  // Nothing plays, or is even loaded, before somebody asks for it.
  if (players.has(element)) shown.push(['controls', ''], ['preload', 'none']);
  return shown;
}

/** The first of two attributes with one name counts, as in browsers. */
function decodeAll(written: readonly string[]): Attributes {
  const given = new Map<string, string>();
  for (let at = 0; at + 1 < written.length; at += 2) {
    const [name = '', value = ''] = [written[at], written[at + 1]];
    if (!given.has(name)) given.set(name, value.includes('&') ? decodeHTMLAttribute(value) : value);
  }
  return given;
}
