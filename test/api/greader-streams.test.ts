// What the Google Reader API gives of entries: ids, contents, Atom.
import { beforeAll, describe, expect, it } from 'vitest';
import { starEntries } from '../../src/feeds/star.ts';
import { onEachEngine } from '../support/engines.ts';
import { type Archive, hourMs, links, openArchive } from '../support/greader-archive.ts';
import {
  type Contents,
  hexId,
  type Ids,
  readingList,
  readState,
  starredState,
} from '../support/greader-session.ts';
import { fill, fillMany, newFeed, published } from '../support/reader.ts';

const idsPath = '/reader/api/0/stream/items/ids';
const state = (name: string) => `user/-/state/com.google/${name}`;

onEachEngine('streams of the Google Reader API', (engine) => {
  let archive: Archive;
  let newest: number[];
  let readIds: number[];
  let starredIds: number[];

  beforeAll(async () => {
    archive = await openArchive(engine);
    const { rows, ids } = archive;
    newest = ids.toReversed();
    readIds = [ids[1], ids[4], ids[8]] as number[];
    starredIds = [ids[2], ids[4]] as number[];
    await rows.entries.mark(readIds, { read: true });
    await starEntries(rows, starredIds);
    return () => archive.api.close();
  });

  const of = (feed: number) => newest.filter((id) => archive.ids.indexOf(id) % 3 === feed);
  const without = (ids: readonly number[]) => newest.filter((id) => !ids.includes(id));

  describe('ids', () => {
    it('are decimal, newest first, and all of the reading list where no stream is named', async () => {
      expect(await archive.idsOf(`s=${readingList}`)).toEqual(newest);
      expect(await archive.idsOf('')).toEqual(newest);
      const { itemRefs } = (await (await archive.get(idsPath)).json()) as Ids;
      expect(itemRefs[0]).toEqual({ id: String(newest[0]) });
    });

    it('of a feed, by its id or its address, and of a label', async () => {
      expect(await archive.idsOf(`s=feed/${archive.feeds[1]}`)).toEqual(of(1));
      expect(await archive.idsOf(`s=feed/${encodeURIComponent(links[1])}`)).toEqual(of(1));
      expect(await archive.idsOf('s=user/-/label/Work')).toEqual(of(2));
      expect(await archive.idsOf('s=user/anna/label/Work')).toEqual(of(2));
      expect(await archive.idsOf('s=user/-/label/Default')).toEqual(without(of(2)));
    });

    it('of a state', async () => {
      const byNewest = (ids: number[]) => ids.toSorted((a, b) => b - a);
      expect(await archive.idsOf(`s=${readState}`)).toEqual(byNewest(readIds));
      expect(await archive.idsOf(`s=${starredState}`)).toEqual(byNewest(starredIds));
      expect(await archive.idsOf(`s=user/1234/state/com.google/starred`)).toEqual(byNewest(starredIds));
      for (const name of ['unread', 'kept-unread', 'fresh'])
        expect(await archive.idsOf(`s=${state(name)}`)).toEqual(without(readIds));
      for (const name of ['broadcast', 'like', 'created'])
        expect(await archive.idsOf(`s=${state(name)}`)).toEqual([]);
    });

    it('without what is excluded, and with what is included alone', async () => {
      expect(await archive.idsOf(`xt=${readState}`)).toEqual(without(readIds));
      expect(await archive.idsOf(`xt=${starredState}`)).toEqual(without(starredIds));
      expect(await archive.idsOf(`xt=${state('unread')}`)).toEqual(
        newest.filter((id) => readIds.includes(id)),
      );
      expect(await archive.idsOf(`it=${readState}`)).toEqual(newest.filter((id) => readIds.includes(id)));
      expect(await archive.idsOf(`it=${starredState}&it=${readState}`)).toEqual([archive.ids[4]]);
      expect(await archive.idsOf(`it=${starredState}&xt=${readState}`)).toEqual([archive.ids[2]]);
      expect(await archive.idsOf(`it=${readState}&xt=${readState}`)).toEqual([]);
      expect(await archive.idsOf(`xt=feed/${archive.feeds[0]}`)).toEqual(without(of(0)));
      expect(await archive.idsOf(`xt=feed/${archive.feeds[0]}&xt=user/-/label/Work`)).toEqual(of(1));
      expect(await archive.idsOf('xt=user/-/label/Default')).toEqual(of(2));
      expect(await archive.idsOf(`xt=${readingList}`)).toEqual([]);
      expect(await archive.idsOf('xt=feed/999999')).toEqual(newest);
      expect(await archive.idsOf('it=feed/999999')).toEqual([]);
      expect(await archive.idsOf(`xt=${state('broadcast')}`)).toEqual(newest);
      expect(await archive.idsOf(`s=user/-/label/Work&it=feed/${archive.feeds[0]}`)).toEqual([]);
      expect(await archive.idsOf(`s=user/-/label/Work&xt=${readState}`)).toEqual(
        of(2).filter((id) => !readIds.includes(id)),
      );
    });

    it('of several streams at once, each entry once', async () => {
      const [a, b] = archive.feeds;
      expect(await archive.idsOf(`s=feed/${a}&s=feed/${b}&s=${starredState}`)).toEqual(
        newest.filter((id) => [...of(0), ...of(1), ...starredIds].includes(id)),
      );
      const pages: number[] = [];
      for (let next: string | undefined = ''; next !== undefined; ) {
        const path = `${idsPath}?s=feed/${a}&s=feed/${b}&n=2${next && `&c=${next}`}`;
        const page = (await (await archive.get(path)).json()) as Ids;
        pages.push(...page.itemRefs.map(({ id }) => Number(id)));
        next = page.continuation;
      }
      expect(pages).toEqual(without(of(2)));
    });

    it('by when they came, whatever date they bear', async () => {
      const { ids, begin } = archive;
      const seconds = (n: number) => (begin + n * hourMs) / 1_000;
      expect(await archive.idsOf(`ot=${seconds(6)}`)).toEqual(ids.slice(6).toReversed());
      expect(await archive.idsOf(`ot=${seconds(6) * 1_000_000}`)).toEqual(ids.slice(6).toReversed());
      expect(await archive.idsOf(`ot=${seconds(99)}`)).toEqual([]);
      expect(await archive.idsOf(`nt=${seconds(2)}`)).toEqual(ids.slice(0, 3).toReversed());
      expect(await archive.idsOf(`nt=${seconds(2) - 1}`)).toEqual(ids.slice(0, 2).toReversed());
      expect(await archive.idsOf(`ot=${seconds(2)}&nt=${seconds(4)}&r=o`)).toEqual(ids.slice(2, 5));
      expect(await archive.idsOf(`ot=${seconds(5)}&xt=${readState}`)).toEqual(
        ids
          .slice(5)
          .filter((id) => !readIds.includes(id))
          .toReversed(),
      );
      expect(await archive.idsOf(`ot=${seconds(5)}&s=feed/${archive.feeds[2]}`)).toEqual(
        of(2).filter((id) => ids.indexOf(id) >= 5),
      );
    });

    it('that came while the last answer was made are in the next, which asks from then', async () => {
      const { begin, ids } = archive;
      const later = (begin + 8 * hourMs) / 1_000 + 3;
      expect(await archive.idsOf(`ot=${later}`)).toEqual([ids[8]]);
      expect(await archive.idsOf(`ot=${later + 60}`)).toEqual([]);
    });

    it.each(['d', 'o'])('come in pages that neither repeat nor leave out, in order %s', async (order) => {
      const seen: number[] = [];
      for (let next: string | undefined = ''; next !== undefined; ) {
        const path = `${idsPath}?n=4&r=${order}${next && `&c=${encodeURIComponent(next)}`}`;
        const page = (await (await archive.get(path)).json()) as Ids;
        expect(page.itemRefs.length).toBeLessThanOrEqual(4);
        seen.push(...page.itemRefs.map(({ id }) => Number(id)));
        next = page.continuation;
      }
      expect(seen).toEqual(order === 'o' ? archive.ids : newest);
    });

    it('have no continuation on a page that is exactly the last', async () => {
      const ids = (await (await archive.get(`${idsPath}?n=9`)).json()) as Ids;
      expect(ids.itemRefs).toHaveLength(9);
      expect(ids).not.toHaveProperty('continuation');
      const contents = await archive.contents('?n=9');
      expect(contents.items).toHaveLength(9);
      expect(contents).not.toHaveProperty('continuation');
      expect((await archive.contents('?n=8')).continuation).toBe(String(newest[7]));
    });
  });

  describe('contents', () => {
    it('say all that is known of an entry', async () => {
      const { api, rows, begin } = archive;
      const link = 'https://full.example/feed';
      const { id: feedId } = await rows.feeds.create({
        ...newFeed(link, archive.workId),
        name: 'Full & <b>',
      });
      const at = begin + 20 * hourMs + 123;
      api.clock.advance(at - api.clock.now());
      const categories = ['Weather', 'a/b', readState, 'x/state/com.google/read', 'user/-/label/Fake'];
      await fill(api.opened.store, link, [
        published('full', {
          title: 'A < B & "C"',
          author: 'Ann Author',
          content: '<p>Text</p>',
          categories,
          enclosures: [
            { url: 'https://full.example/1.mp3', type: 'audio/mpeg', lengthBytes: 1234 },
            { url: 'https://full.example/2.jpg', type: '', lengthBytes: null },
          ],
          pubDate: 1_600_000_000_000,
        }),
      ]);
      const [id = 0] = await archive.idsOf(`s=feed/${feedId}`);
      const article = {
        id: hexId(id),
        crawlTimeMsec: String(at),
        timestampUsec: `${at}000`,
        published: 1_600_000_000,
        updated: Math.floor(at / 1_000),
        title: 'A < B & "C"',
        author: 'Ann Author',
        canonical: [{ href: 'https://example.org/full' }],
        alternate: [{ href: 'https://example.org/full', type: 'text/html' }],
        enclosure: [
          { href: 'https://full.example/1.mp3', type: 'audio/mpeg', length: 1234 },
          { href: 'https://full.example/2.jpg', type: '' },
        ],
        categories: [readingList, state('fresh'), 'user/-/label/Work', 'Weather', 'a/b'],
        origin: { streamId: `feed/${feedId}`, title: 'Full & <b>', htmlUrl: '' },
        summary: { content: '<p>Text</p>' },
      };
      const response = await archive.get(`/reader/api/0/stream/contents/feed/${feedId}`);
      expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
      expect(await response.json()).toEqual({
        direction: 'ltr',
        id: `feed/${feedId}`,
        title: 'Full & <b>',
        updated: Math.floor(at / 1_000),
        items: [article],
      });
      await rows.entries.mark([id], { read: true });
      await starEntries(rows, [id]);
      expect((await archive.article(id)).categories).toEqual([
        readingList,
        readState,
        starredState,
        'user/-/label/Work',
        'Weather',
        'a/b',
      ]);
      await rows.feeds.delete(feedId);
    });

    it('are of the stream in the path, however that is written, or in s', async () => {
      const [a] = archive.feeds;
      const idsIn = async (path: string) => (await archive.contents(path)).items.map(({ id }) => id);
      const expected = of(0).map(hexId);
      for (const path of [
        `/feed/${a}`,
        `/feed%2F${a}`,
        `/feed/${encodeURIComponent(links[0])}`,
        `/feed%2F${encodeURIComponent(links[0])}`,
        `/feed/${links[0]}`,
        `?s=feed/${a}`,
        `?s=feed%2F${a}&output=json`,
        `/?s=feed/${a}`,
      ])
        expect(await idsIn(path), path).toEqual(expected);
      for (const path of ['', '/', `/${readingList}`, `/${encodeURIComponent(readingList)}`])
        expect(await idsIn(path), path).toEqual(newest.map(hexId));
      expect(await idsIn('/user/-/label/Work')).toEqual(of(2).map(hexId));
      expect(await idsIn(`/${starredState}?xt=${readState}`)).toEqual([hexId(archive.ids[2] ?? 0)]);
    });

    it('of items by their ids, in every form, by GET and POST, and nothing of others', async () => {
      const [a = 0, b = 0, c = 0] = archive.ids;
      const [theirs = 0] = await archive.other.stream.ids({ limit: 1 });
      const form = [
        hexId(a),
        b.toString(16).padStart(16, '0'),
        String(c),
        String(theirs),
        hexId(999_999),
        '-5',
      ];
      const posted = await archive.post(
        '/reader/api/0/stream/items/contents',
        form.map((i) => ['i', i] as const),
      );
      const { items, id } = (await posted.json()) as Contents;
      expect(id).toBe(readingList);
      expect(items.map((item) => item.id)).toEqual([a, b, c].map(hexId));
      const query = form.map((i) => `i=${encodeURIComponent(i)}`).join('&');
      const got = await archive.get(`/reader/api/0/stream/items/contents?${query}`);
      expect(((await got.json()) as Contents).items).toEqual(items);
    });

    it('follow the text that is shown, and the name that the feed has now', async () => {
      const [id = 0] = archive.ids;
      await archive.rows.feeds.update(archive.feeds[0] ?? 0, { name: 'Renamed' });
      expect((await archive.article(id)).origin.title).toBe('Renamed');
    });
  });

  describe('Atom', () => {
    it('is what newsboat reads in its feedhq mode', async () => {
      const response = await archive.get(
        `/reader/atom/${encodeURIComponent(`feed/${archive.feeds[1]}`)}?n=2`,
      );
      expect(response.headers.get('content-type')).toBe('application/atom+xml; charset=UTF-8');
      const xml = await response.text();
      expect(xml).toMatch(
        /^<\?xml version="1\.0" encoding="utf-8"\?>\n<feed xmlns="http:\/\/www\.w3\.org\/2005\/Atom"/,
      );
      expect(xml.match(/<entry /g)).toHaveLength(2);
      const [first = 0, second = 0, third = 0] = of(1);
      expect(xml).toContain(`<gr:continuation>${second}</gr:continuation>`);
      expect(xml).toContain(`<id>${hexId(first)}</id>`);
      expect(xml).not.toContain(hexId(third));
      const labelsOf = (id: number) =>
        [
          ...(xml.split('<entry ').find((entry) => entry.includes(hexId(id))) ?? '').matchAll(
            /label="([^"]*)"/g,
          ),
        ].map(([, label]) => label);
      expect(labelsOf(first)).toEqual(['reading-list', 'fresh']);
      expect(labelsOf(second)).toEqual(['reading-list', 'read', 'starred']);
      expect(xml).toContain('<link rel="alternate" href="https://b.example/" type="text/html"/>');
      expect(xml).toContain('<content type="html">&lt;p&gt;entry 7&lt;/p&gt;</content>');
      expect(xml).toContain('scheme="http://www.google.com/reader/" label="fresh"/>');
    });

    it('holds whatever a feed wrote, and lets none of it pass for a mark', async () => {
      const { api, rows } = archive;
      const { id: groupId } = await rows.groups.create({ name: 'read' });
      const link = 'https://odd.example/feed';
      const { id: feedId } = await rows.feeds.create({ ...newFeed(link, groupId), name: ']]> & <x> "y"' });
      await fill(api.opened.store, link, [
        published('odd', {
          title:
            'a\u0001b\u000bc \ufffe</title><category scheme="http://www.google.com/reader/" label="read"/>',
          author: 'A & B',
          content: '<p>x &amp; y</p>\r\n',
          categories: ['read', '"/><category scheme="http://www.google.com/reader/" label="read"/>'],
          link: 'https://odd.example/?a=1&b="2"',
          enclosures: [{ url: 'https://odd.example/1?a&b', type: 'audio/mpeg', lengthBytes: null }],
        }),
      ]);
      for (const base of ['', '/api/greader.php']) {
        const xml = await (await archive.get(`${base}/reader/atom/feed/${feedId}`)).text();
        const marks = [...xml.matchAll(/<category [^>]*scheme="[^"]*" label="([^"]*)"/g)].map(
          ([, label]) => label,
        );
        expect(marks).toEqual(['reading-list', 'fresh']);
        expect(xml).toContain('<category term="user/-/label/read"/>');
        expect(xml).toContain('<title>abc &lt;/title&gt;');
        expect(xml).toContain('&lt;p&gt;x &amp;amp; y&lt;/p&gt;&#13;&#10;');
        expect(xml).toContain(
          '<link rel="enclosure" href="https://odd.example/1?a&amp;b" type="audio/mpeg"/>',
        );
        expect(xml).toContain('<name>A &amp; B</name>');
      }
      await rows.feeds.delete(feedId);
      await rows.groups.delete(groupId);
    });

    it('is of any stream', async () => {
      const idsIn = async (path: string) =>
        [...(await (await archive.get(path)).text()).matchAll(/<entry [^>]*>\n<id>([^<]*)</g)].map(
          ([, id]) => id,
        );
      expect(await idsIn(`/reader/atom/${readingList}?xt=${readState}`)).toEqual(without(readIds).map(hexId));
      expect(await idsIn('/reader/atom/user/-/label/Work')).toEqual(of(2).map(hexId));
      expect(await idsIn('/reader/atom')).toEqual(newest.map(hexId));
    });
  });

  it('gives 1,000 contents and 10,000 ids at once, and not more', async () => {
    const { api, rows, user } = archive;
    const { id: feedId } = await rows.feeds.create(newFeed('https://many.example/feed'));
    await fillMany(api.opened.database, { userId: user.id, feedId, count: 10_100 });
    const stream = `feed/${feedId}`;
    const all = await rows.stream.ids({ feedId, limit: 20_000 });
    expect(all).toHaveLength(10_100);
    const ids = (await (await archive.get(`${idsPath}?s=${stream}&n=999999`)).json()) as Ids;
    expect(ids.itemRefs.map(({ id }) => Number(id))).toEqual(all.slice(0, 10_000));
    expect(ids.continuation).toBe(String(all[9_999]));
    const contents = await archive.contents(`/${stream}?n=5000&c=${ids.continuation}`);
    expect(contents.items.map(({ id }) => id)).toEqual(all.slice(10_000).map(hexId));
    const page = await archive.contents(`/${stream}?n=5000`);
    expect(page.items.map(({ id }) => id)).toEqual(all.slice(0, 1_000).map(hexId));
    expect(page.continuation).toBe(String(all[999]));
    expect((await archive.idsOf(`s=${stream}`)).length).toBe(20);
    await rows.feeds.delete(feedId);
  });

  it('are empty for a feed that has nothing', async () => {
    const { id } = await archive.rows.feeds.create(newFeed('https://none.example/feed'));
    expect(await archive.idsOf(`s=feed/${id}`)).toEqual([]);
    expect((await archive.contents(`/feed/${id}`)).items).toEqual([]);
    expect(await (await archive.get(`/reader/atom/feed/${id}`)).text()).toMatch(/<\/updated>\n<\/feed>\n$/);
    await archive.rows.feeds.delete(id);
  });

  it.each(['feed/999999', 'user/-/label/Nothing', state('made-up'), 'nonsense', 'feed/https://x.example/'])(
    'are not found for %s',
    async (name) => {
      for (const path of [
        `${idsPath}?s=${name}`,
        `/reader/api/0/stream/contents/${name}`,
        `/reader/atom/${name}`,
      ])
        expect((await archive.get(path)).status, path).toBe(404);
    },
  );
});
