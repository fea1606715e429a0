// Whatever an old database holds: what comes of it is what its rules say, worked out here in the simplest way.
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { TestClock } from '../support/clock.ts';
import { propertyRuns } from '../support/depth.ts';
import { onEachEngine, openEmptyStore } from '../support/engines.ts';
import { importFile, temporaryPlace } from '../support/importing.ts';
import { makeLegacyDatabase } from '../support/legacy-database.ts';
import { addUser, expectDerivedIsRight, listAll } from '../support/reader.ts';

const now = Date.UTC(2026, 0, 1);

interface Group {
  id: number;
  name: string;
  deleted_at: number | null;
}
interface Feed extends Group {
  link: string;
  group_id: number | null;
}
interface Item {
  id: number;
  feed_id: number | null;
  guid: string | null;
  link: string;
  title: string;
  unread: number | null;
  bookmark: number | null;
  deleted_at: number | null;
  date: { written: string | number | null; is: number | undefined };
}

const deleted = fc.constantFrom(null, null, 0, 1_700_000_000);
const oneOf = <T>(...values: T[]) => fc.constantFrom(...values);
const smallId = fc.integer({ min: 1, max: 6 });
const reference = fc.oneof(smallId, fc.constantFrom(null, 77));
const distinct = <T extends { id: number }>(row: fc.Arbitrary<T>, maxLength: number) =>
  fc.uniqueArray(row, { selector: ({ id }) => id, maxLength });

const anyDate: fc.Arbitrary<Item['date']> = fc.oneof(
  fc.constantFrom(
    { written: null, is: undefined },
    { written: 'never', is: undefined },
    { written: 0, is: undefined },
  ),
  fc.integer({ min: 1_000_000_000, max: 1_760_000_000 }).chain((seconds) => {
    const text = new Date(seconds * 1000).toISOString();
    return fc.constantFrom(
      { written: seconds, is: seconds * 1000 },
      { written: seconds * 1000, is: seconds * 1000 },
      { written: text, is: seconds * 1000 },
      { written: text.slice(0, 19).replace('T', ' '), is: seconds * 1000 },
      { written: text.slice(0, 10), is: Date.parse(text.slice(0, 10)) },
    );
  }),
);

const anyDatabase = fc.record({
  groups: distinct(fc.record({ id: smallId, name: oneOf('Default', 'A', 'B', ' '), deleted_at: deleted }), 6),
  feeds: distinct(
    fc.record({
      id: smallId,
      name: oneOf('', 'F', 'G'),
      link: oneOf('', 'https://a.example/1', 'https://a.example/2', 'https://a.example/3'),
      group_id: reference,
      deleted_at: deleted,
    }),
    6,
  ),
  items: distinct(
    fc.record({
      id: fc.integer({ min: 1, max: 60 }),
      feed_id: reference,
      guid: oneOf(null, '', 'g1', 'g2', 'g3', 'g4'),
      link: oneOf('', 'https://p.example/1', 'https://p.example/2', 'https://p.example/3'),
      title: oneOf('One', 'Two'),
      unread: oneOf(0, 0, 1, null),
      bookmark: oneOf(0, null, 1),
      deleted_at: deleted,
      date: anyDate,
    }),
    40,
  ),
});

type Contents = { groups: Group[]; feeds: Feed[]; items: Item[] };

const byId = <T extends { id: number }>(rows: readonly T[]) => [...rows].sort((a, b) => a.id - b.id);
const live = <T extends { id: number; deleted_at: number | null }>(rows: readonly T[]) =>
  byId(rows).filter(({ deleted_at }) => deleted_at === null || deleted_at === 0);

