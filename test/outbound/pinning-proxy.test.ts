// What a browser without a screen would ask for: every subresource passes the same guard, and the same canary counts.
import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { PinningLimits } from '../../src/outbound/pinning-proxy.ts';
import { answering, createWorld, startCanary, type World } from '../support/outbound.ts';
import { sendRaw } from '../support/raw-http.ts';
import { TestTimers } from '../support/timers.ts';

async function openProxy(world: World, limits?: Partial<PinningLimits>) {
  const proxy = await world.outbound.openPinningProxy(limits);
  onTestFinished(() => proxy.close());
  const credential = Buffer.from(`${proxy.username}:${proxy.password}`).toString('base64');
  const authorization = `Proxy-Authorization: Basic ${credential}\r\n`;
  const url = `http://127.0.0.1:${proxy.port}`;
  return {
    proxy,
    authorization,
    get: (target: string, headers = authorization) =>
      sendRaw(url, [`GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${headers}\r\n`]),
    /** CONNECT, and what is said through the tunnel at once. */
    tunnel: (authority: string, through = '', headers = authorization) =>
      sendRaw(url, [`CONNECT ${authority} HTTP/1.1\r\nHost: x\r\n${headers}\r\n${through}`]),
  };
}

const inside = [
  ...['127.0.0.1', '0x7f.1', '2130706433', '[::1]', '[::ffff:127.0.0.1]', 'localhost', 'sub.localhost'],
  ...['169.254.169.254', 'metadata.google.internal', '[64:ff9b::a9fe:a9fe]', '10.0.0.1', 'inside.example'],
];

