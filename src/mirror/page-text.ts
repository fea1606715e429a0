// The text of a permanent copy, in little more memory than the copy and its text take.
import { charsetOf } from '../html/decode-text.ts';
import { TextReader } from '../html/text-reader.ts';

const pieceBytes = 64 * 1024;

/** Undefined for what has no text that can be read here, such as a picture. */
export function pageText(bytes: Uint8Array, contentType: string): string | undefined {
  const type = contentType.split(';')[0]?.trim().toLowerCase() ?? '';
  const isHtml = type === '' || type.includes('html') || type.includes('xml');
  if (!isHtml && !type.startsWith('text/')) return undefined;
  const decoder = new TextDecoder(charsetOf({ bytes, contentType }));
  const reader = new TextReader();
  let plain = '';
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    const piece = decoder.decode(bytes.subarray(at, at + pieceBytes), { stream: true });
    if (isHtml) reader.write(piece);
    else plain += piece;
  }
  const rest = decoder.decode();
  if (!isHtml) return clean(plain + rest);
  reader.write(rest);
  return clean(reader.end());
}

/** No database takes U+0000. */
function clean(text: string): string {
  return text.replaceAll('\0', '').toWellFormed();
}
