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

/** How long a connection stays open after an answer that did not wait for the body. */
const lingerMs = 2_000;

/**
 * Node's response, with the common headers under whatever the API sets.
 *
 * If the body has not arrived in full, as after a refusal, the rest is left unread and the connection is closed. Node would read
 * it to keep the connection, and a body in chunks of one byte costs it seconds. The connection is closed a little later, so that
 * the client can read the answer, and so that an attacker cannot come back at once.
 */
export class ApiResponse<R extends IncomingMessage = IncomingMessage> extends ServerResponse<R> {
  requestId: string | undefined;

  override end(...args: unknown[]): this {
    const [body] = args;
    if (!isBodyMissing(this.req)) return super.end(...(args as []));
    if (typeof body === 'string' || body instanceof Uint8Array) this.write(body);
    else this.flushHeaders();
    const timer = setTimeout(() => super.end(), lingerMs).unref();
    this.once('close', () => clearTimeout(timer));
    return this;
  }

  override writeHead(status: number, ...rest: unknown[]): this {
    if (isBodyMissing(this.req)) this.shouldKeepAlive = false;
    const given = (typeof rest[0] === 'object' ? rest[0] : rest[1]) as OutgoingHttpHeaders | undefined;
    const id = this.requestId === undefined ? undefined : { 'x-request-id': this.requestId };
    return super.writeHead(status, { ...commonHeaders, ...id, ...given });
  }
}

function isBodyMissing({ headers, complete }: IncomingMessage): boolean {
  const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
  return hasBody && !complete;
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
