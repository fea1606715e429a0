// Full texts of entries in the store: who gets a job, what is written, and what is shown of an entry.
import { beforeEach, expect, it } from 'vitest';
import { bookmarkEntry } from '../../src/feeds/bookmark.ts';
import { entrySource } from '../../src/feeds/reader-search.ts';
import type { JobFence } from '../../src/model/job.ts';
import { parseQuery } from '../../src/search/parse-query.ts';
import type { Database } from '../../src/store/database.ts';
import { fullTextKind } from '../../src/store/reader/full-text-jobs.ts';
import type { Store } from '../../src/store/store.ts';
import { onEachEngine, openEmptyStore } from '../support/engines.ts';
import { addUser, fill, listAll, newFeed, published } from '../support/reader.ts';
import { foundIds, indexAll } from '../support/search-docs.ts';

const link = 'https://example.org/feed';
type User = Awaited<ReturnType<typeof addUser>>;

onEachEngine('full texts of entries', (engine) => {
  let store: Store;
  let database: Database;
  let anna: User;
  let ben: User;

  beforeEach(async () => {
    ({ store, database } = await openEmptyStore(engine));
    anna = await addUser(store, 'anna', 'owner');
    ben = await addUser(store, 'ben');
  });

  const follow = async ({ rows }: User, { fullText = true, proxy = '' } = {}) => {
    const { id } = await rows.feeds.create({ ...newFeed(link), proxy });
    await rows.feeds.update(id, { fullText });
    return id;
  };
  const jobs = async () =>
    (await store.jobs.list({ name: fullTextKind.name, limit: 100 })).map(({ payload }) =>
      fullTextKind.schema.parse(payload),
    );
  const claim = async (): Promise<JobFence> => {
    const [job] = await store.jobs.settleAndClaim([], {
      holder: 'test',
      leaseMs: 60_000,
      names: [fullTextKind.name],
      total: 1,
      background: 1,
      low: 1,
      first: 'low',
      suspect: false,
    });
    if (!job) throw new Error('no job was claimed');
    return job;
  };
  const entriesOf = ({ rows }: User) => listAll(rows);
  const contents = async (user: User) => (await entriesOf(user)).map(({ content }) => content);
  const texts = async () => database.read.selectFrom('entry_texts').selectAll().execute();
  const found = (user: User, q: string) => foundIds(store, user.id, parseQuery(q), ['entry']);
  const index = () => indexAll(store, entrySource(store.readerTexts));

  it('are fetched for new entries of feeds that have it on, once for all who follow them', async () => {
    await follow(anna);
    await follow(ben);
    await fill(store, link, [published('a'), published('b')]);
    const made = await jobs();
    expect(made.map(({ url }) => url).sort()).toEqual(['https://example.org/a', 'https://example.org/b']);
    const all = [...(await entriesOf(anna)), ...(await entriesOf(ben))];
    for (const { url, proxy, entryIds } of made) {
      expect(proxy).toBe('');
      expect(entryIds.toSorted()).toEqual(
        all
          .filter((entry) => entry.link === url)
          .map(({ id }) => id)
          .toSorted(),
      );
    }
    // What is there already is not new again.
    await fill(store, link, [published('a', { content: 'changed', contentHash: 'other' }), published('b')]);
    expect((await jobs()).length).toBe(2);
  });

  it('are fetched for nobody who has not asked for it, nor for what is no page', async () => {
    await follow(anna, { fullText: false });
    await follow(ben);
    await fill(store, link, [published('a', { link: '' }), published('b', { link: 'ftp://example.org/b' })]);
    expect(await jobs()).toEqual([]);
    await fill(store, link, [published('c')]);
    const [ofBen] = (await entriesOf(ben)).filter(({ guid }) => guid === 'c');
    expect(await jobs()).toEqual([{ url: 'https://example.org/c', proxy: '', entryIds: [ofBen?.id] }]);
  });

  it('are asked for through the proxy of the feed, apart from those who have none', async () => {
    await follow(anna);
    const proxied = await follow(ben, { fullText: false });
    await fill(store, link, [published('a')]);
    await ben.rows.feeds.update(proxied, { proxy: 'http://proxy.example:8080', fullText: true });
    const [ofAnna] = await entriesOf(anna);
    const [ofBen] = await entriesOf(ben);
    expect((await jobs()).toSorted((a, b) => a.proxy.length - b.proxy.length)).toEqual([
      { url: 'https://example.org/a', proxy: '', entryIds: [ofAnna?.id] },
      { url: 'https://example.org/a', proxy: 'http://proxy.example:8080', entryIds: [ofBen?.id] },
    ]);
  });

  it('are fetched for the newest twenty when it is switched on, and for no other', async () => {
    const id = await follow(anna, { fullText: false });
    const entries = Array.from({ length: 30 }, (_, n) =>
      published(`e${n}`, { pubDate: 1_700_000_000_000 + n * 1_000 }),
    );
    await fill(store, link, entries);
    expect(await jobs()).toEqual([]);
    await anna.rows.feeds.update(id, { fullText: true });
    const urls = (await jobs()).map(({ url }) => url);
    expect(urls.length).toBe(20);
    expect(urls).toContain('https://example.org/e29');
    expect(urls).not.toContain('https://example.org/e9');
    expect((await anna.rows.feeds.update(id, { name: 'Another' })).fullText).toBe(true);
    expect((await jobs()).length).toBe(20);
  });

  it('are shown wherever the entry is, as long as it is on; the entry itself stays as it was', async () => {
    const id = await follow(anna);
    await follow(ben, { fullText: false });
    await fill(store, link, [published('a', { content: '<p>short</p>' })]);
    await store.fullTexts.settle(await claim(), () => '<p>The heron in full</p>');
    const [entry] = await entriesOf(anna);
    const entryId = entry?.id ?? 0;
    expect(entry?.content).toBe('<p>The heron in full</p>');
    expect((await anna.rows.entries.get(entryId)).content).toBe('<p>The heron in full</p>');
    expect((await anna.rows.entries.getMany([entryId]))[0]?.content).toBe('<p>The heron in full</p>');
    expect((await listAll(anna.rows, { contentCharacters: 8 }))[0]?.content).toBe('<p>The h');
    expect(await contents(ben)).toEqual(['<p>short</p>']);
    await index();
    expect(await found(anna, 'heron')).toEqual([entryId]);
    expect(await found(ben, 'heron')).toEqual([]);

    await anna.rows.feeds.update(id, { fullText: false });
    expect(await contents(anna)).toEqual(['<p>short</p>']);
    await index();
    expect(await found(anna, 'heron')).toEqual([]);
    expect(await found(anna, 'short')).toEqual([entryId]);

    await anna.rows.feeds.update(id, { fullText: true });
    await index();
    expect(await found(anna, 'heron')).toEqual([entryId]);
    expect((await bookmarkEntry(anna.rows, entryId)).content).toBe('<p>The heron in full</p>');
    const { content } = await database.read
      .selectFrom('entries')
      .select('content')
      .where('id', '=', entryId)
      .executeTakeFirstOrThrow();
    expect(content).toBe('<p>short</p>');
  });

  it('are not written where the own text is better, or nobody wants them any more', async () => {
    const id = await follow(anna);
    await fill(store, link, [published('a'), published('b')]);
    await store.fullTexts.settle(await claim(), () => undefined);
    const fence = await claim();
    const [last] = (await jobs()).flatMap(({ entryIds }) => entryIds);
    expect(await store.fullTexts.isWanted([last ?? 0])).toBe(true);
    await anna.rows.feeds.update(id, { fullText: false });
    expect(await store.fullTexts.isWanted([last ?? 0])).toBe(false);
    await store.fullTexts.settle(fence, () => 'full');
    expect(await texts()).toEqual([]);
    expect(await store.jobs.list({ state: 'done', name: fullTextKind.name, limit: 5 })).toHaveLength(2);
  });

  it('are also for those who came to want them while the page was fetched', async () => {
    await follow(anna);
    const id = await follow(ben, { fullText: false });
    await fill(store, link, [published('a')]);
    const fence = await claim();
    await ben.rows.feeds.update(id, { fullText: true });
    expect((await jobs()).length).toBe(1);
    await store.fullTexts.settle(fence, () => 'full');
    expect(await contents(anna)).toEqual(['full']);
    expect(await contents(ben)).toEqual(['full']);
  });

  it('go with their entries, and with their feeds', async () => {
    const id = await follow(anna);
    await anna.rows.feeds.update(id, { keepEntries: 1 });
    await fill(store, link, [published('a', { pubDate: 1_000 })]);
    await store.fullTexts.settle(await claim(), () => 'full');
    await anna.rows.entries.markAllRead();
    await fill(store, link, [published('b', { pubDate: 2_000 })]);
    expect((await entriesOf(anna)).map(({ guid }) => guid)).toEqual(['b']);
    expect(await texts()).toEqual([]);
    await store.fullTexts.settle(await claim(), () => 'full');
    expect((await texts()).length).toBe(1);
    await anna.rows.feeds.delete(id);
    expect(await texts()).toEqual([]);
  });
});
