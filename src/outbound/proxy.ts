// Connections through a proxy that a user has set: http:, https: (CONNECT) and socks5:, socks5h:. The proxy is a host
// like any other and passes the same guard. See docs/decisions/0008-outbound.md.
import type { Duplex } from 'node:stream';
import { type DialDeps, dial, secure } from './dial.ts';
import { Failure, toFailure } from './failure.ts';
import { readHead } from './handshake.ts';
import { race } from './limits.ts';
import { checkHost } from './resolve.ts';
import { socksConnect } from './socks.ts';

export interface ProxyServer {
  readonly kind: 'http' | 'https' | 'socks5' | 'socks5h';
  readonly hostname: string;
  readonly port: number;
  readonly login?: { readonly username: string; readonly password: string };
}

const defaultPorts = { http: 80, https: 443, socks5: 1080, socks5h: 1080 } as const;
const maxHeadBytes = 8 * 1024;

export function parseProxy(text: string): ProxyServer {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const kind = url?.protocol.slice(0, -1);
  if (!url || !isKind(kind) || url.hostname === '') throw new Failure('proxy');
  // A scheme that URL does not know leaves the host as it was written; http: canonicalises it (0x7f.1 and the like).
  const hostname = hostnameOf(url.hostname);
  if (hostname === undefined) throw new Failure('proxy');
  const login = { username: decoded(url.username), password: decoded(url.password) };
  return {
    kind,
    hostname,
    port: url.port === '' ? defaultPorts[kind] : Number(url.port),
    ...(login.username !== '' && { login }),
  };
}

/** A connection to `host`, an address that was checked or an onion name, made by the proxy. */
export async function dialThroughProxy(
  deps: DialDeps,
  proxy: ProxyServer,
  { host, port }: { host: string; port: number },
  signal: AbortSignal,
): Promise<Duplex> {
  let socket: Duplex | undefined;
  try {
    const checked = await race(signal, () => checkHost(deps.guard, proxy.hostname));
    socket = (await dial(deps, checked, proxy.port, signal)).socket;
    if (proxy.kind === 'https') socket = await secure(deps, socket, checked.hostname, signal);
    if (proxy.kind === 'http' || proxy.kind === 'https')
      await httpConnect(socket, proxy, { host, port }, signal);
    else await socksConnect(socket, { host, port, login: proxy.login }, signal);
    return socket;
  } catch (error) {
    socket?.destroy();
    if (signal.aborted) throw signal.reason;
    // Whatever is wrong with a proxy is one thing to the asker: it must not tell which addresses answer.
    throw new Failure('proxy', { cause: toFailure(error, 'proxy') });
  }
}

async function httpConnect(
  socket: Duplex,
  { login }: ProxyServer,
  { host, port }: { host: string; port: number },
  signal: AbortSignal,
): Promise<void> {
  const authority = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  const credential = login && Buffer.from(`${login.username}:${login.password}`).toString('base64');
  const lines = [
    `CONNECT ${authority} HTTP/1.1`,
    `Host: ${authority}`,
    ...(credential === undefined ? [] : [`Proxy-Authorization: Basic ${credential}`]),
  ];
  socket.write(`${lines.join('\r\n')}\r\n\r\n`);
  const status = /^HTTP\/1\.[01] (\d{3})/.exec(await readHead(socket, maxHeadBytes, signal))?.[1];
  if (!status?.startsWith('2'))
    throw new Failure('proxy', { cause: new Error(`the proxy answered ${status}`) });
}

function isKind(kind: string | undefined): kind is ProxyServer['kind'] {
  return kind !== undefined && Object.hasOwn(defaultPorts, kind);
}

function hostnameOf(written: string): string | undefined {
  const text = `http://${written}/`;
  return URL.canParse(text) ? new URL(text).hostname : undefined;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
