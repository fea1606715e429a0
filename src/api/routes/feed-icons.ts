// The icon of a feed's site. It is somebody else's file under our own address: so its type is what its bytes say, and an
// SVG, which is a document, can run nothing and load nothing even when it is opened by itself.
import { z } from '@hono/zod-openapi';
import { namesEtag } from '../if-none-match.ts';
import type { Router } from '../router.ts';
import { idParam } from '../schemas.ts';

export const iconHeaders = {
  'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
  'X-Content-Type-Options': 'nosniff',
  'Content-Disposition': 'inline',
  'Cache-Control': 'private, max-age=86400',
};

export const iconResponses = {
  200: {
    description: 'An image: PNG, ICO, GIF, JPEG, WebP or SVG',
    content: { 'image/*': { schema: z.string().openapi({ format: 'binary' }) } },
  },
  304: { description: 'It is as the If-None-Match of the request says' },
};

export function feedIconRoutes(router: Router): void {
  router.user(
    {
      method: 'get',
      path: '/api/feeds/{id}/icon',
      tags: ['feeds'],
      summary: "The icon of the feed's site; fetched in the background, so a new feed has none yet",
      request: { params: idParam },
      responses: iconResponses,
    },
    async (c) => {
      const { type, etag, bytes } = await c.get('actor').rows.feeds.getIcon(c.req.valid('param').id);
      const headers = { ...iconHeaders, ETag: etag };
      if (namesEtag(c.req.header('if-none-match'), etag)) return c.body(null, 304, headers) as never;
      return c.body(new Uint8Array(bytes), 200, { ...headers, 'Content-Type': type }) as never;
    },
  );
}
