import { connect } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createOutbound, type OutboundDeps } from '../../src/outbound/outbound.ts';
import { parseProxy } from '../../src/outbound/proxy.ts';
import { selfSignedCertificate } from '../support/certificate.ts';
import {
  createWorld,
  listen,
  rawServer,
  reasonOf,
  startCanary,
  textOf,
  type World,
} from '../support/outbound.ts';
import { httpProxy, socksProxy, type TestProxy } from '../support/proxies.ts';
import { TestTimers } from '../support/timers.ts';

const kinds = {
  http: (portOf: Parameters<typeof httpProxy>[0]) => httpProxy(portOf),
  socks5: (portOf: Parameters<typeof httpProxy>[0]) => socksProxy(portOf),
  socks5h: (portOf: Parameters<typeof httpProxy>[0]) => socksProxy(portOf),
};
const names = Object.keys(kinds) as (keyof typeof kinds)[];

/** A proxy at proxy.example, port 3128, that leads to the world's servers. */
async function withProxy(
  make: (portOf: Parameters<typeof httpProxy>[0]) => TestProxy,
  options: Partial<OutboundDeps> = {},
) {
  const ports = new Map<string, number>();
  const proxy = make((host) => ports.get(host));
  const world = createWorld(options);
  const listening = await listen(proxy.server);
  const address = '93.184.216.250';
  world.dns.set('proxy.example', [address]);
  // The world dials the proxy; behind it, the proxy dials the servers itself.
  const outbound = createOutbound({
    ...world.deps,
    openSocket: (to, port) =>
      to === address ? connect(listening, '127.0.0.1') : (world.deps.openSocket?.(to, port) as never),
  });
  onTestFinished(() => outbound.close());
  const request = (url: string, proxyUrl: string, more = {}) =>
    outbound.request({ url, proxy: proxyUrl, ...more });
  return { world, proxy, ports, request, outbound };
}

