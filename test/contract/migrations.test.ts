import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { StartupError } from '../../src/errors.ts';
import { migratePostgres } from '../../src/store/dialect/postgres/migrate.ts';
import { openSqlite } from '../../src/store/dialect/sqlite/connection.ts';
import { migrateSqlite } from '../../src/store/dialect/sqlite/migrate.ts';
import { type Migration, readMigrations } from '../../src/store/migrations.ts';
import type { Target } from '../../src/store/open.ts';
import { onEachEngine, onOneEngine } from '../support/engines.ts';

const one: Migration = {
  version: 1,
  name: 'one',
  sql: 'CREATE TABLE t (a integer); INSERT INTO t VALUES (1);',
};
const two: Migration = {
  version: 2,
  name: 'two',
  sql: 'ALTER TABLE t ADD COLUMN b integer; UPDATE t SET b = 2;',
};
const broken: Migration = {
  version: 2,
  name: 'broken',
  sql: 'INSERT INTO t VALUES (9); CREATE TABLE u (a integer); SELECT nothing FROM nowhere;',
};

const now = () => 1_000;
const migrate = (target: Target, migrations?: Migration[]) =>
  target.engine === 'sqlite'
    ? migrateSqlite(target.path, now, migrations && { migrations })
    : migratePostgres(target.url.reveal(), now, migrations && { migrations });

