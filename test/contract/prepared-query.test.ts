import { beforeAll, beforeEach, expect, it } from 'vitest';
import type { Database } from '../../src/store/database.ts';
import { openDatabase, type Target } from '../../src/store/open.ts';
import { preparedQuery } from '../../src/store/prepared-query.ts';
import { onEachEngine, openFreshStore } from '../support/engines.ts';

onEachEngine('a prepared query', (engine) => {
  let db: Database;
  let target: Target;
  const find = preparedQuery((read, { key }: { key: string }) =>
    read.selectFrom('meta').selectAll().where('key', '=', key),
  );

  beforeAll(async () => {
    const opened = await openFreshStore(engine);
    db = opened.database;
    target = opened.target;
    return () => db.close();
  });

  beforeEach(() => db.write((trx) => trx.deleteFrom('meta').execute()));

  const put = (to: Database, key: string, value: string) =>
    to.write((trx) =>
      trx
        .insertInto('meta')
        .values({ key, value })
        .onConflict((conflict) => conflict.column('key').doUpdateSet({ value }))
        .execute(),
    );

  it('gives the rows of the values it is called with, again and again', async () => {
    await put(db, 'a', '1');
    await put(db, 'b', '2');
    for (let round = 0; round < 3; round++) {
      expect(await find(db, { key: 'a' })).toEqual([{ key: 'a', value: '1' }]);
      expect(await find(db, { key: 'b' })).toEqual([{ key: 'b', value: '2' }]);
      expect(await find(db, { key: 'c' })).toEqual([]);
    }
  });

  it('sees every commit, at once, of its own process and of another', async () => {
    const other = await openDatabase(target, { now: () => 0, onIdleError: () => {} });
    try {
      for (let n = 0; n < 20; n++) {
        await put(n % 2 === 0 ? db : other, 'a', String(n));
        expect(await find(db, { key: 'a' })).toEqual([{ key: 'a', value: String(n) }]);
        expect(await find(other, { key: 'a' })).toEqual([{ key: 'a', value: String(n) }]);
      }
      await other.write((trx) => trx.deleteFrom('meta').execute());
      expect(await find(db, { key: 'a' })).toEqual([]);
    } finally {
      await other.close();
    }
  });

  it('does not remember rows that were read before a commit for the time after it', async () => {
    await put(db, 'a', 'old');
    const wasRead = Promise.withResolvers<void>();
    const goOn = Promise.withResolvers<void>();
    let reads = 0;
    const executeQuery: typeof db.read.executeQuery = async (query) => {
      const result = await db.read.executeQuery(query);
      reads += 1;
      if (reads > 1) return result as never;
      wasRead.resolve();
      await goOn.promise;
      return result as never;
    };
    const read = new Proxy(db.read, {
      get: (target, name) => {
        if (name === 'executeQuery') return executeQuery;
        const value = Reflect.get(target, name, target);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    const slow: Database = { ...db, read };
    const before = find(slow, { key: 'a' });
    await wasRead.promise;
    await put(db, 'a', 'new');
    await find(slow, { key: 'b' });
    goOn.resolve();
    expect(await before).toEqual([{ key: 'a', value: 'old' }]);
    expect(await find(slow, { key: 'a' })).toEqual([{ key: 'a', value: 'new' }]);
  });
});
