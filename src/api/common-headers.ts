// Headers that every answer carries, made so that they cost little: they are written to Node's response when its
// head is, without passing through a Headers object on the way. A page that shows something has a policy of its own.
import { type IncomingMessage, type OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { Context } from 'hono';
import type { ApiEnv } from './context.ts';

// Lower case, as headers that come from a Headers object are: what a route sets itself replaces these.
const commonHeaders: Readonly<Record<string, string>> = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
};

/** Node's response, with the common headers under whatever the API sets. */
export class ApiResponse<R extends IncomingMessage = IncomingMessage> extends ServerResponse<R> {
  requestId: string | undefined;

  override writeHead(status: number, ...rest: unknown[]): this {
    const given = (typeof rest[0] === 'object' ? rest[0] : rest[1]) as OutgoingHttpHeaders | undefined;
    const id = this.requestId === undefined ? undefined : { 'x-request-id': this.requestId };
    return super.writeHead(status, { ...commonHeaders, ...id, ...given });
  }
}

export function setCommonHeaders(c: Context<ApiEnv>, requestId: string): void {
  const { outgoing } = c.env ?? {};
  if (outgoing instanceof ApiResponse) {
    outgoing.requestId = requestId;
    return;
  }
  // Without Node's server around it, as in tests and in Workers.
  for (const [name, value] of Object.entries(commonHeaders)) c.header(name, value);
  c.header('x-request-id', requestId);
}
