// Servers that are slow, broken or hostile: every one of them ends in a typed failure, within its limits.
import type { Socket } from 'node:net';
import { createGzip, createZstdCompress } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { Limits } from '../../src/outbound/limits.ts';
import { answering, createWorld, reasonOf, textOf } from '../support/outbound.ts';
import { TestTimers } from '../support/timers.ts';

const megabyte = 1024 * 1024;
const head = 'HTTP/1.1 200 OK\r\n';

/** Sends a piece again and again, as fast as it may or every few milliseconds, until the other side has gone. */
function dripping(first: string, piece: string | Buffer, everyMs: number): (socket: Socket) => void {
  return (socket) => {
    let timer: NodeJS.Timeout | undefined;
    socket.once('data', () => {
      if (first !== '') socket.write(first);
      timer = setInterval(() => socket.write(piece), everyMs);
    });
    socket.once('close', () => clearInterval(timer));
  };
}

function flooding(first: string, piece: Buffer): (socket: Socket) => void {
  return (socket) => {
    const send = () => {
      while (!socket.destroyed && socket.write(piece));
    };
    socket.on('drain', send);
    socket.once('data', () => {
      socket.write(first);
      send();
    });
  };
}

/** The one limit that a test is about; the others stay out of its way, however busy the machine is. */
const shortLimits: Record<string, Partial<Limits>> = {
  'timeout-connect': { connectMs: 60 },
  'timeout-first-byte': { firstByteMs: 60 },
  'timeout-idle': { idleMs: 60 },
  'timeout-total': { totalMs: 200 },
};

