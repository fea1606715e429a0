import fc from 'fast-check';
import { beforeEach, expect, it } from 'vitest';
import { searchSources } from '../../src/cli/search-sources.ts';
import { searchKinds } from '../../src/model/search.ts';
import type { Store } from '../../src/store/store.ts';
import { anyCharacter } from '../support/any-character.ts';
import { type Client, jsonOf, openEmptyApi, type TestApi } from '../support/api.ts';
import { addFeed as addDeframed, runFeed } from '../support/deframed-feeds.ts';
import { propertyRuns } from '../support/depth.ts';
import { onBothEngines } from '../support/engines.ts';
import { fill, published } from '../support/reader.ts';
import { indexAll, noFiles } from '../support/search-docs.ts';

interface Hit {
  kind: string;
  id: string;
  title: string;
  url: string;
  site: string | null;
  snippet: { text: string; hits: [number, number][] };
}
interface Facet {
  value: string;
  label?: string;
  count: number;
}
interface Page {
  data: Hit[];
  found: number;
  next_cursor: string | null;
  facets?: Record<'kind' | 'site' | 'tag' | 'feed' | 'lang' | 'year', Facet[]>;
  mode: string;
  notice?: string;
  suggestion?: string;
}
interface Saved {
  id: string;
  name: string;
  q: string;
}

const link = 'https://example.org/feed';

