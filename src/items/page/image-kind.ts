// What an image is, told from its first bytes, and whether it is one that may be handed to a decoder at all.

export type ImageKind = 'jpeg' | 'png' | 'gif' | 'webp' | 'tiff' | 'heif' | 'svg';

const signatures: readonly { kind: ImageKind; at: number; text: string }[] = [
  { kind: 'jpeg', at: 0, text: '\xff\xd8\xff' },
  { kind: 'png', at: 0, text: '\x89PNG\r\n\x1a\n' },
  { kind: 'gif', at: 0, text: 'GIF87a' },
  { kind: 'gif', at: 0, text: 'GIF89a' },
  { kind: 'webp', at: 8, text: 'WEBP' },
  { kind: 'tiff', at: 0, text: 'II*\0' },
  { kind: 'tiff', at: 0, text: 'MM\0*' },
  ...['avif', 'avis', 'heic', 'heix', 'mif1', 'msf1'].map(
    (brand) => ({ kind: 'heif', at: 4, text: `ftyp${brand}` }) as const,
  ),
];

/** So much of a drawing is looked at for its root. */
const prologueBytes = 4_096;
/**
 * A document type that declares something is no part of it: what it declares could be an entity that names a file, or
 * one that grows without end. Nor is another charset, in which all of this could be written so that it is not seen here.
 */
const svgStart = new RegExp(
  [
    /^\s*(?:<\?xml (?:(?!encoding)[^?>])*(?:encoding=["']utf-8["'][^?>]*)?\?>\s*)?/,
    /(?:<!--(?:(?!-->)[\s\S])*-->\s*)*/,
    /(?:<!DOCTYPE svg[^>[]*>\s*)?/,
    /(?:<!--(?:(?!-->)[\s\S])*-->\s*)*/,
    /<svg[\s>]/,
  ]
    .map(({ source }) => source)
    .join(''),
  'i',
);

export function imageKind(bytes: Uint8Array): ImageKind | undefined {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, prologueBytes));
  const start = head.toString('latin1', 0, 16);
  const found = signatures.find(({ at, text }) => start.startsWith(text, at));
  if (found) return found.kind;
  const text = head.toString('utf8').replace(/^\ufeff/, '');
  return svgStart.test(text) ? 'svg' : undefined;
}
