import { beforeEach, expect, it } from 'vitest';
import { searchSources } from '../../src/cli/search-sources.ts';
import { TemporaryFailure } from '../../src/errors.ts';
import { createEmbedFollower, embedEverything } from '../../src/search/meaning/embed-pending.ts';
import { createMeaning, type Meaning } from '../../src/search/meaning/meaning.ts';
import type { Store } from '../../src/store/store.ts';
import { type Client, jsonOf, openApi, openEmptyApi, type TestApi } from '../support/api.ts';
import { onEachEngine } from '../support/engines.ts';
import { highlightPage } from '../support/highlights.ts';
import { saveItem } from '../support/items.ts';
import { fill, published } from '../support/reader.ts';
import { indexAll, noFiles } from '../support/search-docs.ts';
import { createWordEmbedder } from '../support/word-embedder.ts';

interface Answer {
  data: { kind: string; id: string | number; title: string; url: string; site: string; score: number }[];
  by: string;
  notice: string | null;
}

onEachEngine('what is similar', (engine) => {
  let api: TestApi;
  let withMeaning: TestApi;
  let store: Store;
  let meaning: Meaning;
  let items: number[];
  let entries: number[];
  const embedder = createWordEmbedder();
  const title = 'Volcano erupts in southern Iceland';

  beforeEach(async () => {
    api = await openEmptyApi(engine);
    store = api.opened.store;
    await api.addUser('anna');
    await api.addUser('ben');
    meaning = createMeaning({ store, embedder });
    withMeaning = api.again({ meaning });
    const save = (userId: number, url: string, name: string) =>
      saveItem(api.opened.database, userId, url, { title: name });
    items = [
      await save(1, 'https://a.example/1', title),
      await save(1, 'https://a.example/2', 'Iceland evacuates town as volcano erupts'),
      await save(1, 'https://a.example/3', 'How to bake bread'),
      await save(2, 'https://a.example/1', title),
      await save(2, 'https://a.example/4', 'Volcano erupts again in Iceland'),
    ];
    const link = 'https://news.example/feed';
    await store.forUser(1).feeds.create({ groupId: 1, name: 'News', link, siteUrl: '', proxy: '' });
    await fill(store, link, [
      published('same', { title, link: 'https://a.example/1' }),
      published('other', { title: 'Volcano in Iceland: flights cancelled', link: 'https://b.example/9' }),
    ]);
    entries = (await store.forUser(1).entries.list({ limit: 10 } as never)).map(({ id }) => id);
    const sources = Object.values(searchSources(store, noFiles));
    await indexAll(store, ...sources);
    return () => meaning.close();
  });

  const embed = () =>
    embedEverything(
      createEmbedFollower(
        { ...store, sources: Object.values(searchSources(store, noFiles)), embedder, alone: true },
        'test',
      ),
      new AbortController().signal,
    );
  const similar = async (client: Client, path: string) => jsonOf<Answer>(await client.get(path));
  const titles = ({ data }: Answer) => data.map(({ kind, title }) => `${kind}: ${title}`).sort();

  it('is found by meaning, without the item itself and copies of its page', async () => {
    await embed();
    const anna = await withMeaning.program('anna', 'read');
    const answer = await similar(anna, `/api/v1/items/${items[0]}/similar`);
    expect(answer).toMatchObject({ by: 'meaning', notice: null });
    expect(titles(answer)).toEqual([
      'entry: Volcano in Iceland: flights cancelled',
      'item: Iceland evacuates town as volcano erupts',
    ]);
    expect(answer.data.find(({ kind }) => kind === 'item')).toEqual({
      kind: 'item',
      id: String(items[1]),
      title: 'Iceland evacuates town as volcano erupts',
      url: 'https://a.example/2',
      site: 'a.example',
      score: expect.any(Number),
    });
    expect((await similar(anna, `/api/v1/items/${items[0]}/similar?limit=1`)).data).toHaveLength(1);
  });

  it('is a page once, and never what was highlighted in the page itself', async () => {
    const rows = store.forUser(1);
    await highlightPage(rows, {
      source: 'own',
      url: 'https://a.example/1',
      title,
    });
    await highlightPage(rows, {
      source: 'other',
      url: 'https://a.example/2',
      title: 'Iceland evacuates town as volcano erupts',
    });
    await indexAll(store, ...Object.values(searchSources(store, noFiles)));
    await embed();
    for (const place of [api, withMeaning]) {
      const answer = await similar(await place.program('anna', 'read'), `/api/v1/items/${items[0]}/similar`);
      expect(titles(answer)).toEqual([
        'entry: Volcano in Iceland: flights cancelled',
        'item: Iceland evacuates town as volcano erupts',
      ]);
    }
  });

  it('is found for entries, too', async () => {
    await embed();
    const anna = await withMeaning.program('anna', 'read');
    for (const id of entries) {
      const answer = await similar(anna, `/api/items/${id}/similar`);
      expect(answer.by).toBe('meaning');
      expect(answer.data.map((hit) => `${hit.kind} ${hit.id}`)).not.toContain(`entry ${id}`);
      expect(titles(answer)).toContain('item: Iceland evacuates town as volcano erupts');
      expect(titles(answer).join()).not.toContain('bread');
    }
  });

  it('is found by words where meaning is off, is not known yet, or fails, and the answer says so', async () => {
    const path = `/api/v1/items/${items[0]}/similar`;
    const byWords = [
      'entry: Volcano in Iceland: flights cancelled',
      'item: Iceland evacuates town as volcano erupts',
    ];
    const off = await similar(await api.program('anna', 'read'), path);
    expect(off).toMatchObject({ by: 'words', notice: expect.stringContaining('is off') });
    expect(titles(off)).toEqual(byWords);
    const notYet = await similar(await withMeaning.program('anna', 'read'), path);
    expect(notYet).toMatchObject({ by: 'words', notice: expect.stringContaining('not known yet') });
    expect(titles(notYet)).toEqual(byWords);
    const broken = api.again({
      meaning: {
        ...meaning,
        findLike: async () => {
          throw new TemporaryFailure('no thread');
        },
      },
    });
    const failed = await similar(await broken.program('anna', 'read'), path);
    expect(failed).toMatchObject({ by: 'words', notice: expect.stringContaining('does not work') });
    expect(titles(failed)).toEqual(byWords);
    const ofEntry = await similar(await api.program('anna', 'read'), `/api/items/${entries[0]}/similar`);
    expect(ofEntry.by).toBe('words');
  });

  it('is nobody else’s: another user’s id is not found, and nothing of theirs is shown', async () => {
    await embed();
    for (const place of [api, withMeaning]) {
      const ben = await place.program('ben', 'read');
      expect((await ben.get(`/api/v1/items/${items[0]}/similar`)).status).toBe(404);
      expect((await ben.get(`/api/items/${entries[0]}/similar`)).status).toBe(404);
      const answer = await similar(ben, `/api/v1/items/${items[3]}/similar`);
      expect(titles(answer)).toEqual(['item: Volcano erupts again in Iceland']);
    }
  });

  it('how far it has come is told to the owner', async () => {
    const status = async (place: TestApi) =>
      (
        await jsonOf<{ data: object }>(
          await (await place.program('anna', 'admin')).get('/api/v1/search/meaning'),
        )
      ).data;
    expect(await status(api)).toEqual({ kind: 'off', model: null, documents: 8, chunks: 0, pending: 0 });
    expect(await status(withMeaning)).toEqual({
      kind: 'local',
      model: 'words/1',
      documents: 8,
      chunks: 0,
      pending: 8,
    });
    await embed();
    expect(await status(withMeaning)).toMatchObject({ chunks: 8, pending: 0 });
    expect((await (await api.program('ben', 'read')).get('/api/v1/search/meaning')).status).toBe(403);
  });
});

