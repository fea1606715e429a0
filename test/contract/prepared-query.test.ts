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
});
