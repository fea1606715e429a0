// The first start on a file of ReedMe or Fusion: what it becomes, and what keeps it from that.
import {
  appendFileSync,
  chmodSync,
  copyFileSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { nodeSwapFiles } from '../../src/store/legacy/swap-files.ts';
import { onOneEngine } from '../support/engines.ts';
import { filesOf, temporaryPlace } from '../support/importing.ts';
import {
  insertRows,
  makeCurrentDatabase,
  makeLargeLegacyDatabase,
  makeLegacyDatabase,
  oldFeed,
  oldItem,
} from '../support/legacy-database.ts';
import { folderFiles, openPair, reinflateInto } from '../support/library.ts';
import { expectDerivedIsRight, listAll } from '../support/reader.ts';
import { besides, itemsIn, type OldPlace, oldPlace, openTaken, takeOver } from '../support/taking-over.ts';

onOneEngine('sqlite', 'a start on an old database', (engine) => {
  const kinds: [string, (path: string) => void][] = [
    ['the legacy schema', (path) => makeLegacyDatabase(path, few, { unique: true })],
    ['schema 1', (path) => makeCurrentDatabase(path, 1, fewOfNow)],
    ['schema 2', (path) => makeCurrentDatabase(path, 2, fewOfNow)],
    ['schema 3', (path) => makeCurrentDatabase(path, 3, fewOfNow)],
  ];
  const groups = [
    { id: 1, name: 'All of it' },
    { id: 4, name: 'News' },
  ];
  const few = {
    groups,
    feeds: [oldFeed(3, { group_id: 4 })],
    items: [oldItem(7, { feed_id: 3, unread: 0 }), oldItem(8, { feed_id: 3, bookmark: 1 })],
  };
  const fewOfNow = {
    groups,
    feeds: [{ id: 3, group_id: 4, name: 'F3', link: 'https://a.example/feed/3' }],
    items: [
      { id: 7, feed_id: 3, guid: 'g7', link: 'https://a.example/7', unread: 0 },
      { id: 8, feed_id: 3, guid: 'g8', link: 'https://a.example/8' },
    ],
    bookmarks: [{ id: 1, item_id: 8, link: 'https://a.example/8' }],
  };

  it.each(kinds)('of %s makes an index of it, which its library can rebuild', async (_kind, make) => {
    const place = oldPlace(temporaryPlace());
    make(place.path);
    const before = readFileSync(place.path);
    chmodSync(place.path, 0o640);
    await takeOver(place);
    // The first second of 2026, by the clock of the tests.
    expect(besides(place)).toEqual(['index.db.bak.1767225600']);
    expect(itemsIn(`${place.path}.bak.1767225600`)).toBe(2);
    expect(readFileSync(`${place.path}.bak.1767225600`).subarray(100)).toEqual(before.subarray(100));
    expect(statSync(place.path).mode & 0o777).toBe(0o640);

    const pair = await openTaken(place);
    const owner = await pair.store.users.findOwner();
    expect(owner).toMatchObject({ id: 1, username: 'owner' });
    const rows = pair.store.forUser(1);
    expect(await rows.groups.list()).toMatchObject(groups);
    expect(await rows.feeds.list()).toMatchObject([{ id: 3, groupId: 4, unread: 1, entries: 2 }]);
    const entries = await listAll(rows);
    expect(entries.map(({ id, unread }) => [id, unread]).sort()).toEqual([
      [7, false],
      [8, true],
    ]);
    expect((await rows.bookmarks.list({ limit: 5 })).bookmarks).toMatchObject([
      { id: 1, entryId: 8, feedId: 3 },
    ]);
    await expectDerivedIsRight(pair.database);
    await pair.flush();
    const state = await pair.store.stateHash();
    await pair.close();
    const empty = await engine.freshTarget({ empty: true });
    const files = await folderFiles(place.library);
    await reinflateInto(empty, files);
    const rebuilt = await openPair(empty, files);
    expect(await rebuilt.store.stateHash()).toEqual(state);
    await rebuilt.close();

    // The next start finds an index of ours.
    await takeOver(place);
    expect(besides(place)).toEqual(['index.db.bak.1767225600']);
  });

  it('of one that has only its tables makes an index with an owner', async () => {
    const place = oldPlace(temporaryPlace());
    makeCurrentDatabase(place.path, 3, {});
    await takeOver(place);
    const pair = await openTaken(place);
    expect(await pair.store.forUser(1).groups.list()).toMatchObject([{ id: 1, name: 'Default' }]);
    await pair.close();
  });

  it('takes in what is still in the WAL, and leaves none of it beside the new index', async () => {
    const place = oldPlace(temporaryPlace());
    leaveInWal(place);
    expect(besides(place)).toEqual(['index.db-shm', 'index.db-wal']);
    await takeOver(place);
    expect(besides(place)).toEqual(['index.db.bak.1767225600']);
    const pair = await openTaken(place);
    expect(await listAll(pair.store.forUser(1))).toHaveLength(2);
    await pair.close();
  });

  /** As a process does that was killed. */
  function leaveInWal({ path }: OldPlace): void {
    const other = `${temporaryPlace()}/live.db`;
    makeLegacyDatabase(other, { feeds: [oldFeed(1)] });
    const db = new DatabaseSync(other);
    insertRows(db, { items: [oldItem(1), oldItem(2)] });
    for (const suffix of ['', '-wal', '-shm']) copyFileSync(other + suffix, path + suffix);
    db.close();
  }

  it('says what it does, and how far it is', async () => {
    const place = oldPlace(temporaryPlace());
    makeLargeLegacyDatabase(place.path, { items: 300 });
    expect(await takeOver(place)).toEqual([
      'bringing a database of ReedMe or Fusion over',
      'brought over: groups',
      'brought over: feeds',
      'brought over: entries',
      'brought over: bookmarks',
      'the old database is brought over, and kept beside',
    ]);
  });

  it('sends everything to the disk before its name, and each name before the next step', async () => {
    const place = oldPlace(temporaryPlace());
    makeLegacyDatabase(place.path, few);
    const steps: string[] = [];
    const noted = Object.fromEntries(
      Object.entries(nodeSwapFiles).map(([name, perform]) => [
        name,
        (...args: unknown[]) => {
          const shown = args
            .filter((arg) => typeof arg === 'string')
            .map((arg) => arg.slice(place.path.length));
          steps.push(
            [name, ...shown.map((arg) => arg.replace(/migrating\.[\w-]{8}/, 'migrating.X'))].join(' '),
          );
          return (perform as (...args: unknown[]) => unknown)(...args);
        },
      ]),
    );
    await takeOver(place, noted as never);
    const telling = steps.filter((step) => /^(sync|syncFolder|rename|remove|copy) /.test(step));
    expect(telling).toEqual([
      'copy .migrating.X.bak',
      'sync .migrating.X.bak',
      'sync .migrating.X',
      'remove -wal',
      'remove -shm',
      'rename .migrating.X.bak .bak.1767225600',
      'syncFolder ',
      'rename .migrating.X ',
      'syncFolder ',
      'remove .migrating.lock',
    ]);
  });

  it('of two at once is done by one', async () => {
    const place = oldPlace(temporaryPlace());
    makeLargeLegacyDatabase(place.path, { items: 1_000 });
    const said = await Promise.all([takeOver(place), takeOver(place)]);
    expect(said.map((messages) => messages.length).sort()).toEqual([1, 6]);
    expect(said.flat()).toContain('another process brings the old database over; waiting for it');
    expect(besides(place)).toEqual(['index.db.bak.1767225600']);
  });

  it.each<[string, (place: OldPlace) => Promise<void> | void, string]>([
    ['there is too little room', ({ path }) => makeLargeLegacyDatabase(path, { items: 500 }), 'Make room'],
    [
      'the library has rows of another index',
      async (place) => {
        const other = await engine.freshTarget({ empty: true });
        const pair = await openPair(other, await folderFiles(place.library));
        await pair.store.users.create({ username: 'berta', passwordHash: null, role: 'owner' });
        await pair.flush();
        await pair.close();
        makeLegacyDatabase(place.path, few);
      },
      'the library beside it is not empty',
    ],
    [
      'a part of it is lost',
      ({ path }) => {
        makeLargeLegacyDatabase(path, { items: 500 });
        const bytes = readFileSync(path);
        // Pages of items, overwritten.
        bytes.fill(0xee, 100_000, 140_000);
        writeFileSync(path, bytes);
      },
      'is damaged',
    ],
    [
      'it is cut off',
      ({ path }) => {
        makeLegacyDatabase(path, few);
        truncateSync(path, 5_000);
      },
      'damaged',
    ],
    [
      'it is no database',
      ({ path }) => writeFileSync(path, 'Dear diary, '.repeat(999)),
      'is not a SQLite database',
    ],
    [
      'it is of a newer ReedMe',
      ({ path }) => {
        makeCurrentDatabase(path, 3, {});
        const db = new DatabaseSync(path);
        db.exec('INSERT INTO schema_migrations (version) VALUES (9)');
        db.close();
      },
      'schema 9',
    ],
    [
      'it is of another program',
      ({ path }) => {
        const db = new DatabaseSync(path);
        db.exec('CREATE TABLE diary (day TEXT)');
        db.close();
      },
      'neither an index of Lectern nor',
    ],
  ])('is refused where %s, and the file is as it was', async (what, make, sentence) => {
    const place = oldPlace(temporaryPlace());
    await make(place);
    const before = filesOf(place.path);
    const files = what.includes('room') ? { ...nodeSwapFiles, freeBytes: async () => 1_000_000 } : undefined;
    const refused = await takeOver(place, files).then(
      () => '',
      (error: Error) => error.message,
    );
    expect(refused).toContain(sentence);
    expect(refused).toContain(place.path);
    expect(refused).not.toContain('.migrating.');
    const { 'index.db.migrating.lock': _lock, ...after } = filesOf(place.path);
    expect(after).toEqual(before);
  });

  it('is refused while another program has it open, even idly', async () => {
    const place = oldPlace(temporaryPlace());
    makeLegacyDatabase(place.path, few);
    const other = new DatabaseSync(place.path);
    other.prepare('SELECT count(*) FROM items').get();
    await expect(takeOver(place)).rejects.toThrow('that another program has open');
    other.close();
    await takeOver(place);
    expect(besides(place)).toEqual(['index.db.bak.1767225600']);
  });

  it('keeps every copy that was made before', async () => {
    const place = oldPlace(temporaryPlace());
    makeLegacyDatabase(place.path, few);
    appendFileSync(`${place.path}.bak.1767225600`, 'mine');
    await takeOver(place);
    expect(besides(place)).toEqual(['index.db.bak.1767225600', 'index.db.bak.1767225601']);
    expect(readFileSync(`${place.path}.bak.1767225600`, 'utf8')).toBe('mine');
  });
});
