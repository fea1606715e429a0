// How far the library is behind the index, and what is refused because of it.
import { sql } from 'kysely';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { TemporaryFailure } from '../../src/errors.ts';
import type { Database } from '../../src/store/database.ts';
import type { Store } from '../../src/store/store.ts';
import { onEachEngine, openEmptyStore } from '../support/engines.ts';
import { addNotes } from '../support/journal-notes.ts';

onEachEngine('the lag of the journal', (engine) => {
  let store: Store;
  let database: Database;

  beforeEach(async () => {
    ({ store, database } = await openEmptyStore(engine));
  });

  describe('is shown', () => {
    const hour = 3_600_000;
    const passTime = (ms: number) => {
      database.timeOffsetMs = () => ms;
      onTestFinished(() => {
        delete database.timeOffsetMs;
      });
    };

    it('as the age of the oldest pending note', async () => {
      expect(await store.journal.lag(10)).toEqual({
        pending: 0,
        lagMs: 0,
        flushedAt: null,
        sinceFlushMs: null,
      });
      await addNotes(database, 12);
      passTime(hour);
      await addNotes(database, 1);
      const { lagMs, pending } = await store.journal.lag(100);
      expect(pending).toBe(13);
      expect(lagMs).toBeGreaterThanOrEqual(hour);
      expect(lagMs).toBeLessThan(hour + 60_000);
      expect(await store.journal.lag(5)).toMatchObject({ pending: 5 });
    });

    it('as pending notes of each table', async () => {
      expect(await store.journal.pendingByTable(100)).toEqual([]);
      await store.users.create({ username: 'anna', passwordHash: null, role: 'owner' });
      for (const name of ['first', 'second']) await store.forUser(1).groups.create({ name });
      const tables = await store.journal.pendingByTable(100);
      expect(tables).toEqual([
        { table: 'groups', changes: 3 },
        { table: 'users', changes: 1 },
      ]);
      const limited = await store.journal.pendingByTable(2);
      expect(limited.reduce((sum, { changes }) => sum + changes, 0)).toBe(2);
    });

    it('as none when the clock was set back since', async () => {
      await addNotes(database, 1);
      passTime(-hour);
      expect(await store.journal.lag(100)).toMatchObject({ pending: 1, lagMs: 0 });
    });

    it('with the time of the last flush', async () => {
      const lease = await store.leases.acquire('journal', 'test', 60_000);
      if (!lease) throw new Error('the lease is taken');
      await addNotes(database, 1);
      const { rows } = await sql<{ seq: number }>`SELECT seq FROM journal_dirty`.execute(database.read);
      passTime(hour);
      await store.journal.clear(
        lease,
        rows.map(({ seq }) => seq),
        { ordinal: 1, set: 'a' },
      );
      const { flushedAt, ...rest } = await store.journal.lag(100);
      expect(rest).toMatchObject({ pending: 0, lagMs: 0 });
      expect(rest.sinceFlushMs).toBeLessThan(60_000);
      expect(Math.abs((flushedAt ?? 0) - Date.now() - hour)).toBeLessThan(60_000);
    });
  });

  describe('large imports', () => {
    it('are accepted with 500,000 pending notes and refused with one more', async () => {
      await addNotes(database, 500_000);
      await expect(store.journal.requireRoom()).resolves.toBeUndefined();
      await addNotes(database, 1);
      const refusal = await store.journal.requireRoom().catch((error) => error);
      expect(refusal).toBeInstanceOf(TemporaryFailure);
      expect(refusal).toMatchObject({ retryAfterSeconds: 60 });
    });

    it('are accepted when the numbers of few notes are far apart', async () => {
      await database.write((trx) =>
        sql`INSERT INTO journal_dirty (seq, tbl, k1) VALUES (1, 1, 1), (900000, 1, 2)`.execute(trx),
      );
      await expect(store.journal.requireRoom()).resolves.toBeUndefined();
    });
  });
});
