// Turns and pauses as whole requests see them, under a clock that stands still until it is told to move.
import type { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { asFetch } from '../../src/outbound/as-fetch.ts';
import { createOutbound } from '../../src/outbound/outbound.ts';
import { memoryOfPauses } from '../../src/outbound/pace.ts';
import { createWorld, reasonOf, textOf } from '../support/outbound.ts';
import { TestTimers } from '../support/timers.ts';

const hourMs = 3_600_000;

describe('a server that says "not now"', () => {
  it.each([429, 503])(
    'with status %i is left alone until the time it names, with all of its domain',
    async (status) => {
      const world = createWorld();
      let asked = 0;
      let isBusy = true;
      const answer = (_request: unknown, response: import('node:http').ServerResponse) => {
        asked += 1;
        if (isBusy) response.writeHead(status, { 'retry-after': '60' }).end();
        else response.end('ready');
      };
      await world.site('www.busy.example', answer);
      await world.site('feeds.busy.example', answer);
      await world.site('other.example', (_request, response) => response.end('other'));
      const retryAt = world.clock.now() + 60_000;
      expect(await world.request('http://www.busy.example/')).toMatchObject({
        kind: 'rate-limited',
        status,
        retryAt,
      });
      isBusy = false;
      const dialled = world.dials.length;
      world.clock.advance(59_999);
      for (const url of ['http://www.busy.example/x', 'http://feeds.busy.example/']) {
        expect(await world.request(url)).toMatchObject({ kind: 'rate-limited', status: undefined, retryAt });
      }
      expect([asked, world.dials.length]).toEqual([1, dialled]);
      expect(textOf(await world.request('http://other.example/'))).toBe('other');
      world.clock.advance(1);
      expect(textOf(await world.request('http://www.busy.example/'))).toBe('ready');
    },
  );

  it('with 429 and no time is left alone for an hour', async () => {
    const world = createWorld();
    await world.site('a.example', (_request, response) => response.writeHead(429).end());
    const outcome = await world.request('http://a.example/', { unpaced: true, acceptStatus: () => true });
    expect(outcome).toMatchObject({ kind: 'rate-limited', retryAt: world.clock.now() + hourMs });
  });

  it('with 503 and no time has a problem of its own', async () => {
    const world = createWorld();
    await world.site('a.example', (_request, response) => response.writeHead(503).end());
    expect(await world.request('http://a.example/')).toMatchObject({ reason: 'http-status', status: 503 });
  });

  it('at the end of a redirect is the one that is left alone', async () => {
    const world = createWorld();
    await world.site('a.example', (request, response) => {
      if (request.url === '/') response.writeHead(302, { location: 'http://b.example/' }).end();
      else response.end('fine');
    });
    await world.site('b.example', (_request, response) =>
      response.writeHead(429, { 'retry-after': '9' }).end(),
    );
    expect((await world.request('http://a.example/')).kind).toBe('rate-limited');
    expect(textOf(await world.request('http://a.example/fine'))).toBe('fine');
    expect((await world.request('http://b.example/')).kind).toBe('rate-limited');
    expect(world.dials).toHaveLength(3);
  });

  it('is remembered by whoever is handed the same memory', async () => {
    const world = createWorld();
    await world.site('a.example', (_request, response) =>
      response.writeHead(429, { 'retry-after': '9' }).end(),
    );
    await world.request('http://a.example/');
    const restarted = createOutbound(world.deps);
    expect((await restarted.request({ url: 'http://a.example/' })).kind).toBe('rate-limited');
    await restarted.close();
  });

  it('on a private network speaks for one feed only', async () => {
    const world = createWorld({ allowPrivateNetworks: true });
    const address = await world.site('bridge.example', (request, response) => {
      if (request.url === '/busy') response.writeHead(429, { 'retry-after': '9' }).end();
      else response.end('fine');
    });
    const inner = createOutbound({
      ...world.deps,
      resolve: async () => ['10.1.2.3'],
      openSocket: (_address, port) => world.deps.openSocket?.(address, port) as never,
    });
    const request = (url: string, paceKey?: string) => inner.request({ url, paceKey });
    expect((await request('http://bridge.lan/busy')).kind).toBe('rate-limited');
    expect((await request('http://bridge.lan/busy')).kind).toBe('rate-limited');
    expect((await request('http://bridge.lan/fine')).kind).toBe('body');
    expect((await request('http://bridge.lan/fine', 'http://bridge.lan/busy')).kind).toBe('rate-limited');
    await inner.close();
  });

  it('while others wait their turn is not asked by them', async () => {
    const world = createWorld({ pacing: { maxConcurrent: 1, gapMs: 0 } });
    let asked = 0;
    await world.site('a.example', (_request, response) => {
      asked += 1;
      response.writeHead(429, { 'retry-after': '9' }).end();
    });
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, (_, i) => world.request(`http://a.example/${i}`)),
    );
    expect(outcomes.every((outcome) => outcome.kind === 'rate-limited')).toBe(true);
    expect(asked).toBe(1);
  });
});