onEachEngine('near-duplicates in a list', (engine) => {
  it('are named beside each other in brief, mark nothing, and are left out in full', async () => {
    const api = await openApi(engine);
    await api.addUser('anna');
    const anna = await api.program('anna', 'write');
    const { store } = api.opened;
    const text =
      'The volcano on the southern peninsula of Iceland began to erupt early on Monday, and the town nearby was evacuated within two hours.';
    for (const [n, content] of [
      text,
      `${text} (Agency)`,
      'Something else that has the same title, as it happens: a list of all volcanoes of the island.',
    ].entries()) {
      const link = `https://feed${n}.example/feed`;
      await store.forUser(1).feeds.create({ groupId: 1, name: link, link, siteUrl: '', proxy: '' });
      await fill(store, link, [
        published(`g${n}`, {
          title: 'Volcano erupts in Iceland',
          content: `<p>${content}</p>`,
          link: `https://feed${n}.example/1`,
        }),
      ]);
    }
    const list = async (view: string) =>
      (
        await jsonOf<{ data: { id: number; unread: boolean; duplicates?: number[] }[] }>(
          await anna.get(`/api/items?view=${view}&order=oldest`),
        )
      ).data;
    const brief = await list('brief');
    const [first, second] = brief.map(({ id }) => id).sort((a, b) => a - b);
    expect(Object.fromEntries(brief.map(({ id, duplicates }) => [id, duplicates]))).toMatchObject({
      [first as number]: [second],
      [second as number]: [first],
    });
    expect(brief.filter(({ duplicates }) => duplicates)).toHaveLength(2);
    expect(brief.every(({ unread }) => unread)).toBe(true);
    expect((await list('full')).some((entry) => 'duplicates' in entry)).toBe(false);
    await api.close();
  });
});
