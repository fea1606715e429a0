// How a tag is written: two that a person would take for one are one.
import { itemLimits } from '../model/item.ts';

/** Undefined for what is no tag. */
export function parseTagName(text: string): string | undefined {
  const name = text.replace(/\s+/g, ' ').trim().toLowerCase().normalize('NFC');
  const length = [...name].length;
  return length === 0 || length > itemLimits.tag || /[\p{Cc},]/u.test(name) ? undefined : name;
}
