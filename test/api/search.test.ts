import { beforeEach, expect, it } from 'vitest';
import { searchSources } from '../../src/cli/search-sources.ts';
import { searchKinds } from '../../src/model/search.ts';
import type { Store } from '../../src/store/store.ts';
import { type Client, jsonOf, openApi, type TestApi } from '../support/api.ts';
import { onEachEngine } from '../support/engines.ts';
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
interface Page {
  data: Hit[];
  found: number;
  next_cursor: string | null;
}

const link = 'https://example.org/feed';

onEachEngine('the search API', (engine) => {
  let api: TestApi;
  let store: Store;
  let anna: Client;
  let ben: Client;

  beforeEach(async () => {
    api = await openApi(engine);
    store = api.opened.store;
    await api.addUser('anna');
    await api.addUser('ben');
    anna = await api.program('anna', 'write');
    ben = await api.program('ben', 'write');
    return () => api.close();
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

  it('refuses a kind that it does not know', async () => {
    expect((await anna.get('/api/v1/search?q=rain&kind=secret')).status).toBe(400);
  });
});
