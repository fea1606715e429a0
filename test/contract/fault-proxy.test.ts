// The proxy that other suites break connections with does what they ask of it.
import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type FaultProxy, startFaultProxy } from '../support/fault-proxy.ts';
import { until } from '../support/until.ts';

/** A connection, and what has happened to it. */
interface Observed {
  readonly socket: Socket;
  text: string;
  hasEnded: boolean;
  errorCode: string | undefined;
  isClosed: boolean;
}

let servers: Server[];
let proxy: FaultProxy;
/** Connections that have reached the server. */
let served: Observed[];
let opened: Observed[];

beforeEach(async () => {
  servers = [];
  served = [];
  opened = [];
  proxy = await startFaultProxy({ host: '127.0.0.1', port: await startEcho('') });
});

afterEach(async () => {
  await proxy.stop();
  for (const { socket } of [...served, ...opened]) socket.destroy();
  for (const server of servers) server.close();
});

/** A server that answers each piece with a word of its own and the same piece. */
async function startEcho(word: string): Promise<number> {
  const server = createServer((socket) => {
    served.push(observe(socket));
    socket.on('data', (chunk) => socket.write(`${word}${chunk}`));
  });
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as { port: number }).port;
}

function observe(socket: Socket): Observed {
  const observed: Observed = { socket, text: '', hasEnded: false, errorCode: undefined, isClosed: false };
  socket.on('data', (chunk) => (observed.text += chunk));
  socket.on('end', () => (observed.hasEnded = true));
  socket.on('error', (error: NodeJS.ErrnoException) => (observed.errorCode = error.code));
  socket.on('close', () => (observed.isClosed = true));
  return observed;
}

async function open(): Promise<Observed> {
  const observed = observe(connect(proxy.port, proxy.host));
  opened.push(observed);
  await Promise.race([once(observed.socket, 'connect'), once(observed.socket, 'close')]).catch(() => {});
  return observed;
}

async function say(client: Observed, text: string): Promise<void> {
  const before = client.text.length;
  client.socket.write(text);
  await until('an answer', () => client.text.length >= before + text.length, 5_000);
}

async function openAndUse(): Promise<Observed> {
  const client = await open();
  await say(client, 'hello');
  return client;
}

function only<T>(list: readonly T[]): T {
  expect(list).toHaveLength(1);
  return list[0] as T;
}

/** Another connection is served after `client` wrote something, so that a fault has had its chance to show. */
async function isServedMeanwhile(text: string): Promise<void> {
  await proxy.set({ kind: 'pass' });
  await say(await open(), text);
}

it('passes bytes in both directions, and counts them', async () => {
  const client = await openAndUse();
  expect(client.text).toBe('hello');
  expect(proxy.counters).toEqual({ accepted: 1, unconnected: 0, broken: 0, upBytes: 5, downBytes: 5 });
  expect(proxy.openConnections).toBe(1);
  client.socket.end();
  await until('both ends have closed', () => only(served).isClosed && client.isClosed);
  expect([client.errorCode, only(served).errorCode]).toEqual([undefined, undefined]);
  expect(proxy.openConnections).toBe(0);
});

it('passes on large bodies complete, and faster than the receiver reads them', async () => {
  const client = await open();
  const text = 'x'.repeat(3_000_000);
  client.socket.pause();
  client.socket.write(text);
  await until('the server has received a part', () => (served[0]?.text.length ?? 0) > 100_000);
  client.socket.resume();
  await until('everything is back', () => client.text.length >= text.length);
  expect(client.text === text).toBe(true);
});

it('cut ends existing connections on both sides without an error, and serves new ones', async () => {
  const client = await openAndUse();
  proxy.breakAll('cut');
  await until('both ends have closed', () => client.isClosed && only(served).isClosed);
  expect([client.hasEnded, client.errorCode]).toEqual([true, undefined]);
  expect([only(served).hasEnded, only(served).errorCode]).toEqual([true, undefined]);
  expect(proxy.counters.broken).toBe(1);
  await openAndUse();
});

it('reset ends existing connections on both sides with ECONNRESET', async () => {
  const client = await openAndUse();
  proxy.breakAll('reset');
  await until('both ends have closed', () => client.isClosed && only(served).isClosed);
  expect([client.errorCode, only(served).errorCode]).toEqual(['ECONNRESET', 'ECONNRESET']);
});

it('break after N bytes resets a connection in the middle of an answer, also one that exists', async () => {
  const existing = await openAndUse();
  await proxy.set({ kind: 'break', how: 'reset', direction: 'down', afterBytes: 7 });
  for (const client of [existing, await open()]) {
    client.socket.write('0123456789');
    await until('the connection is reset', () => client.isClosed);
    expect(client.text.replace('hello', '')).toBe('0123456');
    expect(client.errorCode).toBe('ECONNRESET');
  }
});

