// Entries as reader apps ask for them, against a simple model.
import fc from 'fast-check';
import { beforeAll, expect, it } from 'vitest';
import { starEntries, unstarEntries } from '../../src/feeds/star.ts';
import type { Database } from '../../src/store/database.ts';
import { type EntryStream, entryStream, type StreamFilter } from '../../src/store/owned/entry-stream.ts';
import { ownedBy } from '../../src/store/owned/owned-rows.ts';
import type { Store, UserRows } from '../../src/store/store.ts';
import { TestClock } from '../support/clock.ts';
import { propertyRuns } from '../support/depth.ts';
import { onEachEngine, openFreshStore } from '../support/engines.ts';
import { addUser, fill, listAll, newFeed, published } from '../support/reader.ts';

const hour = 3_600_000;
const begin = new TestClock().now();

interface Known {
  readonly id: number;
  readonly feedId: number;
  readonly groupId: number;
  readonly cameAt: number;
  unread: boolean;
  starred: boolean;
}

onEachEngine('a stream of entries', (engine) => {
  let store: Store;
  let database: Database;
  let annaId: number;
  let anna: UserRows;
  /** The same, by the way that is taken where there are many. */
  let ofMany: EntryStream;
  let berta: UserRows;
  let feeds: number[];
  let groups: number[];
  let known: Known[];

  beforeAll(async () => {
    const opened = await openFreshStore(engine);
    ({ store, database } = opened);
    ({ id: annaId, rows: anna } = await addUser(store, 'anna', 'owner'));
    ofMany = entryStream(ownedBy(database, annaId), anna.entries, { fewEntries: 0 });
    ({ rows: berta } = await addUser(store, 'berta'));
    const { id: work } = await anna.groups.create({ name: 'Work' });
    groups = [1, work];
    feeds = [];
    for (const [link, groupId] of [
      ['a', 1],
      ['b', work],
      ['c', work],
    ] as const)
      feeds.push((await anna.feeds.create(newFeed(link, groupId))).id);
    await berta.feeds.create(newFeed('a'));
    // Each hour some come, with dates that have nothing to do with it.
    for (let n = 0; n < 12; n += 1) {
      const link = ['a', 'b', 'c'][n % 3] ?? 'a';
      const pubDate = begin - ((n * 7) % 12) * 24 * hour;
      await fill(
        store,
        link,
        [published(`${n}`, { pubDate }), published(`${n}+`, { pubDate })],
        opened.clock.now(),
      );
      opened.clock.advance(hour);
    }
    known = (await listAll(anna))
      .map(({ id, feedId, createdAt }) => ({
        id,
        feedId,
        groupId: feedId === feeds[0] ? 1 : work,
        cameAt: createdAt,
        unread: true,
        starred: false,
      }))
      .sort((a, b) => a.id - b.id);
    expect(new Set(known.map(({ cameAt }) => cameAt)).size).toBeGreaterThan(5);
    const some = (step: number) => known.filter((_, n) => n % step === 0);
    await anna.entries.mark(
      some(3).map(({ id }) => id),
      { read: true },
    );
    for (const one of some(3)) one.unread = false;
    await starEntries(
      anna,
      some(4).map(({ id }) => id),
    );
    for (const one of some(4)) one.starred = true;
    return () => store.close();
  });

  const expected = (filter: StreamFilter): number[] => {
    const {
      feedId,
      groupId,
      unread,
      starred,
      arrivedFrom = 0,
      arrivedBefore = Number.POSITIVE_INFINITY,
      exceptFeedIds = [],
    } = filter;
    const all = known
      .filter((one) => feedId === undefined || one.feedId === feedId)
      .filter((one) => groupId === undefined || one.groupId === groupId)
      .filter((one) => !exceptFeedIds.includes(one.feedId))
      .filter((one) => unread === undefined || one.unread === unread)
      .filter((one) => starred === undefined || one.starred === starred)
      .filter((one) => one.cameAt >= arrivedFrom && one.cameAt < arrivedBefore)
      .map(({ id }) => id);
    const ids = filter.oldestFirst ? all : all.reverse();
    const { after } = filter;
    const rest =
      after === undefined ? ids : ids.filter((id) => (filter.oldestFirst ? id > after : id < after));
    return rest.slice(0, filter.limit);
  };

  it('holds what the filter asks for, in the order in which it came', async () => {
    const time = fc.integer({ min: -1, max: 13 }).map((n) => begin + n * hour);
    const flag = fc.boolean();
    const arbitrary = fc.record(
      {
        feedId: fc.constantFrom(...feeds, 999),
        groupId: fc.constantFrom(...groups, 999),
        unread: flag,
        starred: flag,
        arrivedFrom: time,
        arrivedBefore: time,
        exceptFeedIds: fc.subarray([...feeds, 999]),
        after: fc.constantFrom(...known.map(({ id }) => id), 0, 1e9),
        oldestFirst: flag,
        limit: fc.integer({ min: 1, max: 30 }),
      },
      { requiredKeys: ['limit'] },
    );
    await fc.assert(
      fc.asyncProperty(arbitrary, async (filter) => {
        expect(await anna.stream.ids(filter)).toEqual(expected(filter));
        expect(await ofMany.ids(filter)).toEqual(expected(filter));
        const { ids, count } = await anna.stream.idText(filter);
        expect({ ids, count }).toEqual({ ids: expected(filter).join(','), count: expected(filter).length });
      }),
      propertyRuns(200),
    );
  });

  it('is of one user alone', async () => {
    const mine = new Set(known.map(({ id }) => id));
    const theirs = await berta.stream.ids({ limit: 1_000 });
    expect(theirs.length).toBeGreaterThan(0);
    expect(theirs.filter((id) => mine.has(id))).toEqual([]);
    expect(await berta.stream.ids({ limit: 10, feedId: feeds[0] })).toEqual([]);
    expect(await berta.stream.starsOn([...mine])).toEqual(new Map());
    await starEntries(berta, [...mine]);
    await unstarEntries(berta, [...mine]);
    await berta.entries.mark([...mine], { read: true });
    expect(await anna.stream.ids({ limit: 99, starred: true })).toEqual(
      expected({ limit: 99, starred: true }),
    );
    expect(await anna.stream.ids({ limit: 99, unread: true })).toEqual(expected({ limit: 99, unread: true }));
  });

  it('knows when the newest unread entry of each feed came', async () => {
    const newest = new Map<number, number>();
    for (const { feedId, cameAt, unread } of known) if (unread) newest.set(feedId, cameAt);
    expect(await anna.stream.newestUnread()).toEqual(newest);
  });

  it('is read up to a moment, and not what came after', async () => {
    const scopes = fc.constantFrom({}, { feedId: feeds[1] }, { groupId: groups[1] });
    await fc.assert(
      fc.asyncProperty(scopes, fc.integer({ min: -1, max: 13 }), async (scope, n) => {
        await anna.entries.mark(
          known.map(({ id }) => id),
          { read: false },
        );
        for (const one of known) one.unread = true;
        const until = begin + n * hour;
        await anna.stream.markReadUntil({ ...scope, until });
        const inScope = new Set(expected({ ...scope, limit: 1_000 }));
        for (const one of known) if (inScope.has(one.id) && one.cameAt <= until) one.unread = false;
        expect(await anna.stream.ids({ limit: 99, unread: true })).toEqual(
          expected({ limit: 99, unread: true }),
        );
      }),
      propertyRuns(25),
    );
  });

  it('is not read as far as it came while it was being marked', async () => {
    const late = entryStream(ownedBy(database, annaId), {
      mark: anna.entries.mark,
      async markAllRead(scope) {
        await fill(store, 'a', [published('late')]);
        await anna.entries.markAllRead(scope);
      },
    });
    await late.markReadUntil({ until: Number.MAX_SAFE_INTEGER - 1 });
    const unread = await anna.stream.ids({ unread: true, limit: 10 });
    expect((await anna.entries.getMany(unread)).map(({ guid }) => guid)).toEqual(['late']);
  });
});