function model({ groups, feeds, items }: Contents) {
  const named = live(groups).filter(({ name }) => name.trim() !== '');
  const first = named.find(({ id }) => id === 1);
  // The default group is there in any case, and keeps its old name.
  const groupRows = [{ id: 1, name: first?.name ?? 'Default' }];
  for (const { id, name } of named)
    if (!groupRows.some((group) => group.name === name)) groupRows.push({ id, name });
  const groupOf = (id: number | null) => {
    const name = named.find((group) => group.id === id)?.name;
    return groupRows.find((group) => group.name === name)?.id ?? 1;
  };

  const linked = live(feeds).filter(({ link }) => link !== '');
  const keptFeed = (id: number | null) => {
    const link = linked.find((feed) => feed.id === id)?.link;
    return linked.find((feed) => feed.link === link);
  };
  const entries: {
    id: number;
    feedId: number;
    guid: string;
    unread: boolean;
    link: string;
    pubDate: number;
  }[] = [];
  const stars: { entryId: number; link: string; createdAt: number }[] = [];
  for (const item of live(items)) {
    const feed = keptFeed(item.feed_id);
    if (!feed) continue;
    const guid = item.guid ? item.guid : `legacy-item-${item.id}`;
    if (!entries.some((entry) => entry.feedId === feed.id && entry.guid === guid))
      entries.push({
        id: item.id,
        feedId: feed.id,
        guid,
        unread: item.unread !== 0,
        link: item.link,
        pubDate: item.date.is ?? now,
      });
    const entry = entries.find((one) => one.feedId === feed.id && one.guid === guid);
    if (item.bookmark === 1 && entry && entry.link !== '' && !stars.some(({ link }) => link === entry.link))
      stars.push({ entryId: entry.id, link: entry.link, createdAt: entry.pubDate });
  }
  return {
    groups: groupRows.sort((a, b) => a.id - b.id),
    feeds: linked
      .filter((feed) => keptFeed(feed.id) === feed)
      .map(({ id, name, link, group_id }) => ({ id, name: name || link, link, groupId: groupOf(group_id) })),
    entries: byId(entries),
    bookmarks: stars.sort((a, b) => a.entryId - b.entryId),
  };
}

onEachEngine('any old database', (engine) => {
  it('becomes what its rules say, and the same when it is brought in twice', async () => {
    const path = join(temporaryPlace(), 'reedme.db');
    await fc.assert(
      fc.asyncProperty(anyDatabase, async (contents: Contents) => {
        makeLegacyDatabase(path, {
          groups: contents.groups.map((group) => ({ ...group })),
          feeds: contents.feeds.map((feed) => ({ ...feed })),
          items: contents.items.map(({ date, ...item }) => ({
            ...item,
            pub_date: date.written,
            created_at: date.written,
          })),
        });
        const clock = new TestClock(now);
        const { store, database } = await openEmptyStore(engine, clock);
        const { rows } = await addUser(store, 'anna', 'owner');
        const report = await importFile(rows, path, { clock, isFirst: true });
        const shown = async () => ({
          groups: (await rows.groups.list()).map(({ id, name }) => ({ id, name })),
          feeds: (await rows.feeds.list()).map(({ id, name, link, groupId }) => ({
            id,
            name,
            link,
            groupId,
          })),
          entries: byId(await listAll(rows)).map(({ id, feedId, guid, unread, link, pubDate }) => ({
            id,
            feedId,
            guid,
            unread,
            link,
            pubDate,
          })),
          bookmarks: (await rows.bookmarks.list({ limit: 100 })).bookmarks
            .map(({ entryId, link, createdAt }) => ({ entryId, link, createdAt }))
            .sort((a, b) => (a.entryId ?? 0) - (b.entryId ?? 0)),
        });
        const expected = model(contents);
        expect(await shown()).toEqual(expected);
        expect(report.entries).toMatchObject({ imported: expected.entries.length, renumbered: 0 });
        await expectDerivedIsRight(database);
        const state = await store.stateHash();
        await importFile(rows, path, { clock });
        expect(await store.stateHash()).toEqual(state);
      }),
      propertyRuns(engine.name === 'sqlite' ? 40 : 12),
    );
  });
});
