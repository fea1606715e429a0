// How the pools connect: settings, sizes, connections that are reset, and a failover to another server.
import { sql } from 'kysely';
import pg from 'pg';
import { expect, it } from 'vitest';
import { Unavailable } from '../../src/errors.ts';
import type { Database } from '../../src/store/database.ts';
import { openPostgresDatabase } from '../../src/store/dialect/postgres/open.ts';
import { survivesResets } from '../support/connection-resets.ts';
import { onOneEngine } from '../support/engines.ts';
import { startFaultProxy } from '../support/fault-proxy.ts';
import { fillPools, openThroughProxy } from '../support/postgres-through-proxy.ts';
import { settled } from '../support/timers.ts';
import { until } from '../support/until.ts';

onOneEngine('postgres', 'connections to the server', (engine) => {
  async function freshUrl(): Promise<string> {
    const target = await engine.freshTarget();
    if (target.engine !== 'postgres') throw new Error('a server is needed');
    return target.url.reveal();
  }

  async function withDatabase(url: string, work: (db: Database) => Promise<void>): Promise<void> {
    const db = await openPostgresDatabase({
      url,
      now: Date.now,
      asItIs: true,
      poolSizes: { read: 3, write: 2 },
      onIdleError: () => {},
    });
    try {
      await work(db);
    } finally {
      await db.close();
    }
  }

  it('have the settings of their pool, and those of the address', async () => {
    const url = `${await freshUrl()}?options=-c%20work_mem%3D5MB&application_name=reader%20of%20anna`;
    const settings = sql<Record<string, string>>`
      SELECT current_setting('statement_timeout') AS statement,
        current_setting('idle_in_transaction_session_timeout') AS idle,
        current_setting('default_transaction_read_only') AS readonly,
        current_setting('work_mem') AS memory,
        current_setting('tcp_keepalives_idle') AS keepalive,
        current_setting('application_name') AS name`;
    await withDatabase(url, async (db) => {
      const [read] = (await settings.execute(db.read)).rows;
      const [write] = await db.writeOne(settings);
      const own = { statement: '30min', memory: '5MB', keepalive: '10' };
      const names = (pool: string) =>
        expect.stringMatching(new RegExp(`^reader of anna .+/\\d+ ${pool} \\d+$`));
      expect(read).toEqual({ ...own, idle: '0', readonly: 'on', name: names('read') });
      expect(write).toEqual({ ...own, idle: '15s', readonly: 'off', name: names('write') });
    });
  });

  it('are not reported as lost when the index is closed', async () => {
    const lost: Error[] = [];
    const db = await openPostgresDatabase({
      url: await freshUrl(),
      now: Date.now,
      asItIs: true,
      onIdleError: (error) => lost.push(error),
    });
    await fillPools(db);
    await db.close();
    await settled();
    expect(lost).toEqual([]);
  });

  it('are as many as configured, and counted by what they do', async () => {
    await withDatabase(await freshUrl(), async (db) => {
      const wait = sql`SELECT pg_sleep(0.5)`;
      const reads = Array.from({ length: 5 }, () => wait.execute(db.read));
      await until('two reads wait', () => db.pools?.()[0]?.waiting === 2);
      await Promise.all(reads);
      await fillPools(db);
      expect(db.pools?.()).toEqual([
        { name: 'read', max: 3, size: 3, idle: 3, waiting: 0 },
        { name: 'write', max: 2, size: 2, idle: 2, waiting: 0 },
      ]);
    });
  });

  it('to a server that became a standby are given up, and the next write goes to the primary', async () => {
    const url = await freshUrl();
    const admin = new pg.Client(url);
    await admin.connect();
    const name = admin.database;
    const put = (db: Database, key: string) =>
      db.write((trx) => trx.insertInto('meta').values({ key, value: '' }).execute());
    try {
      await withDatabase(url, async (db) => {
        await admin.query(`ALTER DATABASE ${name} SET default_transaction_read_only = on`);
        await expect(put(db, 'a')).rejects.toBeInstanceOf(Unavailable);
        await expect(db.writeOne(sql`DELETE FROM meta`)).rejects.toBeInstanceOf(Unavailable);
        await admin.query('SET default_transaction_read_only = off');
        await admin.query(`ALTER DATABASE ${name} RESET default_transaction_read_only`);
        await put(db, 'b');
        const rows = await db.read.selectFrom('meta').select('key').where('key', 'in', ['a', 'b']).execute();
        expect(rows).toEqual([{ key: 'b' }]);
      });
    } finally {
      await admin.end();
    }
  });

  it('follow the server to another address', async () => {
    const { db, proxy, close } = await openThroughProxy(engine);
    const other = await startFaultProxy(proxy.target);
    try {
      await fillPools(db);
      proxy.target = other;
      proxy.breakAll('reset');
      await fillPools(db);
      expect(db.pools?.()).toMatchObject([{ size: 8 }, { size: 6 }]);
      expect(other.counters.accepted).toBeGreaterThanOrEqual(8 + 6);
    } finally {
      await close();
      await other.stop();
    }
  });

  it('that are reset 50 times at random points leave the pools whole and lose no write', async () => {
    await survivesResets(engine, 50);
  });
});
