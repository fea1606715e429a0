// Moments as reader apps send them: Unix time in seconds, or in a finer unit, which only the number of digits tells.
import { Invalid } from '../../../errors.ts';
import type { Millis } from '../../../model/glossary.ts';

/** By how many digits a time has that is neither long ago nor far ahead. */
const units = [
  { digits: 11, toMillis: (seconds: number) => seconds * 1_000 },
  { digits: 14, toMillis: (millis: number) => millis },
  { digits: 17, toMillis: (micros: number) => Math.floor(micros / 1_000) },
  { digits: 19, toMillis: (nanos: number) => Math.floor(nanos / 1_000_000) },
];

export function parseMoment(name: string, text: string): Millis {
  const digits = /^0*(\d{1,19})$/.exec(text.trim())?.[1];
  const unit = units.find((one) => (digits ?? '').length <= one.digits);
  if (digits === undefined || unit === undefined)
    throw new Invalid(`${name}: expected a Unix time in seconds or microseconds`);
  return unit.toMillis(Number(digits));
}
