// Filters let through what a plain reading of the documents lets through, on either engine; and nobody sees, counts or is
// told anything of what another has.
import fc from 'fast-check';
import { beforeEach, expect, it } from 'vitest';
import { Invalid } from '../../src/errors.ts';
import { docStates, type SearchText } from '../../src/model/search.ts';
import { createEmbedFollower, embedEverything } from '../../src/search/meaning/embed-pending.ts';
import { createMeaning } from '../../src/search/meaning/meaning.ts';
import { parseQuery } from '../../src/search/parse-query.ts';
import { searchLibrary, searchModes } from '../../src/search/search-library.ts';
import { searchText, understand } from '../../src/search/search-text.ts';
import { findSimilar } from '../../src/search/similar.ts';
import type { Database } from '../../src/store/database.ts';
import type { Store } from '../../src/store/store.ts';
import { propertyRuns } from '../support/depth.ts';
import { onEachEngine, openEmptyStore } from '../support/engines.ts';
import { isMeant } from '../support/is-meant.ts';
import { indexAll, MemorySource } from '../support/search-docs.ts';
import { createWordEmbedder } from '../support/word-embedder.ts';

const dayMs = 86_400_000;
const now = Date.UTC(2026, 2, 12, 12);
const tags = ['work', 'Long Reads', 'c++', 'c', 'naïve', '日本', 'a"b', "o'clock"];
const sites = [
  null,
  'example.org',
  'www.example.org',
  'a.b.example.org',
  'ample.org',
  '127.0.0.1',
  'localhost',
];
const authors = ['', 'Ann Author', 'Ann', 'Böhm, Ann-Marie'];
const langs = ['', 'en', 'de', 'de-AT', 'DE_ch'];
const feeds = [
  { id: 11, name: 'Daily Weather' },
  { id: 12, name: 'Weather 11' },
  { id: 13, name: 'Éclair' },
];
const words = ['fox', 'dog', 'foxglove'];
const days = ['2026-03-12', '2026-03-10', '2026-02', '2025'];

const kinds = ['entry', 'item'] as const;
const doc = fc.record({
  kind: fc.constantFrom(...kinds),
  userId: fc.constantFrom(1, 1, 1, 2),
  title: fc.subarray(words).map((some) => some.join(' ')),
  text: fc.subarray(words).map((some) => some.join(' ')),
  site: fc.constantFrom(...sites),
  // About the edges of days and months.
  publishedAt: fc
    .tuple(fc.constantFrom(0, 1, 2, 9, 40, 100, 450), fc.integer({ min: -1, max: 1 }), fc.boolean())
    .map(([ago, minute, noon]) => now - (noon ? 0 : dayMs / 2) - ago * dayMs + minute * 60_000),
  facts: fc.record({
    tags: fc.subarray(tags),
    author: fc.constantFrom(...authors),
    lang: fc.constantFrom(...langs),
    feedId: fc.constantFrom(null, 11, 12, 13),
    states: fc.subarray([...docStates]),
    isRaindrop: fc.boolean(),
  }),
  /** Entries alone: their state is looked up. */
  isUnread: fc.boolean(),
});
type Doc = SearchText & { kind: string; isUnread: boolean };

const quoted = (name: string) => (value: string) => `${name}:"${value.replaceAll('"', ' ')}"`;
const filter = fc.oneof(
  fc.constantFrom('work', 'long reads', 'C++', 'c', 'NAIVE', '日本', 'unknown').map(quoted('tag')),
  fc.constantFrom('example.org', 'www.example.org', 'org', '127.0.0.1', 'localhost').map(quoted('site')),
  fc.constantFrom('weather', '11', '12', 'eclair', 'nobody').map(quoted('feed')),
  fc.constantFrom('entry', 'item', 'raindrop', 'feed').map((value) => `kind:${value}`),
  fc.constantFrom('ann', 'Ann Author', 'bohm', 'marie ann').map(quoted('author')),
  fc.constantFrom('en', 'de', 'de-at', 'de-CH', 'fr').map((value) => `lang:${value}`),
  fc.constantFrom(...days, '2d', 'today').map((value) => `before:${value}`),
  fc.constantFrom(...days, '2d', 'today').map((value) => `after:${value}`),
  fc.constantFrom(...docStates).map((value) => `is:${value}`),
);
const clause = fc.oneof(
  { weight: 3, arbitrary: filter },
  { weight: 2, arbitrary: filter.map((one) => `-${one}`) },
  { weight: 2, arbitrary: fc.constantFrom(...words, '"fox dog"', 'fox*', '-dog', 'fox OR dog', 'fxo') },
  { weight: 1, arbitrary: fc.constant('in:title') },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      'tag:work OR tag:c',
      'tag:work tag:c',
      'is:unread OR is:archived',
      'is:unread OR is:highlighted OR is:bookmarked',
      'is:unread is:bookmarked',
      'site:example.org OR site:localhost',
      'author:ann author:bohm',
    ),
  },
);
const q = fc.array(clause, { minLength: 1, maxLength: 4 }).map((clauses) => clauses.join(' '));

