// Tokens and costs as a person reads them.
import { currentLanguage } from '../lib/words.ts';
import { deframerWords } from './words.ts';

const locale = () => (currentLanguage() === 'en' ? 'en-GB' : currentLanguage());

/** 940, 18k, 3.4M */
export const tokenCount = (n: number): string =>
  new Intl.NumberFormat(locale(), {
    notation: 'compact',
    maximumFractionDigits: n < 1_000_000 ? 0 : 1,
  }).format(n);

/** In whatever currency the prices were given: what a single article took can be seen too. */
export const costText = (cost: number): string =>
  new Intl.NumberFormat(locale(), {
    minimumFractionDigits: 2,
    maximumFractionDigits: cost >= 0.1 || cost === 0 ? 2 : 4,
  }).format(cost);

/** `Every 30 min`, `Every hour` */
export function everyText(seconds: number): string {
  const { minutes, hours, days } = deframerWords().every;
  if (seconds % 86_400 === 0) return days(seconds / 86_400);
  if (seconds % 3_600 === 0) return hours(seconds / 3_600);
  return minutes(Math.max(1, Math.round(seconds / 60)));
}
