import fc from 'fast-check';
import { CompiledQuery, sql } from 'kysely';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { IndexFull } from '../../src/errors.ts';
import { isUniqueViolation } from '../../src/store/constraint.ts';
import type { Database, Writer } from '../../src/store/database.ts';
import { propertyRuns } from '../support/depth.ts';
import { onEachEngine, onOneEngine, openFreshStore } from '../support/engines.ts';
import { fillDisk } from '../support/full-disk.ts';

class Abandon extends Error {}

onEachEngine('the database', (engine) => {
  let db: Database;

  beforeAll(async () => {
    const { database } = await openFreshStore(engine);
    db = database;
    return () => database.close();
  });

  beforeEach(() => db.write((trx) => trx.deleteFrom('meta').execute()));

  const put = (trx: Writer, key: string, value = '') =>
    trx.insertInto('meta').values({ key, value }).execute();
  const keys = async (from = db.read) =>
    (await from.selectFrom('meta').select('key').orderBy('key').execute()).map((row) => row.key);

  it('keeps all of a transaction that ends well', async () => {
    const result = await db.write(async (trx) => {
      await put(trx, 'a');
      await put(trx, 'b');
      return 'done';
    });
    expect(result).toBe('done');
    expect(await keys()).toEqual(['a', 'b']);
  });

  it('keeps nothing of a transaction that throws, and goes on', async () => {
    const failed = db.write(async (trx) => {
      await put(trx, 'a');
      throw new Abandon();
    });
    await expect(failed).rejects.toThrow(Abandon);
    await db.write((trx) => put(trx, 'b'));
    expect(await keys()).toEqual(['b']);
  });

  it('keeps nothing of a transaction whose statement fails', async () => {
    const failed = db.write(async (trx) => {
      await put(trx, 'a');
      await put(trx, 'a');
    });
    await expect(failed).rejects.toSatisfy(isUniqueViolation);
    expect(await keys()).toEqual([]);
  });

  it('a write to a full disk keeps nothing and fails with IndexFull, and the next write succeeds', async () => {
    const failed = db.write(async (trx) => {
      await put(trx, 'a');
      await fillDisk(db, trx);
    });
    await expect(failed).rejects.toBeInstanceOf(IndexFull);
    await db.write((trx) => put(trx, 'b'));
    expect(await keys()).toEqual(['b']);
  });

  it('never mixes transactions that are open at the same time', async () => {
    const barrier = Promise.withResolvers<void>();
    const abandoned = db.write(async (trx) => {
      await put(trx, 'abandoned 1');
      barrier.resolve();
      for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
      await put(trx, 'abandoned 2');
      throw new Abandon();
    });
    await barrier.promise;
    const kept = Array.from({ length: 10 }, (_, n) => db.write((trx) => put(trx, `kept ${n}`)));
    await expect(abandoned).rejects.toThrow(Abandon);
    await Promise.all(kept);
    expect(await keys()).toEqual(Array.from({ length: 10 }, (_, n) => `kept ${n}`));
  });

  it('shows a transaction its own rows, and nobody else before it is committed', async () => {
    await db.write(async (trx) => {
      await put(trx, 'mine');
      expect(await trx.selectFrom('meta').select('key').execute()).toEqual([{ key: 'mine' }]);
      expect(await keys()).toEqual([]);
      expect(await keys(db.heavyRead)).toEqual([]);
    });
    expect(await keys()).toEqual(['mine']);
    expect(await keys(db.heavyRead)).toEqual(['mine']);
  });

  it('refuses a write inside a write, and one after it is fine', async () => {
    const nested = db.write(() => db.write((trx) => put(trx, 'inner')));
    await expect(nested).rejects.toThrow('inside another write');
    await db.write((trx) => put(trx, 'after'));
    expect(await keys()).toEqual(['after']);
  });

  describe.each(['read', 'heavyRead'] as const)('through %s', (door) => {
    it('refuses to change anything', async () => {
      await expect(db[door].insertInto('meta').values({ key: 'a', value: '' }).execute()).rejects.toThrow();
      await expect(db[door].deleteFrom('meta').execute()).rejects.toThrow();
      expect(await keys()).toEqual([]);
    });

    it('reports a statement that is wrong and goes on', async () => {
      await expect(db[door].executeQuery(CompiledQuery.raw('SELECT a FROM nowhere'))).rejects.toThrow(
        'nowhere',
      );
      expect(await keys(db[door])).toEqual([]);
    });
  });

  it('holds every integer up to 2^53 - 1, and refuses to round beyond', async () => {
    const biggest = Number.MAX_SAFE_INTEGER;
    const read = (text: string) =>
      db.read.executeQuery<{ n: number }>(CompiledQuery.raw(`SELECT CAST(${text} AS bigint) AS n`));
    expect((await read(String(biggest))).rows[0]?.n).toBe(biggest);
    await expect(read('9007199254740993')).rejects.toThrow();
  });

  it('orders text by its bytes, not by a language', async () => {
    await db.write(async (trx) => {
      for (const key of ['z', 'Z', 'ä', 'a', 'é', '\u{1f600}', '\uffee']) await put(trx, key);
    });
    expect(await keys()).toEqual(['Z', 'a', 'z', 'ä', 'é', '\uffee', '\u{1f600}']);
  });

  it('ends in the state that its committed transactions describe, whatever their order and outcome', async () => {
    const step = fc.record({
      puts: fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd'), fc.string({ maxLength: 4, unit: 'grapheme' })),
      deletes: fc.subarray(['a', 'b', 'c', 'd']),
      commits: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 6 }), async (steps) => {
        await db.write((trx) => trx.deleteFrom('meta').execute());
        const expected = new Map<string, string>();
        for (const { puts, deletes, commits } of steps) {
          const run = db.write(async (trx) => {
            for (const [key, value] of Object.entries(puts)) {
              await trx
                .insertInto('meta')
                .values({ key, value })
                .onConflict((conflict) => conflict.column('key').doUpdateSet({ value }))
                .execute();
            }
            if (deletes.length > 0) await trx.deleteFrom('meta').where('key', 'in', deletes).execute();
            if (!commits) throw new Abandon();
          });
          await run.catch((error) => expect(error).toBeInstanceOf(Abandon));
          if (!commits) continue;
          for (const [key, value] of Object.entries(puts)) expected.set(key, value);
          for (const key of deletes) expected.delete(key);
        }
        const rows = await db.read.selectFrom('meta').selectAll().execute();
        expect(new Map(rows.map((row) => [row.key, row.value]))).toEqual(expected);
      }),
      propertyRuns(40),
    );
  });
});

onOneEngine('sqlite', 'a write that goes to the disk', (engine) => {
  it('waits for the disk, and the writes after it do not', async () => {
    const { database } = await openFreshStore(engine);
    const synchronous = (toDisk: boolean) =>
      database.write(
        async (trx) => (await sql<{ synchronous: number }>`PRAGMA synchronous`.execute(trx)).rows[0],
        { toDisk },
      );
    const [normal, full] = [{ synchronous: 1 }, { synchronous: 2 }];
    expect(await synchronous(false)).toEqual(normal);
    expect(await Promise.all([true, false, true, true].map(synchronous))).toEqual([full, normal, full, full]);
    expect(await synchronous(false)).toEqual(normal);
    await database.close();
  });
});
