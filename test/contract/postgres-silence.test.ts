// A server that vanishes without a word, as when a network drops packets: nothing is refused and nothing answered.
import { sql } from 'kysely';
import { beforeEach, expect, it } from 'vitest';
import { Unavailable } from '../../src/errors.ts';
import type { Database } from '../../src/store/database.ts';
import { listenForJobs } from '../../src/store/dialect/postgres/listen.ts';
import { createStore } from '../../src/store/store.ts';
import { onOneEngine } from '../support/engines.ts';
import { fillPools, openThroughProxy, type ProxiedIndex } from '../support/postgres-through-proxy.ts';
import { settled } from '../support/timers.ts';
import { until } from '../support/until.ts';

/** Less than half the real time: the server is silent after 2.8 s. */
const tickMs = 200;
const one = sql`SELECT 1`;
/** What PostgreSQL answers to it, roughly. */
const answerBytes = 80;

/** A statement of each kind. */
const statements: Record<string, (db: Database) => Promise<unknown>> = {
  read: (db) => one.execute(db.read),
  heavyRead: (db) => one.execute(db.heavyRead),
  snapshot: (db) => db.snapshot((reader) => one.execute(reader)),
  write: (db) => db.write((trx) => one.execute(trx)),
  writeOne: (db) => db.writeOne(one),
  schemaVersion: (db) => db.schemaVersion(),
};

onOneEngine('postgres', 'a server that falls silent', (engine) => {
  let index: ProxiedIndex;

  beforeEach(async () => {
    index = await openThroughProxy(engine, { tickMs });
    return () => index.close();
  });

  const askAll = () => Promise.allSettled(Object.values(statements).map((ask) => ask(index.db)));
  const unavailable = Object.keys(statements).map(() => ({
    status: 'rejected',
    reason: expect.any(Unavailable),
  }));
  const answered = () => until('the index answers', () => one.execute(index.db.read).catch(() => false));

  it.each([
    { connections: 'open connections', first: askAll },
    { connections: 'new connections', first: async () => [] },
  ])('fails every statement on $connections, and serves again when packets arrive', async ({ first }) => {
    await first();
    await index.proxy.set({ kind: 'half-open' });
    expect(await askAll()).toMatchObject(unavailable);
    // Nothing waits any more while the server is known to be silent.
    expect(await askAll()).toMatchObject(unavailable);
    expect(index.db.pools?.()).toMatchObject([
      { name: 'read', size: 0, waiting: 0 },
      { name: 'write', size: 0, waiting: 0 },
    ]);
    await index.proxy.set({ kind: 'pass' });
    await until('every statement is answered', async () =>
      (await askAll()).every(({ status }) => status === 'fulfilled'),
    );
  });

  it('fails a transaction that is open, and keeps nothing of it', async () => {
    const written = index.db.write(async (trx) => {
      await trx.insertInto('meta').values({ key: 'a', value: '' }).execute();
      await index.proxy.set({ kind: 'half-open' });
      await trx.insertInto('meta').values({ key: 'b', value: '' }).execute();
    });
    await expect(written).rejects.toBeInstanceOf(Unavailable);
    await index.proxy.set({ kind: 'pass' });
    await answered();
    const rows = await index.db.read
      .selectFrom('meta')
      .select('key')
      .where('key', 'in', ['a', 'b'])
      .execute();
    expect(rows).toEqual([]);
  });

  it('makes the queue fail as unavailable before its leases are over', async () => {
    const { jobs } = createStore(index.db, Date.now);
    const rules = { leaseMs: 30_000, maxCrashes: 3, suspectDelayMs: 0 };
    const places = { total: 1, background: 1, low: 1, first: 'normal', suspect: true } as const;
    const claim = () => jobs.settleAndClaim([], { holder: 'w', leaseMs: 30_000, names: ['any'], ...places });
    const keep = () => jobs.keep([], rules);
    await Promise.all([claim(), keep()]);
    await index.proxy.set({ kind: 'half-open' });
    const outcomes = await Promise.allSettled([claim(), keep()]);
    expect(outcomes).toMatchObject([
      { status: 'rejected', reason: expect.any(Unavailable) },
      { status: 'rejected', reason: expect.any(Unavailable) },
    ]);
    await index.proxy.set({ kind: 'pass' });
    await answered();
    expect(await keep()).toEqual({ held: [], recovered: [] });
  });

  it('is told from a statement that takes long, which is left alone', async () => {
    const patient = await openThroughProxy(engine);
    try {
      const slow = sql<{ done: number }>`SELECT 1 AS done FROM pg_sleep(4)`;
      const [read, written] = await Promise.all([
        slow.execute(patient.db.read),
        patient.db.write((trx) => slow.execute(trx)),
      ]);
      expect([...read.rows, ...written.rows]).toEqual([{ done: 1 }, { done: 1 }]);
      expect(patient.idleErrors).toEqual([]);
      // One connection of each pool, and a probe.
      expect(patient.proxy.counters.accepted).toBeGreaterThan(2);
    } finally {
      await patient.close();
    }
  });

  it('is noticed on one connection although the server answers the others', async () => {
    await one.execute(index.db.read);
    // The first connection that the proxy asks about is the one that exists.
    let connections = 0;
    const afterBytes = () => (connections++ === 0 ? 0 : Number.POSITIVE_INFINITY);
    await index.proxy.set({ kind: 'break', how: 'stall', direction: 'down', afterBytes });
    const lost = expect(one.execute(index.db.read)).rejects.toBeInstanceOf(Unavailable);
    await lost;
    expect((await one.execute(index.db.read)).rows).toHaveLength(1);
  });

  it.each(['in the middle of it', 'after it'])(
    'while connections are set up, %s, leaves every place in the pools usable',
    async (when) => {
      await one.execute(index.db.read);
      const setUpBytes = index.proxy.counters.downBytes - answerBytes;
      const afterBytes = when === 'after it' ? setUpBytes : setUpBytes - 200;
      index.proxy.breakAll('reset');
      await index.proxy.set({ kind: 'break', how: 'stall', direction: 'down', afterBytes });
      expect(await askAll()).toMatchObject(unavailable);
      await index.proxy.set({ kind: 'pass' });
      await fillPools(index.db);
      expect(index.db.pools?.()).toMatchObject([{ size: 8 }, { size: 6 }]);
    },
  );

  it('does not keep an index from closing while statements wait', async () => {
    await askAll();
    await index.proxy.set({ kind: 'half-open' });
    const asked = askAll();
    await settled();
    await index.db.close();
    expect(await asked).toMatchObject(unavailable);
  });

  it('is asked anew by the one who listens', async () => {
    await index.proxy.set({ kind: 'half-open' });
    const failed = Promise.withResolvers<Error>();
    const listening = listenForJobs({
      url: index.url,
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
      const options = { url: index.url, onChange: heard.resolve, onError: () => {}, connectWithinMs: 60_000 };
      const hasAnswered = when === 'when it has answered';
      if (!hasAnswered) await index.proxy.set({ kind: 'half-open' });
      const listening = listenForJobs(options);
      if (hasAnswered) await heard.promise;
      await index.proxy.set({ kind: 'half-open' });
      await expect(listening.stop()).resolves.toBeUndefined();
    },
  );
});