describe('fifty hosts, one of them hostile', () => {
  it('the others are all answered while not a moment passes and the hostile one holds on to everything it gets', async () => {
    const timers = new TestTimers();
    // Not a timer runs: whoever needed one, to wait for its turn or to be rid of the hostile host, would not finish.
    const world = createWorld({
      now: timers.now,
      after: timers.after,
      pauses: memoryOfPauses(timers.now),
      pacing: { maxConcurrent: 2, gapMs: 500 },
    });
    let held = 0;
    await world.rawSite('hostile.example', () => {
      held += 1;
    });
    const hostile = Array.from({ length: 100 }, (_, i) => world.request(`http://hostile.example/${i}`));
    const others = await Promise.all(
      Array.from({ length: 49 }, async (_, i) => {
        await world.site(`host${i}.example`, (_request, response) => response.end(`${i}`));
        return textOf(await world.request(`http://host${i}.example/`));
      }),
    );
    expect(others).toEqual(Array.from({ length: 49 }, (_, i) => `${i}`));
    expect(held).toBe(1);
    await world.outbound.close();
    expect(new Set((await Promise.all(hostile)).map(reasonOf))).toEqual(new Set(['cancelled']));
    await timers.advance(500);
    expect(timers.pending).toBe(0);
  });

  it('the hostile one never has more than two connections', async () => {
    const sockets: Socket[] = [];
    let most = 0;
    const inner = createWorld();
    const world = createWorld({
      ...inner.deps,
      limits: { firstByteMs: 25 },
      openSocket: (address, port) => {
        const socket = inner.deps.openSocket?.(address, port) as Socket;
        sockets.push(socket);
        most = Math.max(most, sockets.filter(({ destroyed }) => !destroyed).length);
        return socket;
      },
    });
    await inner.rawSite('hostile.example', () => {});
    const outcomes = await Promise.all(
      Array.from({ length: 12 }, (_, i) => world.request('http://hostile.example/', { paceKey: `${i}` })),
    );
    expect(new Set(outcomes.map(reasonOf))).toEqual(new Set(['timeout-first-byte']));
    expect([sockets.length, most]).toEqual([12, 2]);
  });
});

describe('a request that waits for its turn no longer than it may', () => {
  /** One turn at a time, and the first request holds it until it is told to end. */
  async function crowded() {
    const timers = new TestTimers();
    const pauses = memoryOfPauses(timers.now);
    const remembered: string[] = [];
    const world = createWorld({
      now: timers.now,
      after: timers.after,
      pauses: {
        find: pauses.find,
        remember: async (key, untilMs) => {
          remembered.push(key);
          await pauses.remember(key, untilMs);
        },
      },
      pacing: { maxConcurrent: 1, gapMs: 0 },
    });
    const asked: string[] = [];
    const { promise: arrived, resolve: arrive } = Promise.withResolvers<void>();
    const { promise: ending, resolve: end } = Promise.withResolvers<void>();
    await world.site('a.example', async (request, response) => {
      asked.push(request.url ?? '');
      arrive();
      await ending;
      response.end('answer');
    });
    const first = world.request('http://a.example/first');
    await arrived;
    return { world, timers, remembered, asked, first, end };
  }

  it('is told to come again, without a connection or a pause, and the others keep their order', async () => {
    const { world, timers, remembered, asked, first, end } = await crowded();
    const second = world.request('http://a.example/second');
    const hurried = world.request('http://a.example/hurried', { maxWaitMs: 5_000 });
    const patient = world.request('http://a.example/patient', { maxWaitMs: 6_000 });
    const last = world.request('http://a.example/last');
    await timers.advance(5_000);
    const outcome = await hurried;
    expect(outcome).toEqual({
      kind: 'rate-limited',
      url: 'http://a.example/hurried',
      hops: [],
      status: undefined,
      named: undefined,
      retryAt: timers.now() + 30_000,
      sentence: 'Other requests to this host come first.',
    });
    expect([asked, world.dials.length, remembered]).toEqual([['/first'], 1, []]);
    end();
    expect((await Promise.all([first, second, patient, last])).map(textOf)).toEqual(Array(4).fill('answer'));
    expect(asked).toEqual(['/first', '/second', '/patient', '/last']);
  });

  it('holds no turn at the host that led it there', async () => {
    const { world, timers } = await crowded();
    await world.site('b.example', (request, response) => {
      if (request.url === '/') response.writeHead(302, { location: 'http://a.example/' }).end();
      else response.end('free');
    });
    const led = world.request('http://b.example/', { maxWaitMs: 1_000 });
    // Its turn comes when the one before has been led on, and waits at the other host.
    expect(textOf(await world.request('http://b.example/free'))).toBe('free');
    await timers.advance(1_000);
    expect(await led).toMatchObject({
      kind: 'rate-limited',
      url: 'http://a.example/',
      hops: [{ status: 302 }],
    });
  });

  it('is not one that takes no turns', async () => {
    const { world, timers, end } = await crowded();
    const unpaced = world.request('http://a.example/api', { maxWaitMs: 0, unpaced: true });
    const paced = world.request('http://a.example/feed', { maxWaitMs: 0 });
    await timers.advance(0);
    end();
    expect([(await unpaced).kind, (await paced).kind]).toEqual(['body', 'rate-limited']);
  });

  it('has 429 for its status as fetch()', async () => {
    const { world, timers } = await crowded();
    const response = asFetch(world.outbound, { maxWaitMs: 1_000 })('http://a.example/');
    await timers.advance(1_000);
    expect((await response).status).toBe(429);
    expect((await response).headers.get('retry-after')).toBe(new Date(timers.now() + 30_000).toUTCString());
  });
});

it('redirects between hosts do not wait for each other in a circle', async () => {
  const world = createWorld({ pacing: { maxConcurrent: 1, gapMs: 0 } });
  const lead =
    (to: string) => (request: { url?: string | undefined }, response: import('node:http').ServerResponse) => {
      if (request.url === '/end') response.end('end');
      else response.writeHead(302, { location: `http://${to}/end` }).end();
    };
  await world.site('a.example', lead('b.example'));
  await world.site('b.example', lead('a.example'));
  const all = Array.from({ length: 20 }, (_, i) => world.request(`http://${i % 2 ? 'a' : 'b'}.example/`));
  expect((await Promise.all(all)).map(textOf)).toEqual(Array(20).fill('end'));
});
