// A server that ends its sessions, as in a restart, while requests are under way.
import { sql } from 'kysely';
import pg from 'pg';
import { expect, it } from 'vitest';
import { Unavailable } from '../../src/errors.ts';
import { openPostgresDatabase } from '../../src/store/dialect/postgres/open.ts';
import { onOneEngine } from '../support/engines.ts';
import { until } from '../support/until.ts';

onOneEngine('postgres', 'a server that ends its sessions', (engine) => {
  it('makes every request that fails fail as unavailable, and serves the next ones', async () => {
    const target = await engine.freshTarget();
    if (target.engine !== 'postgres') throw new Error('a server is needed');
    const url = target.url.reveal();
    const db = await openPostgresDatabase({ url, now: Date.now, asItIs: true, onIdleError: () => {} });
    const admin = new pg.Client(url);
    await admin.connect();
    const failures: unknown[] = [];
    let done = 0;
    let isOver = false;
    const repeat = async (request: () => Promise<unknown>) => {
      while (!isOver) {
        await request().then(
          () => (done += 1),
          (error) => failures.push(error),
        );
      }
    };
    const slow = sql`SELECT pg_sleep(0.01)`;
    const requests = [
      ...Array.from({ length: 6 }, () => repeat(() => slow.execute(db.read))),
      ...Array.from({ length: 4 }, () => repeat(() => db.write((trx) => slow.execute(trx)))),
      ...Array.from({ length: 2 }, () => repeat(() => db.snapshot((reader) => slow.execute(reader)))),
    ];
    try {
      const endSessions = () =>
        admin.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
          WHERE datname = current_database() AND pid <> pg_backend_pid()`);
      for (let round = 1; round <= 5; round++) {
        const before = { done, failed: failures.length };
        await until('requests are served', () => done > before.done + 30);
        await endSessions();
        await until('requests fail', () => failures.length > before.failed);
      }
      // Some sessions end while they are being set up. A pool that forgets to free their places never closes.
      for (let round = 1; round <= 100; round++) await endSessions();
      const doneBefore = done;
      await until('requests are served again', () => done > doneBefore + 200);
    } finally {
      isOver = true;
      await Promise.all(requests);
      await admin.end();
      await db.close();
    }
    expect(failures.filter((error) => !(error instanceof Unavailable))).toEqual([]);
  });
});
