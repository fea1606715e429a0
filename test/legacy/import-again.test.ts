import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { parseFeed } from '../../src/feeds/parse/parse-feed.ts';
import type { Database } from '../../src/store/database.ts';
import type { Store, UserRows } from '../../src/store/store.ts';
import { TestClock } from '../support/clock.ts';
import { onEachEngine, openEmptyStore } from '../support/engines.ts';
import { importFile, temporaryPlace } from '../support/importing.ts';
import {
  makeLargeLegacyDatabase,
  makeLegacyDatabase,
  type OldRows,
  oldFeed,
  oldItem,
} from '../support/legacy-database.ts';
import { addUser, expectDerivedIsRight, fill, listAll, newFeed, published } from '../support/reader.ts';

const now = Date.UTC(2026, 0, 1);

onEachEngine('an old database that is brought in once more', (engine) => {
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

  it('a second time adds nothing, and gives nothing back that was let go of', async () => {
    makeLargeLegacyDatabase(path, { items: 600, feeds: 3 });
    const first = await importFile(anna, path, { clock });
    expect(first).toMatchObject({ entries: { imported: 600 }, bookmarks: { imported: 1 } });
    const state = await store.stateHash();
    const again = await importFile(anna, path, { clock });
    expect(again).toMatchObject({
      groups: { imported: 0, present: 2 },
      feeds: { imported: 0, present: 3 },
      entries: { imported: 0, present: 600 },
      bookmarks: { imported: 0, present: 1 },
    });
    expect(await store.stateHash()).toEqual(state);
    // A person's changes since hold.
    const [mine] = (await anna.bookmarks.list({ limit: 1 })).bookmarks;
    const saved = (await anna.items.list({ limit: 1 }))[0];
    await anna.items.delete(saved?.id as number);
    expect((await importFile(anna, path, { clock })).bookmarks.skipped).toEqual({ 'deleted here': 1 });
    expect(mine?.link).toBe(saved?.url);
  });

  it('says in a dry run what it would do, and does nothing', async () => {
    makeLargeLegacyDatabase(path, { items: 300, feeds: 3 });
    const state = await store.stateHash();
    const dry = await importFile(anna, path, { clock, dryRun: true });
    expect(await store.stateHash()).toEqual(state);
    expect(await importFile(anna, path, { clock })).toEqual(dry);
    const again = await importFile(anna, path, { clock, dryRun: true });
    expect(again).toMatchObject({ entries: { imported: 0, present: 300 }, feeds: { present: 3 } });
  });

  it('that was interrupted goes on where it was, with the same ids', async () => {
    makeLargeLegacyDatabase(path, { items: 600, feeds: 3 });
    const interrupted = importFile(anna, path, {
      clock,
      onProgress: (done) => {
        if (done >= 300) throw new Error('the process ended');
      },
    });
    await expect(interrupted).rejects.toThrow('the process ended');
    expect(await importFile(anna, path, { clock })).toMatchObject({
      entries: { imported: 300, present: 300, renumbered: 0 },
      bookmarks: { imported: 1 },
    });
    await expectDerivedIsRight(database);
    const unread = await listAll(anna, { unread: true, limit: 1000 });
    expect(unread.every(({ id }) => (id > 540 ? id % 4 !== 0 : id % 50 === 0))).toBe(true);
    expect(unread).toHaveLength(10 + 45);
  });

  it('brought in for somebody else has other ids, and the same is read', async () => {
    makeLargeLegacyDatabase(path, { items: 600, feeds: 3 });
    await importFile(anna, path, { clock });
    const berta = (await addUser(store, 'berta')).rows;
    const report = await importFile(berta, path, { clock });
    expect(report).toMatchObject({
      groups: { imported: 1, renumbered: 1, present: 1 },
      feeds: { imported: 3, renumbered: 3 },
      entries: { imported: 600, renumbered: 600 },
    });
    const guidsOf = async (rows: UserRows) =>
      (await listAll(rows, { unread: true, limit: 1000 })).map(({ guid }) => guid).sort();
    expect(await guidsOf(berta)).toEqual(await guidsOf(anna));
    await expectDerivedIsRight(database);
    // A watermark stands for most of what is read, whoever's ids they are.
    const marks = await database.read.selectFrom('entry_marks').selectAll().execute();
    expect(marks.length).toBeLessThan(2 * 100);
    // What a pull brings next is unread for both.
    await fill(store, 'https://feed-1.example/rss', [published('brand new')]);
    expect(await guidsOf(berta)).toContain('brand new');
    expect(await guidsOf(anna)).toContain('brand new');
  });

  it('leaves unread what a pull brings in the meantime, whatever its id', async () => {
    makeLargeLegacyDatabase(path, { items: 600, feeds: 3 });
    await importFile(anna, path, { clock });
    const { rows: berta } = await addUser(store, 'berta');
    let pulls = 0;
    await importFile(berta, path, {
      clock,
      onProgress: async () => {
        pulls += 1;
        for (const feed of [1, 2, 3])
          await fill(store, `https://feed-${feed}.example/rss`, [published(`meanwhile ${feed} ${pulls}`)]);
      },
    });
    expect(pulls).toBeGreaterThan(2);
    for (const rows of [anna, berta]) {
      const unread = (await listAll(rows, { unread: true, limit: 1000 })).map(({ guid }) => guid);
      expect(unread.filter((guid) => guid.startsWith('meanwhile'))).toHaveLength(3 * pulls);
      expect(unread.filter((guid) => !guid.startsWith('meanwhile'))).toHaveLength(10 + 45);
    }
    await expectDerivedIsRight(database);
  });

  it('knows what a pull has brought of a feed without guids, and does not add it again', async () => {
    const { link } = await anna.feeds.create(newFeed('https://a.example/feed/1'));
    await fill(store, link, [published('https://a.example/1'), published('https://b.example/')]);
    const report = await bringLegacy({
      feeds: [oldFeed(1)],
      items: [
        oldItem(11, { guid: null, link: 'https://a.example/1' }),
        oldItem(12, { guid: 'https://b.example', link: 'https://b.example' }),
        oldItem(13, { guid: null, link: 'https://a.example/13' }),
      ],
    });
    expect(report.entries).toMatchObject({ imported: 1, present: 2 });
  });

  it('goes into feeds that are followed already, and leaves what is there as it is', async () => {
    const mine = await anna.feeds.create(newFeed('https://a.example/feed/1'));
    await fill(store, mine.link, [published('g1', { title: 'As pulled' }), published('own')]);
    await anna.entries.markAllRead({ feedId: mine.id });
    const report = await bringLegacy({
      feeds: [oldFeed(1)],
      items: [oldItem(1), oldItem(2), oldItem(3, { unread: 0 }), oldItem(4)],
    });
    expect(report).toMatchObject({
      feeds: { present: 1 },
      entries: { imported: 3, present: 1, renumbered: 1 },
    });
    const entries = await listAll(anna);
    expect(entries.map(({ guid, unread }) => [guid, unread]).sort()).toEqual([
      ['g1', false],
      ['g2', true],
      ['g3', false],
      ['g4', true],
      ['own', false],
    ]);
    expect(entries.find(({ guid }) => guid === 'g1')?.title).toBe('As pulled');
    await expectDerivedIsRight(database);
  });

  it('is not doubled by the next pull, nor written anew where nothing has changed', async () => {
    const link = 'https://a.example/feed/1';
    const xml = `<rss version="2.0"><channel><title>F</title>
      <item><guid>with-guid</guid><title>One</title><link>https://a.example/1</link><description>&lt;p&gt;1&lt;/p&gt;</description></item>
      <item><title>Two</title><link>https://a.example/2</link><description>2</description></item>
      <item><title>Three</title><link>https://b.example</link><description>3</description></item>
      <item><title>Four</title><description>&lt;b&gt;4&lt;/b&gt;</description><pubDate>Thu, 29 Feb 2024 13:14:15 GMT</pubDate></item>
      <item><title>Five</title><description>5</description><pubDate>Thu, 29 Feb 2024 13:14:15 GMT</pubDate></item>
    </channel></rss>`;
    await bringLegacy({
      feeds: [oldFeed(1)],
      items: [
        oldItem(1, { guid: 'with-guid', title: 'One' }),
        oldItem(2, { guid: null, title: 'Two', content: '2' }),
        // As Fusion made it, from a link as the feed wrote it.
        oldItem(3, { guid: 'https://b.example', link: 'https://b.example', title: 'Three', content: '3' }),
        oldItem(4, { guid: 'generated:0123', link: '', title: 'Four', content: '<b>4</b>' }),
        oldItem(5, { guid: '', link: '', title: 'Five', content: '5' }),
        // The same page as the second, by its own guid: both are in the old database, so both come.
        oldItem(6, { guid: 'https://a.example/2', link: 'https://a.example/2', title: 'Two', content: '2' }),
      ],
    });
    const before = await listAll(anna);
    const parsed = parseFeed({ bytes: Buffer.from(xml), contentType: 'application/rss+xml', url: link });
    clock.advance(60_000);
    await fill(
      store,
      link,
      parsed.entries.map((entry) => ({ ...entry, link: entry.link ?? '', pubDate: entry.pubDate ?? now })),
    );
    expect(await listAll(anna)).toEqual(before);
  });
});
