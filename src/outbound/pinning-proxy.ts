// A proxy on the loopback for programs that make their own connections, such as a browser without a screen: whatever
// they ask for is resolved, checked and dialled here, by the same guard as our own requests.
import { timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
  request as sendOn,
} from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { type Duplex, pipeline, Transform } from 'node:stream';
import type { RandomText } from '../model/glossary.ts';
import { findDestination } from './connect.ts';
import { type DialDeps, dial } from './dial.ts';
import { Failure } from './failure.ts';
import { Stop } from './limits.ts';
import { parseTarget } from './target.ts';

export interface PinningLimits {
  readonly connectMs: number;
  /** For one connection, from its beginning to its end. */
  readonly totalMs: number;
  readonly maxConnections: number;
  /** Through this proxy, in both directions, over its whole life. */
  readonly maxBytes: number;
}

export const defaultPinningLimits: PinningLimits = {
  connectMs: 10_000,
  totalMs: 120_000,
  maxConnections: 64,
  maxBytes: 200 * 1024 * 1024,
};

export interface PinningProxy {
  /**
   * For a browser: `--proxy-server=127.0.0.1:PORT` with `--proxy-bypass-list=<-loopback>`, since browsers otherwise
   * go to their own machine without asking.
   */
  readonly port: number;
  readonly username: string;
  readonly password: string;
  close(): Promise<void>;
}

export interface PinningDeps extends DialDeps {
  readonly randomText: RandomText;
}

/** Named by RFC 9110 as belonging to one connection, not to the message. */
const ofOneConnection =
  /^(connection|keep-alive|proxy-authenticate|proxy-authorization|proxy-connection|te|trailer|transfer-encoding|upgrade)$/;

export async function openPinningProxy(
  deps: PinningDeps,
  given: Partial<PinningLimits> = {},
): Promise<PinningProxy> {
  const limits = { ...defaultPinningLimits, ...given };
  const username = 'lectern';
  const password = deps.randomText(24);
  const expected = Buffer.from(`Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`);
  const open = new Set<Duplex>();
  let passedBytes = 0;

  const meter = () =>
    new Transform({
      transform(chunk: Buffer, _encoding, done) {
        passedBytes += chunk.length;
        if (passedBytes > limits.maxBytes) done(new Failure('too-large'));
        else done(null, chunk);
      },
    });

  const isKnown = ({ headers }: IncomingMessage) => {
    const credential = Buffer.from(headers['proxy-authorization'] ?? '');
    return credential.length === expected.length && timingSafeEqual(credential, expected);
  };

  const dialFor = async (text: string): Promise<Socket> => {
    const stop = new Stop(deps.after);
    stop.within(limits.connectMs, 'timeout-connect');
    try {
      const { host, port } = await stop.race(() => findDestination(deps, parseTarget(text).url, undefined));
      if (!host) throw new Failure('dns');
      const { socket } = await dial(deps, host, port, stop.signal);
      open.add(socket);
      socket.once('close', () => open.delete(socket));
      return socket;
    } finally {
      stop.dispose();
    }
  };

  const server = createServer({ headersTimeout: 10_000 }, (request, response) => {
    if (!isKnown(request)) return refuse(response, 407);
    void forward(request, response).catch(() => refuse(response, 502));
  });

  /** A plain http: URL in the request line. */
  const forward = async (request: IncomingMessage, response: ServerResponse) => {
    const { url = '', method } = request;
    if (!/^http:\/\//i.test(url)) return refuse(response, 400);
    const target = parseTarget(url).url;
    const socket = await dialFor(url);
    if (response.destroyed) return void socket.destroy();
    // However it ended: a server that switches protocols is left without an answer or an error to hear of.
    socket.once('close', () => response.headersSent || refuse(response, 502));
    response.once('close', () => socket.destroy());
    const onward = sendOn({
      createConnection: () => socket,
      method,
      path: target.pathname + target.search,
      headers: { ...ofTheMessage(request), host: target.host, connection: 'close' },
    });
    onward.on('error', () => refuse(response, 502));
    onward.on('response', (answer) => {
      try {
        const { statusCode = 0 } = answer;
        // Below 200 an answer is only announced, and below 100 writeHead throws, which here would end the process.
        if (statusCode < 200) throw new Failure('protocol');
        response.writeHead(statusCode, { ...ofTheMessage(answer), connection: 'close' });
      } catch {
        socket.destroy();
        return refuse(response, 502);
      }
      pipeline(answer, meter(), response, () => socket.destroy());
    });
    pipeline(request, meter(), onward, (error) => error && socket.destroy());
  };

  server.on('connect', async (request: IncomingMessage, client: Duplex, head: Buffer) => {
    client.on('error', () => client.destroy());
    if (!isKnown(request)) return client.end(head407);
    try {
      // Read as a URL, so that what is judged is what a URL parser makes of it. The port is always there.
      const upstream = await dialFor(`${request.url?.endsWith(':443') ? 'https' : 'http'}://${request.url}`);
      upstream.on('error', () => upstream.destroy());
      if (client.destroyed) return upstream.destroy();
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      if (head.length > 0) upstream.write(head);
      const end = () => {
        client.destroy();
        upstream.destroy();
      };
      pipeline(client, meter(), upstream, (error) => error && end());
      pipeline(upstream, meter(), client, end);
    } catch {
      // One answer for blocked, unknown and closed: a page must not find out which.
      client.end('HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\nConnection: close\r\n\r\n');
    }
  });

  server.on('connection', (socket) => {
    open.add(socket);
    const cancel = deps.after(limits.totalMs, () => socket.destroy());
    socket.once('close', () => {
      cancel();
      open.delete(socket);
    });
  });

  server.maxConnections = limits.maxConnections;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    port,
    username,
    password,
    async close() {
      if (!server.listening) return;
      const closed = once(server, 'close');
      server.close();
      for (const socket of open) socket.destroy();
      await closed;
    },
  };
}

const head407 =
  'HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm="proxy"\r\nContent-Length: 0\r\nConnection: close\r\n\r\n';

function ofTheMessage({ headers }: IncomingMessage): IncomingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !ofOneConnection.test(name)));
}

function refuse(response: ServerResponse, status: number): void {
  if (response.headersSent || response.destroyed) {
    response.destroy();
    return;
  }
  response.writeHead(status, {
    connection: 'close',
    'content-length': 0,
    ...(status === 407 && { 'proxy-authenticate': 'Basic realm="proxy"' }),
  });
  response.end();
}
