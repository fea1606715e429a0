// Words and meaning together, and what is newer a little higher: the same on both engines, and the same from page to page.
import { beforeEach, expect, it } from 'vitest';
import { Invalid, TemporaryFailure, Upstream } from '../../src/errors.ts';
import { type SearchSources, searchKinds } from '../../src/model/search.ts';
import { createEmbedFollower, embedEverything } from '../../src/search/meaning/embed-pending.ts';
import { TextRefused } from '../../src/search/meaning/embedder.ts';
import { createMeaning } from '../../src/search/meaning/meaning.ts';
import { type LibraryInput, type MeaningSearch, searchLibrary } from '../../src/search/search-library.ts';
import { searchText } from '../../src/search/search-text.ts';
import { freshness } from '../../src/store/search/freshness.ts';
import type { Store } from '../../src/store/store.ts';
import { onEachEngine, openEmptyStore } from '../support/engines.ts';
import { indexAll, MemorySource } from '../support/search-docs.ts';
import { createWordEmbedder } from '../support/word-embedder.ts';

const minuteMs = 60_000;
const yearMinutes = 365 * 24 * 60;
const now = 1_760_000_040_000;

onEachEngine('a search of the library', (engine) => {
  let store: Store;
  let entries: MemorySource;
  let items: MemorySource;

  beforeEach(async () => {
    ({ store } = await openEmptyStore(engine));
    for (const username of ['anna', 'ben'])
      await store.users.create({
        username,
        passwordHash: null,
        role: username === 'anna' ? 'owner' : 'member',
      });
    entries = new MemorySource('entry');
    items = new MemorySource('item');
  });

  const index = () => indexAll(store, entries, items);
  const found = (...names: string[]): MeaningSearch => ({
    find: async () =>
      names.map((name, n) => {
        const [kind = '', refId] = name.split(' ');
        return { kind, refId: Number(refId), score: 1 / (n + 1) };
      }),
  });
  const search = (input: Partial<LibraryInput> & { q: string }, meaning?: MeaningSearch, at = now) =>
    searchLibrary(
      {
        store,
        sources: { entry: entries, item: items } as unknown as SearchSources,
        now: () => at,
        meaning,
      },
      { userId: 1, mode: 'hybrid', limit: 20, ...input },
    );
  const names = ({ hits }: Awaited<ReturnType<typeof search>>) =>
    hits.map(({ kind, text }) => `${kind} ${text.refId}`);

  it('counts what is newer a little more, by one function, and the same on every page', async () => {
    const ages = [0, 1, 60, yearMinutes / 2, yearMinutes, 20 * yearMinutes];
    for (const [n, age] of ages.entries())
      entries.put({ refId: n + 1, title: 'word', text: 'some text', publishedAt: now - age * minuteMs });
    await index();
    const page = (at: number) =>
      searchText({ store, now: () => at }, { userId: 1, q: 'word', limit: 10 }).then(({ hits }) => hits);
    const hits = await page(now);
    expect(hits.map(({ refId }) => refId)).toEqual([1, 2, 3, 4, 5, 6]);
    const first = hits[0]?.score ?? 0;
    for (const [n, { score }] of hits.entries())
      expect(score / first).toBeCloseTo(freshness(ages[n] ?? 0) / freshness(0), 9);
    // A match in the title that is old goes before one in the text that is new.
    entries.put({ refId: 9, title: 'other', text: 'a word in some text', publishedAt: now });
    await store.searchIndex.note('entry', [9]);
    await index();
    expect((await page(now)).map(({ refId }) => refId)).toEqual([1, 2, 3, 4, 5, 6, 9]);

    // However long somebody takes to page on, the order is that of the first page.
    const paged: { refId: number; score: number }[] = [];
    const shown: string[] = [];
    let cursors: { cursor?: string }[] = [{}, {}];
    for (let at = now; cursors.some(({ cursor }) => cursor) || at === now; at += yearMinutes * minuteMs) {
      const input = { userId: 1, q: 'word', limit: 2 };
      const next = await searchText({ store, now: () => at }, { ...input, ...cursors[0] });
      const page = await search({ ...input, mode: 'text', ...cursors[1] }, undefined, at);
      paged.push(...next.hits);
      shown.push(...names(page));
      cursors = [next, page].map(({ nextCursor }) => (nextCursor ? { cursor: nextCursor } : {}));
    }
    const whole = await page(now);
    expect(paged.map(({ refId, score }) => [refId, score])).toEqual(
      whole.map(({ refId, score }) => [refId, score]),
    );
    expect(shown).toEqual(whole.map(({ refId }) => `entry ${refId}`));
  });

  it('fuses words and meaning, filtered alike, each page once', async () => {
    entries.put({ refId: 1, title: 'heron', text: 'bird', urlKey: 'p1', site: 'a.example' });
    entries.put({ refId: 2, title: 'egret', text: 'white bird', urlKey: 'p2', site: 'a.example' });
    entries.put({ refId: 3, title: 'stork', text: 'bird', urlKey: 'p3', site: 'b.example' });
    entries.put({ refId: 4, userId: 2, title: 'heron', text: 'bird', site: 'a.example' });
    items.put({ refId: 7, title: 'Reiher', text: 'bird', urlKey: 'p1', site: 'a.example' });
    await index();
    const meaning = found('entry 2', 'entry 3', 'item 7', 'entry 4', 'entry 99');
    const both = await search({ q: 'heron' }, meaning);
    expect(both).toMatchObject({ mode: 'hybrid', found: 3, atLeast: false });
    expect(both.notice).toBeUndefined();
    // The page of the item is found by words as an entry, and shown as the item.
    expect(names(both)).toEqual(['item 7', 'entry 2', 'entry 3']);
    expect(both.facets?.site).toEqual([
      { value: 'a.example', count: 2 },
      { value: 'b.example', count: 1 },
    ]);
    expect(names(await search({ q: 'heron', mode: 'semantic' }, meaning))).toEqual([
      'entry 2',
      'entry 3',
      'item 7',
    ]);
    expect(names(await search({ q: 'heron site:a.example' }, meaning))).toEqual(['item 7', 'entry 2']);
    expect(names(await search({ q: 'heron -white' }, meaning))).toEqual(['item 7', 'entry 3']);
    expect(names(await search({ q: 'heron', kinds: ['entry'] }, meaning))).toEqual([
      'entry 1',
      'entry 2',
      'entry 3',
    ]);
    expect(names(await search({ q: 'heron', userId: 2 }, meaning))).toEqual(['entry 4']);
    // Without words there is nothing that could mean something.
    expect(await search({ q: 'site:b.example' }, meaning)).toMatchObject({ mode: 'text', found: 1 });
  });

  it('shows the passage that is near, where the words do not stand, and the words where they do', async () => {
    const embedder = createWordEmbedder();
    const meaning = createMeaning({ store, embedder });
    const filler = 'Nothing of that kind is said in these lines at all. '.repeat(12);
    entries.put({
      refId: 1,
      title: 'One',
      text: `${filler}Herons wade slowly through shallow water. ${filler}`,
    });
    entries.put({
      refId: 2,
      title: 'Two',
      text: `${filler}shallow herons are wading, slowly, in the water. ${filler}`,
    });
    await index();
    const follower = createEmbedFollower(
      { ...store, sources: [entries, items], embedder, alone: true },
      'test',
    );
    await embedEverything(follower, new AbortController().signal);
    const { hits } = await search({ q: 'herons wade slowly through shallow water' }, meaning);
    const snippets = new Map(hits.map(({ text, snippet }) => [text.refId, snippet]));
    expect(snippets.get(1)?.text).toContain('Herons wade slowly');
    expect(snippets.get(1)?.hits.length).toBeGreaterThan(4);
    const near = snippets.get(2);
    expect(near).toMatchObject({ cutBefore: true });
    const start = entries.docs.get(2)?.text.indexOf(near?.text ?? '?') ?? -1;
    const place = entries.docs.get(2)?.text.indexOf('shallow herons') ?? -1;
    // The passage has more before it; what it is about stands within.
    expect(start).toBeGreaterThan(0);
    expect(Math.abs(place - start)).toBeLessThan(500);
    // What changed since it was embedded is shown by its beginning.
    entries.put({ refId: 2, title: 'Two', text: 'Short now' });
    const later = await search({ q: 'herons wade slowly through shallow water' }, meaning);
    expect(later.hits.find(({ text }) => text.refId === 2)?.snippet.text).toBe('Short now');
    await meaning.close();
  });

  it('finds by what stands beside a text, and does not show it', async () => {
    entries.put({ refId: 1, title: 'Herons', text: 'They wade', beside: 'Ann Author' });
    await index();
    const { hits } = await search({ q: 'author', mode: 'text' });
    expect(hits.map(({ snippet }) => snippet.text)).toEqual(['They wade']);
    entries.put({ refId: 1, title: 'Herons', text: 'They wade', beside: 'Ben Writer' });
    await store.searchIndex.note('entry', [1]);
    await index();
    expect((await search({ q: 'author', mode: 'text' })).found).toBe(0);
    expect((await search({ q: 'writer', mode: 'text' })).found).toBe(1);
  });

  it('follows with what has some of the telling words, where nothing has all', async () => {
    entries.put({ refId: 1, title: 'heron', text: 'how it fishes', site: 'a.example' });
    entries.put({ refId: 2, title: 'pond', text: 'what lives there', site: 'b.example' });
    entries.put({ refId: 3, title: 'egret', text: 'how and what and where', site: 'a.example' });
    entries.put({ refId: 4, userId: 2, title: 'heron', text: 'pond' });
    items.put({ refId: 7, title: 'stork', text: 'bird', site: 'a.example' });
    await index();
    const q = 'what does the heron in the pond eat';
    const meaning = found('item 7', 'entry 1', 'entry 4');
    const loosely = await search({ q }, meaning);
    expect(names(loosely)).toEqual(['entry 1', 'item 7', 'entry 2']);
    expect(loosely).toMatchObject({ mode: 'hybrid', found: 3, atLeast: false });
    expect(loosely.facets?.site).toEqual([
      { value: 'a.example', count: 2 },
      { value: 'b.example', count: 1 },
    ]);
    expect(names(await search({ q: `${q} site:b.example` }, meaning))).toEqual(['entry 2']);
    expect(names(await search({ q: `${q} -lives` }, meaning))).toEqual(['entry 1', 'item 7']);
    expect(names(await search({ q, kinds: ['entry'] }, meaning))).toEqual(['entry 1', 'entry 2']);
    // Where titles are meant, all of the words are.
    expect(names(await search({ q: `${q} in:title` }, meaning))).toEqual([]);
    expect(names(await search({ q, userId: 2 }, meaning))).toEqual(['entry 4']);
    // What has all of them is what was asked for; and by words alone, or by meaning alone, nothing is added.
    expect(names(await search({ q: 'heron fishes' }, found('entry 3')))).toEqual(['entry 1', 'entry 3']);
    for (const mode of ['text', 'hybrid'] as const) expect(names(await search({ q, mode }))).toEqual([]);
    expect(names(await search({ q, mode: 'semantic' }, meaning))).toEqual(['item 7', 'entry 1']);

    const paged: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await search({ q, limit: 1, ...(cursor && { cursor }) }, meaning);
      paged.push(...names(page));
      cursor = page.nextCursor;
    } while (cursor);
    expect(paged).toEqual(names(loosely));
  });

  it('follows with some of the words by words alone, for those who want enough of it', async () => {
    entries.put({ refId: 1, title: 'heron', text: 'pond' });
    entries.put({ refId: 2, title: 'heron heron heron', text: 'heron' });
    entries.put({ refId: 3, title: 'pond' });
    await index();
    const find = async (enough: number) =>
      names(await search({ q: 'the heron pond', mode: 'text', enough })).sort();
    expect(await find(0)).toEqual([]);
    expect(await find(1)).toEqual(['entry 1', 'entry 2', 'entry 3']);
    const pond = (enough: number) => search({ q: 'heron pond', mode: 'text', enough }).then(names);
    expect(await pond(1)).toEqual(['entry 1']);
    expect((await pond(2))[0]).toBe('entry 1');
    expect(await pond(2)).toHaveLength(3);
  });

  it('puts the first thirty that have all of the words before what is only alike', async () => {
    for (let n = 1; n <= 40; n++) entries.put({ refId: n, title: 'heron', urlKey: `p${n}` });
    for (let n = 41; n <= 80; n++) entries.put({ refId: n, title: 'egret', urlKey: `p${n}` });
    await index();
    const alike = Array.from({ length: 40 }, (_, n) => `entry ${n + 41}`);
    const page = names(await search({ q: 'heron', limit: 60 }, found(...alike)));
    expect(page.slice(0, 30).every((name) => Number(name.split(' ')[1]) <= 40)).toBe(true);
    expect(page.indexOf('entry 41')).toBeLessThan(40);
  });

  it('says what is sure to be meant, where the model says from when on', async () => {
    entries.put({ refId: 1, title: 'heron' });
    entries.put({ refId: 2, title: 'egret' });
    entries.put({ refId: 3, title: 'stork' });
    await index();
    const meaning = found('entry 2', 'entry 3');
    const alike = async (sureScore?: number) => {
      const { hits } = await search({ q: 'heron' }, { ...meaning, ...(sureScore && { sureScore }) });
      return hits.filter(({ isAlike }) => isAlike).map(({ text }) => text.refId);
    };
    expect(await alike(0.6)).toEqual([2]);
    expect(await alike(0.5)).toEqual([2, 3]);
    expect(await alike()).toEqual([]);
  });

  it('goes on from page to page of what was fused', async () => {
    for (let n = 1; n <= 9; n++) entries.put({ refId: n, title: n % 2 ? 'heron' : 'egret', urlKey: `p${n}` });
    await index();
    const meaning = found('entry 2', 'entry 4', 'entry 6', 'entry 8');
    const whole = names(await search({ q: 'heron' }, meaning));
    expect(whole.length).toBe(9);
    const paged: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await search({ q: 'heron', limit: 4, ...(cursor && { cursor }) }, meaning);
      expect(page.facets === undefined).toBe(cursor !== undefined);
      paged.push(...names(page));
      cursor = page.nextCursor;
    } while (cursor);
    expect(paged).toEqual(whole);
    const { nextCursor: cursorOfFused = '' } = await search({ q: 'heron', limit: 4 }, meaning);
    await expect(search({ q: 'heron', mode: 'text', cursor: cursorOfFused }, meaning)).rejects.toThrow(
      Invalid,
    );
    await expect(search({ q: 'heron', cursor: cursorOfFused })).rejects.toThrow(Invalid);
    // It is not the cursor that is wrong.
    const away: MeaningSearch = { find: () => Promise.reject(new Upstream('no answer')) };
    await expect(search({ q: 'heron', cursor: cursorOfFused }, away)).rejects.toThrow(TemporaryFailure);
  });

  it('holds to words in quotes and to titles, however near something else is', async () => {
    entries.put({ refId: 1, title: 'Birds', text: 'a grey heron wades' });
    entries.put({ refId: 2, title: 'Birds', text: 'a heron, grey in the morning' });
    entries.put({ refId: 3, title: 'Grey heron', text: 'wades' });
    entries.put({ refId: 4, title: 'Egrets', text: 'white' });
    await index();
    const meaning = found('entry 4', 'entry 2', 'entry 1');
    const sorted = async (q: string, mode: 'hybrid' | 'semantic' = 'hybrid') =>
      names(await search({ q, mode }, meaning)).sort();
    expect(await sorted('"grey heron"')).toEqual(['entry 1', 'entry 3']);
    expect(await sorted('"grey heron"', 'semantic')).toEqual(['entry 1']);
    expect(await sorted('"grey heron" bird white')).toEqual(['entry 1']);
    expect(await sorted('"grey heron" OR white')).toEqual(['entry 1', 'entry 2', 'entry 3', 'entry 4']);
    expect(await sorted('"heron"')).toEqual(['entry 1', 'entry 2', 'entry 3', 'entry 4']);
    const titles = await search({ q: 'heron in:title' }, meaning);
    expect(names(titles)).toEqual(['entry 3']);
    expect(titles).toMatchObject({ mode: 'text', notice: expect.stringContaining('Titles') });
    expect(await search({ q: 'is:unread', mode: 'semantic' }, meaning)).toMatchObject({
      mode: 'text',
      notice: expect.stringContaining('Filters alone'),
    });
    expect((await search({ q: 'is:unread' }, meaning)).notice).toBeUndefined();
  });

  it.each([
    ['is not there', () => new Upstream('no answer')],
    ['does not take the question', () => new TextRefused('status 400')],
  ])('serves by words when the model %s, and says so', async (_, failure) => {
    entries.put({ refId: 1, title: 'heron' });
    await index();
    const broken: MeaningSearch = {
      find: async () => {
        throw failure();
      },
    };
    const answer = await search({ q: 'heron' }, broken);
    expect(answer).toMatchObject({ mode: 'text', found: 1 });
    expect(answer.notice).toContain('did not answer');
  });

  it('goes on by words where the first page was by words, though the model answers by then', async () => {
    for (let refId = 1; refId <= 5; refId++) entries.put({ refId, title: 'heron' });
    await index();
    const broken: MeaningSearch = { find: () => Promise.reject(new Upstream('still starting')) };
    const first = await search({ q: 'heron', limit: 3 }, broken);
    const next = await search(
      { q: 'heron', limit: 3, ...(first.nextCursor && { cursor: first.nextCursor }) },
      found('entry 1', 'entry 2'),
    );
    expect([...names(first), ...names(next)].sort()).toEqual([1, 2, 3, 4, 5].map((n) => `entry ${n}`));
    expect(next).toMatchObject({ mode: 'text' });
    expect(next.nextCursor).toBeUndefined();
  });

  it('serves by words alone what the model cannot read, and says so', async () => {
    entries.put({ refId: 1, title: '東京タワー' });
    await index();
    const latin: MeaningSearch = { ...found(), canRead: (text) => /^[\x20-\x7e]*$/.test(text) };
    const answer = await search({ q: '東京', mode: 'semantic' }, latin);
    expect(answer).toMatchObject({ mode: 'text', found: 1 });
    expect(answer.notice).toContain('script');
    expect(await search({ q: '東京' }, latin)).toMatchObject({ mode: 'hybrid', found: 1 });
  });

  it('asks for the kinds of documents that there are, and for every copy of a page where filters choose', async () => {
    entries.put({ refId: 1, title: 'heron', urlKey: 'p1', site: 'a.example' });
    await index();
    const asked: unknown[] = [];
    const meaning: MeaningSearch = {
      find: async ({ kinds }) => {
        asked.push(kinds);
        return [];
      },
    };
    await search({ q: 'heron' }, meaning);
    await search({ q: 'heron', kinds: ['raindrop'] }, meaning);
    await search({ q: 'heron kind:entry OR kind:note' }, meaning);
    await search({ q: 'heron kind:entry', kinds: ['item'] }, meaning);
    await search({ q: 'heron is:unread' }, meaning);
    expect(asked).toEqual([undefined, ['item'], ['entry', 'note'], [], [...searchKinds]]);
  });
});
