// The connections of the server, over real sockets.
import type { IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Listening, type ListenOptions, listen } from '../../src/api/listen.ts';
import { until } from '../support/until.ts';

let listening: Listening;
let sockets: Socket[];
/** Requests that are not answered yet. */
let pending: (() => void)[];
/** The sockets of the requests, on the side of the server. */
let accepted: Socket[];
let answer: string;

const start = async (options: Partial<ListenOptions> = {}) => {
  const fetch = (_request: Request, { incoming }: { incoming: IncomingMessage }) => {
    accepted.push(incoming.socket);
    return new Promise<Response>((resolve) => pending.push(() => resolve(new Response(answer))));
  };
  listening = await listen(fetch as never, {
    host: '127.0.0.1',
    port: 0,
    trustedProxies: [],
    limits: { total: 5, perAddress: 3 },
    ...options,
  });
};

/** `from` is any address of the loopback network. */
const open = async (from = '127.0.0.1'): Promise<Socket> => {
  const socket = connect({ port: listening.port, host: '127.0.0.1', localAddress: from });
  socket.on('error', () => {});
  sockets.push(socket);
  await new Promise((resolve) => socket.once('connect', resolve));
  return socket;
};
const isClosed = (socket: Socket) =>
  until('the connection is closed', () => socket.closed || socket.readableEnded);
const ask = async (socket: Socket) => {
  const before = pending.length;
  socket.resume().write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  await until('the request is here', () => pending.length > before);
};

beforeEach(() => {
  sockets = [];
  pending = [];
  accepted = [];
  answer = 'ok';
});

afterEach(async () => {
  for (const end of pending) end();
  for (const socket of sockets) socket.destroy();
  await listening.stop();
});

it('closes the oldest idle connection of an address that has too many', async () => {
  await start();
  const [first, second] = [(await open()).resume(), (await open()).resume()];
  await ask(first);
  const stranger = (await open('127.0.0.2')).resume();
  await open();
  const fourth = (await open()).resume();
  await isClosed(second);
  await ask(fourth);
  expect([first.closed, stranger.closed]).toEqual([false, false]);
});

it('refuses a connection if all others of its address are busy', async () => {
  await start();
  for (let n = 0; n < 3; n++) await ask(await open());
  await isClosed((await open()).resume());
  expect(sockets.map(({ closed }) => closed)).toEqual([false, false, false, true]);
});

it('closes the oldest connection whose request has not arrived in full, if none is idle', async () => {
  await start();
  const answered = await open();
  await ask(answered);
  const slow = (await open()).resume();
  slow.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nhalf');
  await until('the request is here', () => pending.length === 2);
  await ask(await open());
  await ask(await open());
  await isClosed(slow);
  expect(answered.closed).toBe(false);
});

it('closes the oldest connection whose client does not read its answer, if all others are busy', async () => {
  await start();
  // More than the buffers of both sides hold.
  answer = 'x'.repeat(16_000_000);
  const deaf = await open();
  deaf.pause().write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  await until('the request is here', () => pending.length === 1);
  pending[0]?.();
  await until('the answer is stuck', () => (accepted[0]?.writableLength ?? 0) > 0);
  await ask(await open());
  await ask(await open());
  await ask(await open());
  expect(accepted[0]?.destroyed).toBe(true);
});

it('closes the oldest idle connection of all when there are too many', async () => {
  await start();
  const first = (await open('127.0.0.2')).resume();
  for (const from of ['127.0.0.3', '127.0.0.4', '127.0.0.5', '127.0.0.6', '127.0.0.7']) await open(from);
  await isClosed(first);
  expect(sockets.filter(({ closed }) => closed)).toEqual([first]);
});

it('leaves a body unread that its answer did not wait for, and closes the connection', async () => {
  await start();
  let received = '';
  const socket = (await open()).on('data', (text) => (received += text));
  socket.write('GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n');
  await until('the request is here', () => pending.length === 1);
  const answeredAt = performance.now();
  pending[0]?.();
  await until('the answer is here', () => received.endsWith('ok'));
  expect(received.toLowerCase()).toContain('connection: close');
  socket.write('1\r\na\r\n'.repeat(4_000_000));
  await isClosed(socket);
  expect(accepted[0]?.bytesRead).toBeLessThan(1_000_000);
  // Not at once: the client has time to read the answer, and cannot come back as fast as it likes.
  expect(performance.now() - answeredAt).toBeGreaterThan(1_900);
});

it('does not count the connections of a trusted proxy by its address', async () => {
  await start({ trustedProxies: [{ address: '127.0.0.9', prefix: 32, family: 'ipv4' }] });
  for (let n = 0; n < 5; n++) await ask(await open('127.0.0.9'));
  expect(sockets.filter(({ closed }) => closed)).toEqual([]);
});

it('stopping fails when a request does not end in time, since its handler may still write', async () => {
  await start();
  const socket = await open();
  await ask(socket);
  await expect(listening.stop({ withinMs: 10 })).rejects.toThrow('some requests did not end within 0.01 s');
  await isClosed(socket);
});

it('a stop serves a connection that is established and not accepted yet', async () => {
  await start();
  const socket = connect({ port: listening.port, host: '127.0.0.1' }).setEncoding('utf8');
  sockets.push(socket);
  let received = '';
  socket
    .on('error', () => {})
    .on('data', (text) => {
      received += text;
    });
  // The system has answered the client by now. The server accepts it in a later turn of the event loop.
  await new Promise((resolve) => process.nextTick(resolve));
  socket.write('GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
  const stopped = listening.stop({ withinMs: 60_000, arrivalMs: 60_000 });
  await until(
    'the request is here, or the connection is closed',
    () => pending.length === 1 || socket.closed,
  );
  for (const end of pending) end();
  await stopped;
  await isClosed(socket);
  expect(received).toMatch(/^HTTP\/1\.1 200 /);
});

it('a stop waits for the first request of a connection that is already open', async () => {
  await start();
  const socket = await open();
  const stopped = listening.stop({ withinMs: 60_000, arrivalMs: 60_000 });
  const refused = () =>
    new Promise<boolean>((resolve) => {
      const other = connect({ port: listening.port, host: '127.0.0.1' });
      other.once('connect', () => resolve(false)).once('error', () => resolve(true));
      other.once('connect', () => other.destroy());
    });
  await until('the port is closed', refused);
  socket.resume().write('GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
  await until(
    'the request is here, or the connection is closed',
    () => pending.length === 1 || socket.closed,
  );
  expect(pending).toHaveLength(1);
  for (const end of pending) end();
  await stopped;
});

it('stopping succeeds when the running requests end and only idle connections are left', async () => {
  await start();
  const [busy] = [await open(), await open()];
  await ask(busy);
  const stopped = listening.stop();
  for (const end of pending) end();
  await expect(stopped).resolves.toBeUndefined();
});
