// Looks for the icon of a site: what its home page names, and where browsers have always looked.
import { createHash } from 'node:crypto';
import { Later } from '../../errors.ts';
import { decodeText } from '../../html/decode-text.ts';
import { iconLinks } from '../../html/icon-links.ts';
import type { Clock } from '../../model/glossary.ts';
import type { JobFence } from '../../model/job.ts';
import type { SiteIcon } from '../../model/site-icon.ts';
import type { Outbound } from '../../outbound/outbound.ts';
import type { RateLimited } from '../../outbound/outcome.ts';
import type { IconStore } from '../../store/icon-store.ts';
import { iconType } from './icon-type.ts';

export interface IconDeps {
  readonly icons: IconStore;
  readonly outbound: Pick<Outbound, 'request' | 'stream'>;
  readonly now: Clock;
}

/** Links stand in the head of a page; what is behind this is not read. */
const pageBytes = 1024 * 1024;
const iconBytes = 128 * 1024;
const linksToTry = 3;
/** A worker's place is not kept for a host that has many waiting. */
const patience = { limits: { totalMs: 20_000 }, maxWaitMs: 20_000 };
const longestPauseMs = 24 * 3_600_000;

/** Finds it and writes it down, or that there was none: that is no failure of the job. */
export async function fetchIcon(
  deps: IconDeps,
  { origin }: { origin: string },
  { fence, signal }: { fence: JobFence; signal: AbortSignal },
): Promise<void> {
  const icon = await findIcon(deps, origin, signal);
  signal.throwIfAborted();
  await deps.icons.keep(fence, origin, icon);
}

async function findIcon(deps: IconDeps, origin: string, signal: AbortSignal): Promise<SiteIcon | undefined> {
  const links = await fetchLinks(deps, origin, signal);
  for (const url of [...links.slice(0, linksToTry), `${origin}/favicon.ico`]) {
    const bytes = inlineBytes(url) ?? (await fetchBytes(deps, url, signal));
    const type = bytes && iconType(bytes);
    if (type) return { type, bytes, etag: `"${createHash('sha256').update(bytes).digest('base64url')}"` };
  }
  return undefined;
}

async function fetchLinks(
  { outbound, now }: IconDeps,
  origin: string,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const headers = { accept: 'text/html, application/xhtml+xml' };
  const page = await outbound.stream({ url: `${origin}/`, headers, signal, ...patience });
  if (page.kind === 'rate-limited') putOff(page, now);
  if (page.kind !== 'body') return [];
  const contentType = page.headers['content-type'] ?? null;
  return iconLinks(decodeText({ bytes: await readHead(page.stream), contentType }), page.url);
}

/** As much of it as is looked at; less when it breaks off. */
async function readHead(stream: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const piece of stream) {
      pieces.push(piece);
      length += piece.length;
      if (length >= pageBytes) break;
    }
  } catch {
    // The icon may be named in what there is, and stand in its usual place if not.
  }
  return Buffer.concat(pieces).subarray(0, pageBytes);
}

async function fetchBytes(
  { outbound, now }: IconDeps,
  url: string,
  signal: AbortSignal,
): Promise<Uint8Array | undefined> {
  const limits = { ...patience.limits, maxBytes: iconBytes };
  const outcome = await outbound.request({
    url,
    headers: { accept: 'image/*' },
    signal,
    ...patience,
    limits,
  });
  if (outcome.kind === 'rate-limited') putOff(outcome, now);
  return outcome.kind === 'body' ? outcome.bytes : undefined;
}

/** Come back when the host will have us, unless that is so far away that it is as good as a failure. */
function putOff({ retryAt }: RateLimited, now: Clock): void {
  const waitMs = retryAt - now();
  if (waitMs <= longestPauseMs) throw new Later(Math.max(waitMs, 0));
}

function inlineBytes(url: string): Uint8Array | undefined {
  const [, isBase64, data] = /^data:[^,]*?(;base64)?,(.*)$/is.exec(url) ?? [];
  if (data === undefined) return undefined;
  const bytes = isBase64 ? Buffer.from(unescaped(data), 'base64') : Buffer.from(unescaped(data));
  return bytes.length <= iconBytes ? bytes : new Uint8Array();
}

function unescaped(data: string): string {
  try {
    return decodeURIComponent(data);
  } catch {
    return data;
  }
}
