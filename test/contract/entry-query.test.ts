// Entries by any filter and in any order, against a simple model.
import fc from 'fast-check';
import { beforeAll, expect, it } from 'vitest';
import { starEntries } from '../../src/feeds/star.ts';
import { type EntryQuery, entryOrders } from '../../src/store/owned/entry-query.ts';
import type { Store, UserRows } from '../../src/store/store.ts';
import { propertyRuns } from '../support/depth.ts';
import { onEachEngine, openFreshStore } from '../support/engines.ts';
import { addUser, fill, newFeed, published } from '../support/reader.ts';

const day = 86_400_000;
const begin = Date.UTC(2026, 0, 1);

interface Known {
  readonly id: number;
  readonly feedId: number;
  readonly group: { readonly id: number; readonly rowId: number; readonly name: string };
  readonly pubDate: number;
  readonly changedAt: number;
  readonly title: string;
  readonly author: string;
  readonly tags: readonly string[];
  readonly unread: boolean;
  readonly starred: boolean;
}

onEachEngine('entries by any filter', (engine) => {
  let store: Store;
  let anna: UserRows;
  let berta: UserRows;
  let known: Known[];
  let feeds: number[];

  beforeAll(async () => {
    const opened = await openFreshStore(engine);
    store = opened.store;
    // The default group of the second user has a row whose id is not 1.
    ({ rows: berta } = await addUser(store, 'berta', 'owner'));
    const { id: annasId, rows } = await addUser(store, 'anna');
    anna = rows;
    const { id: work } = await anna.groups.create({ name: 'A group' });
    feeds = [];
    for (const [link, groupId] of [
      ['a', 1],
      ['b', work],
      ['c', work],
    ] as const)
      feeds.push((await anna.feeds.create(newFeed(link, groupId))).id);
    await berta.feeds.create(newFeed('a'));
    const { id: goneId } = await anna.feeds.create(newFeed('gone'));
    for (let n = 0; n < 24; n += 1) {
      const entry = published(`${n}`, {
        title: `Title ${(n * 5) % 7}`,
        author: `Author ${(n * 3) % 4}`,
        categories: n % 4 === 0 ? ['x', 'y'] : n % 2 === 0 ? ['x'] : [],
        pubDate: begin - ((n * 7) % 11) * day,
      });
      await fill(store, ['a', 'b', 'c', 'gone'][n % 4] ?? 'a', [entry], opened.clock.now());
      opened.clock.advance(1000);
    }
    // Some are changed after.
    opened.clock.advance(day);
    await fill(store, 'b', [published('1', { title: 'Changed', contentHash: 'another', pubDate: begin })]);
    await anna.feeds.delete(goneId);
    const ids = await anna.stream.ids({ oldestFirst: true, limit: 100 });
    await anna.entries.mark(
      ids.filter((_, n) => n % 3 === 0),
      { read: true },
    );
    await starEntries(
      anna,
      ids.filter((_, n) => n % 4 === 0),
    );
    const groups = await opened.database.read.selectFrom('groups').selectAll().execute();
    const rowId = (id: number) =>
      (id === 1 ? groups.find((row) => row.user_id === annasId && row.is_default === 1)?.id : id) ?? 0;
    const byFeed = new Map((await anna.feeds.list()).map((feed) => [feed.id, feed.groupId]));
    known = (await anna.entries.getMany(ids)).map((entry) => {
      const id = byFeed.get(entry.feedId) ?? 0;
      const group = { id, rowId: rowId(id), name: id === 1 ? 'Default' : 'A group' };
      const { title, author, categories: tags, unread, pubDate, updatedAt: changedAt } = entry;
      const starred = entry.bookmarkId !== null;
      return {
        id: entry.id,
        feedId: entry.feedId,
        group,
        title,
        author,
        tags,
        unread,
        pubDate,
        changedAt,
        starred,
      };
    });
    expect(known).toHaveLength(18);
    return () => store.close();
  });

  const keyOf = (order: EntryQuery['order'], entry: Known): number | string =>
    ({
      id: entry.id,
      created_at: entry.id,
      status: entry.unread ? 0 : 1,
      changed_at: entry.changedAt,
      published_at: entry.pubDate,
      category_title: entry.group.name,
      category_id: entry.group.rowId,
      title: entry.title,
      author: entry.author,
    })[order];
  const compare = <T extends number | string>(a: T, b: T) => (a < b ? -1 : a > b ? 1 : 0);

  function expected(query: EntryQuery): { ids: number[]; total: number } {
    const is = <T>(wanted: T | undefined, holds: (wanted: T) => boolean) =>
      wanted === undefined || holds(wanted);
    const all = known
      .filter(
        (entry) =>
          is(query.feedId, (id) => entry.feedId === id) &&
          is(query.groupId, (id) => entry.group.id === id) &&
          is(query.unread, (unread) => entry.unread === unread) &&
          is(query.starred, (starred) => entry.starred === starred) &&
          is(query.among, (ids) => ids.includes(entry.id)) &&
          is(query.tags, (tags) => tags.every((tag) => entry.tags.includes(tag))) &&
          is(query.afterId, (id) => entry.id > id) &&
          is(query.beforeId, (id) => entry.id < id) &&
          is(query.publishedAfter, (at) => entry.pubDate > at) &&
          is(query.publishedBefore, (at) => entry.pubDate < at) &&
          is(query.changedAfter, (at) => entry.changedAt > at) &&
          is(query.changedBefore, (at) => entry.changedAt < at),
      )
      .sort((a, b) => compare(keyOf(query.order, a), keyOf(query.order, b)) || a.id - b.id);
    const inOrder = query.descending ? all.toReversed() : all;
    const page = inOrder.slice(query.offset, query.offset + query.limit);
    return { ids: page.map(({ id }) => id), total: all.length };
  }

  const maybe = <T>(some: fc.Arbitrary<T>) => fc.option(some, { nil: undefined, freq: 2 });
  const queries = () =>
    fc.record({
      feedId: maybe(fc.constantFrom(...feeds, 999)),
      groupId: maybe(fc.constantFrom(1, known[1]?.group.id ?? 0, 999)),
      unread: maybe(fc.boolean()),
      starred: maybe(fc.boolean()),
      among: maybe(fc.subarray([...known.map(({ id }) => id), 999])),
      tags: maybe(fc.subarray(['x', 'y', 'z', 'x'], { minLength: 1 })),
      afterId: maybe(fc.constantFrom(...known.map(({ id }) => id))),
      beforeId: maybe(fc.constantFrom(...known.map(({ id }) => id))),
      publishedAfter: maybe(fc.constantFrom(...known.map(({ pubDate }) => pubDate))),
      publishedBefore: maybe(fc.constantFrom(...known.map(({ pubDate }) => pubDate))),
      changedAfter: maybe(fc.constantFrom(...known.map(({ changedAt }) => changedAt))),
      changedBefore: maybe(fc.constantFrom(...known.map(({ changedAt }) => changedAt))),
      order: fc.constantFrom(...entryOrders),
      descending: fc.boolean(),
      offset: fc.nat({ max: 5 }),
      limit: fc.integer({ min: 1, max: 30 }),
    });

  it('are those of the model, in its order, and as many', async () => {
    await fc.assert(
      fc.asyncProperty(queries(), async (query) => {
        expect(await anna.entryQueries.find(query)).toEqual(expected(query));
      }),
      propertyRuns(400),
    );
  });

  it('are those of one user', async () => {
    const page = { order: 'id', descending: false, offset: 0, limit: 100 } as const;
    const theirs = await berta.entryQueries.find(page);
    expect(theirs.total).toBe(6);
    expect(theirs.ids.filter((id) => known.some((entry) => entry.id === id))).toEqual([]);
    for (const filter of [{ among: known.map(({ id }) => id) }, { feedId: feeds[0] }, { starred: true }])
      expect(await berta.entryQueries.find({ ...page, ...filter })).toEqual({ ids: [], total: 0 });
  });
});
