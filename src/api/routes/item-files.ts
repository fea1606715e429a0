// What the library keeps of an item, and the icon of its site. Whose the item is, is asked before any file is touched.
import { z } from '@hono/zod-openapi';
import { NotFound } from '../../errors.ts';
import type { Item } from '../../model/item.ts';
import type { UserRows } from '../../store/store.ts';
import type { ApiDeps } from '../context.ts';
import { namesEtag } from '../if-none-match.ts';
import { escapeHtml } from '../pages/page.ts';
import { type PermanentCopy, sendPermanentCopy } from '../pages/permanent-copy.ts';
import { sendArticle } from '../pages/reading-page.ts';
import type { Router } from '../router.ts';
import { articleResponses, idParam } from '../schemas.ts';
import { iconHeaders, iconResponses } from './feed-icons.ts';

const path = '/api/v1/items/{id}';
const tags = ['items'];

/** Short, since the same address has another picture after the page was fetched anew. */
const thumbnailHeaders = {
  'Content-Security-Policy': "default-src 'none'; sandbox",
  'X-Content-Type-Options': 'nosniff',
  'Content-Disposition': 'inline',
  'Cache-Control': 'private, max-age=300',
};

export function itemFileRoutes(router: Router, { files }: Pick<ApiDeps, 'files'>): void {
  router.user(
    {
      method: 'get',
      path: `${path}/thumbnail`,
      tags,
      summary: "A picture of the item's page",
      request: { params: idParam },
      responses: {
        200: {
          description: 'A JPEG of 600 by 400',
          content: { 'image/jpeg': { schema: z.string().openapi({ format: 'binary' }) } },
        },
        304: { description: 'It is as the If-None-Match of the request says' },
      },
    },
    async (c) => {
      const { user, rows } = c.get('actor');
      const item = await rows.items.getEvenDeleted(c.req.valid('param').id);
      const key = thumbnailKeyOf(item, user.id);
      const etag = `"${item.thumbnailSha256}"`;
      const headers = { ...thumbnailHeaders, ETag: etag };
      if (namesEtag(c.req.header('if-none-match'), etag)) return c.body(null, 304, headers) as never;
      const bytes = await files.read(key);
      if (!bytes) throw new NotFound('thumbnail');
      return c.body(new Uint8Array(bytes), 200, { ...headers, 'Content-Type': 'image/jpeg' }) as never;
    },
  );

  router.user(
    {
      method: 'get',
      path: `${path}/content`,
      tags,
      summary: 'The readable copy of an item as a document, to be shown in a frame',
      request: { params: idParam },
      responses: articleResponses,
    },
    async (c) => {
      const { rows } = c.get('actor');
      const item = await rows.items.get(c.req.valid('param').id);
      const content =
        (await readCopy(item)) ?? (await bookmarkedContent(rows, item)) ?? (await readRaindrop(item));
      if (content === undefined) throw new NotFound('content');
      return sendArticle(c, { title: item.title, link: item.url, content }) as never;
    },
  );

  router.user(
    {
      method: 'get',
      path: `${path}/permacopy`,
      tags,
      summary: 'The permanent copy that Raindrop made of the page, as it came',
      request: { params: idParam },
      responses: {
        200: {
          description: 'A document that may run nothing and load nothing',
          content: { 'text/html': { schema: z.string() } },
        },
        304: { description: 'It is as the If-None-Match of the request says' },
      },
    },
    async (c) => {
      const { rows } = c.get('actor');
      const copy = await readPermanentCopy(await rows.items.get(c.req.valid('param').id));
      if (!copy) throw new NotFound('permanent copy');
      return sendPermanentCopy(c, copy) as never;
    },
  );

  router.user(
    {
      method: 'get',
      path: `${path}/icon`,
      tags,
      summary: "The icon of the item's site; fetched in the background, so a new item may have none yet",
      request: { params: idParam },
      responses: iconResponses,
    },
    async (c) => {
      const { type, etag, bytes } = await c.get('actor').rows.items.getIcon(c.req.valid('param').id);
      const headers = { ...iconHeaders, ETag: etag };
      if (namesEtag(c.req.header('if-none-match'), etag)) return c.body(null, 304, headers) as never;
      return c.body(new Uint8Array(bytes), 200, { ...headers, 'Content-Type': type }) as never;
    },
  );

  /** Its text, by paragraphs: the copy itself was made by somebody else's browser, and is shown as it is at /permacopy. */
  async function readRaindrop({ raindropId, hasPermanentCopy }: Item): Promise<string | undefined> {
    if (raindropId === null || !hasPermanentCopy) return undefined;
    const bytes = await files.read(`raindrops/${raindropId}/plain.txt`);
    const lines = bytes && new TextDecoder().decode(bytes).split('\n');
    return lines?.map((line) => `<p>${escapeHtml(line)}</p>`).join('\n');
  }

  async function readPermanentCopy({
    raindropId,
    hasPermanentCopy,
  }: Item): Promise<PermanentCopy | undefined> {
    if (raindropId === null || !hasPermanentCopy) return undefined;
    const bytes = await files.read(`raindrops/${raindropId}/permacopy.html`);
    const meta = await files.read(`raindrops/${raindropId}/meta.json`);
    if (!bytes || !meta) return undefined;
    const { content_type: type, sha256 } = JSON.parse(new TextDecoder().decode(meta));
    return { bytes, type: String(type), etag: `"${sha256}"` };
  }

  async function readCopy({ id, snapshotKey }: Item): Promise<string | undefined> {
    if (snapshotKey !== `items/${id}`) return undefined;
    const bytes = await files.read(`${snapshotKey}/readable.html`);
    return bytes && new TextDecoder().decode(bytes);
  }
}

/** A row that named another's file, by whatever mistake, must not show it. */
function thumbnailKeyOf({ id, thumbnailKey, thumbnailSha256 }: Item, userId: number): string {
  if (thumbnailSha256 === null || thumbnailKey !== `${userId}/${id}.jpg`) throw new NotFound('thumbnail');
  return `thumbnails/${thumbnailKey}`;
}

async function bookmarkedContent({ bookmarks }: UserRows, item: Item): Promise<string | undefined> {
  if (item.bookmarkId === null || !item.hasContent) return undefined;
  return (await bookmarks.get(item.bookmarkId)).content || undefined;
}
