// How an entry's id is written in the Google Reader API: as 16 hexadecimal digits, with or without a prefix, or in decimal.
import { Invalid } from '../../../errors.ts';

const prefix = 'tag:google.com,2005:reader/item/';

/** What no entry has: of ids that are well formed, but greater than ours can be, or negative. */
export const nobodysId = 0;

export function longItemId(id: number): string {
  return prefix + id.toString(16).padStart(16, '0');
}

/**
 * Undefined if it is none of the forms. A number without the prefix that begins with 0 is hexadecimal, since ours are
 * short enough to begin with 0 when they are written with 16 digits; any other is decimal if it can be.
 */
export function parseItemId(text: string): number | undefined {
  const trimmed = text.trim();
  const isLong = trimmed.toLowerCase().startsWith(prefix);
  const number = isLong ? trimmed.slice(prefix.length) : trimmed;
  if (!isLong && /^([1-9]\d{0,19}|-\d{1,19})$/.test(number)) return known(BigInt(number));
  return /^[0-9a-f]{1,16}$/i.test(number) ? known(BigInt(`0x${number}`)) : undefined;
}

function known(id: bigint): number {
  return id > 0n && id <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(id) : nobodysId;
}

/** Those of a request, each once, in the order in which they are sent. */
export function parseItemIds(parameters: URLSearchParams): number[] {
  const texts = parameters.getAll('i');
  if (texts.length === 0) throw new Invalid('i: expected the ids of items');
  const ids = texts.map((text) => {
    const id = parseItemId(text);
    if (id === undefined) throw new Invalid(`i: ${text.slice(0, 100)} is not the id of an item`);
    return id;
  });
  return [...new Set(ids)];
}
