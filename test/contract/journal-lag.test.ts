// How far the library is behind the index, and what is refused because of it.
import { sql } from 'kysely';
import { beforeEach, describe, expect, it } from 'vitest';
import { Unavailable } from '../../src/errors.ts';
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

  describe('large imports', () => {
    it('are accepted with 500,000 pending notes and refused with one more', async () => {
      await addNotes(database, 500_000);
      await expect(store.journal.requireRoom()).resolves.toBeUndefined();
      await addNotes(database, 1);
      const refusal = await store.journal.requireRoom().catch((error) => error);
      expect(refusal).toBeInstanceOf(Unavailable);
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
