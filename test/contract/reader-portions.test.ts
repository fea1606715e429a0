// Changes of many entries at once: what is durable happens at once, what follows from it in portions, and a process that
// ends in between leaves nothing that upkeep cannot finish.
import { beforeEach, expect, it } from 'vitest';
import { NotFound } from '../../src/errors.ts';
import type { Database } from '../../src/store/database.ts';
import { sweptAtOnce } from '../../src/store/reader/delete-feed.ts';
import { unreadAtOnce } from '../../src/store/reader/settle-unread.ts';
import { rebuildUnread } from '../../src/store/reader/unread.ts';
import { createStore, type Store, type UserRows } from '../../src/store/store.ts';
import type { TestClock } from '../support/clock.ts';
import { onEachEngine, openEmptyStore } from '../support/engines.ts';
import { CrashError, Faults, forEachFault } from '../support/faults.ts';
import { faultyDatabase } from '../support/faulty-database.ts';
import {
  addUser,
  expectDerivedIsRight,
  fill,
  fillMany,
  listAll,
  newFeed,
  published,
} from '../support/reader.ts';

const link = 'https://example.org/feed';
/** Two portions and a bit. */
const many = 2 * unreadAtOnce.ofFeedOrGroup + 10;

onEachEngine('changes of many entries at once', (engine) => {
  let store: Store;
  let database: Database;
  let clock: TestClock;
  let anna: { id: number; rows: UserRows };
  let berta: { id: number; rows: UserRows };

  beforeEach(async () => {
    ({ store, database, clock } = await openEmptyStore(engine));
    anna = await addUser(store, 'anna', 'owner');
    berta = await addUser(store, 'berta');
  });

  async function followMany(count: number, groupId = 1, at = link) {
    const feed = await anna.rows.feeds.create(newFeed(at, groupId));
    await fillMany(database, { userId: anna.id, feedId: feed.id, count });
    return feed;
  }

  const unreadIn = (groupId: number) =>
    anna.rows.entries.list({ groupId, unread: true, order: 'pub_date', limit: 5_000 });
  const countRows = async (table: 'entries' | 'entry_tombstones' | 'unread_entries' | 'feeds') => {
    const { n } = await database.read
      .selectFrom(table)
      .select((e) => e.fn.countAll<number>().as('n'))
      .executeTakeFirstOrThrow();
    return Number(n);
  };

  /** Anna's rows in a process that ends at one transaction after the other; then upkeep, in another. */
  async function endAtEachTransaction(
    prepare: (at: number) => Promise<(rows: UserRows) => Promise<void>>,
    expectAfter: () => Promise<void>,
  ): Promise<number> {
    return forEachFault({ kind: 'crash', moment: 'after' }, async (faults, at) => {
      const change = await prepare(at);
      const ending = createStore(faultyDatabase(database, faults), clock.now).forUser(anna.id);
      await change(ending).catch((error) => expect(error).toBeInstanceOf(CrashError));
      await store.readerUpkeep.settleUnread();
      await expectDerivedIsRight(database);
      await expectAfter();
    });
  }

  it('let others have their turn in between', async () => {
    const feed = await followMany(4 * unreadAtOnce.ofFeedOrGroup);
    const group = await anna.rows.groups.create({ name: 'News' });
    let turns = 0;
    let counting = setImmediate(function count() {
      turns += 1;
      counting = setImmediate(count);
    });
    const turnsOf = async (work: () => Promise<unknown>) => {
      turns = 0;
      await work();
      return turns;
    };
    expect(
      await turnsOf(() => anna.rows.feeds.update(feed.id, { groupId: group.id })),
    ).toBeGreaterThanOrEqual(3);
    expect(await turnsOf(() => anna.rows.groups.delete(group.id))).toBeGreaterThanOrEqual(3);
    expect(await turnsOf(() => anna.rows.entries.markAllRead({ groupId: 1 }))).toBeGreaterThanOrEqual(3);
    await anna.rows.feeds.delete(feed.id);
    expect(await turnsOf(() => store.readerUpkeep.sweepDeletedFeeds())).toBeGreaterThanOrEqual(3);
    clearImmediate(counting);
  });

  it('a "mark all read" that was interrupted is finished, and what was marked unread since stays so', async () => {
    const feed = await followMany(many);
    const [one] = await listAll(anna.rows, { limit: 1 });
    const interrupted = await endAtEachTransaction(
      async () => {
        await database.write(async (trx) => {
          await trx.updateTable('feeds').set({ read_through_id: 0 }).execute();
          await trx.deleteFrom('entry_marks').execute();
          await rebuildUnread(trx);
        });
        return async (rows) => {
          await rows.entries.markAllRead({ feedId: feed.id });
        };
      },
      async () => {
        expect(await listAll(anna.rows, { unread: true })).toEqual([]);
        await anna.rows.entries.mark([one?.id ?? 0], { read: false });
        await store.readerUpkeep.settleUnread();
        expect(await listAll(anna.rows, { unread: true })).toHaveLength(1);
      },
    );
    expect(interrupted).toBe(3);
  });

  it('a mark that is made while everything is being marked read is kept', async () => {
    await followMany(many);
    const oldest = (await unreadIn(1)).at(-1)?.id ?? 0;
    const faults = new Faults({ at: 1, moment: 'after' });
    const ending = createStore(faultyDatabase(database, faults), clock.now).forUser(anna.id);
    await expect(ending.entries.markAllRead({ groupId: 1 })).rejects.toThrow(CrashError);
    await anna.rows.entries.mark([oldest], { read: false });
    await store.readerUpkeep.settleUnread();
    expect((await listAll(anna.rows, { unread: true })).map(({ id }) => id)).toEqual([oldest]);
    await expectDerivedIsRight(database);
  });

  it('a feed whose move was interrupted is whole in its new group in the end', async () => {
    const feed = await followMany(many);
    let groupId = 0;
    const interrupted = await endAtEachTransaction(
      async (at) => {
        groupId = (await anna.rows.groups.create({ name: `Group ${at}` })).id;
        return async (rows) => {
          await rows.feeds.update(feed.id, { groupId });
        };
      },
      async () => expect(await unreadIn(groupId)).toHaveLength(many),
    );
    expect(interrupted).toBe(3);
  });

  it('the feeds of a group whose end was interrupted are whole in the default group in the end', async () => {
    const feed = await followMany(many);
    const interrupted = await endAtEachTransaction(
      async (at) => {
        const { id } = await anna.rows.groups.create({ name: `Group ${at}` });
        await anna.rows.feeds.update(feed.id, { groupId: id });
        return (rows) => rows.groups.delete(id);
      },
      async () => expect(await unreadIn(1)).toHaveLength(many),
    );
    expect(interrupted).toBe(3);
  });

  it('a feed that is marked read as one of its group while it moves there is settled whole', async () => {
    const [from, to] = [
      await anna.rows.groups.create({ name: 'From' }),
      await anna.rows.groups.create({ name: 'To' }),
    ];
    const feed = await followMany(many, from.id);
    const faults = new Faults({ at: 1, moment: 'after' });
    const ending = createStore(faultyDatabase(database, faults), clock.now).forUser(anna.id);
    await expect(ending.feeds.update(feed.id, { groupId: to.id })).rejects.toThrow(CrashError);
    await anna.rows.entries.markAllRead({ groupId: to.id });
    await expectDerivedIsRight(database);
    expect(await countRows('unread_entries')).toBe(0);
  });

  it('upkeep, a move and "mark all read" at once end as one after the other would', async () => {
    const groups = [
      await anna.rows.groups.create({ name: 'A' }),
      await anna.rows.groups.create({ name: 'B' }),
    ];
    const feed = await followMany(many);
    await Promise.all([
      anna.rows.feeds.update(feed.id, { groupId: groups[0]?.id }),
      anna.rows.entries.markAllRead(),
      store.readerUpkeep.settleUnread(),
      anna.rows.feeds.update(feed.id, { groupId: groups[1]?.id }),
      store.readerUpkeep.settleUnread(),
    ]);
    await expectDerivedIsRight(database);
  });

  it('"mark all read" goes no further than what there is, whatever entry a client names', async () => {
    await anna.rows.feeds.create(newFeed(link));
    await fill(store, link, [published('a')]);
    await anna.rows.entries.markAllRead({ throughId: 999_999 });
    await fill(store, link, [published('b')]);
    expect((await listAll(anna.rows, { unread: true })).map(({ guid }) => guid)).toEqual(['b']);
    await expectDerivedIsRight(database);
  });

  it('a deleted feed is gone at once, and its entries are swept after', async () => {
    const feed = await followMany(3 * sweptAtOnce, 1);
    await berta.rows.feeds.create(newFeed(link));
    await fill(store, link, [published('new')]);
    await anna.rows.feeds.create(newFeed('https://other.example'));
    await fill(store, 'https://other.example', [published('other', { pubDate: 1_000_000 })]);
    const [newest, second] = await listAll(anna.rows);
    const ids = [newest?.id ?? 0, second?.id ?? 0];
    const bookmark = await anna.rows.bookmarks.create({
      ...{
        saved: { url: 'https://example.org/a', key: '1:example.org/a', olderKeys: [] },
        entryId: ids[0] ?? null,
        feedId: feed.id,
      },
      ...{ link: '', title: 'A', content: '', pubDate: 0, feedName: '' },
    });
    await anna.rows.entries.mark(ids, { read: true });
    await anna.rows.feeds.delete(feed.id);

    const expectGone = async () => {
      expect((await anna.rows.feeds.list()).map((each) => each.link)).toEqual(['https://other.example']);
      await expect(anna.rows.feeds.get(feed.id)).rejects.toThrow(NotFound);
      await expect(anna.rows.feeds.delete(feed.id)).rejects.toThrow(NotFound);
      for (const filter of [
        {},
        { unread: true },
        { groupId: 1 },
        { groupId: 1, unread: true },
        { order: 'created_at' },
      ])
        expect((await listAll(anna.rows, filter)).map(({ guid }) => guid)).toEqual(['other']);
      expect(await listAll(anna.rows, { feedId: feed.id })).toEqual([]);
      expect(await listAll(anna.rows, { unread: false })).toEqual([]);
      await expect(anna.rows.entries.get(ids[0] ?? 0)).rejects.toThrow(NotFound);
      expect(await anna.rows.entries.getMany(ids)).toEqual([]);
      expect(await anna.rows.entries.count({})).toBe(1);
      expect(await anna.rows.bookmarks.get(bookmark.id)).toMatchObject({ entryId: null, feedId: null });
      expect(await listAll(berta.rows)).toHaveLength(1);
    };
    expect(await countRows('entries')).toBeGreaterThan(2 * sweptAtOnce);
    await expectGone();
    // As a reinflate does.
    await database.write((trx) => rebuildUnread(trx));
    await expectGone();
    await store.readerUpkeep.sweepDeletedFeeds();
    expect(await countRows('entries')).toBe(2);
    expect(await countRows('feeds')).toBe(2);
    await expectGone();
    await expectDerivedIsRight(database);
  });

  it('an entry of a deleted feed cannot be bookmarked, whether it is swept or not', async () => {
    const feed = await followMany(2 * sweptAtOnce);
    const oldest = (await unreadIn(1)).at(-1)?.id ?? 0;
    await anna.rows.feeds.delete(feed.id);
    const bookmark = anna.rows.bookmarks.create({
      ...{
        saved: { url: 'https://example.org/a', key: '1:example.org/a', olderKeys: [] },
        entryId: oldest,
        feedId: feed.id,
      },
      ...{ link: '', title: 'A', content: '', pubDate: 0, feedName: '' },
    });
    await expect(bookmark).rejects.toThrow(NotFound);
  });

  it('whoever deleted a feed can follow it again before it is swept, and loses nothing by the sweep', async () => {
    await berta.rows.feeds.create(newFeed(link));
    await fill(store, link, [published('a'), published('b')]);
    const feed = await followMany(2 * sweptAtOnce + 1, 1, 'https://large.example');
    await anna.rows.feeds.update(feed.id, { link });
    await anna.rows.feeds.delete(feed.id);
    const again = await anna.rows.feeds.create(newFeed(link));
    expect(again).toMatchObject({ unread: 2, entries: 2 });
    await store.readerUpkeep.sweepDeletedFeeds();
    expect((await listAll(anna.rows)).map(({ guid }) => guid)).toEqual(['b', 'a']);
    expect((await listAll(berta.rows)).map(({ guid }) => guid)).toEqual(['b', 'a']);
    expect(await countRows('entries')).toBe(4);
    await expectDerivedIsRight(database);
  });

  it('a sweep that was interrupted goes on, and two at once do no harm', async () => {
    const interrupted = await forEachFault({ kind: 'crash', moment: 'after' }, async (faults, at) => {
      const feed = await followMany(2 * sweptAtOnce + 1, 1, `https://${at}.example`);
      await database.write((trx) =>
        trx
          .insertInto('entry_tombstones')
          .values({ feed_id: feed.id, guid: 'old', user_id: anna.id })
          .execute(),
      );
      await anna.rows.feeds.delete(feed.id);
      const ending = createStore(faultyDatabase(database, faults), clock.now);
      await ending.readerUpkeep
        .sweepDeletedFeeds()
        .catch((error) => expect(error).toBeInstanceOf(CrashError));
      await Promise.all([store.readerUpkeep.sweepDeletedFeeds(), store.readerUpkeep.sweepDeletedFeeds()]);
      for (const table of ['entries', 'feeds', 'unread_entries', 'entry_tombstones'] as const)
        expect(await countRows(table)).toBe(0);
    });
    expect(interrupted).toBe(2);
  });

  it('many subscriptions that bring entries along are made in several transactions', async () => {
    const links = [1, 2, 3, 4].map((n) => `https://${n}.example`);
    await anna.rows.feeds.createMany(links.map((each) => newFeed(each)));
    const entries = Array.from({ length: 150 }, (_, n) => published(`e${n}`));
    for (const each of links) await fill(store, each, entries);
    const faults = new Faults();
    const counted = createStore(faultyDatabase(database, faults), clock.now).forUser(berta.id);
    const done = await counted.feeds.createMany([...links, ...links].map((each) => newFeed(each)));
    expect(done).toEqual({ created: 4, existing: links, missingGroup: [] });
    expect(faults.count).toBe(3);
    expect(await berta.rows.entries.count({ unread: true })).toBe(600);
  });

  it('old entries go with each pull, past however many that must stay', async () => {
    const feed = await followMany(2_600);
    const ids = (await unreadIn(1)).map(({ id }) => id).reverse();
    // The 600 newest are read; the 2,000 oldest are not, and stay.
    await anna.rows.entries.mark(ids.slice(2_000), { read: true });
    await anna.rows.feeds.update(feed.id, { keepEntries: 10 });
    const left: number[] = [];
    for (let pull = 0; pull < 5; pull++) {
      await fill(store, link, []);
      left.push((await anna.rows.feeds.get(feed.id)).entries);
    }
    expect(left).toEqual([2_600, 2_100, 2_010, 2_010, 2_010]);
    expect(await countRows('entry_tombstones')).toBe(590);
    // What is read later goes when its turn comes.
    await anna.rows.entries.mark(ids.slice(0, 5), { read: true });
    for (let pull = 0; pull < 3; pull++) await fill(store, link, []);
    expect(await anna.rows.feeds.get(feed.id)).toMatchObject({ entries: 2_005, unread: 1_995 });
    await expectDerivedIsRight(database);
  });
});
