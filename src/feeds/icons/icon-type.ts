// What an image is, told from its bytes. What a server says of it is not asked: a page sent in place of an icon says
// that it is one, and a browser must never be told that something is what it is not.
import { isUtf8 } from 'node:buffer';

const signatures: readonly { type: string; bytes: readonly (number | undefined)[] }[] = [
  { type: 'image/png', bytes: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a] },
  { type: 'image/gif', bytes: [0x47, 0x49, 0x46, 0x38, 0x37, 0x61] },
  { type: 'image/gif', bytes: [0x47, 0x49, 0x46, 0x38, 0x39, 0x61] },
  { type: 'image/jpeg', bytes: [0xff, 0xd8, 0xff] },
  {
    type: 'image/webp',
    bytes: [0x52, 0x49, 0x46, 0x46, undefined, undefined, undefined, undefined, 0x57, 0x45, 0x42, 0x50],
  },
  { type: 'image/x-icon', bytes: [0x00, 0x00, 0x01, 0x00] },
];

/** Undefined for what no browser would show as an icon. */
export function iconType(bytes: Uint8Array): string | undefined {
  const found = signatures.find(({ bytes: signature }) =>
    signature.every((byte, at) => byte === undefined || byte === bytes[at]),
  );
  if (found) return found.type;
  return isSvg(bytes) ? 'image/svg+xml' : undefined;
}

const beforeTheRoot = /\s+|<\?[^>]*>|<!--.*?-->|<!DOCTYPE[^[>]*(?:\[[^\]]*\]\s*)?>/isy;
const svgRoot = /<svg[\s>]/y;

/** A document whose root is an svg of the right namespace: without that, a browser would not draw it. */
function isSvg(bytes: Uint8Array): boolean {
  if (!isUtf8(bytes)) return false;
  const text = new TextDecoder().decode(bytes);
  let at = 0;
  for (;;) {
    beforeTheRoot.lastIndex = at;
    if (!beforeTheRoot.test(text)) break;
    at = beforeTheRoot.lastIndex;
  }
  svgRoot.lastIndex = at;
  return svgRoot.test(text) && text.includes('http://www.w3.org/2000/svg');
}
