// Everything that locks rows of the reader, at the same time: PostgreSQL may find that two wait for each other, but nobody
// who asked for something is told so, and what is derived is right at the end.
import { beforeEach, expect, it } from 'vitest';
import { Conflict, NotFound } from '../../src/errors.ts';
import type { Database } from '../../src/store/database.ts';
import type { Store } from '../../src/store/store.ts';
import { onEachEngine, openEmptyStore } from '../support/engines.ts';
import { addUser, expectDerivedIsRight, fill, listAll, newFeed, published } from '../support/reader.ts';

const links = Array.from({ length: 6 }, (_, n) => `https://${n}.example/feed`);
const turnsOfEach = 12;

onEachEngine('the reader, with everything at once', (engine) => {
  let store: Store;
  let database: Database;

  beforeEach(async () => {
    ({ store, database } = await openEmptyStore(engine));
  });

  it('fails nobody, and ends with the right unread rows and counts', async () => {
    const users = [await addUser(store, 'anna', 'owner'), await addUser(store, 'berta')];
    for (const { rows } of users) await rows.feeds.createMany(links.map((link) => newFeed(link)));
    const pick = <T>(list: readonly T[], n: number) => list[n % list.length];
    const entries = (turn: number) =>
      Array.from({ length: 40 }, (_, n) => published(`${turn % 4}/${n}`, { contentHash: `${turn}` }));

    const pulling = links.map((link) => async (turn: number) => fill(store, link, entries(turn)));
    const reading = users.flatMap(({ rows }, u) => [
      // In opposite orders, so that two of them meet.
      async (turn: number) => {
        const ids = (await listAll(rows)).map(({ id }) => id);
        await rows.entries.mark(turn % 2 === 0 ? ids : ids.reverse(), { read: turn % 3 > 0 });
      },
      async (turn: number) => {
        const ids = (await listAll(rows)).map(({ id }) => id).reverse();
        await rows.entries.mark(ids, { read: turn % 2 > 0 });
      },
      async (turn: number) => {
        const feed = pick(await rows.feeds.list(), turn);
        await rows.entries.markAllRead(pick([{}, { feedId: feed?.id }, { groupId: 1 }], turn));
      },
      async () => rows.entries.markAllRead(),
      async (turn: number) => {
        const group = await rows.groups.create({ name: `Group ${u} ${turn}` });
        for (const feed of (await rows.feeds.list()).slice(turn % 3).reverse())
          await rows.feeds.update(feed.id, { groupId: group.id });
        await rows.groups.delete(group.id);
      },
      async (turn: number) => {
        const feed = pick(await rows.feeds.list(), turn);
        if (!feed) return;
        await rows.feeds.delete(feed.id);
        await rows.feeds.createMany([newFeed(feed.link)]);
      },
      async (turn: number) => {
        const entry = pick(await listAll(rows), turn);
        if (!entry) return;
        const { id } = await rows.bookmarks.create({
          ...{
            saved: { url: 'https://e', key: `1:${turn % 2}`, olderKeys: [] },
            entryId: entry.id,
            feedId: entry.feedId,
          },
          ...{ link: '', title: '', content: '', pubDate: 0, feedName: '' },
        });
        await rows.bookmarks.delete(id);
      },
      async (turn: number) => {
        const { bookmarks } = await rows.bookmarks.list({ limit: 5 });
        await Promise.all(bookmarks.map(({ id }) => rows.bookmarks.delete(id).catch(expectGone)));
        const feed = pick(await rows.feeds.list(), turn);
        if (!feed) return;
        await rows.feeds.update(feed.id, { keepEntries: 20 });
      },
    ]);
    const upkeep = [() => store.readerUpkeep.settleUnread(), () => store.readerUpkeep.sweepDeletedFeeds()];

    await Promise.all(
      [...pulling, ...reading, ...upkeep].map(async (work) => {
        for (let turn = 0; turn < turnsOfEach; turn++) await work(turn).catch(expectGone);
      }),
    );
    await store.readerUpkeep.sweepDeletedFeeds();
    await expectDerivedIsRight(database);
  });
});

/** Another was faster: it is gone, or there already. */
function expectGone(error: unknown): void {
  if (error instanceof NotFound || error instanceof Conflict) return;
  expect.fail(String((error as Error).stack));
}
