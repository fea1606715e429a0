// A schema that changes in the middle of a history: sets of both schemas give back one state.
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { readSets } from '../../src/library/journal/sets.ts';
import { appliedVersion, type Migration, readMigrations, reinflateKey } from '../../src/store/migrations.ts';
import type { Session } from '../../src/store/session.ts';
import { openDatabaseAsItIs } from '../support/as-it-is.ts';
import { isDeep } from '../support/depth.ts';
import { type EngineName, onEachEngine, onOneEngine, useEngine } from '../support/engines.ts';
import { type Faults, forEachFault } from '../support/faults.ts';
import { faultySession } from '../support/faulty-session.ts';
import { folderFiles, openPair, reinflateInto, temporaryFolder } from '../support/library.ts';
import { migrate } from '../support/migrate.ts';
import { withSession } from '../support/session.ts';

/** Where the library is rebuilt to see what it holds. */
const elsewhere = useEngine('sqlite');

/** The present schema, and one after it. */
function colourful(engine: EngineName): Migration[] {
  const present = readMigrations(engine);
  return [
    ...present,
    {
      version: present.length + 1,
      name: 'colours',
      sql: `ALTER TABLE groups ADD COLUMN colour text; UPDATE groups SET colour = 'grey of ' || name;`,
    },
  ];
}

onEachEngine('a migration in the middle of a history', (engine) => {
  const migrations = colourful(engine.name);
  const present = migrations.slice(0, -1);
  const next = migrations.at(-1) as Migration;

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

  // The end after a statement is the end before the next one.
  it('is done by the next start when the process ends after any of its statements, and nothing is lost', async () => {
    const plan = { kind: 'crash', moment: 'after' } as const;
    // Most statements create triggers, the same for every table, so `npm test` tries a sample. PostgreSQL always does: creating a
    // database is slow.
    await forEachFault(plan, endThere, { stride: engine.name === 'postgres' ? 13 : isDeep ? 1 : 4 });
    await forEachFault({ ...plan, only: ['COMMIT'] }, endThere);
  }, 240_000);

  async function endThere(faults: Faults): Promise<void> {
    const { files, target, old, kept } = await twoSchemas();
    const before = await old.store.stateHash();
    const ended = migrate(target, migrations, (session) => faultySession(session, faults));
    await ended.catch(() => expect(faults.fired).toBeDefined());

    // Whoever still runs at the schema that there is loses nothing that it writes, either.
    const version = await withSession(target, appliedVersion);
    expect([present.length, next.version]).toContain(version);
    if (version === present.length) {
      expect(await old.store.stateHash()).toEqual(before);
      await old.store.forUser(1).groups.rename(kept.id, { name: 'renamed after the crash' });
      expect(await old.flush()).toBe(1);
    }
    await old.close();

    await migrate(target, migrations);
    const after = await openDatabaseAsItIs(target, files);
    const { rows } = await sql<{ colour: string }>`SELECT colour FROM groups ORDER BY id`.execute(
      after.database.read,
    );
    expect(rows.every(({ colour }) => colour.startsWith('grey of '))).toBe(true);
    const state = await after.store.stateHash();
    await after.database.write((trx) => sql`UPDATE groups SET colour = 'noted'`.execute(trx));
    expect(await after.flush()).toEqual({ facts: 3 });
    await after.close();

    // What the library has gives the same index, up to the last change.
    const empty = await elsewhere.freshTarget();
    await reinflateInto(empty, files, { migrations: colourful('sqlite') });
    const rebuilt = await openDatabaseAsItIs(empty, files);
    await rebuilt.database.write((trx) => sql`UPDATE groups SET colour = 'grey of ' || name`.execute(trx));
    expect(await rebuilt.store.stateHash()).toEqual(state);
    await rebuilt.close();
  }

  it('does not start over a reinflate that was interrupted', async () => {
    const { target, old } = await twoSchemas();
    await old.close();
    await withSession(target, (session) =>
      session.rows('INSERT INTO meta (key, value) VALUES ($1, $2)', [reinflateKey, '{}']),
    );
    await expect(migrate(target, migrations)).rejects.toThrow('A reinflate was interrupted');
    expect(await withSession(target, appliedVersion)).toBe(present.length);
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

onOneEngine('postgres', 'a migration beside a transaction that is open', (engine) => {
  it('waits for it, and does not start over the change that it made', async () => {
    const migrations = colourful('postgres');
    const target = await engine.freshTarget();
    const changed = Promise.withResolvers<void>();
    const release = Promise.withResolvers<void>();
    const changing = withSession(target, async (session) => {
      await session.run('BEGIN');
      await session.rows('INSERT INTO users (username, role, created_at, updated_at) VALUES ($1, $2, 0, 0)', [
        'anna',
        'owner',
      ]);
      changed.resolve();
      await release.promise;
      await session.run('COMMIT');
    });
    await changed.promise;
    const migrating = migrate(target, migrations).catch((error: Error) => error);
    await withSession(target, (session) => untilSomebodyWaits(session));
    release.resolve();
    await changing;
    expect(await migrating).toMatchObject({ message: expect.stringContaining('not in the library yet') });
    expect(await withSession(target, appliedVersion)).toBe(migrations.length - 1);
  });
});

async function untilSomebodyWaits(session: Session): Promise<void> {
  for (;;) {
    const waiting = await session.rows(
      "SELECT 1 AS found FROM pg_locks WHERE NOT granted AND relation = 'journal_dirty'::regclass",
    );
    if (waiting.length > 0) return;
  }
}
