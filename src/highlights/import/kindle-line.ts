// The second line of a clipping, in the language that the Kindle was set to: what it is, where, and when it was made.
import { parseDate } from '../../html/parse-date.ts';
import type { Millis } from '../../model/glossary.ts';

export type ClippingKind = 'highlight' | 'note' | 'bookmark';

export interface Range {
  readonly start: number;
  readonly end: number;
}

export interface KindleLine {
  readonly kind: ClippingKind;
  readonly location: Range | null;
  /** As it is written: `12`, `12-13`, `xii`. */
  readonly page: string | null;
  readonly madeAt: Millis | null;
}

/** No such line is longer, so that no pattern meets a long text. */
const longest = 1_000;

/** In this order: "marcador" is a bookmark in Spanish and Portuguese, and close to the German for a highlight. */
const kinds: readonly (readonly [ClippingKind, RegExp])[] = [
  ['bookmark', /bookmark|lesezeichen|signet|marcador|segnalibro|bladwijzer|ブックマーク|しおり|书签|書籤/i],
  [
    'highlight',
    /highlight|markierung|surlign|subrayado|resaltado|evidenziazione|destaque|markering|ハイライト|标注|標註|clip this article|文章剪切/i,
  ],
  ['note', /\bnot(?:e|a|iz|itie)\b|メモ|ノート|笔记|筆記/i],
];

const pages: readonly RegExp[] = [
  /(?:\bpage|\bseite|\bp[áa]gina)s?\s+([\divxlcdm]{1,12}(?:\s?[-–]\s?[\divxlcdm]{1,12})?)(?![\p{L}\d])/iu,
  /(\d{1,9}(?:\s?[-–]\s?\d{1,9})?)\s*ページ/,
  /第\s*(\d{1,9}(?:\s?[-–]\s?\d{1,9})?)\s*[页頁]/,
];

const location =
  /(?:location|\bloc\.|position|emplacement|posici[óo]n|posizione|posi[çc][ãa]o|locatie|位置)\s*(?:no\.?|#)?\s*(\d{1,9})(?:\s?(?:[-–—]|t\/m)\s?(\d{1,9}))?/i;

/** Undefined for a line that is none of a Kindle. */
export function parseKindleLine(line: string): KindleLine | undefined {
  if (line.length > longest || !/^\s*[-–—•]/.test(line)) return undefined;
  const parts = line.normalize('NFC').split(/[|｜]/);
  const last = parts.at(-1) ?? '';
  const isDated = parts.length > 1 && !location.test(last) && findPage(last) === null;
  const place = (isDated ? parts.slice(0, -1) : parts).join('|');
  const found = findLocation(place);
  const page = findPage(place);
  const kind = kinds.find(([, words]) => words.test(place))?.[0] ?? unnamedKind(place, isDated);
  if (kind === undefined) return undefined;
  return { kind, location: found, page, madeAt: isDated ? parseKindleDate(last) : null };
}

/** In a language that is not known here, what reaches from one number to another is a passage: a note has one number. */
function unnamedKind(place: string, isDated: boolean): ClippingKind | undefined {
  return isDated && /\d{1,9}\s?[-–]\s?\d{1,9}/.test(place) ? 'highlight' : undefined;
}

function findPage(text: string): string | null {
  for (const pattern of pages) {
    const page = pattern.exec(text)?.[1];
    if (page !== undefined) return page.replace(/\s/g, '').replace('–', '-').toLowerCase();
  }
  return null;
}

function findLocation(text: string): Range | null {
  const found = location.exec(text);
  return found?.[1] === undefined ? null : toRange(found[1], found[2]);
}

/** Old Kindles write only what has changed of the second number: 3665-67. */
export function toRange(first: string, second: string | undefined): Range {
  const start = Number(first);
  if (second === undefined) return { start, end: start };
  const full = second.length < first.length ? first.slice(0, first.length - second.length) + second : second;
  const end = Number(second) >= start ? Number(second) : Number(full);
  return { start: Math.min(start, end), end: Math.max(start, end) };
}

/** The clock of the device, of which nobody says where it was: taken for Greenwich. */
export function parseKindleDate(text: string): Millis | null {
  const east = /(\d{4})\s?年\s?(\d{1,2})\s?月\s?(\d{1,2})\s?日(.{0,40})/.exec(text);
  if (!east) return parseDate(text.replace(/([ap])\.\s?m\b\.?/i, '$1m'));
  const [, year, month, day, rest = ''] = east;
  const clock = /(上午|下午|午前|午後)?\s?(\d{1,2}):(\d\d)(?::(\d\d))?/.exec(rest);
  const [, half, hours = '0', minutes = '0', seconds = '0'] = clock ?? [];
  const isAfternoon = half === '下午' || half === '午後';
  const hour = half === undefined ? Number(hours) : (Number(hours) % 12) + (isAfternoon ? 12 : 0);
  const two = (value: number | string | undefined) => String(value).padStart(2, '0');
  return parseDate(`${year}-${two(month)}-${two(day)} ${two(hour)}:${minutes}:${seconds}`);
}
