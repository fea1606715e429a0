// SOCKS5 (RFC 1928), with a name and password where the proxy wants them (RFC 1929): CONNECT and nothing else.
import { isIP, SocketAddress } from 'node:net';
import type { Duplex } from 'node:stream';
import { Failure } from './failure.ts';
import { readExactly } from './handshake.ts';

export interface SocksRequest {
  /** An address, or a name that the proxy is to resolve. */
  readonly host: string;
  readonly port: number;
  readonly login?: { readonly username: string; readonly password: string } | undefined;
}

const version = 5;
const methods = { none: 0, login: 2 } as const;
const connectCommand = 1;

export async function socksConnect(
  socket: Duplex,
  request: SocksRequest,
  signal: AbortSignal,
): Promise<void> {
  const { login } = request;
  const offered = login ? [methods.none, methods.login] : [methods.none];
  socket.write(Buffer.from([version, offered.length, ...offered]));
  const [answered, method] = await readExactly(socket, 2, signal);
  if (answered !== version) throw new Failure('proxy');
  if (method === methods.login && login) await logIn(socket, login, signal);
  else if (method !== methods.none) throw new Failure('proxy');

  const port = [request.port >> 8, request.port & 0xff];
  socket.write(Buffer.from([version, connectCommand, 0, ...encodeHost(request.host), ...port]));
  const [replied, reply, , kind] = await readExactly(socket, 4, signal);
  if (replied !== version || reply !== 0)
    throw new Failure('proxy', { cause: new Error(`SOCKS reply ${reply}`) });
  await skipAddress(socket, kind, signal);
}

async function logIn(
  socket: Duplex,
  { username, password }: NonNullable<SocksRequest['login']>,
  signal: AbortSignal,
): Promise<void> {
  socket.write(Buffer.concat([Buffer.from([1]), counted(username), counted(password)]));
  const [, status] = await readExactly(socket, 2, signal);
  if (status !== 0) throw new Failure('proxy', { cause: new Error('SOCKS login refused') });
}

function encodeHost(host: string): Buffer {
  if (isIP(host) === 4) return Buffer.from([1, ...host.split('.').map(Number)]);
  if (isIP(host) === 6) return Buffer.from([4, ...ipv6Bytes(host)]);
  return Buffer.concat([Buffer.from([3]), counted(host)]);
}

function ipv6Bytes(host: string): number[] {
  const { address } = new SocketAddress({ address: host, family: 'ipv6' });
  const [left = '', right] = address.split('::');
  const groups = (part: string | undefined) => (part ? part.split(':') : []);
  const [head, tail] = [groups(left), groups(right)];
  const zeros = Array<string>(8 - head.length - tail.length).fill('0');
  return [...head, ...zeros, ...tail].flatMap((group) => {
    const value = Number.parseInt(group, 16);
    return [value >> 8, value & 0xff];
  });
}

/** Where the proxy connected from: of no use to us, but it stands before the first byte of the answer. */
async function skipAddress(socket: Duplex, kind: number | undefined, signal: AbortSignal): Promise<void> {
  const lengths: Record<number, number> = { 1: 4, 4: 16 };
  const length = kind === 3 ? (await readExactly(socket, 1, signal))[0] : lengths[kind ?? 0];
  if (length === undefined) throw new Failure('proxy');
  await readExactly(socket, length + 2, signal);
}

function counted(text: string): Buffer {
  const bytes = Buffer.from(text);
  if (bytes.length === 0 || bytes.length > 255) throw new Failure('proxy');
  return Buffer.concat([Buffer.from([bytes.length]), bytes]);
}