async function serveHello(ports: Map<string, number>, host: string) {
  const server = rawServer((socket) =>
    socket.on('data', () => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello')),
  );
  ports.set(host, await listen(server));
}

describe.each(names)('through a proxy of kind %s', (kind) => {
  it('the proxy is asked for the address that was checked, not for the name', async () => {
    const { world, proxy, ports, request } = await withProxy(kinds[kind]);
    await serveHello(ports, '93.184.216.34');
    world.dns.set('a.example', ['10.0.0.1', '93.184.216.34']);
    expect(textOf(await request('http://a.example/', `${kind}://proxy.example:3128`))).toBe('hello');
    expect(proxy.asked).toEqual(['93.184.216.34:80']);
  });

  it.each(['127.0.0.1', '[::1]', '169.254.169.254', 'localhost', '[64:ff9b::a9fe:a9fe]', 'inside.example'])(
    '%s is blocked, and the proxy hears nothing of it',
    async (host) => {
      const { world, proxy, request } = await withProxy(kinds[kind]);
      world.dns.set('inside.example', ['192.168.1.1']);
      expect(reasonOf(await request(`http://${host}/`, `${kind}://proxy.example:3128`))).toBe(
        'blocked-address',
      );
      expect([...proxy.asked, ...world.dials]).toEqual([]);
    },
  );

  it('the name in the certificate still counts', async () => {
    const certificate = selfSignedCertificate('a.example');
    const { world, proxy, ports, request } = await withProxy(kinds[kind], {
      trustedAuthorities: certificate.cert,
    });
    const server = createTlsServer(certificate, (socket) => {
      socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nsecure'));
    });
    ports.set('93.184.216.34', await listen(server));
    world.dns.set('a.example', ['93.184.216.34']);
    world.dns.set('imposter.example', ['93.184.216.34']);
    expect(textOf(await request('https://a.example/', `${kind}://proxy.example:3128`))).toBe('secure');
    expect(reasonOf(await request('https://imposter.example/', `${kind}://proxy.example:3128`))).toBe('tls');
    expect(proxy.asked).toEqual(['93.184.216.34:443', '93.184.216.34:443']);
  });

  it('a refusal, a stall and a wrong protocol are failures of the proxy', async () => {
    const { world, request } = await withProxy(kinds[kind]);
    world.dns.set('a.example', ['93.184.216.34']);
    expect(reasonOf(await request('http://a.example/', `${kind}://proxy.example:3128`))).toBe('proxy');
    await world.rawSite('stalls.example', () => {});
    expect(
      reasonOf(
        await world.request('http://a.example/', {
          proxy: `${kind}://stalls.example`,
          limits: { connectMs: 60 },
        }),
      ),
    ).toBe('timeout-connect');
    await world.rawSite('talks.example', (socket) => socket.end('220 mail.example ESMTP\r\n'.repeat(1000)));
    expect(reasonOf(await world.request('http://a.example/', { proxy: `${kind}://talks.example` }))).toBe(
      'proxy',
    );
  });

  it('a name server of the proxy that never answers is not waited for', async () => {
    const timers = new TestTimers();
    const world = createWorld({
      now: timers.now,
      after: timers.after,
      resolve: (name) => (name === 'a.example' ? Promise.resolve(['93.184.216.34']) : new Promise(() => {})),
    });
    const proxy = `${kind}://proxy.example:3128`;
    const cancelled = new AbortController();
    const outcomes = Promise.all([
      world.request('http://a.example/', { proxy }),
      world.request('http://a.example/', { proxy, limits: { totalMs: 5_000 } }),
      world.request('http://a.example/', { proxy, signal: cancelled.signal, unpaced: true }),
    ]);
    await timers.advance(1_000);
    cancelled.abort();
    await timers.advance(9_000);
    expect((await outcomes).map(reasonOf)).toEqual(['timeout-connect', 'timeout-total', 'cancelled']);
  });

  it('the proxy itself passes the guard', async () => {
    const canary = await startCanary();
    const world = createWorld();
    world.dns.set('a.example', ['93.184.216.34']);
    world.dns.set('inside.example', ['127.0.0.1']);
    const sentences = new Set<string>();
    for (const host of [
      '127.0.0.1',
      '0x7f.1',
      '[::ffff:127.0.0.1]',
      'localhost',
      'inside.example',
      'nowhere.example',
    ]) {
      const outcome = await world.request('http://a.example/', { proxy: `${kind}://${host}:${canary.port}` });
      expect(reasonOf(outcome)).toBe('proxy');
      sentences.add(outcome.sentence);
    }
    expect(sentences.size).toBe(1);
    expect([world.dials, canary.bytes]).toEqual([[], 0]);
  });

  it('no connection is kept for a request without it', async () => {
    const { world, ports, request, outbound } = await withProxy(kinds[kind]);
    await serveHello(ports, '93.184.216.34');
    await world.site('a.example', (_request, response) => response.end('direct'));
    await request('http://a.example/', `${kind}://proxy.example:3128`);
    expect(world.dials).toEqual([]);
    expect(textOf(await outbound.request({ url: 'http://a.example/' }))).toBe('direct');
    expect(world.dials).toEqual(['93.184.216.34']);
  });

  it('no connection is used that was kept from a request without it', async () => {
    const { world, proxy, ports, request, outbound } = await withProxy(kinds[kind]);
    await serveHello(ports, '93.184.216.34');
    await world.site('a.example', (_request, response) => response.end('direct'));
    expect(textOf(await outbound.request({ url: 'http://a.example/' }))).toBe('direct');
    expect(textOf(await request('http://a.example/', `${kind}://proxy.example:3128`))).toBe('hello');
    expect(proxy.asked).toEqual(['93.184.216.34:80']);
    expect(world.dials).toEqual(['93.184.216.34']);
  });
});

it('a proxy that forges a 429 keeps nobody else from the domain', async () => {
  const { world, ports, request, outbound } = await withProxy(kinds.http);
  const forging = rawServer((socket) =>
    socket.on('data', () => socket.write('HTTP/1.1 429 Too Many Requests\r\nRetry-After: 9999\r\n\r\n')),
  );
  ports.set('93.184.216.34', await listen(forging));
  await world.site('a.example', (_request, response) => response.end('direct'));
  const proxied = () => request('http://a.example/', 'http://proxy.example:3128');
  expect((await proxied()).kind).toBe('rate-limited');
  expect(await proxied()).toMatchObject({ kind: 'rate-limited', status: undefined });
  expect(textOf(await outbound.request({ url: 'http://a.example/' }))).toBe('direct');
});

describe('a login', () => {
  it('is given to an HTTP proxy', async () => {
    const { world, proxy, ports, request } = await withProxy(kinds.http);
    await serveHello(ports, '93.184.216.34');
    world.dns.set('a.example', ['93.184.216.34']);
    await request('http://a.example/', 'http://ann:p%40ss@proxy.example:3128');
    expect(proxy.logins).toEqual(['ann:p@ss']);
  });

  it.each([
    ['ann:p@ss', 'ann:p%40ss@', 'body'],
    ['ann:p@ss', 'ann:wrong@', 'proxy'],
    ['ann:p@ss', '', 'proxy'],
  ])('of a SOCKS proxy that wants %s is tried as "%s": %s', async (login, given, expected) => {
    const { world, ports, request } = await withProxy((portOf) => socksProxy(portOf, login));
    await serveHello(ports, '93.184.216.34');
    world.dns.set('a.example', ['93.184.216.34']);
    expect(reasonOf(await request('http://a.example/', `socks5://${given}proxy.example:3128`))).toBe(
      expected,
    );
  });
});

describe('an onion service', () => {
  const onion = 'duckduckgogg42xjoc72x3sjasowoarfbgcmvfimaftt6twagswzczad.onion';

  it('is asked for by name, by socks5h: alone', async () => {
    const { world, proxy, ports, request } = await withProxy(kinds.socks5h);
    await serveHello(ports, onion);
    expect(textOf(await request(`http://${onion}/`, 'socks5h://proxy.example:3128'))).toBe('hello');
    expect(proxy.asked).toEqual([`${onion}:80`]);
    expect(reasonOf(await request(`http://${onion}/`, 'socks5://proxy.example:3128'))).toBe('dns');
    expect(world.queries.filter((name) => name.endsWith('.onion'))).toEqual([onion]);
  });

  it('cannot be reached without a proxy', async () => {
    const world: World = createWorld();
    expect(reasonOf(await world.request(`http://${onion}/`))).toBe('dns');
  });
});

it('a proxy over TLS is asked over TLS, and must have a certificate for its name', async () => {
  const certificate = selfSignedCertificate('proxy.example');
  const { world, proxy, ports, request } = await withProxy(
    (portOf) => {
      const inner = httpProxy(portOf);
      return { ...inner, server: createTlsServer(certificate, inner.serve) };
    },
    { trustedAuthorities: certificate.cert },
  );
  await serveHello(ports, '93.184.216.34');
  world.dns.set('a.example', ['93.184.216.34']);
  expect(textOf(await request('http://a.example/', 'https://ann:x@proxy.example:3128'))).toBe('hello');
  expect(proxy).toMatchObject({ asked: ['93.184.216.34:80'], logins: ['ann:x'] });
  world.dns.set('imposter.example', ['93.184.216.250']);
  expect(reasonOf(await request('http://a.example/', 'https://imposter.example:3128'))).toBe('proxy');
});

it.each([
  '',
  'proxy.example:3128',
  'ftp://proxy.example',
  'socks4://proxy.example',
  'file:///etc/passwd',
  'http://',
])('%j is no proxy', (text) =>
  expect(() => parseProxy(text)).toThrow(expect.objectContaining({ reason: 'proxy' })),
);

it('an IPv6 address is asked for in full', async () => {
  const { proxy, request } = await withProxy(kinds.socks5);
  await request('http://[2606:4700::1111]/', 'socks5://proxy.example:3128');
  expect(proxy.asked).toEqual(['26064700000000000000000000001111:80']);
  const http = await withProxy(kinds.http);
  await http.request('http://[2606:4700::1111]/', 'http://proxy.example:3128');
  expect(http.proxy.asked).toEqual(['[2606:4700::1111]:80']);
});