describe('a server that', () => {
  it.each<[what: string, reason: string, onConnection: (socket: Socket) => void]>([
    ['never answers', 'timeout-first-byte', () => {}],
    ['drips its headers for ever', 'timeout-first-byte', dripping(head, 'X-A: b\r\n', 5)],
    ['drips its status line', 'timeout-first-byte', dripping('HTTP/1.1 20', '0', 100_000)],
    ['goes silent in its body', 'timeout-idle', answering(`${head}Content-Length: 10\r\n\r\nabc`)],
    ['drips its body for ever', 'timeout-total', dripping(`${head}\r\n`, 'x', 5)],
    [
      'drips its chunks for ever',
      'timeout-total',
      dripping(`${head}Transfer-Encoding: chunked\r\n\r\n`, '1\r\nx\r\n', 5),
    ],
    [
      'drips interim answers for ever',
      'timeout-first-byte',
      dripping('', 'HTTP/1.1 103 Early Hints\r\n\r\n', 5),
    ],
  ])('%s fails as %s', async (_what, reason, onConnection) => {
    const world = createWorld({ limits: shortLimits[reason] ?? {} });
    await world.rawSite('a.example', onConnection);
    expect(reasonOf(await world.request('http://a.example/'))).toBe(reason);
  });

  it.each<[what: string, reason: string, onConnection: (socket: Socket) => void]>([
    [
      'sends endless headers',
      'headers-too-large',
      flooding(head, Buffer.from(`X-A: ${'b'.repeat(1000)}\r\n`)),
    ],
    ['sends one endless header', 'headers-too-large', flooding(`${head}X-A: `, Buffer.alloc(1000, 'b'))],
    ['sends an endless body', 'too-large', flooding(`${head}\r\n`, Buffer.alloc(64 * 1024, 'x'))],
    ['announces too large a body', 'too-large', answering(`${head}Content-Length: 99999999999\r\n\r\n`)],
    ['announces an absurd length', 'protocol', answering(`${head}Content-Length: 1e9\r\n\r\n`)],
    ['speaks another protocol', 'protocol', answering('SSH-2.0-OpenSSH_9.6\r\n')],
    ['sends two lengths', 'protocol', answering(`${head}Content-Length: 1\r\nContent-Length: 2\r\n\r\nab`)],
    ['sends a broken chunk', 'protocol', answering(`${head}Transfer-Encoding: chunked\r\n\r\nzz\r\n`)],
    ['answers 304 without having been asked', 'http-status', answering('HTTP/1.1 304 Not Modified\r\n\r\n')],
    ['closes at once', 'reset', (socket) => socket.end()],
    ['resets at once', 'reset', (socket) => socket.once('data', () => socket.resetAndDestroy())],
  ])('%s is refused as %s', async (_what, reason, onConnection) => {
    const world = createWorld({ limits: { maxBytes: megabyte } });
    await world.rawSite('a.example', onConnection);
    expect(reasonOf(await world.request('http://a.example/'))).toBe(reason);
  });

  it.each<[what: string, reason: string, onConnection: (socket: Socket) => void]>([
    [
      'closes before its length',
      'truncated',
      (socket) => socket.once('data', () => socket.end(`${head}Content-Length: 10\r\n\r\nabc`)),
    ],
    [
      'closes in a chunk',
      'truncated',
      (socket) => socket.once('data', () => socket.end(`${head}Transfer-Encoding: chunked\r\n\r\n5\r\nab`)),
    ],
    [
      'resets in a chunk',
      'reset',
      (socket) =>
        socket.once('data', () =>
          socket.write(`${head}Transfer-Encoding: chunked\r\n\r\n5\r\nab`, () => socket.resetAndDestroy()),
        ),
    ],
  ])('%s gives no body, not half of one, but %s', async (_what, reason, onConnection) => {
    const world = createWorld();
    await world.rawSite('a.example', onConnection);
    expect(reasonOf(await world.request('http://a.example/'))).toBe(reason);
  });

  it('sends many headers is read up to the limit, and no further', async () => {
    const world = createWorld();
    const headers = `X-A: ${'b'.repeat(1_000)}\r\n`;
    await world.rawSite('a.example', answering(`${head}${headers.repeat(24)}Content-Length: 2\r\n\r\nok`));
    expect(textOf(await world.request('http://a.example/'))).toBe('ok');
    const limited = createWorld({ ...world.deps, limits: { maxHeaderBytes: 8_000 } });
    expect(reasonOf(await limited.request('http://a.example/'))).toBe('headers-too-large');
  });

  it('stalls in TLS fails as unreachable', async () => {
    const world = createWorld({ limits: { connectMs: 60 } });
    await world.rawSite('secure.example', () => {});
    expect(reasonOf(await world.request('https://secure.example/'))).toBe('timeout-connect');
  });

  it('speaks no TLS, or for another name, gets no request', async () => {
    const world = createWorld();
    let bytesAfterTls = 0;
    await world.rawSite('secure.example', answering('HTTP/1.1 400 Bad Request\r\n\r\n'));
    await world.secureSite('imposter.example', () => {
      bytesAfterTls += 1;
    });
    expect(reasonOf(await world.request('https://secure.example/'))).toBe('tls');
    expect(reasonOf(await world.request('https://imposter.example/'))).toBe('tls');
    expect(bytesAfterTls).toBe(0);
  });

  it('has a name server that never answers fails as unreachable', async () => {
    const world = createWorld({ limits: { connectMs: 60 }, resolve: () => new Promise(() => {}) });
    expect(reasonOf(await world.request('http://a.example/'))).toBe('timeout-connect');
  });

  it('has a name server that takes its time spends the time of the whole', async () => {
    const world = createWorld({ limits: { totalMs: 60_000 } });
    const dialled: string[] = [];
    for (const [name, next] of [
      ['a.example', 'b.example'],
      ['b.example', 'c.example'],
      ['c.example', 'd.example'],
    ] as const) {
      const address = await world.site(name, (_request, response) =>
        response.writeHead(302, { location: `http://${next}/` }).end(),
      );
      world.dns.set(name, () => {
        world.clock.advance(25_000);
        return [address];
      });
      dialled.push(address);
    }
    const outcome = await world.request('http://a.example/');
    expect([reasonOf(outcome), outcome.url]).toEqual(['timeout-total', 'http://c.example/']);
    expect(world.dials).toEqual(dialled.slice(0, 2));
  });

  it('leads to a name server that never answers is given up when the whole has taken too long', async () => {
    const inner = createWorld();
    const world = createWorld({
      ...inner.deps,
      limits: { totalMs: 60_000, connectMs: 50_000 },
      resolve: (name) =>
        inner.deps.resolve?.(name).then((found) => (found.length ? found : new Promise(() => {}))) as never,
    });
    await inner.site('a.example', (_request, response) => {
      inner.clock.advance(59_950);
      response.writeHead(302, { location: 'http://silent.example/' }).end();
    });
    expect(reasonOf(await world.request('http://a.example/'))).toBe('timeout-total');
  });

  it('answers over TLS, for its own name, is read', async () => {
    const world = createWorld();
    await world.secureSite('secure.example', (_request, response) => response.end('hello'));
    expect(textOf(await world.request('https://secure.example/'))).toBe('hello');
  });

  it('has a first address that is dead is reached by its second', async () => {
    const world = createWorld();
    const alive = await world.site('a.example', (_request, response) => response.end('alive'));
    const refusing = createWorld({
      openSocket: (address, port) =>
        world.deps.openSocket?.(
          address === alive ? alive : '127.0.0.1',
          address === alive ? port : 1,
        ) as Socket,
    });
    refusing.dns.set('a.example', ['93.184.216.200', alive]);
    expect(textOf(await refusing.request('http://a.example/'))).toBe('alive');
  });

  it('closed a kept connection is asked again on a new one', async () => {
    const world = createWorld();
    let answered = 0;
    await world.rawSite('a.example', (socket) => {
      socket.on('data', () => {
        answered += 1;
        if (answered === 2) socket.resetAndDestroy();
        else socket.write(`${head}Content-Length: 2\r\n\r\nok`);
      });
    });
    expect(textOf(await world.request('http://a.example/'))).toBe('ok');
    expect(textOf(await world.request('http://a.example/'))).toBe('ok');
    expect(world.dials).toHaveLength(2);
  });
});

