// "Delete the database; nothing is lost": two readers live with feeds of all kinds, lose the index, and read on as if
// nothing had been. From each engine into each.
import { describe, expect, it, onTestFinished } from 'vitest';
import { bookmarkEntry } from '../../src/feeds/bookmark.ts';
import type { PullDeps } from '../../src/feeds/pull-feed.ts';
import { schedulePulls } from '../../src/feeds/pull-jobs.ts';
import { createHostTurns } from '../../src/outbound/host-turns.ts';
import type { Target } from '../../src/store/open.ts';
import type { UserRows } from '../../src/store/store.ts';
import { TestClock, tieClocks } from '../support/clock.ts';
import { engines, useEngine } from '../support/engines.ts';
import { feedSite, parseGuids } from '../support/feed-server.ts';
import { folderFiles, openPair, reinflateInto, temporaryFolder } from '../support/library.ts';
import { createWorld } from '../support/outbound.ts';
import { doPulls } from '../support/pulling.ts';
import { addUser, listAll, newFeed } from '../support/reader.ts';

const hour = 3_600_000;
const settings = { intervalMs: 2 * hour, maxBackoffMs: 48 * hour, timeoutMs: 30_000 };
const site = 'http://feeds.example';

/** Everything that a reader sees but how fetching goes. */
async function viewOf(rows: UserRows) {
  const feeds = (await rows.feeds.list()).map(({ fetchState: _state, ...feed }) => feed);
  const groups = await rows.groups.list();
  return {
    feeds,
    groups,
    all: await listAll(rows),
    unread: await listAll(rows, { unread: true }),
    unreadOfGroups: await Promise.all(
      groups.map(async ({ id }) => [
        await rows.entries.count({ groupId: id, unread: true }),
        (await listAll(rows, { groupId: id, unread: true })).map((entry) => entry.id),
      ]),
    ),
    counts: [await rows.entries.count({}), await rows.entries.count({ unread: true })],
    bookmarks: await rows.bookmarks.list({ limit: 100 }),
  };
}

