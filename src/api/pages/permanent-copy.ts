// The copy of a page that somebody else's browser has made, as it came. Whatever is in it may run nothing, send nothing and load
// nothing: what belongs to it is inside of it.
import type { Context } from 'hono';
import { articleCaching } from '../article-caching.ts';
import type { ApiEnv } from '../context.ts';
import { namesEtag } from '../if-none-match.ts';

export interface PermanentCopy {
  readonly bytes: Uint8Array;
  /** As its server said. */
  readonly type: string;
  readonly etag: string;
}

const policy = [
  'sandbox',
  "default-src 'none'",
  'img-src data:',
  'media-src data:',
  'font-src data:',
  "style-src 'unsafe-inline' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'self'",
].join('; ');

/** What a browser shows by itself; anything else is for saving. */
const shown = /^(text\/(html|plain)|application\/(xhtml\+xml|pdf)|image\/(png|jpeg|gif|webp|avif))$/;

export function sendPermanentCopy(c: Context<ApiEnv>, { bytes, type, etag }: PermanentCopy): Response {
  const [base = '', charset] = /^([\w.+/-]+)(?:\s*;\s*charset=["']?([\w-]+))?/i.exec(type)?.slice(1) ?? [];
  const isShown = shown.test(base.toLowerCase());
  const headers = {
    'Content-Security-Policy': policy,
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Cache-Control': articleCaching(c),
    ETag: etag,
  };
  if (namesEtag(c.req.header('if-none-match'), etag)) return c.body(null, 304, headers);
  return c.body(new Uint8Array(bytes), 200, {
    ...headers,
    'Content-Type': isShown
      ? `${base.toLowerCase()}${charset ? `; charset=${charset}` : ''}`
      : 'application/octet-stream',
    'Content-Disposition': isShown ? 'inline' : 'attachment; filename="copy"',
  });
}
