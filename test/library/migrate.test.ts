// A schema that changes in the middle of a history: sets of both schemas give back one state.
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { readSets } from '../../src/library/journal/sets.ts';
import { type Migration, readMigrations } from '../../src/store/migrations.ts';
import { openDatabaseAsItIs } from '../support/as-it-is.ts';
import { onEachEngine } from '../support/engines.ts';
import { folderFiles, openPair, reinflateInto, temporaryFolder } from '../support/library.ts';
import { migrate } from '../support/migrate.ts';

onEachEngine('a migration in the middle of a history', (engine) => {
  const present = readMigrations(engine.name);
  const next: Migration = {
    version: present.length + 1,
    name: 'colours',
    sql: `ALTER TABLE groups ADD COLUMN colour ${engine.name === 'sqlite' ? 'TEXT' : 'text'};
          UPDATE groups SET colour = 'grey of ' || name;`,
  };
  const migrations = [...present, next];

  async function twoSchemas() {
    const files = await folderFiles(await temporaryFolder());
    const target = await engine.freshTarget();
    const old = await openPair(target, files);
    const anna = await old.store.users.create({ username: 'anna', passwordHash: null, role: 'owner' });
    const kept = await old.store.forUser(anna.id).groups.create({ name: 'kept' });
    await old.store.forUser(anna.id).groups.create({ name: 'changed later' });
    await old.flush();
    return { files, target, old, kept };
  }

  it('replays to the same state', async () => {
    const { files, target, old } = await twoSchemas();
    await old.close();
    await migrate(target, migrations);

    const after = await openDatabaseAsItIs(target, files);
    await after.database.write((trx) =>
      sql`UPDATE groups SET colour = 'red' WHERE name = 'changed later'`.execute(trx),
    );
    await after.flush();
    const state = await after.store.stateHash();
    await after.close();
    expect((await readSets(files)).sets.map((set) => set.schema)).toEqual([present.length, next.version]);

    const empty = await engine.freshTarget({ empty: true });
    await reinflateInto(empty, files, { migrations });
    const rebuilt = await openDatabaseAsItIs(empty, files);
    expect(await rebuilt.store.stateHash()).toEqual(state);
    const { rows } = await sql<{ colour: string }>`SELECT colour FROM groups ORDER BY id`.execute(
      rebuilt.database.read,
    );
    expect(rows.map((row) => row.colour)).toEqual(['grey of Default', 'grey of kept', 'red']);
    await rebuilt.close();
  });

  it('does not start while the library lacks a change, and starts when it has it', async () => {
    const { target, old, kept } = await twoSchemas();
    await old.store.forUser(1).groups.rename(kept.id, { name: 'not flushed' });
    await expect(migrate(target, migrations)).rejects.toThrow('not in the library yet');
    await old.flush();
    await migrate(target, migrations);
    await old.close();
  });

  it('that fails leaves the journal on', async () => {
    const { target, old, kept } = await twoSchemas();
    const broken = { ...next, sql: `${next.sql} SELECT a FROM nowhere;` };
    await expect(migrate(target, [...present, broken])).rejects.toThrow('failed and was undone');
    await old.store.forUser(1).groups.rename(kept.id, { name: 'noted' });
    expect(await old.flush()).toBe(1);
    await old.close();
  });

  it('from a schema before the journal notes every row that was there', async () => {
    const files = await folderFiles(await temporaryFolder());
    const target = await engine.freshTarget({ empty: true });
    await migrate(target, present.slice(0, 1));
    const before = await openDatabaseAsItIs(target);
    await before.store.users.create({ username: 'anna', passwordHash: null, role: 'owner' });
    await before.close();
    const pair = await openPair(target, files);
    expect(await pair.flush()).toBe(2);
    await pair.close();
  });
});
