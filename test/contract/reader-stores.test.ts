import { beforeEach, expect, it } from 'vitest';
import { z } from 'zod';
import { Conflict, NotFound } from '../../src/errors.ts';
import type { Database } from '../../src/store/database.ts';
import { jobKind } from '../../src/store/job-queue/job-kind.ts';
import type { Store, UserRows } from '../../src/store/store.ts';
import type { TestClock } from '../support/clock.ts';
import { onEachEngine, openEmptyStore } from '../support/engines.ts';
import { addUser, expectDerivedIsRight, fill, listAll, newFeed, published } from '../support/reader.ts';

const link = 'https://example.org/feed';

onEachEngine('feeds, entries and bookmarks', (engine) => {
  let store: Store;
  let database: Database;
  let clock: TestClock;
  let anna: UserRows;
  let berta: UserRows;

  beforeEach(async () => {
    ({ store, database, clock } = await openEmptyStore(engine));
    anna = (await addUser(store, 'anna', 'owner')).rows;
    berta = (await addUser(store, 'berta')).rows;
  });

  const guids = async (rows: UserRows, filter = {}) => (await listAll(rows, filter)).map(({ guid }) => guid);

  it('a feed starts in the default group, due at once, with nothing read', async () => {
    const feed = await anna.feeds.create(newFeed(link));
    expect(feed).toMatchObject({ groupId: 1, link, suspended: false, unread: 0, entries: 0, goneAt: null });
    expect(feed.fetchState).toMatchObject({ etag: '', nextCheckAt: 0, consecutiveFailures: 0 });
    expect(await store.pulls.findDue(10, { restMs: 1 })).toEqual({
      targets: [{ link, proxy: '' }],
      total: 1,
    });
  });

  it('a link can be followed once by each user', async () => {
    await anna.feeds.create(newFeed(link));
    await expect(anna.feeds.create(newFeed(link))).rejects.toThrow(Conflict);
    await berta.feeds.create(newFeed(link));
    expect((await store.pulls.findDue(10, { restMs: 1 })).total).toBe(1);
  });

  it('a feed is not pulled for a disabled user, and is again once the user is enabled', async () => {
    await berta.feeds.create(newFeed(link));
    const pulled = async () => ({
      due: (await store.pulls.findDue(10, { restMs: 1 })).total,
      feeds: (await store.pulls.findFeeds({ link, proxy: '' })).length,
    });
    const user = await store.users.findByName('berta');
    await store.users.setDisabled(user?.id ?? 0, true);
    expect(await pulled()).toEqual({ due: 0, feeds: 0 });
    await anna.feeds.create(newFeed(link));
    expect(await pulled()).toEqual({ due: 1, feeds: 1 });
    await store.users.setDisabled(user?.id ?? 0, false);
    expect(await pulled()).toEqual({ due: 1, feeds: 2 });
  });

  it('many feeds are made at once, and those that are there already are named', async () => {
    await anna.feeds.create(newFeed('https://a.example/1'));
    const feeds = Array.from({ length: 250 }, (_, n) => newFeed(`https://a.example/${n}`));
    expect(await anna.feeds.createMany(feeds)).toEqual({
      created: 249,
      existing: ['https://a.example/1'],
      missingGroup: [],
    });
    expect(await anna.feeds.list()).toHaveLength(250);
    const lost = newFeed('https://a.example/x', 999);
    expect(await anna.feeds.createMany([lost, newFeed('https://a.example/y')])).toEqual({
      created: 1,
      existing: [],
      missingGroup: [lost.link],
    });
  });

  it('long work lets others have their turn in between', async () => {
    let turns = 0;
    const count = () => {
      turns += 1;
      counting = setImmediate(count);
    };
    let counting = setImmediate(count);
    await anna.feeds.createMany(Array.from({ length: 500 }, (_, n) => newFeed(`https://a.example/${n}`)));
    expect(turns).toBeGreaterThanOrEqual(9);
    turns = 0;
    const kind = jobKind({ name: 'test', schema: z.object({}) });
    const pulls = Array.from({ length: 500 }, (_, n) => ({
      target: { link: `${n}`, proxy: '' },
      payload: {},
      delayMs: 0,
    }));
    await store.pulls.enqueue(kind, pulls);
    expect(turns).toBeGreaterThanOrEqual(4);
    clearImmediate(counting);
  });

  it("another user's feed, entry and bookmark are not found", async () => {
    const feed = await anna.feeds.create(newFeed(link));
    await fill(store, link, [published('a')]);
    const [entry] = await listAll(anna);
    const entryId = entry?.id ?? 0;
    await expect(berta.feeds.get(feed.id)).rejects.toThrow(NotFound);
    await expect(berta.feeds.update(feed.id, { name: 'x' })).rejects.toThrow(NotFound);
    await expect(berta.feeds.delete(feed.id)).rejects.toThrow(NotFound);
    await expect(berta.entries.get(entryId)).rejects.toThrow(NotFound);
    await berta.entries.mark([entryId], { read: true });
    await berta.entries.markAllRead({ feedId: feed.id });
    expect(await anna.entries.get(entryId)).toMatchObject({ unread: true });
    expect(await listAll(berta)).toEqual([]);
    expect(await listAll(berta, { feedId: feed.id })).toEqual([]);
  });

  it('entries come newest first, by pages, whole', async () => {
    await anna.feeds.create(newFeed(link));
    const entries = Array.from({ length: 25 }, (_, n) =>
      published(`e${n}`, { pubDate: 1_700_000_000_000 + Math.floor(n / 3) * 1000 }),
    );
    await fill(store, link, entries);
    const seen: string[] = [];
    for (let before: { pubDate: number; id: number } | undefined; ; ) {
      const page = await listAll(anna, { limit: 4, before });
      seen.push(...page.map(({ guid }) => guid));
      before = page.at(-1);
      if (page.length < 4) break;
    }
    expect(new Set(seen).size).toBe(25);
    expect(seen[0]).toBe('e24');
    expect(await guids(anna, { order: 'created_at', limit: 2 })).toHaveLength(2);
    expect(await anna.entries.count({})).toBe(25);
  });

  it('lists go by feed, by group and by what is unread', async () => {
    const group = await anna.groups.create({ name: 'News' });
    const [one, two] = [
      await anna.feeds.create(newFeed('https://1.example')),
      await anna.feeds.create(newFeed('https://2.example', group.id)),
    ];
    await fill(store, 'https://1.example', [
      published('a', { pubDate: 1_000 }),
      published('b', { pubDate: 3_000 }),
    ]);
    await fill(store, 'https://2.example', [
      published('c', { pubDate: 2_000 }),
      published('d', { pubDate: 4_000 }),
    ]);
    const [d] = await listAll(anna);
    await anna.entries.mark([d?.id ?? 0], { read: true });

    expect(await guids(anna)).toEqual(['d', 'b', 'c', 'a']);
    expect(await guids(anna, { unread: true })).toEqual(['b', 'c', 'a']);
    expect(await guids(anna, { unread: false })).toEqual(['d']);
    expect(await guids(anna, { feedId: two.id })).toEqual(['d', 'c']);
    expect(await guids(anna, { feedId: two.id, unread: true })).toEqual(['c']);
    expect(await guids(anna, { groupId: group.id })).toEqual(['d', 'c']);
    expect(await guids(anna, { groupId: group.id, limit: 1 })).toEqual(['d']);
    expect(await guids(anna, { groupId: group.id, unread: false })).toEqual(['d']);
    expect(await guids(anna, { groupId: 1, unread: true })).toEqual(['b', 'a']);
    expect(await guids(anna, { groupId: 1, feedId: one.id })).toEqual(['b', 'a']);
    expect(await guids(anna, { groupId: 12345 })).toEqual([]);
    expect(await anna.entries.count({ unread: true })).toBe(3);
    expect(await anna.entries.count({ groupId: group.id })).toBe(2);
    expect(await anna.entries.count({ feedId: two.id, unread: false })).toBe(1);
    await expectDerivedIsRight(database);
  });

  it('marks can be made and taken back, as often as one likes', async () => {
    const feed = await anna.feeds.create(newFeed(link));
    await fill(store, link, [published('a'), published('b'), published('c')]);
    const ids = (await listAll(anna)).map(({ id }) => id);
    for (const read of [true, true, false, false, true]) await anna.entries.mark([...ids, 999_999], { read });
    expect(await anna.feeds.get(feed.id)).toMatchObject({ unread: 0, entries: 3 });
    await anna.entries.mark(ids.slice(0, 1), { read: false });
    expect(await anna.feeds.get(feed.id)).toMatchObject({ unread: 1 });
    await expectDerivedIsRight(database);
  });

  it('marking all read moves a watermark, over marks that say otherwise, and new entries are unread', async () => {
    const feed = await anna.feeds.create(newFeed(link));
    await fill(store, link, [published('a'), published('b')]);
    const ids = (await listAll(anna)).map(({ id }) => id);
    await anna.entries.mark(ids, { read: true });
    await anna.entries.mark(ids, { read: false });
    await anna.entries.markAllRead({ feedId: feed.id });
    expect(await anna.feeds.get(feed.id)).toMatchObject({ unread: 0, entries: 2 });
    expect(await guids(anna, { unread: true })).toEqual([]);
    await fill(store, link, [published('a'), published('c')]);
    expect(await guids(anna, { unread: true })).toEqual(['c']);
    await anna.entries.mark(ids, { read: false });
    expect(await anna.feeds.get(feed.id)).toMatchObject({ unread: 3 });
    await expectDerivedIsRight(database);
  });

  it('marking all read stops at the entry that was seen last', async () => {
    await anna.feeds.create(newFeed(link));
    await fill(store, link, [published('a'), published('b')]);
    const throughId = Math.max(...(await listAll(anna)).map(({ id }) => id));
    await fill(store, link, [published('c')]);
    await anna.entries.markAllRead({ throughId });
    expect(await guids(anna, { unread: true })).toEqual(['c']);
    await anna.entries.markAllRead({ groupId: 1 });
    expect(await guids(anna, { unread: true })).toEqual([]);
    await expectDerivedIsRight(database);
  });

  it('an entry that changes at the source is changed in place, and stays read', async () => {
    await anna.feeds.create(newFeed(link));
    await fill(store, link, [published('a')]);
    const [before] = await listAll(anna);
    await anna.entries.mark([before?.id ?? 0], { read: true });
    clock.advance(1_000);
    await fill(store, link, [published('a', { title: 'Corrected', contentHash: 'other', pubDate: 9_000 })]);
    expect(await listAll(anna)).toEqual([
      { ...before, title: 'Corrected', unread: false, updatedAt: clock.now() },
    ]);
  });

  it('two users on one feed have entries and marks of their own', async () => {
    await anna.feeds.create(newFeed(link));
    await berta.feeds.create(newFeed(link));
    await fill(store, link, [published('a'), published('b')]);
    const annas = await listAll(anna);
    await anna.entries.mark(
      annas.map(({ id }) => id),
      { read: true },
    );
    expect(await guids(anna, { unread: true })).toEqual([]);
    expect(await guids(berta, { unread: true })).toEqual(['b', 'a']);
  });

  it('a new subscriber starts with the entries that the feed last had, and without a request', async () => {
    await anna.feeds.create(newFeed(link));
    await fill(store, link, [published('old')]);
    await fill(store, link, [published('a'), published('b')]);
    const feed = await berta.feeds.create(newFeed(link));
    expect(await guids(berta, { unread: true })).toEqual(['b', 'a']);
    expect(feed.fetchState.lastSuccessAt).toBeGreaterThan(0);
    await expectDerivedIsRight(database);
  });

  it('another address forgets what was learnt of the first', async () => {
    const feed = await anna.feeds.create(newFeed(link));
    await fill(store, link, [published('a')]);
    await anna.feeds.update(feed.id, { name: 'Renamed', suspended: true });
    expect(await anna.feeds.get(feed.id)).toMatchObject({ name: 'Renamed', suspended: true });
    expect((await anna.feeds.get(feed.id)).fetchState.lastSuccessAt).toBeGreaterThan(0);
    const moved = await anna.feeds.update(feed.id, { link: 'https://example.org/other', keepEntries: 10 });
    expect(moved.fetchState.lastSuccessAt).toBe(0);
    expect(moved).toMatchObject({ entries: 1, keepEntries: 10 });
    await berta.feeds.create(newFeed('https://b.example'));
    await anna.feeds.create(newFeed('https://b.example'));
    await expect(anna.feeds.update(feed.id, { link: 'https://b.example' })).rejects.toThrow(Conflict);
  });

  it('deleting a group moves its feeds to the default group, unread rows too', async () => {
    const group = await anna.groups.create({ name: 'News' });
    const feed = await anna.feeds.create(newFeed(link, group.id));
    await fill(store, link, [published('a')]);
    await anna.groups.delete(group.id);
    expect(await anna.feeds.get(feed.id)).toMatchObject({ groupId: 1 });
    expect(await guids(anna, { groupId: 1, unread: true })).toEqual(['a']);
    await expectDerivedIsRight(database);
  });

  it('moving a feed to another group takes its unread entries along', async () => {
    const group = await anna.groups.create({ name: 'News' });
    const feed = await anna.feeds.create(newFeed(link));
    await fill(store, link, [published('a')]);
    await anna.feeds.update(feed.id, { groupId: group.id });
    expect(await guids(anna, { groupId: group.id, unread: true })).toEqual(['a']);
    const bertas = await berta.groups.create({ name: 'Hers' });
    await expect(anna.feeds.update(feed.id, { groupId: bertas.id })).rejects.toThrow(NotFound);
    await expectDerivedIsRight(database);
  });

  const bookmarkOf = (over = {}) => ({
    saved: { url: 'https://example.org/a', key: '1:example.org/a', olderKeys: [] },
    entryId: null,
    feedId: null,
    link: 'https://example.org/a',
    title: 'A',
    content: '<p>a</p>',
    pubDate: 1_000,
    feedName: 'Feed',
    ...over,
  });

  it('a bookmark outlives its entry and its feed', async () => {
    const feed = await anna.feeds.create(newFeed(link));
    await fill(store, link, [published('a')]);
    const [entry] = await listAll(anna);
    const bookmark = await anna.bookmarks.create(bookmarkOf({ entryId: entry?.id, feedId: feed.id }));
    expect(bookmark).toMatchObject({ entryId: entry?.id, feedId: feed.id, unread: true });
    expect((await anna.bookmarks.list({ feedId: feed.id, limit: 10 })).total).toBe(1);
    expect((await anna.bookmarks.list({ groupId: 1, limit: 10 })).total).toBe(1);
    await anna.entries.mark([entry?.id ?? 0], { read: true });
    await anna.feeds.delete(feed.id);
    expect(await anna.bookmarks.get(bookmark.id)).toEqual({
      ...bookmark,
      entryId: null,
      feedId: null,
      unread: false,
    });
    expect(await listAll(anna)).toEqual([]);
    await expectDerivedIsRight(database);
  });

  it('a bookmark that has lost its feed is the star of the same entry when that is followed and bookmarked again', async () => {
    const bookmarked = async () => {
      const feed = await anna.feeds.create(newFeed(link));
      await fill(store, link, [published('a')]);
      const [entry] = await listAll(anna);
      const bookmark = await anna.bookmarks.create(bookmarkOf({ entryId: entry?.id, feedId: feed.id }));
      return { feed, bookmark, entry: await anna.entries.get(entry?.id ?? 0) };
    };
    const first = await bookmarked();
    await anna.feeds.delete(first.feed.id);
    const { feed, entry, bookmark } = await bookmarked();
    expect(bookmark).toEqual({ ...first.bookmark, entryId: entry.id, feedId: feed.id });
    expect(entry.bookmarkId).toBe(bookmark.id);
  });

  it('bookmarking twice gives the first, also when both come at once', async () => {
    const [one, two] = await Promise.all([
      anna.bookmarks.create(bookmarkOf()),
      anna.bookmarks.create(bookmarkOf()),
    ]);
    expect(two).toEqual(one);
    expect(await anna.bookmarks.create(bookmarkOf({ title: 'Other' }))).toEqual(one);
    expect(await berta.bookmarks.create(bookmarkOf())).not.toMatchObject({ id: one?.id });
    await expect(berta.bookmarks.get(one?.id ?? 0)).rejects.toThrow(NotFound);
    await expect(berta.bookmarks.delete(one?.id ?? 0)).rejects.toThrow(NotFound);
  });

  it('bookmarks come by pages, the newest first, and can be removed and made again', async () => {
    for (let n = 0; n < 5; n++) {
      clock.advance(n % 2);
      await anna.bookmarks.create(
        bookmarkOf({ saved: { url: `https://e/${n}`, key: `1:e/${n}`, olderKeys: [] }, title: `${n}` }),
      );
    }
    const first = await anna.bookmarks.list({ limit: 3 });
    expect(first.total).toBe(5);
    const second = await anna.bookmarks.list({ limit: 3, before: first.bookmarks.at(-1) });
    const all = [...first.bookmarks, ...second.bookmarks];
    expect(all.map(({ title }) => title)).toEqual(['4', '3', '2', '1', '0']);
    await anna.bookmarks.delete(all[0]?.id ?? 0);
    await expect(anna.bookmarks.delete(all[0]?.id ?? 0)).rejects.toThrow(NotFound);
    const again = await anna.bookmarks.create(
      bookmarkOf({ saved: { url: 'https://e/4', key: '1:e/4', olderKeys: [] } }),
    );
    expect(again.id).toBeGreaterThan(all[0]?.id ?? 0);
    const { deleted_at } = await database.read
      .selectFrom('items')
      .select('deleted_at')
      .where('url_key', '=', '1:e/4')
      .executeTakeFirstOrThrow();
    expect(deleted_at).toBeNull();
  });

  it('keep unread rows and counts right while feeds are filled, moved, marked and deleted at once', async () => {
    const group = await anna.groups.create({ name: 'News' });
    for (let round = 0; round < 6; round++) {
      const links = [1, 2, 3].map((n) => `https://race.example/${round}/${n}`);
      const feeds = await Promise.all(links.map((each) => anna.feeds.create(newFeed(each))));
      const [first, second, third] = feeds.map(({ id }) => id) as [number, number, number];
      const entries = Array.from({ length: 30 }, (_, n) => published(`r${n}`));
      await fill(store, links[0] as string, entries.slice(0, 5));
      const ids = (await listAll(anna, { feedId: first })).map(({ id }) => id);
      const spare = await anna.groups.create({ name: `Spare ${round}` });
      await Promise.all([
        ...links.map((each) => fill(store, each, entries)),
        anna.feeds.update(first, { groupId: group.id }),
        anna.feeds.update(second, { groupId: spare.id }).catch(expectNotFound),
        anna.groups.delete(spare.id),
        anna.entries.mark(ids, { read: true }),
        anna.entries.mark(ids, { read: false }),
        anna.feeds.delete(third),
        anna.entries.markAllRead({ feedId: second }),
      ]);
      expect(await listAll(anna, { feedId: third })).toEqual([]);
    }
    await expectDerivedIsRight(database);
  });

  it('a bookmark of an entry that goes at the same moment is made or not found, and nothing fails', async () => {
    for (let round = 0; round < 6; round++) {
      const feed = await anna.feeds.create(newFeed(`https://gone.example/${round}`));
      await fill(store, feed.link, [published(`g${round}`)]);
      const [entry] = await listAll(anna, { feedId: feed.id });
      const saved = { url: `https://e/${round}`, key: `1:e/${round}`, olderKeys: [] };
      const works = [
        () => anna.feeds.delete(feed.id),
        () =>
          anna.bookmarks
            .create(bookmarkOf({ saved, entryId: entry?.id, feedId: feed.id }))
            .then(() => {}, expectNotFound),
      ];
      await Promise.all((round % 2 === 0 ? works : works.reverse()).map((work) => work()));
      await expect(anna.feeds.get(feed.id)).rejects.toThrow(NotFound);
    }
  });
});

function expectNotFound(error: unknown): void {
  expect(error).toBeInstanceOf(NotFound);
}
