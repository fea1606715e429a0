// One hop: one request on one connection, and its answer. Redirects, turns and meaning are left to others.
import type { Client } from 'undici';
import { connect, type Destination } from './connect.ts';
import { type Connection, type Connections, StaleConnection } from './connections.ts';
import type { DialDeps } from './dial.ts';
import { codeOf, Failure, toFailure } from './failure.ts';
import { receivedHeaders } from './headers.ts';
import { type Limits, Stop } from './limits.ts';

export interface ExchangeDeps extends DialDeps {
  readonly connections: Connections;
}

export interface ExchangeRequest {
  readonly url: URL;
  readonly destination: Destination;
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body: string | Uint8Array | undefined;
  readonly limits: Limits;
  /** What is left of the whole request's time. */
  readonly leftMs: number;
  readonly signal: AbortSignal | undefined;
}

export interface Answer {
  readonly status: number;
  readonly headers: Record<string, string>;
  /** As it was sent, not decoded. Ends the hop when it is read to its end, or left. */
  readonly body: AsyncGenerator<Uint8Array, void, undefined>;
  /** Ends the hop without the body. */
  discard(): void;
  /** Resolves once, when the hop is over: read to its end, left, broken, or out of time though nobody read it. */
  readonly over: Promise<void>;
}

/** Throws a Failure. */
export async function exchange(deps: ExchangeDeps, request: ExchangeRequest): Promise<Answer> {
  const stop = new Stop(deps.after, request.signal);
  stop.within(request.leftMs, 'timeout-total');
  try {
    // Whoever asks for a proxy does not want to be seen at the server, and a kept connection would show them.
    const { host, proxy } = request.destination;
    const kept = proxy ? undefined : deps.connections.take(request.url.origin, host);
    if (kept) {
      try {
        return await send(deps, request, kept, stop);
      } catch (error) {
        if (stop.signal.aborted || !mayRepeat(error, request.method)) throw error;
      }
    }
    return await send(deps, request, await openConnection(deps, request, stop), stop);
  } catch (error) {
    stop.dispose();
    throw toFailure(stop.reasonFor(error));
  }
}

async function openConnection(deps: ExchangeDeps, request: ExchangeRequest, stop: Stop): Promise<Connection> {
  const { url, destination, limits } = request;
  const open = await deps.connections.prepare();
  const inTime = stop.within(limits.connectMs, 'timeout-connect');
  const { socket, address } = await connect(deps, destination, stop.signal);
  inTime();
  return open(url.origin, socket, address, limits.maxHeaderBytes);
}

async function send(
  deps: ExchangeDeps,
  request: ExchangeRequest,
  connection: Connection,
  stop: Stop,
): Promise<Answer> {
  const { url, method, headers, limits } = request;
  const { client } = connection;
  const inTime = stop.within(limits.firstByteMs, 'timeout-first-byte');
  try {
    const answer = await client.request({
      path: url.pathname + url.search,
      method,
      headers,
      body: request.body ?? null,
      signal: stop.signal,
    });
    // From here on the body may fail before anyone has begun to read it.
    answer.body.on('error', () => {});
    const { promise: over, resolve } = Promise.withResolvers<void>();
    let isOver = false;
    const end = (isWhole: boolean) => {
      if (isOver) return;
      isOver = true;
      stop.dispose();
      answer.body.destroy();
      if (isWhole) deps.connections.giveBack(connection);
      else void client.destroy().catch(() => {});
      resolve();
    };
    stop.signal.addEventListener('abort', () => end(false), { once: true });
    const body = readBody(answer.body, { stop, idleMs: limits.idleMs, end });
    const { statusCode: status } = answer;
    const discard = () => (isBodiless(method, status) ? void drain(body) : end(false));
    return { status, headers: receivedHeaders(answer.headers), body, discard, over };
  } catch (error) {
    void client.destroy().catch(() => {});
    throw error;
  } finally {
    inTime();
  }
}

async function* readBody(
  body: Awaited<ReturnType<Client['request']>>['body'],
  { stop, idleMs, end }: { stop: Stop; idleMs: number; end: (isWhole: boolean) => void },
): AsyncGenerator<Uint8Array, void, undefined> {
  const chunks: AsyncIterator<Buffer> = body[Symbol.asyncIterator]();
  let isWhole = false;
  try {
    for (;;) {
      // Only while waiting for the server: a reader of ours that takes its time is not the server's silence.
      const inTime = stop.within(idleMs, 'timeout-idle');
      const next = await chunks.next().finally(inTime);
      if (next.done) break;
      yield next.value;
    }
    isWhole = true;
  } catch (error) {
    // In the middle of a body, the other side's farewell is as good as a cut.
    if (!stop.signal.aborted && codeOf(error) === 'UND_ERR_SOCKET')
      throw new Failure('truncated', { cause: error });
    throw toFailure(stop.reasonFor(error));
  } finally {
    end(isWhole);
  }
}

/** The connection stays good for the next request: a 304 is what most of them are answered with. */
async function drain(body: AsyncIterable<Uint8Array>): Promise<void> {
  try {
    for await (const _ of body);
  } catch {
    // Nobody wanted it.
  }
}

export function isBodiless(method: string, status: number): boolean {
  return method === 'HEAD' || status === 204 || status === 205 || status === 304;
}

/** On a kept connection that turned out to be closed, nothing was lost by asking again on a new one. */
function mayRepeat(error: unknown, method: string): boolean {
  if (error instanceof StaleConnection) return true;
  return (method === 'GET' || method === 'HEAD') && toFailure(error).reason === 'reset';
}
