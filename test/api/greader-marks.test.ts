// Marks by the Google Reader API.
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { bookmarkEntry } from '../../src/feeds/bookmark.ts';
import { unstarEntries } from '../../src/feeds/star.ts';
import { onEachEngine } from '../support/engines.ts';
import { type Archive, hourMs, links, openArchive } from '../support/greader-archive.ts';
import {
  type Form,
  hexId,
  keptUnread,
  readingList,
  readState,
  starredState,
} from '../support/greader-session.ts';
import { expectDerivedIsRight, fill, fillMany, newFeed, published } from '../support/reader.ts';

const state = (name: string) => `user/-/state/com.google/${name}`;

onEachEngine('marks of the Google Reader API', (engine) => {
  let archive: Archive;

  beforeAll(async () => {
    archive = await openArchive(engine);
    return () => archive.api.close();
  });

  beforeEach(async () => {
    await archive.rows.entries.mark(archive.ids, { read: false });
    await unstarEntries(archive.rows, archive.ids);
  });

  const post = async (path: string, form: Form) => {
    const response = await archive.post(`/reader/api/0/${path}`, form);
    return { status: response.status, text: await response.text() };
  };
  const ok = { status: 200, text: 'OK' };
  const edit = (ids: readonly (number | string)[], more: Form) =>
    post('edit-tag', [...ids.map((id) => ['i', String(id)] as const), ...more]);
  const all = (...more: Form) => post('mark-all-as-read', more);
  const except = (...gone: (number | undefined)[]) => archive.ids.filter((id) => !gone.includes(id));

  describe('of items', () => {
    it('make them read and unread, whatever the form of their ids', async () => {
      const [a = 0, b = 0, c = 0] = archive.ids;
      expect(await edit([hexId(a), b.toString(16).padStart(16, '0'), c], [['a', readState]])).toEqual(ok);
      expect(await archive.unread()).toEqual(except(a, b, c));
      expect(await edit([a, c], [['r', readState]])).toEqual(ok);
      expect(await archive.unread()).toEqual(except(b));
      await expectDerivedIsRight(archive.api.opened.database);
    });

    it.each<[what: string, more: Form, unread: boolean]>([
      [
        'read, and no longer kept unread',
        [
          ['a', readState],
          ['r', keptUnread],
        ],
        false,
      ],
      [
        'kept unread, and not read',
        [
          ['r', readState],
          ['a', keptUnread],
          ['a', state('tracking-kept-unread')],
        ],
        true,
      ],
      ['kept unread', [['a', keptUnread]], true],
      ['unread', [['a', state('unread')]], true],
      ['fresh', [['a', state('fresh')]], true],
      ['not unread', [['r', state('unread')]], false],
      ['read by a user with a number', [['a', 'user/0123/state/com.google/read']], false],
    ])('say that it is %s', async (_what, more, unread) => {
      const [id = 0] = archive.ids;
      for (const was of [true, false]) {
        await archive.rows.entries.mark([id], { read: was });
        expect(await edit([id], more)).toEqual(ok);
        expect((await archive.rows.entries.get(id)).unread).toBe(unread);
      }
    });

    it.each([
      ['not kept unread', [['r', keptUnread]]],
      ['shared', [['a', state('broadcast')]]],
      [
        'liked',
        [
          ['a', state('like')],
          ['r', state('broadcast')],
        ],
      ],
    ] as [string, Form][])('that say only that it is %s change nothing', async (_what, more) => {
      const [id = 0] = archive.ids;
      const before = await archive.rows.entries.get(id);
      expect(await edit([id], more)).toEqual(ok);
      expect(await archive.rows.entries.get(id)).toEqual(before);
    });

    it('put stars on and take them off, together with the rest', async () => {
      const [a = 0, b = 0, c = 0] = archive.ids;
      expect(
        await edit(
          [a, b],
          [
            ['a', starredState],
            ['a', readState],
          ],
        ),
      ).toEqual(ok);
      expect(await archive.starred()).toEqual([a, b]);
      expect(await archive.unread()).toEqual(except(a, b));
      expect(await edit([b, c], [['a', starredState]])).toEqual(ok);
      expect(await archive.starred()).toEqual([a, b, c]);
      expect((await archive.rows.bookmarks.list({ limit: 10 })).total).toBe(3);
      expect(
        await edit(
          [a, c],
          [
            ['r', starredState],
            ['r', readState],
          ],
        ),
      ).toEqual(ok);
      expect(await archive.starred()).toEqual([b]);
      expect(await archive.unread()).toEqual(except(b));
    });

    it('take every star off an entry whose address has changed', async () => {
      const [id = 0] = archive.ids;
      await edit([id], [['a', starredState]]);
      await fill(archive.api.opened.store, links[0], [
        published('entry 0', { link: 'https://moved.example/0', contentHash: 'other' }),
      ]);
      await bookmarkEntry(archive.rows, id);
      expect((await archive.rows.bookmarks.list({ limit: 10 })).total).toBe(2);
      expect(await archive.idsOf(`s=${starredState}`)).toEqual([id]);
      expect(await edit([id], [['r', starredState]])).toEqual(ok);
      expect((await archive.rows.bookmarks.list({ limit: 10 })).total).toBe(0);
      expect(await archive.idsOf(`s=${starredState}`)).toEqual([]);
    });

    it('pass over what is gone, or of another', async () => {
      const theirs = await archive.other.stream.ids({ limit: 100 });
      expect(theirs.length).toBeGreaterThan(0);
      const [own = 0] = archive.ids;
      const ids = [...theirs, 999_999, 'ffffffffffffffff', '-7', own];
      expect(
        await edit(ids, [
          ['a', readState],
          ['a', starredState],
        ]),
      ).toEqual(ok);
      expect(await archive.unread()).toEqual(except(own));
      expect(await archive.starred()).toEqual([own]);
      expect(await archive.other.stream.ids({ unread: true, limit: 100 })).toEqual(theirs);
      expect(await archive.other.stream.ids({ starred: true, limit: 100 })).toEqual([]);
      expect(
        await edit(
          [...theirs],
          [
            ['r', readState],
            ['r', starredState],
          ],
        ),
      ).toEqual(ok);
    });

    it('are made on 10,000 at once', async () => {
      const { api, rows, user } = archive;
      const { id: feedId } = await rows.feeds.create(newFeed('https://many.example/feed'));
      await fillMany(api.opened.database, { userId: user.id, feedId, count: 10_000 });
      const ids = await rows.stream.ids({ feedId, limit: 10_000 });
      expect(await edit(ids.map(hexId), [['a', readState]])).toEqual(ok);
      expect((await rows.feeds.get(feedId)).unread).toBe(0);
      await expectDerivedIsRight(api.opened.database);
      await rows.feeds.delete(feedId);
      await api.opened.store.readerUpkeep.sweepDeletedFeeds();
    });

    it.each<[what: string, form: Form, message: RegExp]>([
      ['no ids', [['a', readState]], /^i: /],
      [
        'what is no id',
        [
          ['i', 'xyz'],
          ['a', readState],
        ],
        /^i: xyz is not/,
      ],
      ['neither a nor r', [['i', '1']], /^a, r: /],
      [
        'a label',
        [
          ['i', '1'],
          ['a', 'user/-/label/Work'],
        ],
        /^a: .*labels are on feeds/,
      ],
      [
        'what is no state',
        [
          ['i', '1'],
          ['r', 'read'],
        ],
        /^r: /,
      ],
      [
        'read and not read',
        [
          ['i', '1'],
          ['a', readState],
          ['r', readState],
        ],
        /^r: .* contradicts/,
      ],
      [
        'a star on and off',
        [
          ['i', '1'],
          ['a', starredState],
          ['r', starredState],
        ],
        /^r: .* contradicts/,
      ],
      [
        'read and kept unread',
        [
          ['i', '1'],
          ['a', readState],
          ['a', keptUnread],
        ],
        /^a: .* contradicts/,
      ],
    ])('are refused with %s', async (_what, form, message) => {
      const { status, text } = await post('edit-tag', form);
      expect(status).toBe(400);
      expect(text).toMatch(message);
      expect(await archive.unread()).toEqual(archive.ids);
    });
  });

  describe('of everything', () => {
    const at = (n: number) => archive.begin + n * hourMs;
    const cameUntil = (n: number) => archive.ids.slice(0, n + 1);

    it.each<[what: string, stream: () => string, feeds: number[]]>([
      ['a feed', () => `feed/${archive.feeds[1]}`, [1]],
      ['a feed by its address', () => `feed/${links[1]}`, [1]],
      ['a label', () => 'user/-/label/Work', [2]],
      ['the default label', () => 'user/-/label/Default', [0, 1]],
      ['the reading list', () => readingList, [0, 1, 2]],
      ['what is unread', () => state('unread'), [0, 1, 2]],
    ])('in %s', async (_what, stream, feeds) => {
      const inScope = (id: number) => feeds.includes(archive.ids.indexOf(id) % 3);
      expect(await all(['s', stream()], ['ts', `${at(4)}000`], ['T', 'x'])).toEqual(ok);
      const seen = cameUntil(4).filter(inScope);
      expect(await archive.unread()).toEqual(except(...seen));
      expect(await all(['s', stream()])).toEqual(ok);
      expect(await archive.unread()).toEqual(archive.ids.filter((id) => !inScope(id)));
      await expectDerivedIsRight(archive.api.opened.database);
    });

    it.each([
      ['microseconds', (millis: number) => `${millis}000`],
      ['milliseconds', (millis: number) => `${millis}`],
      ['seconds', (millis: number) => `${millis / 1_000}`],
      ['nanoseconds', (millis: number) => `${millis}000000`],
    ])('up to a moment in %s, that moment included', async (_unit, ts) => {
      expect(await all(['s', readingList], ['ts', ts(at(3))])).toEqual(ok);
      expect(await archive.unread()).toEqual(archive.ids.slice(4));
      expect(await all(['s', readingList], ['ts', ts(at(5) - 1_000)])).toEqual(ok);
      expect(await archive.unread()).toEqual(archive.ids.slice(5));
    });

    it('with a moment of nothing or 0, all that there is', async () => {
      expect(await all(['s', `feed/${archive.feeds[0]}`], ['ts', ''])).toEqual(ok);
      expect(await all(['s', `feed/${archive.feeds[1]}`], ['ts', '0'])).toEqual(ok);
      expect(await archive.unread()).toEqual(archive.ids.filter((_, n) => n % 3 === 2));
    });

    it('in several streams at once', async () => {
      const [a, b] = archive.feeds;
      expect(await all(['s', `feed/${a}`], ['s', `feed/${b}`])).toEqual(ok);
      expect(await archive.unread()).toEqual(archive.ids.filter((_, n) => n % 3 === 2));
    });

    it('that has a star', async () => {
      const [a, b, c] = archive.ids;
      await edit([a, b, c] as number[], [['a', starredState]]);
      expect(await all(['s', starredState], ['ts', `${at(1)}000`])).toEqual(ok);
      expect(await archive.unread()).toEqual(except(a, b));
      expect(await all(['s', starredState])).toEqual(ok);
      expect(await archive.unread()).toEqual(except(a, b, c));
    });

    it('in what is read, or holds nothing, changes nothing', async () => {
      expect(await all(['s', readState])).toEqual(ok);
      expect(await all(['s', state('broadcast')])).toEqual(ok);
      expect(await archive.unread()).toEqual(archive.ids);
    });

    it('is of one user alone', async () => {
      const before = await archive.other.stream.ids({ unread: true, limit: 100 });
      const [theirs] = await archive.other.feeds.list();
      expect(await all(['s', `feed/${theirs?.id}`])).toEqual({ status: 404, text: 'stream not found' });
      expect(await all(['s', readingList])).toEqual(ok);
      expect(await archive.other.stream.ids({ unread: true, limit: 100 })).toEqual(before);
    });

    it.each<[what: string, form: Form, status: number, message: RegExp]>([
      ['no stream', [['ts', '1']], 400, /^s: /],
      ['a label that is not there', [['s', 'user/-/label/No']], 404, /stream not found/],
      [
        'what is no moment',
        [
          ['s', readingList],
          ['ts', 'now'],
        ],
        400,
        /^ts: /,
      ],
      [
        'a moment before all',
        [
          ['s', readingList],
          ['ts', '-5'],
        ],
        400,
        /^ts: /,
      ],
      [
        'one good and one bad stream',
        [
          ['s', readingList],
          ['s', 'feed/999999'],
        ],
        404,
        /stream not found/,
      ],
    ])('is refused with %s', async (_what, form, status, message) => {
      const answer = await all(...form);
      expect(answer.status).toBe(status);
      expect(answer.text).toMatch(message);
      expect(await archive.unread()).toEqual(archive.ids);
    });
  });
});
