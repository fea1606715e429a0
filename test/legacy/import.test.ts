import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeEach, expect, it } from 'vitest';
import type { Database } from '../../src/store/database.ts';
import type { Store, UserRows } from '../../src/store/store.ts';
import { TestClock } from '../support/clock.ts';
import { onEachEngine, openEmptyStore } from '../support/engines.ts';
import { filesOf, importFile, temporaryPlace } from '../support/importing.ts';
import {
  insertRows,
  makeCurrentDatabase,
  makeLegacyDatabase,
  type OldRows,
  oldFeed,
  oldItem,
  writtenAt,
  writtenDate,
} from '../support/legacy-database.ts';
import { addUser, expectDerivedIsRight, fill, listAll, newFeed, published } from '../support/reader.ts';

const now = Date.UTC(2026, 0, 1);

const nul = String.fromCharCode(0);

onEachEngine('an old database that is brought in', (engine) => {
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

  const bringLegacy = (rows: OldRows, rowsOf = anna) => {
    makeLegacyDatabase(path, rows);
    return importFile(rowsOf, path, { clock });
  };
  const feedsOf = async (rows: UserRows) =>
    (await rows.feeds.list()).map(({ id, name, groupId }) => ({ id, name, groupId }));

  it('keeps ids, times, texts and what is read, and leaves the file as it was', async () => {
    const rows = {
      groups: [
        { id: 1, name: 'Mine' },
        { id: 7, name: 'News', created_at: writtenDate },
      ],
      feeds: [oldFeed(5, { group_id: 7, suspended: 1, req_proxy: 'socks5://127.0.0.1:9050' }), oldFeed(9)],
      items: [
        oldItem(100, { feed_id: 5, unread: 0 }),
        oldItem(101, {
          feed_id: 9,
          content: '<p onclick="x()">Hi<script>bad()</script></p>',
          title: 'A &amp; B',
        }),
        oldItem(3_000_000_000, { feed_id: 9, unread: 0, bookmark: 1 }),
      ],
    };
    makeLegacyDatabase(path, rows, { unique: true });
    const before = filesOf(path);
    const report = await importFile(anna, path, { clock });
    expect(filesOf(path)).toEqual(before);

    expect(report).toMatchObject({
      // Everybody has a default group already, and the old one's children go there.
      groups: { imported: 1, present: 1 },
      feeds: { imported: 2, renumbered: 0 },
      entries: { imported: 3, renumbered: 0, folded: 0, skipped: {} },
      bookmarks: { imported: 1 },
    });
    expect(await anna.groups.list()).toMatchObject([
      { id: 1, name: 'Default' },
      { id: 7, name: 'News', createdAt: writtenAt },
    ]);
    expect(await anna.feeds.list()).toMatchObject([
      {
        id: 5,
        groupId: 7,
        suspended: true,
        proxy: 'socks5://127.0.0.1:9050',
        unread: 0,
        entries: 1,
        createdAt: writtenAt,
      },
      { id: 9, groupId: 1, suspended: false, unread: 1, entries: 2 },
    ]);
    const entries = await listAll(anna);
    expect(entries.map(({ id, unread }) => [id, unread])).toEqual([
      [3_000_000_000, false],
      [101, true],
      [100, false],
    ]);
    expect(entries[1]).toMatchObject({
      guid: 'g101',
      title: 'A & B',
      content: '<p>Hi</p>',
      pubDate: writtenAt,
      createdAt: writtenAt,
    });
    expect((await anna.bookmarks.list({ limit: 10 })).bookmarks).toMatchObject([
      {
        entryId: 3_000_000_000,
        feedId: 9,
        feedName: 'F9',
        link: 'https://a.example/3000000000',
        createdAt: writtenAt,
      },
    ]);
    expect((await anna.items.list({ limit: 10 })).map(({ url }) => url)).toEqual([
      'https://a.example/3000000000',
    ]);
    await expectDerivedIsRight(database);
    // What comes next has an id above all of them, those that were deleted included.
    await anna.feeds.create(newFeed('https://b.example/feed'));
    await fill(store, 'https://b.example/feed', [published('next')]);
    expect((await listAll(anna)).every(({ guid, id }) => guid !== 'next' || id > 3_000_000_000)).toBe(true);
  });

  it('folds what is there twice, and passes over what was deleted', async () => {
    const report = await bringLegacy({
      groups: [
        { id: 1, name: 'Default' },
        { id: 2, name: 'News' },
        { id: 3, name: 'News' },
        { id: 4, name: 'Gone', deleted_at: 1_700_000_000 },
        { id: 5, name: '  ' },
        { id: 6, name: 'Default' },
      ],
      feeds: [
        oldFeed(10, { group_id: 3, link: 'https://a.example/rss' }),
        oldFeed(11, { group_id: 2, link: 'https://a.example/rss', name: 'The other' }),
        oldFeed(12, { group_id: 4, name: '' }),
        oldFeed(13, { group_id: 99 }),
        oldFeed(14, { deleted_at: 1_700_000_000 }),
        oldFeed(15, { group_id: 6, deleted_at: 0 }),
        oldFeed(16, { link: ' ' }),
      ],
      items: [
        oldItem(1, { feed_id: 10, guid: 'same', unread: 0 }),
        oldItem(2, { feed_id: 11, guid: 'same', unread: 1, bookmark: 1 }),
        oldItem(3, { feed_id: 10, guid: null }),
        oldItem(4, { feed_id: 10, guid: null }),
        oldItem(5, { feed_id: 10, guid: '' }),
        oldItem(6, { feed_id: 10, deleted_at: 5 }),
        oldItem(7, { feed_id: 14 }),
        oldItem(8, { feed_id: 999, bookmark: 1 }),
        oldItem(9, { feed_id: null }),
        oldItem(20, { feed_id: 12, bookmark: 1, link: '' }),
        oldItem(21, { feed_id: 12, bookmark: 1, link: 'https://a.example/same' }),
        oldItem(22, { feed_id: 13, bookmark: 1, link: 'https://a.example/same' }),
        oldItem(23, { feed_id: 13, bookmark: 1, link: 'https://a.example/same?utm_source=rss' }),
      ],
    });
    expect(report).toEqual({
      groups: {
        imported: 1,
        renumbered: 0,
        present: 1,
        folded: 2,
        skipped: { 'deleted there': 1, 'no name': 1 },
      },
      feeds: {
        imported: 4,
        renumbered: 0,
        present: 0,
        folded: 1,
        skipped: { 'deleted there': 1, 'no link': 1 },
      },
      entries: {
        imported: 8,
        renumbered: 0,
        present: 0,
        folded: 1,
        skipped: { 'deleted there': 1, 'of no feed': 3 },
      },
      bookmarks: {
        imported: 2,
        renumbered: 0,
        present: 0,
        folded: 2,
        skipped: { 'of no feed': 1, 'no link': 1 },
      },
    });
    expect(await feedsOf(anna)).toEqual([
      { id: 10, name: 'F10', groupId: 2 },
      { id: 12, name: 'https://a.example/feed/12', groupId: 1 },
      { id: 13, name: 'F13', groupId: 1 },
      { id: 15, name: 'F15', groupId: 1 },
    ]);
    const entries = new Map((await listAll(anna)).map((entry) => [entry.id, entry]));
    expect([...entries.keys()].sort((a, b) => a - b)).toEqual([1, 3, 4, 5, 20, 21, 22, 23]);
    expect(entries.get(1)).toMatchObject({ unread: false, feedId: 10, bookmarkId: expect.any(Number) });
    expect(entries.get(3)).toMatchObject({ guid: 'legacy-item-3' });
    const { bookmarks } = await anna.bookmarks.list({ limit: 10 });
    expect(bookmarks.map(({ entryId, link }) => [entryId, link]).sort()).toEqual([
      [1, 'https://a.example/1'],
      [21, 'https://a.example/same'],
    ]);
    await expectDerivedIsRight(database);
  });

  it('reads dates however they were written, and makes up for those that are none', async () => {
    const dates: [string | number | null, number][] = [
      [1_709_212_455, writtenAt],
      [1_709_212_455.7, writtenAt],
      ['2024-02-29T21:14:15.123456789+08:00', writtenAt],
      ['2024-02-29 13:14:15', writtenAt],
      ['2024-02-29T13:14:15', writtenAt],
      ['2024-02-29', Date.UTC(2024, 1, 29)],
      ['2024-02-29 13:14:15.5+00:00', writtenAt],
      ['nonsense', writtenAt - 60_000],
      [null, writtenAt - 60_000],
      ['2999-01-01', now],
    ];
    await bringLegacy({
      feeds: [oldFeed(1)],
      items: [
        ...dates.map(([pub_date], n) => oldItem(n + 1, { pub_date, created_at: '2024-02-29 13:13:15' })),
        oldItem(50, { pub_date: 'nonsense', created_at: 'nonsense' }),
      ],
    });
    const entries = await listAll(anna);
    const found = new Map(entries.map(({ id, pubDate }) => [id, pubDate]));
    expect(dates.map((_, n) => found.get(n + 1))).toEqual(dates.map(([, expected]) => expected));
    expect(entries.find(({ id }) => id === 50)).toMatchObject({ pubDate: now, createdAt: now });
  });

  it('takes texts as they come: NUL, bytes that are no text, and more than anybody reads', async () => {
    makeLegacyDatabase(path, {
      groups: [{ id: 2, name: `a${nul}b` }],
      feeds: [oldFeed(1, { name: `n${nul}m` })],
    });
    const db = new DatabaseSync(path);
    insertRows(db, {
      items: [
        oldItem(1, { title: `a${nul}b`, content: `<p>c${nul}d</p>`, guid: `g${nul}1` }),
        oldItem(2, { title: Buffer.from([0x61, 0xff, 0x62]), content: 17n }),
        oldItem(3, { content: 'x'.repeat(3_000_000), guid: 'y'.repeat(50_000), title: 'z'.repeat(50_000) }),
      ],
    });
    db.exec("UPDATE items SET link = CAST(x'68ff' AS TEXT) WHERE id = 2");
    db.close();
    await importFile(anna, path, { clock });
    expect((await anna.groups.list()).map(({ name }) => name)).toEqual(['Default', 'ab']);
    const [third, second, first] = await listAll(anna);
    expect(first).toMatchObject({ title: 'ab', content: '<p>cd</p>', guid: 'g1' });
    expect(second).toMatchObject({ title: 'a\ufffdb', content: '17' });
    expect(third?.content).toBe('x'.repeat(1024 * 1024));
    expect(third?.guid).toMatch(/^sha256:/);
    expect(third?.title).toHaveLength(4096);
  });

  it('carries over how fetching goes, so that not all is fetched at once', async () => {
    const soon = now / 1000 + 600;
    makeCurrentDatabase(path, 3, {
      feeds: Array.from({ length: 30 }, (_, n) => ({
        id: n + 1,
        name: 'F',
        link: `https://a.example/${n + 1}`,
      })),
      feed_fetch_state: [
        {
          feed_id: 1,
          etag: '"abc"',
          last_modified: 'Thu, 29 Feb 2024 13:14:15 GMT',
          next_check_at: soon,
          retry_after_until: soon,
          last_success_at: writtenAt / 1000,
          last_error: 'no answer',
          consecutive_failures: 3,
          last_http_status: 503,
        },
        { feed_id: 2, next_check_at: soon + 10_000_000 },
      ],
    });
    await importFile(anna, path, { clock });
    const [first, second, ...others] = await anna.feeds.list();
    expect(first?.fetchState).toMatchObject({
      etag: '"abc"',
      nextCheckAt: soon * 1000,
      retryAfterUntil: soon * 1000,
      lastSuccessAt: writtenAt,
      lastError: 'no answer',
      consecutiveFailures: 3,
      lastHttpStatus: 503,
    });
    expect(second?.fetchState.nextCheckAt).toBe(now + 172_800_000);
    const due = others.map(({ fetchState }) => fetchState.nextCheckAt - now).sort((a, b) => a - b);
    expect(due.at(-1)).toBeLessThan(1_800_000);
    expect(due.every((time, n) => n === 0 || time - (due[n - 1] ?? 0) < 180_000)).toBe(true);
    expect((await store.pulls.findDue(100, { restMs: 1 })).total).toBeLessThanOrEqual(1);
    // The first answer is wanted whole: it has what the old database had no columns for.
    const [target] = await store.pulls.findFeeds({ link: 'https://a.example/1', proxy: '' });
    expect(target).toMatchObject({ etag: '"abc"', validatorsUrl: '' });
  });

  it.each([1, 2, 3] as const)('of schema %i brings its bookmarks, with items or without', async (version) => {
    makeCurrentDatabase(path, version, {
      feeds: [
        {
          id: 4,
          name: 'F',
          link: 'https://a.example/rss',
          ...(version === 1 && { failures: 2, failure: 'oh' }),
        },
      ],
      items: [
        {
          id: 8,
          feed_id: 4,
          guid: 'g8',
          link: 'https://a.example/8',
          unread: 0,
          created_at: writtenAt / 1000,
        },
        { id: 9, feed_id: 4, guid: 'g9', link: 'https://a.example/9', created_at: writtenAt / 1000 },
      ],
      bookmarks: [
        {
          id: 31,
          item_id: 8,
          link: 'https://a.example/8',
          title: 'Kept',
          content: '<p onclick="x">was</p>',
          feed_name: 'Then',
          created_at: writtenAt / 1000,
          pub_date: writtenAt / 1000,
          ...(version === 3 && { feed_id: 4 }),
        },
        {
          id: 32,
          item_id: null,
          link: 'https://elsewhere.example/',
          title: 'Alone',
          created_at: writtenAt / 1000,
        },
        {
          id: 33,
          item_id: 777,
          link: 'magnet:?xt=urn:btih:0',
          title: 'No page',
          created_at: writtenAt / 1000,
        },
      ],
    });
    expect(await importFile(anna, path, { clock })).toMatchObject({
      entries: { imported: 2 },
      bookmarks: { imported: 3, renumbered: 0 },
    });
    expect((await anna.bookmarks.list({ limit: 10 })).bookmarks.sort((a, b) => a.id - b.id)).toMatchObject([
      {
        id: 31,
        entryId: 8,
        feedId: 4,
        title: 'Kept',
        content: '<p>was</p>',
        feedName: 'Then',
        createdAt: writtenAt,
        unread: false,
      },
      { id: 32, entryId: null, feedId: null, link: 'https://elsewhere.example/' },
      { id: 33, entryId: null, link: 'magnet:?xt=urn:btih:0' },
    ]);
    const [only] = await anna.feeds.list();
    if (version === 1) expect(only?.fetchState).toMatchObject({ consecutiveFailures: 2, lastError: 'oh' });
    expect(only).toMatchObject({ id: 4, unread: 1, entries: 2 });
    await expectDerivedIsRight(database);
  });

  it('of a version that had fewer columns is read as far as it goes', async () => {
    makeLegacyDatabase(path, { feeds: [oldFeed(1)], items: [oldItem(1)] });
    const db = new DatabaseSync(path);
    for (const column of ['guid', 'unread', 'bookmark', 'content', 'pub_date'])
      db.exec(`ALTER TABLE items DROP COLUMN ${column}`);
    for (const column of ['req_proxy', 'suspended', 'failure'])
      db.exec(`ALTER TABLE feeds DROP COLUMN ${column}`);
    db.close();
    await importFile(anna, path, { clock });
    expect(await listAll(anna)).toMatchObject([
      { id: 1, guid: 'legacy-item-1', unread: true, content: '', pubDate: writtenAt },
    ]);
  });

  it('that has only its tables brings nothing', async () => {
    makeCurrentDatabase(path, 3, {});
    const report = await importFile(anna, path, { clock });
    expect(report).toMatchObject({
      feeds: { imported: 0 },
      entries: { imported: 0 },
      bookmarks: { imported: 0 },
    });
  });

  it('keeps feeds that cannot be fetched, at rest', async () => {
    await bringLegacy({
      feeds: [
        oldFeed(1, { link: 'rsshub://somewhere' }),
        oldFeed(2, { link: `https://a.example/${'x'.repeat(3_000)}` }),
        oldFeed(3, { req_proxy: 'not a proxy' }),
        oldFeed(4),
      ],
      items: [oldItem(1), oldItem(2, { feed_id: 2 }), oldItem(3, { feed_id: 3 })],
    });
    const feeds = await anna.feeds.list();
    expect(feeds.map(({ suspended, entries }) => [suspended, entries])).toEqual([
      [true, 1],
      [true, 1],
      [true, 1],
      [false, 0],
    ]);
  });

  it('with ids that are none here gives others', async () => {
    const report = await bringLegacy({
      groups: [{ id: 0, name: 'Zero' }],
      feeds: [oldFeed(1, { group_id: null }), oldFeed(0, { group_id: 0 })],
      items: [
        oldItem(-5),
        oldItem(0),
        oldItem(2n ** 60n, { unread: 0 }),
        oldItem(7, { unread: 0 }),
        oldItem(8, { feed_id: null }),
        oldItem(9, { feed_id: 55 }),
      ],
    });
    expect(await feedsOf(anna)).toEqual([
      { id: 1, name: 'F1', groupId: 1 },
      { id: expect.any(Number), name: 'F0', groupId: expect.any(Number) },
    ]);
    expect(report.entries).toMatchObject({ imported: 4, renumbered: 3 });
    const entries = await listAll(anna);
    expect(entries.map(({ guid, unread }) => [guid, unread]).sort()).toEqual([
      ['g-5', true],
      ['g0', true],
      ['g1152921504606846976', false],
      ['g7', false],
    ]);
    expect(entries.find(({ guid }) => guid === 'g7')?.id).toBe(7);
    expect(Math.max(...entries.map(({ id }) => id))).toBeLessThan(2000);
    await expectDerivedIsRight(database);
  });
});
