// The HTTP server around the API: how it starts, what it tolerates, how it stops.
import type { Server } from 'node:http';
import { type AddressInfo, Server as TcpServer } from 'node:net';
import { setImmediate as immediate } from 'node:timers/promises';
import { createAdaptorServer } from '@hono/node-server';
import { StartupError } from '../errors.ts';
import { requestsMs } from '../model/stop-limits.ts';
import { type ClientRules, trustedProxyTest } from './client.ts';
import { ApiResponse } from './common-headers.ts';
import { type ConnectionLimits, connectionLimits, limitConnections } from './connection-limits.ts';
import { JoinedRequest } from './joined-request.ts';

/** Connections that the system holds until they are accepted. Beyond it, it drops them, and the client tries again a second later. */
const backlog = 4_096;

export interface Listening {
  readonly host: string;
  readonly port: number;
  /**
   * Accepts no new connection and waits for the running requests. Rejects when some did not end in time: they may still write.
   */
  stop(limits?: StopLimits): Promise<void>;
}

export interface StopLimits {
  /** For running requests. */
  readonly withinMs?: number;
  /** For requests that are on their way on open connections. Then idle connections are closed. */
  readonly arrivalMs?: number;
}

export interface ListenOptions extends Pick<ClientRules, 'trustedProxies'> {
  readonly host: string;
  readonly port: number;
  readonly limits?: ConnectionLimits;
  /** Told once a minute at most. */
  readonly onRefused?: (address: string) => void;
}

/** A turn of the event loop as short as this has accepted every connection and run hardly any code since. */
const quickTurnMs = 0.5;
const longestAcceptMs = 250;

/** Streams of events write every 15 s, and a language model is given two minutes. */
const silenceMs = 180_000;

export async function listen(
  fetch: (request: Request, env: never) => Response | Promise<Response>,
  { host, port, trustedProxies, limits = connectionLimits(), onRefused = () => {} }: ListenOptions,
): Promise<Listening> {
  const server = createAdaptorServer({
    fetch: fetch as never,
    serverOptions: {
      IncomingMessage: JoinedRequest,
      ServerResponse: ApiResponse,
      // How much of a body Node holds before somebody reads it.
      highWaterMark: 4 * 1024,
      headersTimeout: 10_000,
      requestTimeout: 120_000,
      keepAliveTimeout: 15_000,
      // Node looks for requests that take too long only this often.
      connectionsCheckingInterval: 2_000,
    },
  }) as Server;
  server.setTimeout(silenceMs);
  limitConnections(server, limits, trustedProxyTest({ trustedProxies }), atMostEvery(60_000, onRefused));
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(cannotListen(error, host, port)));
    server.listen({ port, host, backlog }, resolve);
  });
  const { port: bound } = server.address() as AddressInfo;
  return { host, port: bound, stop: (limits) => stop(server, limits) };
}

function atMostEvery(ms: number, tell: (address: string) => void): (address: string) => void {
  let lastAt = Number.NEGATIVE_INFINITY;
  return (address) => {
    const at = performance.now();
    if (at - lastAt < ms) return;
    lastAt = at;
    tell(address);
  };
}

/**
 * A close resets connections that the system has established and the server has not accepted yet. The client cannot tell whether
 * such a request was run. So the server closes when it accepted a moment ago.
 */
async function untilAllAccepted(): Promise<void> {
  const until = performance.now() + longestAcceptMs;
  for (let at = performance.now(); at < until; ) {
    await immediate();
    const turnMs = performance.now() - at;
    if (turnMs < quickTurnMs) return;
    at += turnMs;
  }
}

async function stop(
  server: Server,
  { withinMs = requestsMs, arrivalMs = 0 }: StopLimits = {},
): Promise<void> {
  let isCutOff = false;
  await untilAllAccepted();
  const startedAt = performance.now();
  const closeIdle = () => {
    if (performance.now() - startedAt >= arrivalMs) server.closeIdleConnections();
  };
  await new Promise<void>((resolve) => {
    const cutOff = setTimeout(() => {
      isCutOff = true;
      server.closeAllConnections();
    }, withinMs);
    // A kept connection that is busy now becomes idle when its request is answered.
    const sweep = setInterval(closeIdle, 50);
    // HTTP's own close() also closes connections whose first request has not arrived.
    TcpServer.prototype.close.call(server, () => {
      clearInterval(sweep);
      clearTimeout(cutOff);
      resolve();
    });
    closeIdle();
  });
  if (isCutOff) throw new Error(`some requests did not end within ${Math.round(withinMs) / 1000} s`);
}

function cannotListen(error: NodeJS.ErrnoException, host: string, port: number): StartupError {
  const remedy: Record<string, string> = {
    EADDRINUSE: `LECTERN_PORT: ${port} is taken on ${host}, maybe by another Lectern. Stop that, or set LECTERN_PORT to another port.`,
    EACCES: `LECTERN_PORT: ${port} needs more rights than this user has. Choose a port above 1023.`,
    EADDRNOTAVAIL: `LECTERN_HOST: ${host} is not an address of this machine.`,
    ENOTFOUND: `LECTERN_HOST: ${host} is not an address of this machine.`,
  };
  return new StartupError(remedy[error.code ?? ''] ?? `cannot listen on ${host}:${port}: ${error.message}`, {
    cause: error,
  });
}
