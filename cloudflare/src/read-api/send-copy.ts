// A permanent copy as the web made it: nothing in it may run, load or look at the page that shows it.
import { ApiError } from './api-error.ts';
import { findMeta, objectKey } from './stored-objects.ts';

/** Without a name for it in the sandbox, scripts, forms, popups and the origin of this host are all taken away. */
const policy = [
  'sandbox',
  "default-src 'none'",
  'img-src data:',
  "style-src 'unsafe-inline' data:",
  'font-src data:',
  'media-src data:',
  "frame-ancestors 'self'",
].join('; ');

export const untrustedHeaders = {
  'Content-Security-Policy': policy,
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cache-Control': 'private, no-cache',
} as const;

export async function sendCopy(bucket: R2Bucket, id: number): Promise<Response> {
  const [object, meta] = await Promise.all([
    bucket.get(objectKey(id, 'permacopy.html')),
    findMeta(bucket, id),
  ]);
  if (!object) throw new ApiError(404, `raindrop ${id} has no permanent copy here`);
  const type = typeof meta?.content_type === 'string' ? meta.content_type : object.httpMetadata?.contentType;
  return new Response(object.body, { headers: { ...untrustedHeaders, ...typeHeaders(type ?? '', id) } });
}

export async function sendText(bucket: R2Bucket, id: number): Promise<Response> {
  const object = await bucket.get(objectKey(id, 'plain.txt'));
  if (!object) throw new ApiError(404, `raindrop ${id} has no text here`);
  return new Response(object.body, {
    headers: { ...untrustedHeaders, 'Content-Type': 'text/plain; charset=utf-8' },
  });
}

/**
 * The true type where it is one to look at. Any other becomes one that no browser takes for a script or a style sheet: the
 * page allows those of its own host, and a copy is on that host.
 */
function typeHeaders(contentType: string, id: number): Record<string, string> {
  const [type = '', ...parameters] = contentType.toLowerCase().split(';');
  const name = type.trim();
  const charset = parameters.map((p) => /^\s*charset="?([\w-]+)"?\s*$/.exec(p)?.[1]).find(Boolean);
  const suffix = charset ? `; charset=${charset}` : '';
  if (name === 'text/html' || name === 'application/xhtml+xml') return { 'Content-Type': name + suffix };
  if (name === 'application/pdf' || /^image\/[\w.+-]+$/.test(name)) return { 'Content-Type': name };
  if (/^text\/[\w.+-]+$/.test(name)) return { 'Content-Type': `text/plain${suffix}` };
  return {
    'Content-Type': 'application/octet-stream',
    'Content-Disposition': `attachment; filename="raindrop-${id}"`,
  };
}
