// An old database that is brought in beside a server that runs: pulls have brought some of it, and a person has gone on reading.
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { savedUrl } from '../../src/items/save-url.ts';
import type { Database } from '../../src/store/database.ts';
import type { Store, UserRows } from '../../src/store/store.ts';
import { TestClock } from '../support/clock.ts';
import { onEachEngine, openEmptyStore } from '../support/engines.ts';
import { importFile, temporaryPlace } from '../support/importing.ts';
import {
  makeCurrentDatabase,
  makeLegacyDatabase,
  oldFeed,
  oldItem,
  writtenAt,
} from '../support/legacy-database.ts';
import { addUser, expectDerivedIsRight, fill, listAll, newFeed, published } from '../support/reader.ts';

const now = Date.UTC(2026, 0, 1);
const feedLink = 'https://a.example/feed/1';
const page = 'https://a.example/11';

onEachEngine('an old database that is brought in beside a server', (engine) => {
  let store: Store;
  let database: Database;
  let clock: TestClock;
  let anna: UserRows;
  let path: string;

  beforeEach(async () => {
    clock = new TestClock(now);
    ({ store, database } = await openEmptyStore(engine, clock));
    anna = (await addUser(store, 'anna', 'owner')).rows;
    path = join(temporaryPlace(), 'reedme.db');
  });

  const bring = () => importFile(anna, path, { clock });
  const stars = async () => (await anna.bookmarks.list({ limit: 10 })).bookmarks;

  it('puts a star on the entry that a pull has brought under a guid of ours', async () => {
    await anna.feeds.create(newFeed(feedLink));
    await fill(store, feedLink, [published(page, { link: page })]);
    const [pulled] = await listAll(anna);
    makeLegacyDatabase(path, { feeds: [oldFeed(1)], items: [oldItem(11, { guid: null, bookmark: 1 })] });
    expect(await bring()).toMatchObject({
      entries: { imported: 0, present: 1 },
      bookmarks: { imported: 1, skipped: {} },
    });
    expect(await stars()).toMatchObject([{ link: page, entryId: pulled?.id }]);
  });

  it('puts a bookmark of today on that entry, too', async () => {
    await anna.feeds.create(newFeed(feedLink));
    await fill(store, feedLink, [published(page, { link: page })]);
    const [pulled] = await listAll(anna);
    makeCurrentDatabase(path, 3, {
      feeds: [{ id: 1, name: 'F', link: feedLink }],
      items: [{ id: 11, feed_id: 1, guid: '', link: page }],
      bookmarks: [{ id: 5, item_id: 11, link: page, title: 'Kept' }],
    });
    await bring();
    expect(await stars()).toMatchObject([{ title: 'Kept', entryId: pulled?.id }]);
  });

  it('leaves its feeds to the worker only once their items are here', async () => {
    makeLegacyDatabase(path, { feeds: [oldFeed(1)], items: [oldItem(11)] });
    const due = async () => (await store.pulls.findDue(9, { restMs: 1 })).total;
    let meanwhile: number | undefined;
    await importFile(anna, path, {
      clock,
      onProgress: async () => {
        clock.advance(29 * 60_000);
        meanwhile = await due();
      },
    });
    expect(meanwhile).toBe(0);
    clock.advance(30 * 60_000);
    expect(await due()).toBe(1);
  });

  it('adds nothing twice that a pull brings meanwhile, and what was read there is read', async () => {
    // The pull comes after the first portion, and brings what the next one has.
    const link = (id: number) => `https://a.example/${id}`;
    // The first is the same page as the last, by a guid of its own: both are in the old database, so both come.
    const samePage = { guid: link(105), link: link(105) };
    const older = Array.from({ length: 100 }, (_, n) =>
      oldItem(n + 1, { unread: 0, ...(n === 0 && samePage) }),
    );
    makeLegacyDatabase(path, {
      feeds: [oldFeed(1)],
      items: [
        ...older,
        oldItem(101, { guid: null, unread: 0 }),
        oldItem(102, { unread: 0 }),
        oldItem(103),
        oldItem(105, { guid: null, unread: 0 }),
      ],
    });
    let isPulled = false;
    const report = await importFile(anna, path, {
      clock,
      onProgress: async () => {
        if (isPulled) return;
        isPulled = true;
        await fill(store, feedLink, [
          published(link(101), { link: link(101) }),
          published('g102'),
          published('g103'),
          published('brand new'),
        ]);
      },
    });
    expect(report.entries).toMatchObject({ imported: 101, present: 3 });
    const unread = (await listAll(anna, { unread: true, limit: 200 })).map(({ guid }) => guid);
    expect(unread.sort()).toEqual(['brand new', 'g103']);
    await expectDerivedIsRight(database);
  });

  it('leaves unread what a person has marked so since', async () => {
    makeLegacyDatabase(path, { feeds: [oldFeed(1)], items: [oldItem(11, { unread: 0 }), oldItem(12)] });
    await bring();
    await anna.entries.mark([11], { read: false });
    await bring();
    expect(await listAll(anna, { unread: true })).toHaveLength(2);
    await expectDerivedIsRight(database);
  });

  it('does not bring back a star that was taken off here, and says so in a dry run', async () => {
    makeLegacyDatabase(path, { feeds: [oldFeed(1)], items: [oldItem(11, { bookmark: 1 }), oldItem(12)] });
    await bring();
    const [star] = await stars();
    await anna.bookmarks.delete(star?.id as number);
    const state = await store.stateHash();
    expect((await importFile(anna, path, { clock, dryRun: true })).bookmarks).toMatchObject({
      imported: 0,
      skipped: { 'deleted here': 1 },
    });
    expect((await bring()).bookmarks).toMatchObject({ imported: 0, skipped: { 'deleted here': 1 } });
    expect(await store.stateHash()).toEqual(state);
  });

  it('changes what is saved here as of now, and dates what is new as it was there', async () => {
    const texts = { title: '', content: '', feedName: '', pubDate: 0 };
    const place = { saved: savedUrl(page), link: page, entryId: null, feedId: null };
    await anna.bookmarks.create({ ...place, ...texts });
    makeLegacyDatabase(path, {
      feeds: [oldFeed(1)],
      items: [oldItem(11, { bookmark: 1 }), oldItem(12, { bookmark: 1 })],
    });
    clock.advance(60_000);
    await bring();
    const items = await database.read
      .selectFrom('items')
      .select(['url', 'created_at', 'updated_at'])
      .orderBy('url')
      .execute();
    expect(items).toEqual([
      { url: page, created_at: now, updated_at: now + 60_000 },
      { url: 'https://a.example/12', created_at: writtenAt, updated_at: now + 60_000 },
    ]);
  });

  it('keeps a star whose entry was let go of here, by what the item was there', async () => {
    const { id } = await anna.feeds.create(newFeed(feedLink));
    await database.write((trx) =>
      trx.insertInto('entry_tombstones').values({ feed_id: id, guid: 'g11', user_id: 1 }).execute(),
    );
    makeLegacyDatabase(path, { feeds: [oldFeed(1)], items: [oldItem(11, { bookmark: 1 })] });
    expect(await bring()).toMatchObject({ entries: { imported: 0 }, bookmarks: { imported: 1 } });
    expect(await stars()).toMatchObject([
      {
        link: page,
        entryId: null,
        title: 'T11',
        content: '<p>11</p>',
        pubDate: writtenAt,
        createdAt: writtenAt,
      },
    ]);
  });
});
