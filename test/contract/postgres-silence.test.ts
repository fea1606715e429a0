// A server that vanishes without a word, as behind a cable that was pulled: nothing is refused and nothing answered.
import { connect, createServer, type Socket } from 'node:net';
import { beforeEach, expect, it } from 'vitest';
import { Unavailable } from '../../src/errors.ts';
import { listenForJobs } from '../../src/store/dialect/postgres/listen.ts';
import { openPostgresDatabase } from '../../src/store/dialect/postgres/open.ts';
import { createStore } from '../../src/store/store.ts';
import { onOneEngine } from '../support/engines.ts';

onOneEngine('postgres', 'a server that falls silent', (engine) => {
  let url: string;
  let sockets: Socket[];
  let isSilent: boolean;

  /** From here on, of what was said and of what is said later nothing arrives. */
  const fallSilent = () => {
    isSilent = true;
    for (const socket of sockets) socket.unpipe().pause();
  };

  beforeEach(async () => {
    const target = await engine.freshTarget();
    if (target.engine !== 'postgres') throw new Error('a server is needed');
    const server = new URL(target.url.reveal());
    sockets = [];
    isSilent = false;
    const proxy = createServer((client) => {
      sockets.push(client.on('error', () => {}));
      if (isSilent) return;
      const upstream = connect(Number(server.port), server.hostname).on('error', () => {});
      sockets.push(upstream);
      client.pipe(upstream).pipe(client);
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    const { port } = proxy.address() as { port: number };
    url = Object.assign(new URL(server), { hostname: '127.0.0.1', port: String(port) }).href;
    return () => {
      for (const socket of sockets) socket.destroy();
      proxy.close();
    };
  });

  it('is given up by the queue before its leases are over', async () => {
    const db = await openPostgresDatabase({
      url,
      now: Date.now,
      asItIs: true,
      onIdleError: () => {},
      answerWithinMs: 3_000,
    });
    const { jobs } = createStore(db, Date.now);
    const rules = { leaseMs: 30_000, maxCrashes: 3, suspectDelayMs: 0 };
    const places = { total: 1, background: 1, low: 1, first: 'normal', suspect: true } as const;
    const claim = () => jobs.settleAndClaim([], { holder: 'w', leaseMs: 30_000, names: ['any'], ...places });
    const keep = () => jobs.keep([], rules);
    await Promise.all([claim(), keep()]);
    fallSilent();
    const [claimed, kept] = await Promise.allSettled([claim(), keep()]);
    expect(claimed).toMatchObject({ status: 'rejected', reason: expect.any(Unavailable) });
    expect(kept).toMatchObject({ status: 'rejected', reason: expect.any(Unavailable) });
    isSilent = false;
    expect(await keep()).toEqual({ held: [], recovered: [] });
    for (const socket of sockets) socket.destroy();
    await db.close();
  });

  it('is asked anew by the one who listens', async () => {
    isSilent = true;
    const failed = Promise.withResolvers<Error>();
    const listening = listenForJobs({
      url,
      onChange: () => {},
      onError: failed.resolve,
      connectWithinMs: 100,
    });
    expect(await failed.promise).toBeInstanceOf(Error);
    await listening.stop();
  });

  it.each([{ when: 'before it has answered' }, { when: 'when it has answered' }])(
    'does not keep the one who listens from stopping, $when',
    async ({ when }) => {
      const heard = Promise.withResolvers<void>();
      const options = { url, onChange: heard.resolve, onError: () => {}, connectWithinMs: 60_000 };
      isSilent = when === 'before it has answered';
      const listening = listenForJobs(options);
      if (!isSilent) await heard.promise;
      fallSilent();
      await expect(listening.stop()).resolves.toBeUndefined();
    },
  );
});
