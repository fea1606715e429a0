import { beforeAll, expect, it } from 'vitest';
import type { Database } from '../../src/store/database.ts';
import { createStore, type Store } from '../../src/store/store.ts';
import type { TestClock } from '../support/clock.ts';
import { crashingDatabase } from '../support/crashing-database.ts';
import { onEachEngine, openFreshStore } from '../support/engines.ts';
import { Faults } from '../support/faults.ts';
import { addMany } from '../support/items.ts';
import { addUser } from '../support/reader.ts';

/** More than two batches. */
const items = 450;

onEachEngine('deleting a collection', (engine) => {
  let store: Store;
  let database: Database;
  let clock: TestClock;

  beforeAll(async () => {
    ({ store, database, clock } = await openFreshStore(engine));
    return () => store.close();
  });

  it.each(['delete', 'deleteWithItems'] as const)(
    '%s changes everything or nothing when the process ends at any statement',
    async (remove) => {
      const { id: userId, rows } = await addUser(store, remove);
      const { id } = await rows.collections.create({ name: 'box', description: '', parentId: null });
      await addMany(database, userId, items, { collectionId: id });
      const deleteWith = (faults: Faults) =>
        createStore(crashingDatabase(database, faults), clock.now).forUser(userId).collections[remove](id);

      let crashes = 0;
      for (let at = 1; ; at += 1) {
        const faults = new Faults({ at });
        const ended = await deleteWith(faults).then(
          () => 'deleted',
          () => 'crashed',
        );
        if (ended === 'deleted') break;
        crashes += 1;
        const { itemCount } = await rows.collections.get(id);
        expect({ at, itemCount }).toEqual({ at, itemCount: items });
      }
      expect(crashes).toBeGreaterThan(4);
      expect(await rows.collections.list()).toEqual([]);
    },
  );
});
