import type { Context } from 'hono';
import type { ApiEnv } from './context.ts';

/**
 * Cache-Control of a private article. Clear-Site-Data removes it from the browser at log-out. Browsers ignore that header on plain
 * HTTP, so there the article is not stored.
 */
export function articleCaching(c: Context<ApiEnv>): string {
  return c.get('client').secure ? 'private, no-cache' : 'no-store';
}
