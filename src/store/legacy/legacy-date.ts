// Dates as old databases hold them: what Go printed, what GORM wrote, or a number. Pure.
import type { Millis } from '../../model/glossary.ts';

/** From here on a number cannot be of that unit any more: it would be a date after the year 5000. */
const beyondSeconds = 1e11;
const beyondMillis = 1e14;
const beyondMicros = 1e17;
const beyondNanos = 1e20;

/** The end of the year 9999. */
const latest = 253_402_300_799_999;

/**
 * Undefined for what is no date, and for the zero of Go or of Unix, by which a program says that there is none.
 * Nothing that a feed has published is older than 1970.
 */
export function parseLegacyDate(value: unknown): Millis | undefined {
  const millis =
    typeof value === 'bigint' || typeof value === 'number'
      ? fromNumber(Number(value))
      : typeof value === 'string'
        ? fromText(value.trim())
        : undefined;
  return millis !== undefined && millis > 0 && millis <= latest ? millis : undefined;
}

/** Seconds, unless it is too large for them. */
function fromNumber(value: number): Millis | undefined {
  const size = Math.abs(value);
  if (!Number.isFinite(value) || size >= beyondNanos) return undefined;
  if (size < beyondSeconds) return Math.floor(value * 1000);
  if (size < beyondMillis) return Math.floor(value);
  return Math.floor(value / (size < beyondMicros ? 1_000 : 1_000_000));
}

/**
 * A day, and perhaps a time of it, and perhaps where: `2006-01-02`, `2006-01-02T15:04:05.999999999+08:00`,
 * `2006-01-02 15:04:05`, `2006-01-02 15:04:05.9 -0700 MST m=+0.1`. Without a zone it is Greenwich.
 */
const written =
  /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)? ?(?:Z|UTC|GMT|([+-])(\d\d):?(\d\d)(?::?\d\d)?)?(?: [A-Za-z0-9+-]{1,10})?(?: m=\S{1,40})?)?$/i;

function fromText(text: string): Millis | undefined {
  if (/^[+-]?\d{1,20}(\.\d{1,20})?(e[+-]?\d{1,3})?$/i.test(text)) return fromNumber(Number(text));
  const found = written.exec(text);
  if (!found) return undefined;
  const [, year, month, day, hour = '0', minute = '0', second = '0', fraction = '', sign, ...east] = found;
  const [eastHours, eastMinutes] = east.map(Number);
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 60) return undefined;
  const midnight = Date.UTC(Number(year), Number(month) - 1, Number(day));
  // Date.UTC takes the 31st of February for a day in March.
  if (new Date(midnight).getUTCDate() !== Number(day) || Number(month) > 12) return undefined;
  const clock = ((Number(hour) * 60 + Number(minute)) * 60 + Number(second)) * 1000;
  const offset = sign ? ((eastHours ?? 0) * 60 + (eastMinutes ?? 0)) * 60_000 : 0;
  return midnight + clock + Number(fraction.padEnd(3, '0').slice(0, 3)) - (sign === '-' ? -offset : offset);
}