async function query(target: Target, sql: string): Promise<unknown[]> {
  if (target.engine === 'sqlite') {
    const db = new DatabaseSync(target.path);
    try {
      return db
        .prepare(sql)
        .all()
        .map((row) => ({ ...row }));
    } finally {
      db.close();
    }
  }
  const client = new pg.Client({ connectionString: target.url.reveal() });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

onEachEngine('migrations', (engine) => {
  const empty = () => engine.freshTarget({ empty: true });

  it('are applied once, in order, and noted', async () => {
    const target = await empty();
    await migrate(target, [one]);
    await migrate(target, [one, two]);
    await migrate(target, [one, two]);
    expect(await query(target, 'SELECT a, b FROM t')).toEqual([{ a: 1, b: 2 }]);
    expect(await query(target, 'SELECT version, name FROM schema_migrations ORDER BY version')).toEqual([
      { version: 1, name: 'one' },
      { version: 2, name: 'two' },
    ]);
  });

  it('are applied once when many start at the same instant', async () => {
    const target = await empty();
    await Promise.all(Array.from({ length: 8 }, () => migrate(target, [one, two])));
    expect(await query(target, 'SELECT a, b FROM t')).toEqual([{ a: 1, b: 2 }]);
  });

  it('leave nothing of one that fails, keep those before it, and say which it was', async () => {
    const target = await empty();
    await expect(migrate(target, [one, broken])).rejects.toThrow(
      /^Migration 2 \(broken\) failed and was undone/,
    );
    expect(await query(target, 'SELECT a FROM t')).toEqual([{ a: 1 }]);
    await expect(query(target, 'SELECT a FROM u')).rejects.toThrow();
    await migrate(target, [one, two]);
    expect(await query(target, 'SELECT a, b FROM t')).toEqual([{ a: 1, b: 2 }]);
  });

  it('refuse an index that a newer Lectern has written', async () => {
    const target = await empty();
    await migrate(target, [one, two]);
    const older = migrate(target, [one]);
    await expect(older).rejects.toThrow(StartupError);
    await expect(older).rejects.toThrow('schema 2, and this Lectern knows schemas up to 1');
  });

  it('keep the tokens when their scopes are extended, and use no id twice', async () => {
    const target = await empty();
    const all = readMigrations(engine.name);
    await migrate(target, all.slice(0, 20));
    await query(
      target,
      "INSERT INTO users (id, username, role, created_at, updated_at) VALUES (1, 'anna', 'owner', 5, 5)",
    );
    const insert = (scope: string, secret: string) =>
      query(
        target,
        `INSERT INTO tokens (user_id, name, scope, secret_sha256, fever_sha256, created_at)
         VALUES (1, 'phone', '${scope}', '${secret}', '${secret}', 7)`,
      );
    await insert('read', 'a');
    await insert('write', 'b');
    await query(target, "DELETE FROM tokens WHERE secret_sha256 = 'b'");
    // A migration waits until the library has every row.
    await query(target, 'DELETE FROM journal_dirty');
    await migrate(target, all);
    await insert('admin', 'c');
    const rows = await query(
      target,
      'SELECT id, scope, secret_sha256, created_at, created_by FROM tokens ORDER BY id',
    );
    const number = (n: number) => (engine.name === 'sqlite' ? n : String(n));
    const row = { created_at: number(7), created_by: null };
    expect(rows).toEqual([
      { ...row, id: number(1), scope: 'read', secret_sha256: 'a' },
      { ...row, id: number(3), scope: 'admin', secret_sha256: 'c' },
    ]);
    await expect(insert('owner', 'd')).rejects.toThrow();
  });

  it('keep numbering notes of the journal where they were when each note gets a time', async () => {
    const target = await empty();
    const all = readMigrations(engine.name);
    await migrate(
      target,
      all.slice(
        0,
        all.findIndex(({ name }) => name === 'when_written'),
      ),
    );
    await query(target, 'INSERT INTO journal_dirty (tbl, k1) VALUES (1, 1), (1, 2), (1, 3)');
    await query(target, 'DELETE FROM journal_dirty');
    await migrate(target, all);
    await query(target, 'INSERT INTO journal_dirty (tbl, k1) VALUES (1, 4)');
    const [note] = (await query(target, 'SELECT seq, noted_at FROM journal_dirty')) as Record<
      string,
      unknown
    >[];
    expect(Number(note?.seq)).toBe(4);
    expect(Math.abs(Number(note?.noted_at) - Date.now())).toBeLessThan(60_000);
  });

  it('bring an empty index to the present schema', async () => {
    const target = await empty();
    await migrate(target);
    expect(await query(target, 'SELECT count(*) AS n FROM users')).toEqual([
      { n: engine.name === 'sqlite' ? 0 : '0' },
    ]);
  });
});

onOneEngine('sqlite', 'copy before a migration', (engine) => {
  it('is a whole database at the old schema, with what only the WAL held', async () => {
    const target = await engine.freshTarget({ empty: true });
    if (target.engine !== 'sqlite') throw new Error('expected SQLite');
    await migrate(target, [one]);
    const reader = await openSqlite(target.path, 'read');
    const writer = await openSqlite(target.path, 'write');
    writer.exec('INSERT INTO t VALUES (7)');
    await migrate(target, [one, two]);
    writer.close();
    reader.close();

    const copy = { ...target, path: `${target.path}.schema-1.bak` };
    expect(await query(copy, 'SELECT a FROM t ORDER BY a')).toEqual([{ a: 1 }, { a: 7 }]);
    expect(await query(copy, 'SELECT max(version) AS version FROM schema_migrations')).toEqual([
      { version: 1 },
    ]);
    expect(existsSync(`${copy.path}.partial`)).toBe(false);
  });

  it('is not made when there is nothing to migrate or nothing to lose', async () => {
    const target = await engine.freshTarget({ empty: true });
    if (target.engine !== 'sqlite') throw new Error('expected SQLite');
    await migrate(target, [one]);
    await migrate(target, [one]);
    expect(existsSync(`${target.path}.schema-0.bak`)).toBe(false);
    expect(existsSync(`${target.path}.schema-1.bak`)).toBe(false);
  });
});

describe('the migrations of the two engines', () => {
  it('have the same numbers and names', () => {
    const names = (engine: 'sqlite' | 'postgres') =>
      readMigrations(engine).map(({ version, name }) => [version, name]);
    expect(names('sqlite')).toEqual(names('postgres'));
  });
});
