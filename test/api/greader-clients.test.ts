// Apps that behave as the known ones do, each doing a day's work.
import { beforeEach, describe, expect, it } from 'vitest';
import { onBothEngines } from '../support/engines.ts';
import { type Archive, hourMs, links, openArchive } from '../support/greader-archive.ts';
import { greaderApps, type ReaderApp } from '../support/greader-clients.ts';
import { fill, published } from '../support/reader.ts';

onBothEngines('an app of the Google Reader API', (engine) => {
  describe.each(Object.keys(greaderApps))('that behaves as %s does', (name) => {
    let archive: Archive;
    let app: ReaderApp;

    beforeEach(async () => {
      archive = await openArchive(engine, { hours: 12 });
      const make = greaderApps[name] as (typeof greaderApps)[string];
      app = make(await archive.connection(name.startsWith('newsboat') ? '' : '/api/greader.php'));
      await app.login();
      return () => archive.api.close();
    });

    it('lists feeds, syncs, marks and stars, and changes nothing of another user', async () => {
      const { ids, rows, other } = archive;
      const theirs = await other.stream.ids({ limit: 100 });
      expect(await app.listFeeds()).toEqual(
        archive.feeds.map((id, n) => ({ id, title: `Feed ${n}`, label: n === 2 ? 'Work' : 'Default' })),
      );
      expect(await app.syncUnread()).toEqual(ids);

      const [a = 0, b = 0, c = 0] = ids;
      await app.markRead([a, b, c]);
      expect(await archive.unread()).toEqual(ids.slice(3));
      await app.markUnread([b]);
      expect(await app.syncUnread()).toEqual([b, ...ids.slice(3)]);
      await app.star([a, c]);
      expect(await archive.starred()).toEqual([a, c]);
      await app.unstar([a]);
      expect(await archive.starred()).toEqual([c]);

      // Marked elsewhere, and new: old by its date, and come only now.
      await rows.entries.mark(ids.slice(3, 6), { read: true });
      archive.api.clock.advance(hourMs);
      await fill(archive.api.opened.store, links[0], [
        published('late', { pubDate: archive.begin - 400 * 24 * hourMs }),
      ]);
      const [late = 0] = await rows.stream.ids({ limit: 1 });
      expect(ids).not.toContain(late);
      expect(await app.syncUnread()).toEqual([b, ...ids.slice(6), late]);

      const before = await other.stream.ids({ unread: true, limit: 100 });
      await app.markRead(theirs);
      await app.star(theirs);
      expect(await other.stream.ids({ unread: true, limit: 100 })).toEqual(before);
      expect(await other.stream.ids({ starred: true, limit: 100 })).toEqual([]);
    });

    it('marks all of a feed, of a label and of everything read', async () => {
      const { ids, feeds, begin } = archive;
      const now = archive.api.clock.now();
      const left = (inScope: (n: number) => boolean) => ids.filter((_, n) => !inScope(n));
      await app.markAllRead({ feedId: feeds[0] ?? 0 }, now);
      expect(await archive.unread()).toEqual(left((n) => n % 3 === 0));
      if (app.sendsMoment) {
        await app.markAllRead({ label: 'Work' }, begin + 5 * hourMs);
        expect(await archive.unread()).toEqual(left((n) => n % 3 === 0 || (n % 3 === 2 && n <= 5)));
        await app.markAllRead('all', begin + 6 * hourMs);
        expect(await archive.unread()).toEqual(left((n) => n % 3 === 0 || n <= 6));
      }
      await app.markAllRead({ label: 'Work' });
      expect((await archive.unread()).filter((id) => ids.indexOf(id) % 3 === 2)).toEqual([]);
      expect((await archive.unread()).length).toBeGreaterThan(0);
      await app.markAllRead('all');
      expect(await archive.unread()).toEqual([]);
      expect(await app.syncUnread()).toEqual([]);
    });
  });
});