describe('a bomb of a gigabyte', () => {
  const compressors = {
    gzip: () => createGzip(),
    zstd: () => createZstdCompress(),
  };

  it.each(Object.keys(compressors) as (keyof typeof compressors)[])(
    'in %s ends at the limit, and memory stays flat',
    async (encoding) => {
      const limitBytes = 4 * megabyte;
      const world = createWorld({ limits: { maxBytes: limitBytes } });
      await world.site('a.example', (_request, response) => {
        response.writeHead(200, { 'content-encoding': encoding });
        const compressor = compressors[encoding]();
        compressor.on('error', () => {});
        compressor.pipe(response);
        response.once('close', () => compressor.destroy());
        const zeros = Buffer.alloc(megabyte);
        let left = 1024;
        const send = () => {
          while (left-- > 0 && !compressor.destroyed) if (!compressor.write(zeros)) return;
          if (!compressor.destroyed) compressor.end();
        };
        compressor.on('drain', send);
        send();
      });
      const before = process.memoryUsage();
      let most = 0;
      let readBytes = 0;
      const outcome = await world.outbound.stream({ url: 'http://a.example/' });
      if (outcome.kind !== 'body') throw new Error(outcome.sentence);
      await expect(async () => {
        for await (const chunk of outcome.stream) {
          readBytes += chunk.length;
          const { external, arrayBuffers } = process.memoryUsage();
          most = Math.max(most, external + arrayBuffers - before.external - before.arrayBuffers);
        }
      }).rejects.toMatchObject({ reason: 'too-large' });
      expect(readBytes).toBeLessThanOrEqual(limitBytes);
      expect(most).toBeLessThan(64 * megabyte);
      expect(reasonOf(await world.request('http://a.example/'))).toBe('too-large');
    },
  );
});

describe('a stream', () => {
  it('that nobody reads is given up in time, and its turn with it', async () => {
    const timers = new TestTimers();
    const world = createWorld({
      now: timers.now,
      after: timers.after,
      limits: { totalMs: 500 },
      pacing: { maxConcurrent: 1, gapMs: 0 },
    });
    const connections: Socket[] = [];
    const { promise: closed, resolve: close } = Promise.withResolvers<void>();
    await world.rawSite('a.example', (socket) => {
      connections.push(socket);
      socket.once('close', () => close());
      answering(`${head}Content-Length: 1000\r\n\r\nabc`)(socket);
    });
    const first = await world.outbound.stream({ url: 'http://a.example/' });
    expect(first.kind).toBe('body');
    const second = world.outbound.stream({ url: 'http://a.example/' });
    await timers.advance(499);
    expect(connections.map(({ destroyed }) => destroyed)).toEqual([false]);
    await timers.advance(1);
    expect((await second).kind).toBe('body');
    await closed;
    expect(connections.map(({ destroyed }) => destroyed)).toEqual([true, false]);
  });

  it('that is left before its end closes its connection', async () => {
    const world = createWorld();
    const { promise: closed, resolve } = Promise.withResolvers<void>();
    await world.rawSite('a.example', (socket) => {
      socket.once('close', () => resolve());
      flooding(`${head}\r\n`, Buffer.alloc(1000))(socket);
    });
    const outcome = await world.outbound.stream({ url: 'http://a.example/' });
    if (outcome.kind !== 'body') throw new Error(outcome.sentence);
    for await (const _ of outcome.stream) break;
    await expect(closed).resolves.toBeUndefined();
  });
});

describe('cancelling', () => {
  it('ends a request wherever it is', async () => {
    const world = createWorld({ pacing: { maxConcurrent: 1, gapMs: 0 } });
    const [silent, half] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    await world.rawSite('silent.example', () => silent.resolve());
    await world.rawSite('half.example', (socket) => {
      answering(`${head}Content-Length: 10\r\n\r\nabc`)(socket);
      half.resolve();
    });
    world.dns.set('unresolved.example', () => {
      throw new Error('never asked');
    });
    const controller = new AbortController();
    const { signal } = controller;
    const all = ['http://silent.example/', 'http://silent.example/waits', 'http://half.example/'].map((url) =>
      world.request(url, { signal }),
    );
    await Promise.all([silent.promise, half.promise]);
    controller.abort();
    expect((await Promise.all(all)).map(reasonOf)).toEqual(['cancelled', 'cancelled', 'cancelled']);
    expect(reasonOf(await world.request('http://unresolved.example/', { signal }))).toBe('cancelled');
  });

  it('is what closing does to all that is under way', async () => {
    const world = createWorld();
    const arrived = Promise.withResolvers<void>();
    await world.rawSite('silent.example', () => arrived.resolve());
    const pending = world.request('http://silent.example/');
    await arrived.promise;
    await world.outbound.close();
    expect(reasonOf(await pending)).toBe('cancelled');
    expect(reasonOf(await world.request('http://silent.example/'))).toBe('cancelled');
  });
});
