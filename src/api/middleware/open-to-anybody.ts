// Paths that pages of any site may read, such as a plugin of a browser: without cookies, which `*` rules out, and with a
// token in their own hands. The list of allowed origins says nothing of them.
import type { MiddlewareHandler } from 'hono';
import type { ApiEnv } from '../context.ts';

export const anybodyHeaders = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'ETag, Last-Modified',
  'cross-origin-resource-policy': 'cross-origin',
} as const;

const usualHeaders = 'Authorization, If-None-Match, If-Modified-Since';
const namesOfHeaders = /^[\w-]{1,64}(\s*,\s*[\w-]{1,64}){0,30}$/;

/** Answers the question whether one may ask, and lets a refusal be read. An answer brings these headers itself. */
export const openToAnybody: MiddlewareHandler<ApiEnv> = async (c, next) => {
  if (c.req.method === 'OPTIONS') {
    const asked = c.req.header('access-control-request-headers')?.trim() ?? '';
    return c.body(null, 204, {
      ...anybodyHeaders,
      Allow: 'GET, HEAD, OPTIONS',
      'access-control-allow-methods': 'GET, HEAD',
      'access-control-allow-headers': namesOfHeaders.test(asked) ? asked : usualHeaders,
      'access-control-max-age': '86400',
      vary: 'Access-Control-Request-Headers',
    });
  }
  await next();
  if (c.res.status < 400) return;
  for (const [name, value] of Object.entries(anybodyHeaders)) c.res.headers.set(name, value);
};
