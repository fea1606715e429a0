// The Model Context Protocol over HTTP, without sessions: each POST is answered by itself, as JSON.
// https://modelcontextprotocol.io/specification/2025-11-25/basic/transports
import { isIP } from 'node:net';
import type { Context } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { Forbidden, Invalid, LecternError, Unauthorized } from '../../errors.ts';
import { codes, type Reply, RpcError, refusal } from '../../mcp/json-rpc.ts';
import { assumedVersion, createMcpServer, protocolVersions } from '../../mcp/server.ts';
import type { ToolContext } from '../../mcp/tool.ts';
import { findInLibrary } from '../../search/find-in-library.ts';
import type { Gate } from '../authenticate.ts';
import type { ApiDeps, ApiEnv } from '../context.ts';
import type { AppProtocol, Router } from '../router.ts';

export function mcpRoutes(router: Router, deps: ApiDeps, gate: Gate): void {
  const { store, searchSources: sources, files, log, version, now, meaning } = deps;
  const server = createMcpServer({ version, log });

  const protocol: AppProtocol = {
    async identify(c) {
      // No cookie: assistants are programs, and a page that could make one ask would ask in somebody's name.
      if (c.req.header('authorization') === undefined) throw new Unauthorized();
      refuseForeignPage(c, deps);
      return gate.getActor(c);
    },
    refuse(c, { status, message }) {
      const reply = refusal(null, new RpcError(codes.request, message));
      return c.json(reply, status as ContentfulStatusCode, {
        ...(status === 401 && { 'WWW-Authenticate': 'Bearer' }),
      });
    },
  };

  // Who may only read may call the tools that only read: the server of the protocol sees to that.
  router.readerApp(protocol, { method: 'post', path: '/mcp', scope: 'handler' }, async (c) => {
    const { user, scope, rows } = c.get('actor');
    requireForms(c);
    const context: ToolContext = {
      rows,
      files,
      find: (input) => findInLibrary({ store, sources, now, meaning }, { ...input, userId: user.id }),
      findText: async (kind, id) => (await sources[kind].read([id], user.id))[0],
    };
    const message = await readJson(c);
    if (message instanceof RpcError) return c.json(refusal(null, message), 400);
    const replies = await server.handle({ scope, context, protocol: versionOf(c) }, message);
    if (replies === undefined) return c.body(null, 202);
    const retryAfter = retryAfterOf(replies);
    if (retryAfter !== undefined) return c.json(replies, 503, { 'Retry-After': retryAfter });
    return c.json(replies, isRefused(replies) ? 400 : 200);
  });
}

/** What could not be taken for a message at all. */
function isRefused(replies: Reply | readonly Reply[]): boolean {
  return 'id' in replies && replies.id === null;
}

/** Undefined for a batch: its other messages may have been answered. */
function retryAfterOf(replies: Reply | readonly Reply[]): string | undefined {
  if (!('error' in replies) || replies.error?.code !== codes.unavailable) return undefined;
  return String((replies.error.data as { retryAfterSeconds: number }).retryAfterSeconds);
}

function versionOf(c: Context<ApiEnv>): string {
  const version = c.req.header('mcp-protocol-version') ?? assumedVersion;
  if (!protocolVersions.some((known) => known === version))
    throw new Invalid(`MCP-Protocol-Version: expected one of ${protocolVersions.join(', ')}`);
  return version;
}

function requireForms(c: Context<ApiEnv>): void {
  const type = (c.req.header('content-type') ?? '').split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/json')
    throw new LecternError(415, 'invalid', 'Content-Type: expected application/json');
  const accepted = (c.req.header('accept') ?? '*/*')
    .split(',')
    .map((one) => one.split(';')[0]?.trim().toLowerCase());
  if (!accepted.some((one) => one === 'application/json' || one === 'application/*' || one === '*/*'))
    throw new LecternError(406, 'invalid', 'Accept: expected application/json, text/event-stream');
}

async function readJson(c: Context<ApiEnv>): Promise<unknown> {
  const bytes = await c.req.arrayBuffer();
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return new RpcError(codes.parse, 'Parse error: expected JSON in UTF-8');
  }
}

/**
 * By its Host alone a page is not known to be ours: a name that an attacker has pointed at this machine is both its Host
 * and its Origin. So a page has to be at the address that the operator has set, or at one that is no name.
 */
function refuseForeignPage(c: Context<ApiEnv>, { client, corsAllowedOrigins }: ApiDeps): void {
  const origin = c.req.header('origin');
  if (origin === undefined || corsAllowedOrigins.includes(origin) || origin === client.publicUrl) return;
  const own = URL.canParse(origin) ? new URL(origin) : undefined;
  const isNoName = own && (own.hostname === 'localhost' || isIP(own.hostname.replace(/^\[|\]$/g, '')) !== 0);
  if (isNoName && own.host === c.req.header('host')) return;
  throw new Forbidden(
    'this request came from another site; set LECTERN_PUBLIC_URL or LECTERN_CORS_ALLOWED_ORIGINS',
  );
}
