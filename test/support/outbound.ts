// A small internet on the loopback: names, addresses that look public, servers behind them, and a canary that nothing
// may reach. Nothing here ever connects to an address outside the loopback.
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import {
  type AddressInfo,
  connect,
  createServer as createTcpServer,
  type Server,
  type Socket,
} from 'node:net';
import { onTestFinished } from 'vitest';
import { createOutbound, type OutboundDeps } from '../../src/outbound/outbound.ts';
import type { OutboundRequest, Outcome } from '../../src/outbound/outcome.ts';
import { memoryOfPauses } from '../../src/outbound/pace.ts';
import { type Certificate, selfSignedCertificate } from './certificate.ts';
import { TestClock } from './clock.ts';
import { randomText } from './library.ts';

export type World = ReturnType<typeof createWorld>;
export type Answers = readonly string[] | (() => readonly string[]);

let certificate: Certificate | undefined;

export function createWorld(options: Partial<OutboundDeps> = {}) {
  const dns = new Map<string, Answers>();
  const servers = new Map<string, number>();
  const queries: string[] = [];
  const dials: string[] = [];
  const clock = new TestClock();
  certificate ??= selfSignedCertificate('secure.example', 'other.example', 'proxy.example');

  const deps: OutboundDeps = {
    now: clock.now,
    randomText,
    userAgent: 'Lectern/test',
    allowPrivateNetworks: false,
    pauses: memoryOfPauses(clock.now),
    pacing: { gapMs: 0 },
    trustedAuthorities: certificate.cert,
    resolve: async (hostname) => {
      queries.push(hostname);
      const answers = dns.get(hostname) ?? [];
      return typeof answers === 'function' ? answers() : answers;
    },
    openSocket: (address, port) => {
      dials.push(address);
      const behind = servers.get(address);
      if (behind !== undefined) return connect(behind, '127.0.0.1');
      if (/^(127\.|::1$)/.test(address)) return connect(port, address);
      throw new Error(`a test would have connected to ${address}`);
    },
    ...options,
  };
  const outbound = createOutbound(deps);
  onTestFinished(() => outbound.close());

  let lastAddress = 33;
  /** Puts a server behind a public address of its own, and gives it a name. */
  const place = async (name: string, server: Server): Promise<string> => {
    lastAddress += 1;
    const address = `93.184.216.${lastAddress}`;
    servers.set(address, await listen(server));
    dns.set(name, [address]);
    return address;
  };

  return {
    outbound,
    deps,
    clock,
    dns,
    queries,
    dials,
    request: (url: string, input: Omit<OutboundRequest, 'url'> = {}): Promise<Outcome> =>
      outbound.request({ url, ...input }),
    site: (name: string, listener: RequestListener) => place(name, createServer(listener)),
    secureSite: (name: string, listener: RequestListener) =>
      place(name, createSecureServer({ ...certificate }, listener)),
    /** Whatever it does with the connection. */
    rawSite: (name: string, onConnection: (socket: Socket) => void) => place(name, rawServer(onConnection)),
  };
}

export interface Canary {
  readonly port: number;
  readonly connections: number;
  readonly bytes: number;
}

/** A service on our own machine that counts what reaches it. */
export async function startCanary(host = '127.0.0.1'): Promise<Canary> {
  const canary = { port: 0, connections: 0, bytes: 0 };
  const server = rawServer((socket) => {
    canary.connections += 1;
    socket.on('data', (chunk) => {
      canary.bytes += chunk.length;
      socket.end('HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nsecret');
    });
  });
  canary.port = await listen(server, host);
  return canary;
}

/** Answers every request that comes in with these bytes, and leaves the connection open. */
export function answering(...pieces: (string | Uint8Array)[]): (socket: Socket) => void {
  return (socket) =>
    socket.once('data', () => {
      for (const piece of pieces) socket.write(piece);
    });
}

export function rawServer(onConnection: (socket: Socket) => void): Server {
  return createTcpServer((socket) => {
    socket.on('error', () => {});
    onConnection(socket);
  });
}

/** On a free port of the loopback, until the test has ended. */
export async function listen(server: Server, host = '127.0.0.1'): Promise<number> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.listen(0, host);
  await once(server, 'listening');
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, 'close');
  });
  return (server.address() as AddressInfo).port;
}

export function textOf(outcome: Outcome): string {
  if (outcome.kind !== 'body') throw new Error(`no body, but ${JSON.stringify(outcome)}`);
  return Buffer.from(outcome.bytes).toString();
}

/** The reason of a failure, or what there was in its place. */
export function reasonOf(outcome: Outcome): string {
  return outcome.kind === 'failed' ? outcome.reason : outcome.kind;
}
