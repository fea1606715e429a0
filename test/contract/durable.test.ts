import { sql } from 'kysely';
import { beforeEach, expect, it } from 'vitest';
import type { Database } from '../../src/store/database.ts';
import { type DurableTable, derivedTables, durableTables } from '../../src/store/durable.ts';
import { installTriggers } from '../../src/store/journal/install.ts';
import type { Target } from '../../src/store/open.ts';
import { onEachEngine, openFreshStore } from '../support/engines.ts';
import { withSession } from '../support/session.ts';

/** Every kind of key, and a column that does not count. */
const scratch: DurableTable = {
  id: 900,
  name: 'scratch',
  key: [
    { column: 'a', type: 'integer' },
    { column: 'name', type: 'text' },
    { column: 'b', type: 'integer' },
  ],
  counts: false,
  volatile: ['busy'],
};

onEachEngine('durable tables', (engine) => {
  let db: Database;
  let target: Target;

  beforeEach(async () => {
    const opened = await openFreshStore(engine);
    db = opened.database;
    target = opened.target;
    await withSession(target, async (session) => {
      const [integer, text] = engine.name === 'sqlite' ? ['INTEGER', 'TEXT'] : ['bigint', 'text'];
      await session.run(
        `CREATE TABLE scratch (a ${integer}, name ${text}, b ${integer}, busy ${integer}, content ${text}, PRIMARY KEY (a, name, b))`,
      );
      await installTriggers(session, [...durableTables, scratch]);
    });
    return () => db.close();
  });

  const run = (statement: string) => db.write((trx) => sql.raw(statement).execute(trx));
  const notes = async () => {
    const { rows } = await sql<object>`SELECT tbl, k1, kt, k2 FROM journal_dirty ORDER BY seq`.execute(
      db.read,
    );
    await run('DELETE FROM journal_dirty');
    return rows.map((row) => Object.values(row));
  };

  it('and derived ones are all tables that there are, each in one list', async () => {
    const listing =
      engine.name === 'sqlite'
        ? sql<{
            name: string;
          }>`SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'`
        : sql<{
            name: string;
          }>`SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public'`;
    const tables = (await listing.execute(db.read)).rows
      .map((row) => row.name)
      // What FTS5 keeps its terms in belongs to search_terms.
      .filter((name) => name !== 'scratch' && !name.startsWith('search_terms_'));
    const listed = [...durableTables.map(({ name }) => name as string), ...derivedTables];
    expect(tables.sort()).toEqual([...listed].sort());
    expect(new Set(listed).size).toBe(listed.length);
    expect(new Set(durableTables.map(({ id }) => id)).size).toBe(durableTables.length);
  });

  it('note every insert, change and delete, many at once too, in the transaction that makes it', async () => {
    await run("INSERT INTO scratch VALUES (1, 'x', 2, 0, ''), (3, 'y', 4, 0, '')");
    expect(await notes()).toEqual([
      [900, 1, 'x', 2],
      [900, 3, 'y', 4],
    ]);
    await run("UPDATE scratch SET content = 'new'");
    expect((await notes()).length).toBe(2);
    await run('DELETE FROM scratch WHERE a = 3');
    expect(await notes()).toEqual([[900, 3, 'y', 4]]);
    await db
      .write(async (trx) => {
        await sql`DELETE FROM scratch`.execute(trx);
        throw new Error('undone');
      })
      .catch(() => {});
    expect(await notes()).toEqual([]);
    await run('DELETE FROM scratch');
    expect(await notes()).toEqual([[900, 1, 'x', 2]]);
  });

  it('note the old key too when a key changes', async () => {
    await run("INSERT INTO scratch VALUES (1, 'x', 2, 0, '')");
    await notes();
    await run("UPDATE scratch SET name = 'z'");
    expect((await notes()).sort()).toEqual([
      [900, 1, 'x', 2],
      [900, 1, 'z', 2],
    ]);
  });

  it('do not note a change of what does not count, or a change to what it was', async () => {
    await run("INSERT INTO scratch VALUES (1, 'x', 2, 0, '')");
    await notes();
    await run('UPDATE scratch SET busy = 1');
    expect(await notes()).toEqual([]);
    await run("UPDATE scratch SET busy = 2, content = 'also'");
    expect(await notes()).toEqual([[900, 1, 'x', 2]]);
  });

  it('note an upsert as what it did', async () => {
    const upsert =
      "INSERT INTO scratch VALUES (1, 'x', 2, 0, 'a') ON CONFLICT (a, name, b) DO UPDATE SET content = 'b'";
    await run(upsert);
    await run(upsert);
    expect(await notes()).toEqual([
      [900, 1, 'x', 2],
      [900, 1, 'x', 2],
    ]);
  });
});