it('break after N bytes of a request passes exactly N bytes to the server', async () => {
  await proxy.set({ kind: 'break', how: 'cut', direction: 'up', afterBytes: 4 });
  const client = await open();
  client.socket.write('0123456789');
  await until('both ends have closed', () => client.isClosed && only(served).isClosed);
  expect(only(served).text).toBe('0123');
});

it('break asks a function once for each connection', async () => {
  const limits = [3, 5];
  await proxy.set({ kind: 'break', how: 'reset', direction: 'up', afterBytes: () => limits.shift() ?? 0 });
  for (const expected of ['012', '01234']) {
    const client = await open();
    client.socket.write('0123456789');
    await until('the connection is reset', () => client.isClosed);
    expect(served.at(-1)?.text).toBe(expected);
  }
});

it('stall stops in the middle of an answer, keeps the connection, and goes on when it passes again', async () => {
  const client = await openAndUse();
  await proxy.set({ kind: 'break', how: 'stall', direction: 'down', afterBytes: 2 });
  client.socket.write('0123456789');
  await until('a part has arrived', () => client.text === 'hello01');
  await until('the server has received everything', () => only(served).text === 'hello0123456789');
  expect([client.text, client.isClosed]).toEqual(['hello01', false]);
  await proxy.set({ kind: 'pass' });
  await until('the rest has arrived', () => client.text === 'hello0123456789');
});

it('half-open accepts connections and passes nothing, not even the end of a connection', async () => {
  const existing = await openAndUse();
  await proxy.set({ kind: 'half-open' });
  const late = await open();
  late.socket.write('late');
  existing.socket.write('lost');
  existing.socket.end();
  await until('the proxy has received the bytes', () => existing.socket.bytesWritten === 9);
  await until('the proxy has accepted', () => proxy.openConnections === 2);
  expect([late.isClosed, late.errorCode, late.text]).toEqual([false, undefined, '']);
  expect([only(served).text, only(served).hasEnded, existing.isClosed]).toEqual(['hello', false, false]);
  await isServedMeanwhile('later');
  await until('what was sent meanwhile has arrived', () => late.text === 'late' && existing.isClosed);
  expect(existing.text).toBe('hellolost');
});

it('refuse refuses new connections, keeps existing ones, and listens on the same port again', async () => {
  const existing = await openAndUse();
  const { port } = proxy;
  await proxy.set({ kind: 'refuse' });
  const refused = await open();
  await until('it is refused', () => refused.isClosed);
  expect(refused.errorCode).toBe('ECONNREFUSED');
  await say(existing, 'still here');
  await proxy.set({ kind: 'pass' });
  expect(proxy.port).toBe(port);
  await openAndUse();
});

it('delay holds bytes back, without adding up over the pieces of a stream', async () => {
  const ms = 100;
  await proxy.set({ kind: 'delay', ms, direction: 'down' });
  const client = await open();
  const began = performance.now();
  for (let piece = 1; piece <= 20; piece++) {
    client.socket.write('piece');
    await until('the server has the piece', () => served[0]?.text.length === piece * 5);
  }
  const sent = performance.now();
  await until('all answers are back', () => client.text.length === 100);
  expect(performance.now() - began).toBeGreaterThanOrEqual(ms);
  expect(performance.now() - sent).toBeLessThan(10 * ms);
});

it('throttle gives all connections together so many bytes per second', async () => {
  await proxy.set({ kind: 'throttle', bytesPerSecond: 20_000, direction: 'up' });
  const clients = await Promise.all([open(), open()]);
  const began = performance.now();
  for (const client of clients) client.socket.write('x'.repeat(4_000));
  await until('everything is back', () => clients.every((client) => client.text.length === 4_000));
  // The first piece of a twentieth of a second is free, and so is the time after the last.
  expect(performance.now() - began).toBeGreaterThan(250);
});

it('leads new connections to another target when it changes', async () => {
  const existing = await openAndUse();
  proxy.target = { host: '127.0.0.1', port: await startEcho('second ') };
  const moved = await open();
  moved.socket.write('hello');
  await until('the new target answers', () => moved.text === 'second hello');
  await say(existing, 'first');
  expect(existing.text).toBe('hellofirst');
});

it('resets a connection whose target is away, and counts it', async () => {
  const gone = createServer();
  gone.listen(0, '127.0.0.1');
  await once(gone, 'listening');
  proxy.target = { host: '127.0.0.1', port: (gone.address() as { port: number }).port };
  gone.close();
  await once(gone, 'close');
  const client = await open();
  await until('the connection is reset', () => client.isClosed);
  expect(proxy.counters.unconnected).toBe(1);
});

it('passes on the reset of the other side', async () => {
  const client = await openAndUse();
  only(served).socket.resetAndDestroy();
  await until('the client is reset', () => client.isClosed);
  expect(client.errorCode).toBe('ECONNRESET');
});
