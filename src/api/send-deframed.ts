// How everything of the deframer is sent: with an ETag, to pages of any origin, and never older than it is.
import { createHash } from 'node:crypto';
import type { Context } from 'hono';
import { ApiResponse } from './common-headers.ts';
import type { ApiDeps, ApiEnv } from './context.ts';
import { namesEtag } from './if-none-match.ts';
import { anybodyHeaders } from './middleware/open-to-anybody.ts';

export interface DeframedAnswer {
  readonly status: 200 | 304;
  /** With those of `sharedHeaders`. Lower case: what stands here replaces a common header. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array<ArrayBuffer>;
}

type Shared = Pick<ApiDeps['deframer'], 'open'>;

/** Caches keep it and ask each time whether it still holds: a feed that is disabled is gone at once, everywhere. */
export function sharedHeaders({ open }: Shared) {
  return { 'cache-control': open ? 'public, no-cache' : 'private, no-cache', ...anybodyHeaders };
}

/**
 * Where Node's response adds the common headers, ours go to it as they are: a Headers object would cost more than all that
 * comes before. An open route sets no cookie that would be lost by that.
 */
export function sendDeframed(c: Context<ApiEnv>, { open }: Shared, answer: DeframedAnswer): Response {
  const { status, headers, body = null } = answer;
  if (open && isFromSocket(c)) return new Response(body, { status, headers });
  return body === null ? c.body(null, status, headers) : c.body(body, 200, headers);
}

/** And not handed to the API by a function call, as in tests. */
export function isFromSocket(c: Context<ApiEnv>): boolean {
  return c.env?.outgoing instanceof ApiResponse;
}

export function sendDeframedJson(c: Context<ApiEnv>, shared: Shared, value: unknown): Response {
  const body = JSON.stringify(value);
  const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;
  if (namesEtag(c.req.header('if-none-match'), etag))
    return sendDeframed(c, shared, { status: 304, headers: { etag, ...sharedHeaders(shared) } });
  const headers = { 'content-type': 'application/json', etag, ...sharedHeaders(shared) };
  return sendDeframed(c, shared, { status: 200, headers, body });
}