describe.each(engines.flatMap((from) => engines.map((to) => [from, to] as const)))(
  'from %s into %s',
  (from, to) => {
    const [source, destination] = [useEngine(from), useEngine(to)];

    it('two readers find everything as they left it, and what is published next', async () => {
      const clock = new TestClock();
      const files = await folderFiles(await temporaryFolder(), clock);
      const feeds = feedSite(clock.now);
      const world = createWorld({ now: clock.now });
      await world.site('feeds.example', feeds.listener);

      /** Opens an index with a worker beside it. */
      const open = async (target: Target) => {
        const pair = await openPair(target, files, clock);
        let closed: Promise<void> | undefined;
        const close = () => {
          closed ??= pair.close();
          return closed;
        };
        onTestFinished(close);
        // The queue goes by the clock of the database, which must not stand still.
        tieClocks(pair.database, clock);
        const deps: PullDeps = {
          pulls: pair.store.pulls,
          outbound: world.outbound,
          parse: parseGuids,
          turns: createHostTurns(clock.now),
          settings,
          now: clock.now,
          userAgent: () => 'Lectern/test',
        };
        return {
          ...pair,
          close,
          async live(forMs: number): Promise<void> {
            for (let passed = 0; passed < forMs; passed += hour / 4) {
              await schedulePulls({ pulls: pair.store.pulls, settings, random: () => 0 });
              await doPulls(pair.store, deps);
              clock.advance(hour / 4);
            }
          },
        };
      };

      const published: Record<string, string[]> = {
        shared: ['s1', 's2', 's3', 's4'],
        kept: ['k1', 'k2', 'k3', 'k4', 'k5'],
        left: ['l1', 'l2'],
        new: ['m1'],
        grouped: ['g1', 'g2'],
      };
      for (const name of Object.keys(published))
        feeds.script(`/${name}`, ({ headers }) => {
          const etag = `"${published[name]}"`;
          return headers['if-none-match'] === etag
            ? { status: 304 }
            : { headers: { etag }, body: published[name] ?? [] };
        });
      feeds.script('/old', { status: 301, headers: { location: '/new' } });
      feeds.script('/gone', { status: 410 });

      let lectern = await open(await source.freshTarget());
      const anna = await addUser(lectern.store, 'anna', 'owner');
      const berta = await addUser(lectern.store, 'berta');
      const follow = (rows: UserRows, name: string, groupId = 1) =>
        rows.feeds.create(newFeed(`${site}/${name}`, groupId));
      const news = await anna.rows.groups.create({ name: 'News' });
      const short = await anna.rows.groups.create({ name: 'Short-lived' });
      await follow(anna.rows, 'shared', news.id);
      await follow(berta.rows, 'shared');
      const kept = await follow(anna.rows, 'kept');
      const left = await follow(anna.rows, 'left');
      await follow(anna.rows, 'old');
      await follow(anna.rows, 'grouped', short.id);
      const gone = await follow(berta.rows, 'gone');
      await lectern.live(hour);
      await lectern.flush();

      const idOf = async (rows: UserRows, guid: string) =>
        (await listAll(rows)).find((entry) => entry.guid === guid)?.id ?? 0;
      await bookmarkEntry(anna.rows, await idOf(anna.rows, 'l1'));
      await bookmarkEntry(anna.rows, await idOf(anna.rows, 'k2'));
      await bookmarkEntry(berta.rows, await idOf(berta.rows, 's2'));
      await anna.rows.entries.markAllRead();
      await anna.rows.entries.mark([await idOf(anna.rows, 's1'), await idOf(anna.rows, 'k3')], {
        read: false,
      });
      await berta.rows.entries.mark([await idOf(berta.rows, 's4')], { read: true });
      await anna.rows.feeds.update(kept.id, { keepEntries: 1 });
      await anna.rows.feeds.delete(left.id);
      await anna.rows.groups.delete(short.id);
      await lectern.flush();
      published.shared = ['s2:2', 's3', 's4', 's5'];
      published.kept = ['k1', 'k2', 'k3', 'k4', 'k5', 'k6'];
      await lectern.live(9 * hour);
      await lectern.flush();

      const before = [await viewOf(anna.rows), await viewOf(berta.rows)] as const;
      const hash = await lectern.store.stateHash();
      await lectern.close();

      // It is all there to be lost.
      const guids = (entries: readonly { guid: string }[]) => entries.map(({ guid }) => guid).sort();
      expect(guids(before[0].all)).toEqual(
        ['g1', 'g2', 'k2', 'k3', 'k6', 'm1', 's1', 's2', 's3', 's4', 's5'].sort(),
      );
      expect(guids(before[0].unread)).toEqual(['k3', 'k6', 's1', 's5']);
      expect(guids(before[1].unread)).toEqual(['s1', 's2', 's3', 's5']);
      expect(before[0].bookmarks.bookmarks.map(({ entryId }) => entryId === null).sort()).toEqual([
        false,
        true,
      ]);
      expect(before[0].feeds.map(({ link }) => link)).toContain(`${site}/new`);
      expect(before[0].feeds.map(({ movedFrom }) => movedFrom)).toContain(`${site}/old`);
      expect(before[1].feeds.find(({ id }) => id === gone.id)).toMatchObject({ suspended: true });

      const target = await destination.freshTarget({ empty: true });
      await reinflateInto(target, files, { now: clock.now, pullIntervalMs: settings.intervalMs });
      lectern = await open(target);
      const rows = [lectern.store.forUser(anna.id), lectern.store.forUser(berta.id)] as const;
      const views = () => Promise.all(rows.map(viewOf));
      expect(await lectern.store.stateHash()).toEqual(hash);
      expect(await views()).toEqual(before);

      // Nothing is known of the last fetches, so the first ones are spread over the interval, and ask for everything.
      const due = (await Promise.all(rows.map(({ feeds }) => feeds.list())))
        .flat()
        .map(({ fetchState }) => fetchState.nextCheckAt - clock.now());
      expect(Math.min(...due)).toBeGreaterThanOrEqual(0);
      expect(Math.max(...due)).toBeLessThan(settings.intervalMs);
      expect(Math.max(...due) - Math.min(...due)).toBeGreaterThan(settings.intervalMs / 2);
      const earlier = feeds.requests.length;
      await lectern.live(3 * settings.intervalMs);
      const asked = Map.groupBy(feeds.requests.slice(earlier), ({ path }) => path);
      expect([...asked.keys()].sort()).toEqual(['/grouped', '/kept', '/new', '/shared']);
      for (const [path, requests] of asked) {
        const [first, ...later] = requests.map(({ headers }) => headers['if-none-match']);
        expect(first).toBeUndefined();
        expect(new Set(later)).toEqual(new Set([`"${published[path.slice(1)]}"`]));
      }
      expect(await views()).toEqual(before);
      expect(await lectern.store.stateHash()).toEqual(hash);

      published.shared = [...published.shared, 's6'];
      published.kept = [...published.kept, 'k7'];
      await lectern.live(2 * settings.intervalMs);
      const [annas, bertas] = await views();
      expect(guids(annas?.unread ?? [])).toEqual(['k3', 'k6', 'k7', 's1', 's5', 's6']);
      expect(guids(bertas?.unread ?? [])).toEqual(['s1', 's2', 's3', 's5', 's6']);
      const highest = Math.max(...before.flatMap(({ all }) => all.map(({ id }) => id)));
      for (const guid of ['k7', 's6']) expect(await idOf(rows[0], guid)).toBeGreaterThan(highest);
    });
  },
);
