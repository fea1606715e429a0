// Addresses found in documents of others: absolute, of a kind that can do no harm, or none at all.

const linkSchemes = new Set([
  'http:',
  'https:',
  'mailto:',
  'tel:',
  'magnet:',
  'gemini:',
  'ftp:',
  'xmpp:',
  'irc:',
]);
const webSchemes = new Set(['http:', 'https:']);
/** An image inside its own address. SVG is left out: it is a document. */
const inlineImage = /^data:image\/(png|jpe?g|gif|webp|avif);base64,[A-Za-z0-9+/=]+$/i;
const inlineImageMaxChars = 100_000;
const maxChars = 4_096;

/** Where a link may lead. */
export function safeLink(value: string, base: string | null): string | undefined {
  return resolve(value, base, linkSchemes);
}

/** What may be loaded, or fetched by us. */
export function webUrl(value: string, base: string | null): string | undefined {
  return resolve(value, base, webSchemes);
}

export function imageUrl(value: string, base: string | null): string | undefined {
  const trimmed = value.trim();
  if (/^data:/i.test(trimmed)) {
    return trimmed.length <= inlineImageMaxChars && inlineImage.test(trimmed) ? trimmed : undefined;
  }
  return webUrl(trimmed, base);
}

function resolve(value: string, base: string | null, schemes: ReadonlySet<string>): string | undefined {
  const trimmed = value.trim();
  if (trimmed === '' || trimmed.length > maxChars) return undefined;
  const url = URL.parse(trimmed, base ?? undefined);
  return url && schemes.has(url.protocol) && url.href.length <= maxChars * 3 ? url.href : undefined;
}
