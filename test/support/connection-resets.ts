// Breaks connections to PostgreSQL at random points of their set-up and use, and checks what is left.
import fc from 'fast-check';
import { sql } from 'kysely';
import { expect } from 'vitest';
import { Unavailable } from '../../src/errors.ts';
import type { Engine } from './engines.ts';
import type { Fault } from './fault-proxy.ts';
import { fillPools, openThroughProxy } from './postgres-through-proxy.ts';

/** A connection is set up within some 500 bytes in each direction, and used for a while after it. */
const breaks = fc.record({
  kind: fc.constant('break' as const),
  how: fc.constantFrom('reset' as const, 'reset' as const, 'cut' as const),
  direction: fc.constantFrom('up' as const, 'down' as const),
  points: fc.array(fc.oneof(fc.nat(600), fc.nat(6_000)), { minLength: 16, maxLength: 16 }),
});

export async function survivesResets(engine: Engine, resets: number): Promise<void> {
  const { db, proxy, close } = await openThroughProxy(engine);
  const acknowledged: string[] = [];
  const failures: unknown[] = [];
  const put = (key: string) => async () => {
    await db.write((trx) =>
      trx
        .insertInto('meta')
        .values({ key, value: 'x'.repeat(200) })
        .execute(),
    );
    acknowledged.push(key);
  };
  const look = async () => {
    await sql`SELECT repeat('x', 200), ${'y'.repeat(100)}`.execute(db.read);
  };
  const ask = (request: () => Promise<void>) => request().catch((error) => failures.push(error));
  let requests = 0;
  const somebodyAsks = () =>
    Promise.all([
      ...Array.from({ length: 8 }, () => ask(look)),
      ...Array.from({ length: 6 }, () => ask(put(`reset ${requests++}`))),
    ]);

  try {
    // One sample: each call begins with the seed of the run, and would repeat the same faults.
    for (const { points, ...fault } of fc.sample(breaks, resets)) {
      if (proxy.counters.broken >= resets) break;
      let next = 0;
      await proxy.set({ ...fault, afterBytes: () => points[next++ % points.length] ?? 0 } as Fault);
      await somebodyAsks();
    }
    expect(proxy.counters.broken).toBeGreaterThanOrEqual(resets);
    await proxy.set({ kind: 'pass' });
    for (const failure of failures) expect(failure).toBeInstanceOf(Unavailable);

    await fillPools(db);
    expect(db.pools?.()).toMatchObject([
      { name: 'read', size: 8, waiting: 0 },
      { name: 'write', size: 6, waiting: 0 },
    ]);
    const rows = await db.read.selectFrom('meta').select('key').where('key', 'like', 'reset %').execute();
    expect(rows.map(({ key }) => key)).toEqual(expect.arrayContaining(acknowledged));
    expect(acknowledged.length).toBeGreaterThan(0);

    const closingAt = performance.now();
    await db.close();
    expect(performance.now() - closingAt).toBeLessThan(10_000);
  } finally {
    await close();
  }
}
