// Pages for a site on the loopback that are worth saving, and a library that has thousands of them already.
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { savedUrl } from '../../src/items/save-url.ts';
import type { Database } from '../../src/store/database.ts';
import { upsertItem } from '../../src/store/owned/item-rows.ts';
import { rowsOf } from '../../src/store/owned/owned-rows.ts';
import type { WebSite } from './web-site.ts';

export interface SavedPage {
  readonly title: string;
  readonly description?: string;
  readonly author?: string;
  readonly siteName?: string;
  /** Of the picture that it names. */
  readonly picture?: string;
  readonly body?: string;
}

const sentence =
  'It goes on for a while, as texts do that somebody has written with care and with time to spare.';

export const pageText = (title: string) => `This is the text of ${title}.`;

export function pageHtml({ title, description, author, siteName, picture, body }: SavedPage): string {
  const metas = [
    description && `<meta name="description" content="${attribute(description)}">`,
    author && `<meta name="author" content="${attribute(author)}">`,
    siteName && `<meta property="og:site_name" content="${attribute(siteName)}">`,
    picture && `<meta property="og:image" content="${attribute(picture)}">`,
  ];
  const paragraphs = `<p>${text(pageText(title))} ${sentence}</p>${`<p>${`${sentence} `.repeat(4)}</p>`.repeat(6)}`;
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${text(title)}</title>${metas.filter(Boolean).join('')}</head>
<body><main><article><h1>${text(title)}</h1>${body ?? paragraphs}</article></main></body></html>`;
}

export function putPage(site: WebSite, path: string, page: SavedPage, after?: Promise<unknown>): string {
  site.put(path, { type: 'text/html; charset=utf-8', body: pageHtml(page), ...(after && { after }) });
  return site.origin + path;
}

/** A picture of one colour, large enough to stand for a page. */
export async function putPicture(site: WebSite, path: string, colour: string): Promise<string> {
  const body = await sharp({ create: { width: 900, height: 600, channels: 3, background: colour } })
    .jpeg()
    .toBuffer();
  site.put(path, { type: 'image/jpeg', body: new Uint8Array(body) });
  return site.origin + path;
}

/** As an import would have left them: no page is asked for. The first is the oldest. */
export async function saveMany(db: Database, count: number, title: (n: number) => string): Promise<void> {
  const first = Date.now() - 400 * 86_400_000;
  const perTransaction = 250;
  const owner = await db.read.selectFrom('users').select('id').executeTakeFirstOrThrow();
  for (let from = 0; from < count; from += perTransaction) {
    await db.write(async (trx) => {
      for (let n = from; n < Math.min(count, from + perTransaction); n++) {
        const at = first + n * 60_000;
        const fields = { title: title(n), titleFrom: 'page', enrichment: 'succeeded', savedAt: at } as const;
        await upsertItem(db, trx, owner.id, savedUrl(`https://many.example/${n}`), fields, at);
      }
    });
  }
}

export interface WrittenItem {
  readonly url: string;
  readonly title: string;
  readonly excerpt: string;
  readonly author: string;
  readonly siteName: string;
  readonly tags: readonly string[];
  readonly collectionId: number;
  /** Why its page could not be read. */
  readonly error: string | null;
  /** What stands in readable.html. */
  readonly copy: string | null;
}

/** Rows and files as they are given, past every rule about them. The first is the newest. */
export async function writeItems(
  { db, folder }: { db: Database; folder: string },
  items: readonly WrittenItem[],
): Promise<void> {
  const owner = await db.read.selectFrom('users').select('id').executeTakeFirstOrThrow();
  const now = Date.now();
  await db.write(async (trx) => {
    for (const [n, { url, title, excerpt, tags, error, copy, ...item }] of items.entries()) {
      const at = now - (n + 1) * 60_000;
      const fields = { title, titleFrom: 'page', enrichment: 'succeeded', savedAt: at } as const;
      const { id } = await upsertItem(db, trx, owner.id, { url, key: `1:${n}` }, fields, at);
      const rows = rowsOf(trx, owner.id);
      await rows
        .update('items')
        .set({
          excerpt,
          author: item.author,
          site_name: item.siteName,
          collection_id: item.collectionId,
          enrichment_status: error === null ? 'succeeded' : 'failed',
          enrichment_error: error,
          ...(copy !== null && {
            snapshot_key: `items/${id}`,
            snapshot_files: JSON.stringify({
              'readable.html': createHash('sha256').update(copy).digest('hex'),
            }),
          }),
        })
        .where('id', '=', id)
        .execute();
      for (const tag of new Set(tags)) {
        await rows.insert('item_tags', { item_id: id, name: tag, created_at: at }).execute();
      }
      if (copy === null) continue;
      mkdirSync(join(folder, 'items', String(id)), { recursive: true });
      writeFileSync(join(folder, 'items', String(id), 'readable.html'), copy);
    }
  });
}

const text = (words: string) => words.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
const attribute = (words: string) => text(words).replaceAll('"', '&quot;');
