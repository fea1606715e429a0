// The file that an import is given: read whole, and never touched.
import { copyFileSync, mkdirSync, readdirSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeEach, expect, it } from 'vitest';
import type { Store, UserRows } from '../../src/store/store.ts';
import { TestClock } from '../support/clock.ts';
import { onEachEngine, openEmptyStore } from '../support/engines.ts';
import { filesOf, importFile, temporaryPlace } from '../support/importing.ts';
import {
  insertRows,
  makeLargeLegacyDatabase,
  makeLegacyDatabase,
  oldFeed,
  oldItem,
} from '../support/legacy-database.ts';
import { addUser } from '../support/reader.ts';

const now = Date.UTC(2026, 0, 1);

onEachEngine('the file of an old database', (engine) => {
  let store: Store;
  let clock: TestClock;
  let anna: UserRows;
  let path: string;

  beforeEach(async () => {
    clock = new TestClock(now);
    ({ store } = await openEmptyStore(engine, clock));
    anna = (await addUser(store, 'anna', 'owner')).rows;
    path = join(temporaryPlace(), 'reedme.db');
  });

  it('is read with what is only in its WAL, and neither file is touched', async () => {
    makeLegacyDatabase(path, { feeds: [oldFeed(1)] });
    const other = join(temporaryPlace(), 'live.db');
    copyFileSync(path, other);
    const db = new DatabaseSync(other);
    insertRows(db, { items: [oldItem(1), oldItem(2)] });
    copyFileSync(`${other}-wal`, `${path}-wal`);
    db.close();
    const before = filesOf(path);
    expect(Object.keys(before)).toEqual(['reedme.db', 'reedme.db-wal']);
    expect(await importFile(anna, path, { clock })).toMatchObject({ entries: { imported: 2 } });
    expect(filesOf(path)).toEqual(before);
  });

  it('is read from a copy that goes with the import, and with the next one after a day if the process was killed', async () => {
    makeLegacyDatabase(path, { feeds: [oldFeed(1)], items: [oldItem(1)] });
    const folder = temporaryPlace();
    for (const [name, ageMs] of [
      ['importing-old', 25 * 3600 * 1000],
      ['importing-new', 3600 * 1000],
      ['mine', 25 * 3600 * 1000],
    ] as const) {
      mkdirSync(join(folder, name));
      utimesSync(join(folder, name), (now - ageMs) / 1000, (now - ageMs) / 1000);
    }
    const during: string[][] = [];
    await importFile(anna, path, { clock, folder, onProgress: () => void during.push(readdirSync(folder)) });
    expect(readdirSync(folder).sort()).toEqual(['importing-new', 'mine']);
    // While it is read it has no name any more: nothing is left of a process that is killed.
    expect(during.map((names) => names.sort())).toEqual([['importing-new', 'mine']]);
    await expect(importFile(anna, `${path}.not`, { clock, folder })).rejects.toThrow('there is no');
    expect(readdirSync(folder).sort()).toEqual(['importing-new', 'mine']);
  });

  it.each<[string, (path: string) => void, string]>([
    ['is not there', () => {}, 'there is no'],
    ['is empty', (file) => writeFileSync(file, ''), 'is empty'],
    ['is no database', (file) => writeFileSync(file, 'Dear diary'.repeat(500)), 'is not a SQLite database'],
    [
      'has lost a part',
      (file) => {
        makeLargeLegacyDatabase(file, { items: 500 });
        truncateSync(file, 200_000);
      },
      'is damaged',
    ],
  ])('that %s is refused by its name', async (_what, make, expected) => {
    make(path);
    const before = filesOf(path);
    const refused = await importFile(anna, path, { clock }).then(
      () => '',
      (error: Error) => error.message,
    );
    expect(refused).toContain(expected);
    expect(refused).toContain(path);
    expect(filesOf(path)).toEqual(before);
    expect(await anna.feeds.list()).toEqual([]);
  });
});
