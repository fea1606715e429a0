// Dates as feeds and pages write them. RFC 822 and ISO 8601 are what the standards ask for; everything else is what is found.

const minute = 60_000;
/** No date in use is longer. Beyond it nothing is read, so no pattern meets a long text. */
const maxChars = 100;

/** Milliseconds since 1970, or null if no date can be read with some certainty. */
export function parseDate(text: string): number | null {
  const trimmed = text
    .slice(0, maxChars * 10)
    .trim()
    .replace(/\s+/g, ' ');
  if (trimmed === '' || trimmed.length > maxChars) return null;
  const written = latinDigits(trimmed);
  return parseUnix(written) ?? parseIso(written) ?? parseKorean(written) ?? parseWords(written);
}

/** Seconds or milliseconds since 1970, from 2001 to 2286. */
function parseUnix(text: string): number | null {
  if (/^1\d{12}$/.test(text)) return Number(text);
  return /^1\d{9}$/.test(text) ? Number(text) * 1000 : null;
}

/** W3C-DTF with all that is left out or added: `2003`, `2003-12`, `20031231T101455Z`, `2003-12-31 10:14 +0100`. */
function parseIso(text: string): number | null {
  const date = /^(\d{4})(?:[-/.]?(\d{1,2})(?:[-/.]?(\d{1,2}))?)?(?:[T ,]+(.{1,60}))?$/i.exec(text);
  if (!date) return null;
  const [, year, month = '1', day = '1', rest = ''] = date;
  const clock = parseClock(rest);
  return clock && combine(Number(year), Number(month), Number(day), clock);
}