describe('the pinning proxy', () => {
  it.each(inside)('does not lead to %s, by either way of asking', async (host) => {
    const canary = await startCanary();
    const world = createWorld();
    world.dns.set('inside.example', ['127.0.0.1']);
    const { get, tunnel } = await openProxy(world);
    expect((await get(`http://${host}:${canary.port}/`)).status).toBe(502);
    expect((await tunnel(`${host}:${canary.port}`, 'GET / HTTP/1.1\r\n\r\n')).status).toBe(502);
    expect((await tunnel(`${host}:443`)).status).toBe(502);
    expect(world.dials).toEqual([]);
    expect(canary).toMatchObject({ connections: 0, bytes: 0 });
  });

  it('answers alike for what is blocked, unknown and closed', async () => {
    const world = createWorld({
      openSocket: (_address, _port) => connect(1, '127.0.0.1'),
    });
    world.dns.set('closed.example', ['93.184.216.34']);
    const { get, tunnel } = await openProxy(world);
    const hosts = ['127.0.0.1:80', 'nowhere.example:80', 'closed.example:80'];
    const answers = await Promise.all(hosts.flatMap((host) => [get(`http://${host}/`), tunnel(host)]));
    const withoutDate = answers.map(({ head, body }) => head.replace(/\r\nDate: .*/, '') + body);
    expect(new Set(withoutDate).size).toBe(2);
  });

  it('leads to a public address, resolved once and as it was checked', async () => {
    const world = createWorld();
    const address = await world.site('a.example', (request, response) => {
      response
        .writeHead(201, { 'x-host': request.headers.host })
        .end(`${request.url} ${request.headers['proxy-authorization']}`);
    });
    const answers = [[address], ['127.0.0.1']];
    world.dns.set('a.example', () => answers.shift() ?? []);
    const { get, tunnel } = await openProxy(world);
    const answer = await get('http://a.example/path?q');
    expect(answer).toMatchObject({ status: 201, body: expect.stringContaining('/path?q undefined') });
    expect((await get('http://a.example/')).status).toBe(502);
    world.dns.set('a.example', [address]);
    const tunnelled = await tunnel(
      'a.example:80',
      'GET /t HTTP/1.1\r\nHost: a.example\r\nConnection: close\r\n\r\n',
    );
    expect(tunnelled.status).toBe(200);
    expect(tunnelled.body).toContain('/t undefined');
    expect(world.dials).toEqual([address, address]);
  });

  it('serves nobody without its password', async () => {
    const world = createWorld();
    await world.site('a.example', (_request, response) => response.end('a'));
    const { get, tunnel, proxy } = await openProxy(world);
    const wrong = `Proxy-Authorization: Basic ${Buffer.from(`lectern:${'x'.repeat(proxy.password.length)}`).toString('base64')}\r\n`;
    for (const headers of ['', wrong, 'Proxy-Authorization: Bearer x\r\n']) {
      expect((await get('http://a.example/', headers)).status).toBe(407);
      expect((await tunnel('a.example:80', '', headers)).status).toBe(407);
    }
    expect(world.dials).toEqual([]);
    const other = await openProxy(world);
    expect(other.proxy.password).not.toBe(proxy.password);
  });

  it.each(['/', 'https://a.example/', 'ftp://a.example/', 'file:///etc/passwd', '*'])(
    'does not take %s for a request to pass on',
    async (target) => {
      const { get } = await openProxy(createWorld());
      expect((await get(target)).status).toBe(400);
    },
  );

  it.each([
    '',
    ':',
    'a.example',
    'user@127.0.0.1:80',
    '127.0.0.1:80/x',
    '127.0.0.1:99999',
    '::1:80',
    '127.0.0.1\\@a:80',
  ])('does not take "%s" for a place to connect to', async (authority) => {
    const world = createWorld();
    const { tunnel } = await openProxy(world);
    expect([400, 502, undefined]).toContain((await tunnel(authority)).status);
    expect(world.dials).toEqual([]);
  });

  it.each([
    'HTTP/1.1 000 Nothing\r\n',
    'HTTP/1.1 099 Low\r\n',
    'HTTP/1.1 101 Switching Protocols\r\n',
    'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n',
    'HTTP/1.1 1000 High\r\n',
    'HTTP/1.1 200 OK\r\nX-A: \x7f\r\n',
    'HTTP/1.1 200 OK\r\nContent-Length: -1\r\n',
  ])('answers 502 for a server that begins with %j, and lives on', async (head) => {
    const world = createWorld();
    const { promise: left, resolve: leave } = Promise.withResolvers<void>();
    await world.rawSite('hostile.example', (socket) => {
      socket.once('close', () => leave());
      answering(`${head}\r\n`)(socket);
    });
    await world.site('a.example', (_request, response) => response.end('alive'));
    const { get } = await openProxy(world);
    const refused = await get('http://hostile.example/');
    expect(refused.head).toMatch(/^HTTP\/1\.1 502 Bad Gateway\r\n/);
    await left;
    expect((await get('http://a.example/')).body).toContain('alive');
  });

  it.each([
    'HTTP/1.1 200 \xff\x80\r\n',
    'HTTP/1.1 200\r\n',
    'HTTP/1.1 999 Denied\r\n',
    'HTTP/1.1 200 OK\r\nX-A: \x80\xff\r\n',
    'HTTP/1.1 200 OK\r\n__proto__: x\r\nconstructor: y\r\n',
  ])('passes on what a server begins with as %j', async (head) => {
    const world = createWorld();
    await world.rawSite(
      'odd.example',
      answering(Buffer.from(`${head}Content-Length: 3\r\n\r\nodd`, 'latin1')),
    );
    const { get } = await openProxy(world);
    const { status, body } = await get('http://odd.example/');
    expect([status, body]).toEqual([Number(head.slice(9, 12)), 'odd']);
  });

  it('passes no more bytes than it may, over all of its connections', async () => {
    const world = createWorld();
    await world.site('a.example', (_request, response) => response.end(Buffer.alloc(40_000)));
    const { get } = await openProxy(world, { maxBytes: 100_000 });
    const sizes: number[] = [];
    for (let index = 0; index < 4; index++) sizes.push((await get('http://a.example/')).body.length);
    expect(sizes.slice(0, 2)).toEqual([40_000, 40_000]);
    expect(sizes.reduce((sum, size) => sum + size)).toBeLessThanOrEqual(100_000);
  });

  it('ends a connection that lasts too long', async () => {
    const timers = new TestTimers();
    const world = createWorld({ now: timers.now, after: timers.after });
    const { promise: arrived, resolve } = Promise.withResolvers<void>();
    await world.rawSite('a.example', (socket) => socket.once('data', () => resolve()));
    const { tunnel } = await openProxy(world, { totalMs: 400 });
    let isOpen = true;
    const tunnelled = tunnel('a.example:80', 'GET / HTTP/1.1\r\n\r\n').finally(() => {
      isOpen = false;
    });
    await arrived;
    await timers.advance(399);
    expect(isOpen).toBe(true);
    await timers.advance(1);
    expect((await tunnelled).status).toBe(200);
  });

  it('leaves a server when the one who asked has left, and lives on', async () => {
    const world = createWorld();
    const { promise: arrived, resolve } = Promise.withResolvers<void>();
    const { promise: left, resolve: leave } = Promise.withResolvers<void>();
    await world.rawSite('silent.example', (socket) => {
      socket.once('data', () => resolve());
      socket.once('close', () => leave());
    });
    await world.site('a.example', (_request, response) => response.end('alive'));
    const { proxy, authorization, get } = await openProxy(world);
    const client = connect(proxy.port, '127.0.0.1');
    client.write(`GET http://silent.example/ HTTP/1.1\r\nHost: x\r\n${authorization}\r\n`);
    await arrived;
    client.destroy();
    await left;
    expect((await get('http://a.example/')).body).toContain('alive');
  });

  it('ends with everything that goes through it', async () => {
    const world = createWorld();
    const { promise: arrived, resolve } = Promise.withResolvers<void>();
    const { promise: left, resolve: leave } = Promise.withResolvers<void>();
    await world.rawSite('a.example', (socket) => {
      resolve();
      socket.once('close', () => leave());
      socket.resume();
    });
    const { proxy, authorization } = await openProxy(world);
    const client = connect(proxy.port, '127.0.0.1');
    client.on('error', () => {});
    client.write(`CONNECT a.example:80 HTTP/1.1\r\nHost: x\r\n${authorization}\r\n`);
    await arrived;
    const closed = once(client.resume(), 'close');
    await Promise.all([proxy.close(), closed, left]);
    expect(client.destroyed).toBe(true);
    await expect(once(connect(proxy.port, '127.0.0.1'), 'connect')).rejects.toThrow('ECONNREFUSED');
  });
});
