// The picture of a page: what it names itself, the page if it is one, or a look at it through a browser. That there is none
// is no failure, nor is one that cannot be had.
import type { Log } from '../log.ts';
import type { Outbound } from '../outbound/outbound.ts';
import type { OutboundRequest } from '../outbound/outcome.ts';
import type { EnrichableItem } from '../store/enrichment-store.ts';
import type { FetchedPage } from './fetch-page.ts';
import type { PageProcess } from './page/page-process.ts';
import type { PageCopy } from './page/read-page.ts';
import type { Screenshots } from './screenshot/take-screenshot.ts';

export interface FindThumbnailDeps {
  readonly outbound: Pick<Outbound, 'request'>;
  readonly page: Pick<PageProcess, 'thumbnail'>;
  /** Where a browser is configured. */
  readonly screenshots?: Screenshots | undefined;
  readonly log: Log;
}

const mostTried = 3;
const imageBytes = 15 * 1024 * 1024;
const imageMs = 15_000;
/** Stores of files often say nothing of what they hold. What it is, is told from its bytes. */
const imageTypes = ['image/', 'application/octet-stream', 'binary/octet-stream'];

export async function findThumbnail(
  deps: FindThumbnailDeps,
  { item, page, copy }: { item: EnrichableItem; page: FetchedPage; copy: PageCopy | undefined },
  signal: AbortSignal,
): Promise<Uint8Array | undefined> {
  if (page.mediaType?.startsWith('image/')) return thumbnailOf(deps, item, page.bytes);
  for (const url of copy?.facts.imageUrls.slice(0, mostTried) ?? []) {
    const bytes = await fetchImage(deps, { url, proxy: item.proxy }, signal);
    const thumbnail = bytes && (await thumbnailOf(deps, item, bytes));
    if (thumbnail) return thumbnail;
  }
  // One that was there before is better than how the page looks; and a browser would not go through the proxy.
  if (!deps.screenshots || item.proxy !== undefined || item.files.thumbnail !== null || !isHtml(page))
    return undefined;
  try {
    const image = await deps.screenshots.take({ url: page.url, signal });
    return image && (await thumbnailOf(deps, item, image));
  } catch (err) {
    deps.log.warn({ err, item: item.itemId }, 'no picture of a page could be taken');
    return undefined;
  }
}

/** How an image is asked for. */
export function imageRequest(url: string, signal: AbortSignal): OutboundRequest {
  return {
    url,
    signal,
    headers: { accept: 'image/*' },
    mediaTypes: imageTypes,
    limits: { totalMs: imageMs, maxBytes: imageBytes },
    maxWaitMs: imageMs,
  };
}

async function fetchImage(
  { outbound }: FindThumbnailDeps,
  { url, proxy }: { url: string; proxy: string | undefined },
  signal: AbortSignal,
): Promise<Uint8Array | undefined> {
  const outcome = await outbound.request({ ...imageRequest(url, signal), proxy });
  signal.throwIfAborted();
  return outcome.kind === 'body' ? outcome.bytes : undefined;
}

async function thumbnailOf(
  { page, log }: FindThumbnailDeps,
  { itemId }: EnrichableItem,
  bytes: Uint8Array,
): Promise<Uint8Array | undefined> {
  try {
    return await page.thumbnail(bytes);
  } catch (err) {
    log.warn({ err, item: itemId }, 'no thumbnail could be made of an image');
    return undefined;
  }
}

function isHtml({ mediaType }: FetchedPage): boolean {
  return mediaType === 'text/html' || mediaType === 'application/xhtml+xml';
}