/** `2004년 05월 28일 오후 11:31:15`, of Korean blog hosts. */
function parseKorean(text: string): number | null {
  const found = /^(\d{4})년 ?(\d{1,2})월 ?(\d{1,2})일 ?(오전|오후)? ?(\d{1,2}):(\d\d)(?::(\d\d))?$/.exec(
    text,
  );
  if (!found) return null;
  const [, year, month, day, half, hours, minutes, seconds = '0'] = found;
  const hour = (Number(hours) % (half ? 12 : 24)) + (half === '오후' ? 12 : 0);
  const offsetMinutes = 9 * 60;
  return combine(Number(year), Number(month), Number(day), {
    ms: ((hour * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000,
    offsetMinutes,
  });
}

/** RFC 822 and its kin: words and numbers in some order, with a month by name. */
function parseWords(written: string): number | null {
  const text = written.replace(/(\d)T(\d)/, '$1 $2');
  const clockAt =
    /\b\d{1,2}:\d\d(?::\d\d(?:[.,]\d{1,9})?)?(?: ?[ap]\.?m\b\.?)?/i.exec(text) ??
    /(?<= )\d{1,2}\.\d\d(?:\.\d\d)?(?![.\d])/.exec(text);
  const before = clockAt ? text.slice(0, clockAt.index) : text;
  const after = clockAt ? text.slice(clockAt.index + clockAt[0].length) : '';
  const words = before.split(/[\s,./-]+/).filter((word) => word !== '');
  // asctime and `date` put the year last: Sun Jan  4 16:29:06 PST 2004
  const yearBehind = /(?:^|\s)(\d{4})\s*$/.exec(after)?.[1];
  let month: number | undefined;
  const numbers: string[] = [];
  for (const word of words) {
    const digits = /^(\d{1,4})(?:st|nd|rd|th|º|ª)?$/i.exec(word)?.[1];
    if (digits !== undefined) numbers.push(digits);
    else month ??= monthOf(word);
  }
  if (yearBehind !== undefined && numbers.every((digits) => digits.length < 4)) numbers.push(yearBehind);
  const zone = yearBehind === undefined ? after : after.replace(/\d{4}\s*$/, '');
  const clock = clockAt ? parseClock(`${clockAt[0]} ${zone}`) : midnight;
  if (!clock) return null;
  if (month === undefined) return numericDate(numbers, clock);
  const yearAt = numbers.findIndex((digits) => digits.length >= 3);
  const year = yearAt >= 0 ? numbers[yearAt] : numbers[1];
  const day = yearAt === 0 ? numbers[1] : numbers[0];
  if (year === undefined || day === undefined) return null;
  return combine(fullYear(year), month, Number(day), clock);
}

/** `31/12/2003`: the day first, as most of the world writes, unless that cannot be. */
function numericDate(numbers: readonly string[], clock: Clock): number | null {
  const [first, second, year] = numbers;
  if (first === undefined || second === undefined || year === undefined || numbers.length !== 3) return null;
  if (year.length !== 4 || first.length > 2) return null;
  const dayFirst = Number(second) <= 12;
  return combine(Number(year), Number(dayFirst ? second : first), Number(dayFirst ? first : second), clock);
}

/** RFC 2822, 4.3: two digits below 50 are of this century, three count from 1900. */
function fullYear(digits: string): number {
  const year = Number(digits);
  if (digits.length === 2) return year < 50 ? 2000 + year : 1900 + year;
  return digits.length === 3 ? 1900 + year : year;
}

interface Clock {
  readonly ms: number;
  readonly offsetMinutes: number;
}
const midnight: Clock = { ms: 0, offsetMinutes: 0 };

function parseClock(text: string): Clock | null {
  if (text.trim() === '') return midnight;
  const found =
    /^(\d{1,2})[:.]?(\d\d)(?:[:.]?(\d\d)(?:[.,](\d{1,9}))?)? ?([ap]\.?m\b\.?)?(.*)$/i.exec(text) ??
    /^(\d{1,2})()()()([ap]\.?m\b\.?)?(.*)$/i.exec(text);
  if (!found) return null;
  const [, hours, minutes = '', seconds = '', fraction = '', half = '', zone = ''] = found;
  let hour = Number(hours);
  if (half) hour = (hour % 12) + (/^p/i.test(half) ? 12 : 0);
  // A minute may have 61 seconds, and a day may end at 24:00.
  if (hour > 24 || Number(minutes) > 59 || Number(seconds) > 60) return null;
  const ms = ((hour * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000;
  return { ms: ms + Math.floor(Number(`0.${fraction || '0'}`) * 1000), offsetMinutes: offsetOf(zone) };
}

/** Minutes east of Greenwich. What is unknown counts as Greenwich. */
function offsetOf(zone: string): number {
  const numeric = /([+-]|−) ?(\d{1,2}):?(\d\d)?(?!\d)/.exec(zone);
  if (numeric) {
    const [, sign, hours, minutes = '0'] = numeric;
    const size = Number(hours) * 60 + Number(minutes);
    return size > 14 * 60 ? 0 : sign === '+' ? size : -size;
  }
  const name = /[a-z]{1,5}/i.exec(zone)?.[0].toUpperCase() ?? '';
  return (zones.get(name) ?? 0) * 60;
}

const zones = new Map<string, number>(
  Object.entries({
    ...{
      EST: -5,
      EDT: -4,
      ET: -5,
      CST: -6,
      CDT: -5,
      CT: -6,
      MST: -7,
      MDT: -6,
      MT: -7,
      PST: -8,
      PDT: -7,
      PT: -8,
    },
    ...{ AKST: -9, AKDT: -8, HST: -10, AST: -4, ADT: -3, NST: -3.5, NDT: -2.5, BRT: -3, ART: -3 },
    ...{
      WET: 0,
      WEST: 1,
      BST: 1,
      IST: 5.5,
      CET: 1,
      CEST: 2,
      MEZ: 1,
      MESZ: 2,
      EET: 2,
      EEST: 3,
      MSK: 3,
      SAST: 2,
    },
    ...{ PKT: 5, ICT: 7, WIB: 7, SGT: 8, HKT: 8, AWST: 8, JST: 9, KST: 9, ACST: 9.5, AEST: 10, AEDT: 11 },
    ...{ NZST: 12, NZDT: 13 },
  }),
);

function combine(year: number, month: number, day: number, { ms, offsetMinutes }: Clock): number | null {
  if (month < 1 || month > 12 || day < 1 || day > 31 || year < 1 || year > 9999) return null;
  const date = new Date(0);
  // February 30 becomes March 1 or 2: a slip of one day is better than no date.
  date.setUTCFullYear(year, month - 1, day);
  return date.getTime() + ms - offsetMinutes * minute;
}

/** By their first letters, in the languages whose feeds were seen; English first, as it wins where two meet. */
const months: readonly RegExp[] = [
  /^(jan|ene|gen|янв|ιαν|sty|led|oca|tammi)/,
  /^(feb|fev|fév|fév|фев|φεβ|lut|úno|şub|helmi)/,
  /^(mar|mär|maa|mrt|мар|μαρ|μάρ|bře|már)/,
  /^(apr|abr|avr|апр|απρ|kwi|dub|nis|huhti|ápr)/,
  /^(may|mai|mag|mei|maj|май|мая|μαϊ|μαι|μάι|kvě|máj|touko)/,
  /^(jun|jui?n$|giu|июн|ιουν|ιούν|cze|červen$|června|haz|kesä|jún)/,
  /^(jul|jui?l|lug|июл|ιουλ|ιούλ|lip|červenec|července|tem|heinä|júl)/,
  /^(aug|ago|aoû|aou|авг|αυγ|αύγ|sie|srp|ağu|elo)/,
  /^(sep|set|сен|σεπ|wrz|zář|eyl|syys|sze)/,
  /^(oct|okt|ott|out|окт|οκτ|paź|říj|eki|loka)/,
  /^(nov|ноя|νοε|νοέ|lis|kas|marras)/,
  /^(dec|dez|déc|dic|дек|δεκ|gru|pro|ara|joulu)/,
];

function monthOf(word: string): number | undefined {
  const name = word.toLowerCase().normalize('NFC');
  // Italian and Finnish days begin like months: martedì, maanantai.
  if (/^(mart|mard|mari|maan|lunes|domin)/.test(name)) return undefined;
  const found = months.findIndex((pattern) => pattern.test(name));
  return found < 0 ? undefined : found + 1;
}

function latinDigits(text: string): string {
  return text.replace(/[٠-٩۰-۹０-９]/g, (digit) => String(digit.charCodeAt(0) & 0xf).slice(-1));
}
