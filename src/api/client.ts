// Where a request comes from and which origin it was sent to, believing forwarded headers only from proxies
// that are trusted.
import { BlockList, isIP } from 'node:net';
import type { Context } from 'hono';
import type { ApiEnv } from './context.ts';

export interface ClientRules {
  readonly trustedProxies: readonly { address: string; prefix: number; family: 'ipv4' | 'ipv6' }[];
  readonly publicUrl: string | undefined;
}

export interface Client {
  readonly address: string;
  readonly secure: boolean;
  /** Our own origin as this client sees it. */
  readonly origin: string;
}

export type FindClient = (c: Context<ApiEnv>) => Client;

/** Tells whether an address is one of the trusted proxies. */
export function trustedProxyTest({
  trustedProxies,
}: Pick<ClientRules, 'trustedProxies'>): (address: string) => boolean {
  const trusted = new BlockList();
  for (const { address, prefix, family } of trustedProxies) trusted.addSubnet(address, prefix, family);
  return (given) => {
    const address = plain(given);
    const version = isIP(address);
    return version !== 0 && trusted.check(address, version === 4 ? 'ipv4' : 'ipv6');
  };
}

export function clientFinder({ trustedProxies, publicUrl }: ClientRules): FindClient {
  const isTrusted = trustedProxyTest({ trustedProxies });

  return (c) => {
    const peer = plain(c.env?.incoming?.socket?.remoteAddress ?? '');
    const behindProxy = isTrusted(peer);
    const address = behindProxy ? forwardedFor(c.req.header('x-forwarded-for'), peer, isTrusted) : peer;
    const forwardedProto = behindProxy ? lastOf(c.req.header('x-forwarded-proto')) : undefined;
    const secure = forwardedProto ? forwardedProto === 'https' : (publicUrl?.startsWith('https:') ?? false);
    const host =
      (behindProxy ? lastOf(c.req.header('x-forwarded-host')) : undefined) ?? c.req.header('host') ?? '';
    const origin = publicUrl
      ? new URL(publicUrl).origin
      : `${secure ? 'https' : 'http'}://${host}`.toLowerCase();
    return { address, secure, origin };
  };
}

/**
 * Each proxy appends the address it saw, so the list is read from its end: the first that is not a proxy of
 * ours is the client. What stands before it the client may have made up.
 */
function forwardedFor(
  header: string | undefined,
  peer: string,
  isTrusted: (address: string) => boolean,
): string {
  let address = peer;
  for (const hop of (header ?? '').split(',').reverse()) {
    const candidate = plain(hop.trim());
    if (isIP(candidate) === 0) break;
    address = candidate;
    if (!isTrusted(candidate)) break;
  }
  return address;
}

function lastOf(header: string | undefined): string | undefined {
  return header?.split(',').at(-1)?.trim().toLowerCase() || undefined;
}

/** Without the dress that a dual-stack socket or a proxy may put on: ::ffff:192.0.2.1, [2001:db8::1]:443. */
function plain(address: string): string {
  const bare = address.replace(/^\[([^\]]+)\](:\d+)?$/, '$1').replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, '$1');
  return bare.replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i, '');
}
