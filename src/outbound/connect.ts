// One connection to the server of a URL, ready for HTTP: directly or through a proxy, with TLS where the URL says so.
import type { Duplex } from 'node:stream';
import { type DialDeps, dial, secure } from './dial.ts';
import { Failure } from './failure.ts';
import { dialThroughProxy, type ProxyServer } from './proxy.ts';
import { type CheckedHost, checkHost } from './resolve.ts';

export interface Destination {
  /** Undefined for an onion service: it has no address, and only the proxy knows the way. */
  readonly host: CheckedHost | undefined;
  readonly hostname: string;
  readonly port: number;
  readonly isSecure: boolean;
  readonly proxy: ProxyServer | undefined;
}

export interface Connected {
  readonly socket: Duplex;
  /** What it is connected to; undefined when a proxy made the connection. */
  readonly address: string | undefined;
}

/** Resolves and checks, and opens nothing yet. */
export async function findDestination(
  { guard }: Pick<DialDeps, 'guard'>,
  url: URL,
  proxy: ProxyServer | undefined,
): Promise<Destination> {
  const isSecure = url.protocol === 'https:';
  const port = url.port === '' ? (isSecure ? 443 : 80) : Number(url.port);
  const isOnion = proxy?.kind === 'socks5h' && /\.onion\.?$/.test(url.hostname);
  const host = isOnion ? undefined : await checkHost(guard, url.hostname);
  return { host, hostname: host?.hostname ?? url.hostname, port, isSecure, proxy };
}

export async function connect(deps: DialDeps, to: Destination, signal: AbortSignal): Promise<Connected> {
  const { socket, address } = await plain(deps, to, signal);
  return { socket: to.isSecure ? await secure(deps, socket, to.hostname, signal) : socket, address };
}

async function plain(deps: DialDeps, to: Destination, signal: AbortSignal): Promise<Connected> {
  const { host, hostname, port, proxy } = to;
  if (proxy) {
    // The address that was checked, not the name: a proxy that resolves again could be told something else.
    const asked = host ? host.addresses[0]?.address : hostname;
    if (asked === undefined) throw new Failure('dns');
    return { socket: await dialThroughProxy(deps, proxy, { host: asked, port }, signal), address: undefined };
  }
  if (!host) throw new Failure('dns');
  const { socket, address } = await dial(deps, host, port, signal);
  return { socket, address: address.address };
}