onEachEngine('the filters of a search', (engine) => {
  let store: Store;
  let database: Database;
  let sources: Record<(typeof kinds)[number], MemorySource>;
  const runs = propertyRuns(engine.name === 'sqlite' ? 40 : 12);

  beforeEach(async () => {
    ({ store, database } = await openEmptyStore(engine));
    await store.users.create({ username: 'anna', passwordHash: null, role: 'owner' });
    await store.users.create({ username: 'ben', passwordHash: null, role: 'member' });
    sources = { entry: new MemorySource('entry'), item: new MemorySource('item') };
    const group = await database.read.selectFrom('groups').select('id').where('user_id', '=', 1).execute();
    await database.write((trx) =>
      trx
        .insertInto('feeds')
        .values(
          feeds.map(({ id, name }) => ({
            id,
            user_id: 1,
            group_id: group[0]?.id ?? 0,
            name,
            link: `https://example.org/${id}`,
            site_url: '',
            created_at: 0,
            updated_at: 0,
            gone_at: null,
            moved_at: null,
            keep_entries: null,
            deleted_at: null,
          })),
        )
        .execute(),
    );
  });

  async function put(docs: readonly Omit<Doc, 'refId' | 'url' | 'urlKey'>[]): Promise<Doc[]> {
    for (const source of Object.values(sources)) {
      await store.searchIndex.note(source.kind, [...source.docs.keys()]);
      source.docs.clear();
    }
    const all = docs.map(({ kind, isUnread, ...each }, n) => {
      const { feedId } = each.facts ?? {};
      const facts = {
        ...each.facts,
        // A feed belongs to one user; an entry is unread by another table.
        feedId: each.userId === 1 ? (feedId ?? null) : null,
        states: (each.facts?.states ?? []).filter((state) => kind !== 'entry' || state !== 'unread'),
      };
      const put = sources[kind as 'entry'].put({ refId: n + 1, ...each, facts });
      return { ...put, kind, isUnread: kind === 'entry' && isUnread };
    });
    await database.write(async (trx) => {
      await trx.deleteFrom('unread_entries').execute();
      const unread = all.filter(({ isUnread }) => isUnread);
      if (unread.length > 0)
        await trx
          .insertInto('unread_entries')
          .values(
            unread.map(({ userId, publishedAt, refId }) => ({
              user_id: userId,
              pub_date: publishedAt,
              entry_id: refId,
              feed_id: 11,
              group_id: 1,
            })),
          )
          .execute();
    });
    for (const source of Object.values(sources))
      await store.searchIndex.note(source.kind, [...source.docs.keys()]);
    await indexAll(store, ...Object.values(sources));
    return all;
  }

  const found = async (text: string, userId = 1) => {
    const { hits } = await searchText({ store, now: () => now }, { userId, q: text, limit: 100 });
    return hits.map(({ kind, refId }) => `${kind} ${refId}`).sort();
  };

  it('let through what a plain reading lets through', async () => {
    let asked = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(doc, { minLength: 1, maxLength: 12 }),
        fc.array(q, { minLength: 10, maxLength: 20 }),
        async (docs, queries) => {
          const all = await put(docs);
          for (const each of queries) {
            const query = parsed(each);
            if (!query) continue;
            asked += 1;
            const expected = all.filter((one) => one.userId === 1 && isMeant(query, one, { feeds, now }));
            expect(await found(each), each).toEqual(
              expected.map(({ kind, refId }) => `${kind} ${refId}`).sort(),
            );
            const { search } = store.forUser(1);
            const { scope } = await understand({ store }, { userId: 1, q: each, at: now });
            const names = all.map(({ kind, refId }) => ({ kind, refId }));
            for (const wanted of [query, { ...query, all: [] }]) {
              const allowed = await search.allowed(wanted, scope, names);
              expect(allowed.map(({ kind, refId }) => `${kind} ${refId}`).sort(), each).toEqual(
                all
                  .filter((one) => one.userId === 1 && isMeant(wanted, one, { feeds, now }))
                  .map(({ kind, refId }) => `${kind} ${refId}`)
                  .sort(),
              );
            }
          }
        },
      ),
      runs,
    );
    expect(asked).toBeGreaterThan(runs.numRuns * 5);
  });

  it('show nobody a row, a snippet, a count, a facet, a suggestion or a similar document of another', async () => {
    const embedder = createWordEmbedder();
    const meaning = createMeaning({ store, embedder });
    const follower = createEmbedFollower(
      { ...store, sources: Object.values(sources), embedder, alone: true },
      'test',
    );
    const secret = fc.constantFrom('foxtrot', 'dogma', 'secretive');
    await fc.assert(
      fc.asyncProperty(
        fc.array(doc, { minLength: 1, maxLength: 8 }),
        fc.array(fc.tuple(doc, secret), { minLength: 1, maxLength: 8 }),
        fc.array(fc.oneof(q, fc.constantFrom('foxtort', 'dogna', 'secretve', 'secret*', 'tag:hidden')), {
          minLength: 5,
          maxLength: 10,
        }),
        async (mine, theirs, queries) => {
          const ofOthers = theirs.map(([one, word]) => ({
            ...one,
            userId: 2,
            title: `${one.title} ${word}`,
            text: word,
            site: 'hidden.example',
            facts: { ...one.facts, tags: [...one.facts.tags, 'hidden'], lang: 'xx' },
          }));
          const ofMine = mine.map((one) => ({ ...one, userId: 1 }));
          const deps = { store, sources: sources as never, now: () => now, meaning };
          const asked = queries.filter((each) => parsed(each));
          const answers = async () => {
            await embedEverything(follower, new AbortController().signal);
            const all: string[] = [];
            for (const each of asked)
              for (const mode of searchModes)
                all.push(JSON.stringify(await searchLibrary(deps, { userId: 1, q: each, mode, limit: 50 })));
            for (const [n, { kind }] of ofMine.entries())
              for (const by of [meaning, undefined]) {
                const input = { userId: 1, kind, refId: n + 1, limit: 50 };
                all.push(JSON.stringify(await findSimilar({ ...deps, meaning: by }, input)));
              }
            return all;
          };
          await put([...ofMine, ...ofOthers]);
          const beside = await answers();
          for (const answer of beside) expect(answer).not.toMatch(/foxtrot|dogma|secretive|hidden|"xx"/);
          await put(ofMine);
          // Rows of others may change how rare a word is on SQLite, and so the order; nothing else.
          const unordered = (answer: string) => {
            const { hits, ...rest } = JSON.parse(answer);
            return { ...rest, hits: hits.map((hit: unknown) => JSON.stringify(hit)).sort() };
          };
          expect(beside.map(unordered)).toEqual((await answers()).map(unordered));
        },
      ),
      propertyRuns(engine.name === 'sqlite' ? 25 : 8),
    );
    await meaning.close();
  });

  it('find the documents of a crowded minute by its date', async () => {
    const at = Date.UTC(2026, 0, 31, 23, 59);
    for (let n = 1; n <= 1_500; n++) sources.item.put({ refId: n, text: 'word', publishedAt: at });
    await indexAll(store, sources.item);
    const count = async (text: string) =>
      (await searchText({ store, now: () => now }, { userId: 1, q: text, limit: 1 })).found;
    expect(await count('word before:2026-02')).toBe(1_500);
    expect(await count('word after:2026-02')).toBe(0);
    expect(await count('before:2026-02 after:2026-01-31')).toBe(1_500);
  });

  it('are applied before the newest are chosen', async () => {
    for (let n = 1; n <= 2_100; n++)
      sources.item.put({
        refId: n,
        text: 'word',
        publishedAt: n * 60_000,
        facts: { tags: n <= 5 ? ['old'] : [] },
      });
    await indexAll(store, sources.item);
    expect((await found('word tag:old')).length).toBe(5);
    expect((await found('tag:old')).length).toBe(5);
  });

  it('refuse to be forgotten', async () => {
    const { search } = store.forUser(1);
    await expect(search.find(parseQuery('tag:a'), { order: 'rank', limit: 1 })).rejects.toThrow('resolved');
  });
});

function parsed(text: string) {
  try {
    return parseQuery(text);
  } catch (error) {
    if (error instanceof Invalid) return undefined;
    throw error;
  }
}
