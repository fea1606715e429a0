// On every answer; an answer that has its own, as a copy of a foreign page has, keeps it.
import type { MiddlewareHandler } from 'hono';

/** The page has its scripts and styles as files, and talks to nobody but this host. */
export const pagePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "frame-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

export const commonHeaders = {
  'Content-Security-Policy': pagePolicy,
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Strict-Transport-Security': 'max-age=31536000',
} as const;

export const withCommonHeaders: MiddlewareHandler = async (c, next) => {
  await next();
  for (const [name, value] of Object.entries(commonHeaders))
    if (!c.res.headers.has(name)) c.header(name, value);
  if (c.req.path.startsWith('/api/') && !c.res.headers.has('Cache-Control'))
    c.header('Cache-Control', 'no-store');
};