onBothEngines('the search API', (engine) => {
  let api: TestApi;
  let store: Store;
  let anna: Client;
  let ben: Client;

  beforeEach(async () => {
    api = await openEmptyApi(engine);
    store = api.opened.store;
    await api.addUser('anna');
    await api.addUser('ben');
    anna = await api.program('anna', 'write');
    ben = await api.program('ben', 'write');
  });

  const index = () => indexAll(store, ...Object.values(searchSources(store, noFiles)));
  const search = async (query: string, who = anna) =>
    jsonOf<Page>(await who.get(`/api/v1/search?q=${query}`));
  const shown = async (query: string, who = anna) => {
    const { data, found } = await search(query, who);
    expect(found).toBe(data.length);
    return data.map(({ kind, title }) => `${kind}: ${title}`).sort();
  };
  const idOf = async (response: Response) => (await jsonOf<{ data: { id: number } }>(response)).data.id;
  const follow = async (over = {}) =>
    idOf(
      await anna.post('/api/feeds', { link, name: 'Weather', site_url: 'https://storms.example/', ...over }),
    );
  const entryId = async (title: string) => {
    const { data } = await jsonOf<{ data: { id: number; title: string }[] }>(
      await anna.get('/api/items?limit=100'),
    );
    return data.find((entry) => entry.title === title)?.id;
  };
  const star = async (title: string) =>
    idOf(await anna.post('/api/bookmarks', { item_id: await entryId(title) }));

  it('finds the snapshot of an entry when its feed is deleted', async () => {
    const feed = await follow();
    await fill(store, link, [
      published('a', { title: 'Storm', content: '<p>Wind and rain.</p>' }),
      published('b', { title: 'Sun', content: '<p>No rain.</p>' }),
    ]);
    const bookmark = await star('Storm');
    await index();
    expect(await shown('rain')).toEqual(['bookmark: Storm', 'entry: Sun']);
    await anna.delete(`/api/feeds/${feed}`);
    await index();
    expect(await search('rain')).toMatchObject({
      found: 1,
      data: [
        {
          kind: 'bookmark',
          id: String(bookmark),
          title: 'Storm',
          url: 'https://example.org/a',
          site: 'example.org',
          snippet: { text: 'Wind and rain.', hits: [[9, 13]] },
        },
      ],
    });
    expect(await shown('weather')).toEqual([]);
    await anna.delete(`/api/bookmarks/${bookmark}`);
    await index();
    expect(await shown('rain')).toEqual([]);
  });

  it('finds a feed by its name, its description and its site, as they are now', async () => {
    const feed = await follow({ link: 'https://user:secret@example.org/feed?key=hidden' });
    await index();
    expect(await search('weather')).toMatchObject({
      data: [{ kind: 'feed', id: String(feed), url: 'https://storms.example/', site: 'storms.example' }],
    });
    expect(await shown('storms.example')).toEqual(['feed: Weather']);
    await anna.patch(`/api/feeds/${feed}`, { name: 'Climate', site_url: '' });
    await index();
    expect(await shown('weather')).toEqual([]);
    expect(await shown('storms')).toEqual([]);
    expect(await shown('climate+example')).toEqual(['feed: Climate']);
    for (const hidden of ['secret', 'hidden', 'https']) expect(await shown(hidden)).toEqual([]);
  });

  it('shows an entry and its bookmark once, and each of them by its kind', async () => {
    await follow();
    await fill(store, link, [
      published('a', { title: 'Storm', content: '<p>rain</p>', author: 'Ann Author' }),
      // As an episode of a podcast may be: without an address of its own.
      published('b', { title: 'Episode', content: '<p>rain</p>', link: '' }),
    ]);
    await star('Storm');
    await star('Episode');
    await index();
    expect(await shown('rain')).toEqual(['bookmark: Episode', 'bookmark: Storm']);
    expect(await shown('rain&kind=entry')).toEqual(['entry: Episode', 'entry: Storm']);
    expect(await shown('rain&kind=bookmark')).toEqual(['bookmark: Episode', 'bookmark: Storm']);
    expect(await shown('author')).toEqual(['entry: Storm']);
    const fusion = await jsonOf<{ data: { items: { title: string }[] } }>(
      await anna.get('/api/search?q=rain'),
    );
    expect(fusion.data.items.map(({ title }) => title).sort()).toEqual(['Episode', 'Storm']);
  });

  it('shows nobody what another has, whatever its kind', async () => {
    await follow({ name: 'Rain' });
    await fill(store, link, [published('a', { title: 'Storm', content: '<p>rain</p>' })]);
    await star('Storm');
    await ben.post('/api/bookmarks', {
      link: 'https://example.org/a',
      title: 'Mine',
      content: 'rain',
      feed_name: 'f',
    });
    await index();
    expect(await shown('rain', ben)).toEqual(['bookmark: Mine']);
    expect(await shown('rain')).toEqual(['bookmark: Storm', 'feed: Rain']);
    for (const kind of ['entry', 'feed']) expect(await shown(`rain&kind=${kind}`, ben)).toEqual([]);
    // Whoever knows an id of another gets no text for it.
    const [annaId, benId] = [1, 2];
    for (const source of Object.values(searchSources(store, noFiles))) {
      const ids = await source.list(0, 100);
      const ofBen = await source.read(ids, benId);
      expect(ofBen.every(({ userId }) => userId === benId)).toBe(true);
      expect((await source.read(ids, annaId)).length + ofBen.length).toBe(ids.length);
    }
  });

  it('indexes only what has another text', async () => {
    const feed = await follow();
    await fill(store, link, [published('a', { title: 'Storm', content: '<p>rain</p>' })]);
    const bookmark = await star('Storm');
    await index();
    await anna.patch('/api/items/-/read', { ids: [await entryId('Storm')] });
    await anna.patch(`/api/feeds/${feed}`, { suspended: true });
    expect(await star('Storm')).toBe(bookmark);
    for (const kind of searchKinds) expect(await store.searchIndex.pending(kind, 10)).toEqual([]);
  });

  it('finds the same after everything was indexed anew', async () => {
    await follow();
    await fill(
      store,
      link,
      Array.from({ length: 12 }, (_, n) => published(`e${n}`, { title: `Day ${n}`, content: '<p>rain</p>' })),
    );
    for (const n of [1, 3, 5]) await star(`Day ${n}`);
    await index();
    const before = await search('rain');
    expect(before.data.length).toBe(12);
    await store.searchIndex.clear();
    expect((await search('rain')).data).toEqual([]);
    await index();
    const sorted = ({ data }: Page) => data.map(({ kind, id }) => `${kind} ${id}`).sort();
    expect(sorted(await search('rain'))).toEqual(sorted(before));
    expect((await search('rain')).found).toBe(12);
  });

  it('follows bookmarks, tags and archives by their filters', async () => {
    await follow();
    await fill(store, link, [
      published('a', { title: 'Storm', content: '<p>rain</p>', author: 'Ann Author' }),
      published('b', { title: 'Sun', content: '<p>no rain</p>' }),
    ]);
    await index();
    expect(await shown('is:unread')).toEqual(['entry: Storm', 'entry: Sun']);
    expect(await shown('rain+is:bookmarked')).toEqual([]);
    expect(await shown('rain+author:author')).toEqual(['entry: Storm']);
    const bookmark = await star('Storm');
    await anna.patch('/api/items/-/read', { ids: [await entryId('Sun')] });
    await index();
    expect(await shown('rain+is:bookmarked')).toEqual(['bookmark: Storm']);
    expect(await shown('rain+is:bookmarked+kind:entry')).toEqual(['entry: Storm']);
    expect(await shown('is:unread')).toEqual(['entry: Storm']);
    expect(await shown('-is:unread+kind:entry')).toEqual(['entry: Sun']);
    const { items } = await jsonOf<{ items: { id: string }[] }>(await anna.get('/api/v1/items'));
    const path = `/api/v1/items/${items[0]?.id}`;
    expect((await anna.patch(path, { tags: ['wet'], status: 'archived' })).status).toBe(200);
    await index();
    // An item that is there by a star alone is found as its bookmark, and by its own tags.
    expect(await shown('tag:wet+is:archived')).toEqual(['bookmark: Storm']);
    await anna.delete(`/api/bookmarks/${bookmark}`);
    await index();
    expect(await shown('is:bookmarked')).toEqual([]);
    expect(await shown('feed:weath')).toEqual(['entry: Storm', 'entry: Sun', 'feed: Weather']);
    expect(await shown('feed:weath+-kind:feed+site:example.org+in:title+storm')).toEqual(['entry: Storm']);
  });

  it('finds notes, and pages by their highlights, as they come, change and go', async () => {
    const url = 'https://example.org/marsh';
    await anna.post('/api/v1/items', { url, title: 'Marsh' });
    await index();
    expect(await shown('is:highlighted')).toEqual([]);
    const { data: made } = await jsonOf<{ data: { id: number; resource_id: number } }>(
      await anna.post('/api/annotations', { url, text: 'a heron stood' }),
    );
    const { resource_id } = made;
    const { data: note } = await jsonOf<{ data: { id: number } }>(
      await anna.post('/api/notes', { resource_id, content: 'ask about egrets' }),
    );
    await index();
    expect(await shown('is:highlighted')).toEqual(['annotation: Marsh', 'item: Marsh']);
    expect(await shown('egrets')).toEqual(['note: Marsh']);
    expect(await shown('egrets&kind=note', ben)).toEqual([]);
    await anna.patch(`/api/notes/${note.id}`, { content: 'ask about storks' });
    await index();
    expect(await shown('egrets')).toEqual([]);
    expect(await shown('storks+kind:note')).toEqual(['note: Marsh']);
    await anna.delete(`/api/annotations/${made.id}`);
    await index();
    expect(await shown('is:highlighted')).toEqual([]);
    await anna.delete(`/api/notes/${note.id}`);
    await index();
    expect(await shown('storks')).toEqual([]);
    expect(await shown('marsh')).toEqual(['item: Marsh']);
  });

  it('finds deframed articles under both headlines, for the owner alone, and after everything else', async () => {
    const url = 'https://news.example/feed.xml';
    await addDeframed(store, { url });
    await runFeed(store, {
      url,
      builtAt: 1,
      articles: [
        {
          url: 'https://news.example/storm',
          analysis: {
            title_original: 'You will not believe this storm',
            title_corrected: 'Storm in the north',
          },
          content: '<p>wind and rain</p>',
        },
      ],
    });
    await index();
    const owner = anna;
    expect(await shown('believe', owner)).toEqual(['deframed: Storm in the north']);
    expect(await shown('rain&kind=deframed', owner)).toEqual(['deframed: Storm in the north']);
    expect(await shown('believe', ben)).toEqual([]);
    const { deframed } = searchSources(store, noFiles);
    const numbers = await deframed.list(0, 10);
    const [ownerId, benId] = [1, 2];
    expect((await deframed.read(numbers, ownerId)).length).toBe(1);
    expect(await deframed.read(numbers, benId)).toEqual([]);
    await owner.post('/api/bookmarks', {
      link: 'https://news.example/storm',
      title: 'Kept',
      content: 'rain',
      feed_name: 'f',
    });
    await index();
    expect(await shown('rain', owner)).toEqual(['bookmark: Kept']);
    await store.deframerFeeds.remove(url);
    await index();
    expect(await shown('believe', owner)).toEqual([]);
  });

  it('finds the items of raindrops by that kind', async () => {
    for (const name of ['mirrored', 'other'])
      await anna.post('/api/v1/items', { url: `https://example.org/${name}`, title: name });
    const { database } = api.opened;
    await database.write(async (trx) => {
      const item = await trx
        .selectFrom('items')
        .select(['id', 'user_id'])
        .where('title', '=', 'mirrored')
        .executeTakeFirstOrThrow();
      const text = { title: '', excerpt: '', note: '', domain: '', tags: '[]', highlights: '[]', cover: '' };
      await trx
        .insertInto('raindrops')
        .values({
          ...text,
          id: 5,
          user_id: item.user_id,
          item_id: item.id,
          link: 'https://example.org/mirrored',
          collection_id: 0,
          is_important: 0,
          cover_at: null,
          cache_status: 'none',
          raw_sha256: '',
          text_sha256: '',
          word_count: 0,
          files: '{}',
          created_at: 0,
          updated_at: 0,
          removed_at: null,
        })
        .execute();
    });
    await index();
    expect(await shown('kind:raindrop')).toEqual(['item: mirrored']);
    expect(await shown('mirrored&kind=raindrop')).toEqual(['item: mirrored']);
    expect(await shown('-kind:raindrop+kind:item')).toEqual(['item: other']);
  });

  it('counts what a search can be narrowed by, on the first page alone', async () => {
    const feed = await follow();
    await fill(
      store,
      link,
      Array.from({ length: 7 }, (_, n) => published(`e${n}`, { title: `Day ${n}`, content: '<p>rain</p>' })),
    );
    await star('Day 3');
    await index();
    const first = await search('rain&limit=5');
    expect(first.facets?.kind).toEqual([
      { value: 'entry', count: 6 },
      { value: 'bookmark', count: 1 },
    ]);
    expect(first.facets?.site).toEqual([{ value: 'example.org', count: 7 }]);
    expect(first.facets?.feed).toEqual([{ value: String(feed), label: 'Weather', count: 7 }]);
    expect(first.facets?.year.reduce((sum, { count }) => sum + count, 0)).toBe(7);
    const second = await search(`rain&limit=5&cursor=${first.next_cursor}`);
    expect(second.facets).toBeUndefined();
    expect([...first.data, ...second.data].length).toBe(7);
    expect(second.next_cursor).toBeNull();
  });

  it('says that meaning is off, and serves by words', async () => {
    await follow();
    await index();
    for (const mode of ['semantic', 'hybrid'])
      expect(await search(`weather&mode=${mode}`)).toMatchObject({
        mode: 'text',
        notice: expect.stringContaining('Search by meaning is off'),
        found: 1,
      });
    const byWords = await search('weather&mode=text');
    expect(byWords.mode).toBe('text');
    expect(byWords.notice).toBeUndefined();
  });

  it('suggests a word of your own where nothing is found, and none of another', async () => {
    await follow({ name: 'Thunderstorms' });
    await ben.post('/api/bookmarks', {
      link: 'https://example.org/x',
      title: 'Cormorant',
      content: 'bird',
      feed_name: 'f',
    });
    await index();
    expect((await search('thundrestorms+-sun')).suggestion).toBe('thunderstorms -sun');
    expect((await search('thundrestorms*')).suggestion).toBe('thunderstorms');
    expect((await search('thundrestorms', ben)).suggestion).toBeUndefined();
    expect((await search('cormorent')).suggestion).toBeUndefined();
    expect((await search('cormorent', ben)).suggestion).toBe('cormorant');
    expect((await search('thunderstorms')).suggestion).toBeUndefined();
  });

  it('keeps searches by name, each user their own', async () => {
    const made = await anna.post('/api/v1/searches', { name: 'Rain', q: 'rain tag:wet' });
    expect(made.status).toBe(201);
    const { data } = await jsonOf<{ data: Saved }>(made);
    expect(data).toMatchObject({ name: 'Rain', q: 'rain tag:wet' });
    expect((await anna.post('/api/v1/searches', { name: 'Rain', q: 'x' })).status).toBe(409);
    expect((await ben.post('/api/v1/searches', { name: 'Rain', q: 'x' })).status).toBe(201);
    expect((await anna.post('/api/v1/searches', { name: 'Bad', q: 'is:red' })).status).toBe(400);
    expect((await anna.patch(`/api/v1/searches/${data.id}`, { q: 'sun' })).status).toBe(200);
    expect((await ben.patch(`/api/v1/searches/${data.id}`, { q: 'mine' })).status).toBe(404);
    expect((await ben.delete(`/api/v1/searches/${data.id}`)).status).toBe(404);
    const list = async () => (await jsonOf<{ data: Saved[] }>(await anna.get('/api/v1/searches'))).data;
    expect((await list()).map(({ name, q }) => `${name}: ${q}`)).toEqual(['Rain: sun']);
    expect((await anna.delete(`/api/v1/searches/${data.id}`)).status).toBe(204);
    expect(await list()).toEqual([]);
  });

  it('answers whatever is asked with hits or with what was expected', async () => {
    await follow();
    await fill(store, link, [published('a', { title: 'Storm fox', content: '<p>rain 日本</p>' })]);
    await index();
    const pieces = fc.constantFrom(
      ...[
        '"',
        "'",
        '-',
        '*',
        ' ',
        ' OR ',
        '(',
        ')',
        ':',
        '\\',
        '\0',
        '%',
        ';',
        '--',
        '&',
        '|',
        '!',
        '<->',
        '^',
      ],
      ...[
        'fox',
        'rain',
        '日',
        '日本',
        'NEAR(a b)',
        '{title}:x',
        "';DROP TABLE search_docs;--",
        ':*',
        '$1',
        '?1',
      ],
      ...[
        'tag:',
        'site:',
        'is:unread ',
        'after:7d ',
        'before:',
        'in:title ',
        'feed:',
        'kind:entry ',
        'lang:de ',
      ],
      ...['\ud800', '\ue000user2', '\u202e', '😀', 'e\u0301', '\ufeff', 'ﬁ'],
    );
    const text = fc.oneof(
      fc.array(pieces, { maxLength: 30 }).map((some) => some.join('')),
      fc.string({ unit: anyCharacter, maxLength: 60 }),
      pieces.map((piece) => piece.repeat(Math.ceil(10_000 / piece.length))),
    );
    const other = fc.record(
      {
        kind: fc.constantFrom('entry', 'raindrop', 'x', ''),
        mode: fc.constantFrom('text', 'hybrid', 'semantic', 'x'),
        cursor: fc.oneof(fc.string(), fc.constantFrom('WzEsMiwzXQ', 'WzEsMl0', 'WzksLTFd')),
        limit: fc.constantFrom('1', '0', '-1', '1e9', 'x'),
      },
      { requiredKeys: [] },
    );
    await fc.assert(
      fc.asyncProperty(text, other, async (q, rest) => {
        const asked = new URLSearchParams({ q: q.toWellFormed(), ...rest });
        const response = await anna.get(`/api/v1/search?${asked}`);
        expect([200, 400], `${asked}`).toContain(response.status);
        const body = await jsonOf<{ error?: { message: string } }>(response);
        if (response.status === 400) expect(body.error?.message).toMatch(/expected/i);
      }),
      propertyRuns(engine.name === 'sqlite' ? 400 : 150),
    );
  });

  it('refuses a kind that it does not know', async () => {
    expect((await anna.get('/api/v1/search?q=rain&kind=secret')).status).toBe(400);
  });
});
