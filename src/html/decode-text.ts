// Bytes to text. What servers and documents say about their charset is often wrong, so each claim is tried
// strictly, and UTF-8, which hardly ever fits by accident, is believed over a claim of a single-byte charset.

export interface EncodedDocument {
  readonly bytes: Uint8Array;
  readonly contentType: string | null;
}

export function decodeText({ bytes, contentType }: EncodedDocument): string {
  const marked = charsetOfMark(bytes);
  if (marked !== undefined) return decode(marked, bytes, false);
  const claims = [charsetOfHeader(contentType), charsetOfDeclaration(bytes)]
    .map(knownCharset)
    .filter((charset) => charset !== undefined)
    // The declaration was read as ASCII: whoever claims UTF-16 there is wrong.
    .filter((charset) => !charset.startsWith('utf-16'));
  const utf8 = tryDecode('utf-8', bytes);
  for (const charset of claims) {
    const overruled = utf8 !== undefined && isSingleByte(charset);
    const text = overruled ? utf8 : charset === 'utf-8' ? utf8 : tryDecode(charset, bytes);
    if (text !== undefined) return text;
  }
  return utf8 ?? decodeDamaged(bytes);
}

/**
 * The charset alone, for a document that is too large to be decoded at once. Memory for a small part of it is all that this
 * takes.
 */
export function charsetOf({ bytes, contentType }: EncodedDocument): string {
  const marked = charsetOfMark(bytes);
  if (marked !== undefined) return marked;
  if (isUtf8(bytes)) return 'utf-8';
  const claims = [charsetOfHeader(contentType), charsetOfDeclaration(bytes)].map(knownCharset);
  return claims.find((charset) => charset !== undefined && !charset.startsWith('utf-')) ?? 'windows-1252';
}

const checkedAtOnce = 64 * 1024;

function isUtf8(bytes: Uint8Array): boolean {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false });
  try {
    for (let at = 0; at < bytes.length; at += checkedAtOnce)
      decoder.decode(bytes.subarray(at, at + checkedAtOnce), { stream: true });
    decoder.decode();
    return true;
  } catch {
    return false;
  }
}

function charsetOfMark(bytes: Uint8Array): string | undefined {
  const [a, b, c, d] = bytes;
  if (a === 0xef && b === 0xbb && c === 0xbf) return 'utf-8';
  if (a === 0xff && b === 0xfe) return 'utf-16le';
  if (a === 0xfe && b === 0xff) return 'utf-16be';
  // Without a mark, the first "<" or "{" gives it away.
  if ((a === 0x3c || a === 0x7b) && b === 0 && c !== 0 && d === 0) return 'utf-16le';
  if (a === 0 && (b === 0x3c || b === 0x7b) && c === 0 && d !== 0) return 'utf-16be';
  return undefined;
}

function charsetOfHeader(contentType: string | null): string | undefined {
  return /charset\s*=\s*["']?([\w:.-]{1,40})/i.exec((contentType ?? '').slice(0, 500))?.[1];
}

/** `<?xml encoding="..."?>`, or the `<meta charset>` of a page. */
function charsetOfDeclaration(bytes: Uint8Array): string | undefined {
  const head = decode('windows-1252', bytes.subarray(0, 1024), false);
  return /(?:encoding|charset)\s{0,9}=\s{0,9}["']?([\w:.-]{1,40})/i.exec(head)?.[1];
}

function knownCharset(label: string | undefined): string | undefined {
  if (label === undefined) return undefined;
  try {
    return new TextDecoder(label).encoding;
  } catch {
    return undefined;
  }
}

function isSingleByte(charset: string): boolean {
  return /^(windows-(?!949)|iso-8859-|koi8|macintosh|x-mac|ibm866)/.test(charset);
}

/**
 * UTF-8 with a few bad bytes (a cut in the middle of a letter, one pasted field) stays UTF-8; a document in which
 * most letters are wrong was never UTF-8.
 */
function decodeDamaged(bytes: Uint8Array): string {
  const text = decode('utf-8', bytes, false);
  let bad = 0;
  let good = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0xfffd) bad++;
    else if (code > 0x7f) good++;
  }
  return bad > good ? decode('windows-1252', bytes, false) : text;
}

function tryDecode(charset: string, bytes: Uint8Array): string | undefined {
  try {
    return decode(charset, bytes, true);
  } catch {
    return undefined;
  }
}

function decode(charset: string, bytes: Uint8Array, fatal: boolean): string {
  return new TextDecoder(charset, { fatal, ignoreBOM: false }).decode(bytes);
}
