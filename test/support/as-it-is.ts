// An index at whatever schema it has, without a migration: with its library, or without one.

import type { Files } from '../../src/library/files/files.ts';
import { flushJournal } from '../../src/library/journal/flush.ts';
import { joinLibrary } from '../../src/library/library.ts';
import { ulidMaker } from '../../src/library/ulid.ts';
import { openDatabase, type Target } from '../../src/store/open.ts';
import { createStore } from '../../src/store/store.ts';
import { TestClock } from './clock.ts';
import { randomText } from './library.ts';

export async function openDatabaseAsItIs(target: Target, files?: Files) {
  const { now } = new TestClock();
  const database = await openDatabase(target, { now, onIdleError: () => {}, asItIs: true });
  const store = createStore(database, now);
  return {
    database,
    store,
    flush: async () => {
      if (!files) throw new Error('opened without a library');
      const library = await joinLibrary({ files, index: store.index, randomText });
      const newUlid = ulidMaker(now, randomText);
      return flushJournal({ library, journal: store.journal, leases: store.leases, now, newUlid }, 'test');
    },
    close: () => database.close(),
  };
}
