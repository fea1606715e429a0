import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Unavailable } from '../../src/errors.ts';
import type { Database } from '../../src/store/database.ts';
import { isBusy, openSqlite, untilFree } from '../../src/store/dialect/sqlite/connection.ts';
import { openDatabase } from '../../src/store/open.ts';
import { onOneEngine, openFreshStore } from '../support/engines.ts';

onOneEngine('sqlite', 'locks of the SQLite file', (engine) => {
  let db: Database;
  let path: string;
  let other: ChildProcess;

  beforeEach(async () => {
    const opened = await openFreshStore(engine);
    if (opened.target.engine !== 'sqlite') throw new Error('expected SQLite');
    db = opened.database;
    path = opened.target.path;
    other = fork(fileURLToPath(new URL('../support/hold-lock.ts', import.meta.url)), [path]);
    expect(await once(other, 'message')).toEqual(['holding', undefined]);
  });

  afterEach(async () => {
    if (other.exitCode === null && other.signalCode === null) {
      other.kill('SIGKILL');
      await once(other, 'exit');
    }
    await db.close();
  });

  const walBytes = () => statSync(`${path}-wal`).size;
  const write = (key: string) =>
    db.write((trx) => trx.insertInto('meta').values({ key, value: '' }).execute());
  const keys = async () =>
    (
      await db.read
        .selectFrom('meta')
        .select('key')
        .where('key', 'not like', 'journal%')
        .orderBy('key')
        .execute()
    ).map((row) => row.key);

  it('let reads go on and the event loop turn, while a write waits and then succeeds', async () => {
    let done = false;
    const waiting = write('ours').then(() => {
      done = true;
    });
    for (let turn = 0; turn < 200; turn++) {
      await new Promise(setImmediate);
      expect(await keys()).toEqual([]);
    }
    expect(await db.heavyRead.selectFrom('leases').selectAll().execute()).toEqual([]);
    expect(done).toBe(false);

    other.send('release');
    await waiting;
    expect(await keys()).toEqual(['ours', 'written by the other process']);
  });

  it('are passed on in the order of asking', async () => {
    const order: string[] = [];
    const waiting = ['a', 'b', 'c'].map((key) => write(key).then(() => order.push(key)));
    other.send('release');
    await Promise.all(waiting);
    expect(order).toEqual(['a', 'b', 'c']);
  });

  it('are free again when the process that held them is killed, and nothing of it is kept', async () => {
    const waiting = write('ours');
    other.kill('SIGKILL');
    await waiting;
    expect(await keys()).toEqual(['ours']);
  });

  it('never make SQLite itself wait: a held lock is reported at once', async () => {
    const connection = await openSqlite(path, 'write');
    expect(connection.prepare('PRAGMA busy_timeout').get()).toMatchObject({ timeout: 0 });
    expect(() => connection.exec('BEGIN IMMEDIATE')).toThrow(expect.toSatisfy(isBusy));
    connection.close();
  });

  it('are waited for only so long, then the answer is to try again', async () => {
    const connection = await openSqlite(path, 'write');
    const attempt = untilFree(() => connection.exec('BEGIN IMMEDIATE'), { giveUpAfterMs: 0 });
    await expect(attempt).rejects.toThrow(Unavailable);
    connection.close();
  });

  it('do not keep a checkpoint from moving what is committed', async () => {
    other.send('release');
    await once(other, 'exit');
    await write('ours');
    expect(walBytes()).toBeGreaterThan(0);
    await db.tidy('thorough');
    expect(walBytes()).toBe(0);
    expect(await keys()).toEqual(['ours', 'written by the other process']);
  });

  it('leave a light checkpoint to wait until there is enough to move', async () => {
    other.send('release');
    await once(other, 'exit');
    const fileBytes = () => statSync(path).size;
    const before = fileBytes();
    await write('little');
    await db.tidy('light');
    expect(fileBytes()).toBe(before);
    await db.write((trx) =>
      trx
        .insertInto('meta')
        .values({ key: 'much', value: 'x'.repeat(5_000_000) })
        .execute(),
    );
    await db.tidy('light');
    expect(fileBytes()).toBeGreaterThan(before + 4_000_000);
  });

  it('do not keep another process from opening an index that needs no migration', async () => {
    const again = await openDatabase({ engine: 'sqlite', path }, { now: () => 0, onIdleError: () => {} });
    expect(await again.schemaVersion()).toBeGreaterThan(0);
    await again.close();
  });
});
