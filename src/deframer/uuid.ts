import type { RandomText } from '../model/glossary.ts';

/** Version 4, as RFC 9562 has it. */
export function newUuid(randomText: RandomText): string {
  const bytes = Buffer.from(randomText(16), 'base64url');
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
