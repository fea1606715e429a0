// What tools show, and to whom.
import fc from 'fast-check';
import { beforeAll, expect, it } from 'vitest';
import { searchSources } from '../../src/cli/search-sources.ts';
import { makeHighlight, makeWords } from '../../src/highlights/make.ts';
import { saveItem } from '../../src/items/save-item.ts';
import { createLog } from '../../src/log.ts';
import { libraryTools } from '../../src/mcp/library-tools.ts';
import { createMcpServer, type Peer } from '../../src/mcp/server.ts';
import { searchKinds } from '../../src/model/search.ts';
import type { User } from '../../src/model/user.ts';
import { findInLibrary } from '../../src/search/find-in-library.ts';
import { openApi, type TestApi } from '../support/api.ts';
import { propertyRuns } from '../support/depth.ts';
import { onEachEngine } from '../support/engines.ts';
import { callsOf, factsOf, fillLibrary, type Heard, type Lent, rowsOf } from '../support/mcp.ts';
import { indexAll } from '../support/search-docs.ts';

const server = createMcpServer({
  version: '0.0.0-test',
  log: createLog({ level: 'silent', format: 'json', out: process.stderr }),
});

interface ToolCall {
  readonly name: string;
  readonly arguments: Record<string, unknown>;
}

onEachEngine('the tools of assistants', (engine) => {
  let api: TestApi;
  let anna: User;
  let ben: User;
  let lent: Record<'anna' | 'ben', Lent>;

  beforeAll(async () => {
    api = await openApi(engine);
    anna = await api.addUser('anna');
    ben = await api.addUser('ben');
    lent = { anna: await fillLibrary(api, anna, 'anna'), ben: await fillLibrary(api, ben, 'ben') };
    return () => api.close();
  });

  function peerOf(user: User): Peer {
    const { store, files } = api.opened;
    const sources = searchSources(store, files);
    return {
      scope: 'write',
      protocol: '2025-11-25',
      context: {
        rows: store.forUser(user.id),
        files,
        find: (input) => findInLibrary({ store, sources, now: api.clock.now }, { ...input, userId: user.id }),
        findText: async (kind, id) => (await sources[kind].read([id], user.id))[0],
      },
    };
  }

  async function call(user: User, name: string, given: Record<string, unknown>): Promise<Heard> {
    const params = { name, arguments: given };
    const reply = await server.handle(peerOf(user), { jsonrpc: '2.0', id: 1, method: 'tools/call', params });
    return (reply as unknown as { result: Heard }).result;
  }

  it('read whatever search has found, of every kind', async () => {
    const { store, files } = api.opened;
    const rows = store.forUser(anna.id);
    const { resourceId } = await rows.highlights.get('annotations', lent.anna.annotation);
    const deps = { rows, randomText: api.accounts.randomText };
    await makeWords(deps, 'notes', { parentId: resourceId, content: 'anna thinks of the lighthouse' });
    await indexAll(store, ...Object.values(searchSources(store, files)));
    const hits: Record<string, unknown>[] = [];
    for (const q of ['lighthouse', 'anna'])
      hits.push(...rowsOf(await call(anna, 'search', { q, limit: 20, max_tokens: 8_000 })));
    for (const { kind, id } of hits)
      expect(await call(anna, 'get_text', { kind, id }), String(kind)).not.toHaveProperty('isError');
    const kinds = new Set(hits.map(({ kind }) => kind));
    expect([...kinds].sort()).toEqual(['annotation', 'bookmark', 'entry', 'feed', 'item', 'note']);
  });

  it('never show or change what is another’s', async () => {
    const ids = [lent.anna, lent.ben].flatMap((one) => [
      one.item,
      one.bookmark,
      ...one.entries,
      one.feed,
      one.annotation,
    ]);
    const id = fc.constantFrom(...ids.map(String));
    const url = fc.constantFrom('https://anna.example/page', 'https://ben.example/page');
    const words = fc.constantFrom(
      'lighthouse',
      'anna',
      'ben',
      'noted',
      'News of anna',
      'News of ben',
      'long road ends',
    );
    const given: fc.Arbitrary<ToolCall> = fc.oneof(
      fc.record({
        name: fc.constant('search'),
        arguments: fc.record({ q: words, limit: fc.integer({ min: 1, max: 20 }) }),
      }),
      fc.record({
        name: fc.constant('get_text'),
        arguments: fc.record({ kind: fc.constantFrom(...searchKinds), id }),
      }),
      fc.record({ name: fc.constant('find_quote'), arguments: fc.record({ quote: words }) }),
      fc.record({
        name: fc.constant('list_highlights'),
        arguments: fc.record({ url }, { requiredKeys: [] }),
      }),
      fc.record({
        name: fc.constant('recent_entries'),
        arguments: fc.record({ feed: fc.oneof(words, id), unread_only: fc.boolean() }, { requiredKeys: [] }),
      }),
      fc.record({ name: fc.constant('list_tags'), arguments: fc.record({ q: words }, { requiredKeys: [] }) }),
      fc.record({
        name: fc.constant('save'),
        arguments: fc.record({
          url: fc.constant('https://neutral.example/'),
          collection: fc.constantFrom('Box of anna', 'Box of ben', 1, 2),
        }),
      }),
      fc.record({ name: fc.constant('tag'), arguments: fc.record({ item_id: id, add: fc.constant(['x']) }) }),
      fc.record({
        name: fc.constant('mark_read'),
        arguments: fc.record({ entry_ids: fc.array(id, { minLength: 1 }) }),
      }),
    );
    // Random calls may leave a tool out or only make it fail. Each of these succeeds.
    const { item, entries } = lent.anna;
    const successes: ToolCall[] = [
      { name: 'search', arguments: { q: 'lighthouse', limit: 5 } },
      { name: 'get_text', arguments: { kind: 'item', id: String(item) } },
      { name: 'find_quote', arguments: { quote: 'lighthouse' } },
      { name: 'list_highlights', arguments: {} },
      { name: 'recent_entries', arguments: {} },
      { name: 'list_tags', arguments: {} },
      { name: 'save', arguments: { url: 'https://neutral.example/', collection: 'Box of anna' } },
      { name: 'tag', arguments: { item_id: String(item), add: ['x'] } },
      { name: 'mark_read', arguments: { entry_ids: entries.map(String) } },
    ];
    const seen = new Set<string>();
    const stateOf = async ({ id }: User) => {
      const rows = api.opened.store.forUser(id);
      const items = await rows.items.list({ limit: 50 } as never);
      return JSON.stringify([
        items,
        await rows.entries.count({ unread: true }),
        await rows.collections.list(),
      ]);
    };
    const { numRuns } = propertyRuns(150);
    const examples = successes.map((success): ['anna', ToolCall] => ['anna', success]);
    await fc.assert(
      fc.asyncProperty(fc.constantFrom('anna', 'ben'), given, async (who, { name, arguments: asked }) => {
        const [user, other] = who === 'anna' ? [anna, ben] : [ben, anna];
        const before = await stateOf(other);
        const heard = await call(user, name, asked);
        if (!heard.isError) seen.add(name);
        const text = heard.content.map((block) => block.text).join('\n');
        expect(text).not.toContain(other.username);
        expect(await stateOf(other)).toBe(before);
      }),
      { numRuns: successes.length + numRuns, examples },
    );
    expect([...seen].sort()).toEqual(libraryTools.map(({ name }) => name).sort());
  });

  it('stay within the tokens that they were given, say that they were cut, and go on to the end', async () => {
    const rows = api.opened.store.forUser(anna.id);
    const deps = { rows, randomText: api.accounts.randomText };
    for (let n = 0; n < 12; n++) {
      const text = `${'"\\\n'.repeat(900)} quarrel ${n}`;
      const given = { url: 'https://anna.example/long', text, color: null, boundary: null, madeAt: n };
      await makeHighlight(deps, given);
      await saveItem(rows, {
        url: `https://anna.example/${'x'.repeat(280)}${n}`,
        title: '"'.repeat(200),
        tags: [`tag ${n}`],
      });
    }
    for (const [name, given] of [
      ['list_highlights', {}],
      ['recent_entries', { limit: 2 }],
      ['list_tags', { limit: 5 }],
      ['search', { q: 'anna', limit: 20 }],
    ] as const) {
      const shown: string[] = [];
      let cursor: unknown;
      let calls = 0;
      do {
        const heard = await call(anna, name, { ...given, max_tokens: 500, ...(cursor ? { cursor } : {}) });
        expect(heard.isError).toBe(undefined);
        expect(heard.content.reduce((sum, { text }) => sum + text.length, 0)).toBeLessThanOrEqual(2_000);
        shown.push(...rowsOf(heard).map(({ kind = '', id, name: tag }) => `${kind} ${id ?? tag}`));
        cursor = factsOf(heard).next_cursor;
        if (factsOf(heard).cut) expect(cursor).not.toBe(null);
        calls += 1;
      } while (cursor !== null && calls < 60);
      const whole = await call(anna, name, { ...given, max_tokens: 8_000 });
      if (!factsOf(whole).cut && factsOf(whole).next_cursor === null) {
        expect([name, shown]).toEqual([
          name,
          rowsOf(whole).map(({ kind = '', id, name: tag }) => `${kind} ${id ?? tag}`),
        ]);
      }
      expect([name, calls > 1]).toEqual([name, true]);
      expect(new Set(shown).size).toBe(shown.length);
    }
  });

  it('give a text page by page', async () => {
    const asked = { kind: 'item', id: String(lent.anna.item), max_tokens: 500 };
    const pages: string[] = [];
    for (let page: unknown = 1; page !== null; ) {
      const heard = await call(anna, 'get_text', { ...asked, page });
      expect(heard.content.reduce((sum, { text }) => sum + text.length, 0)).toBeLessThanOrEqual(2_000);
      expect(heard.content).toHaveLength(3);
      pages.push(heard.content[2]?.text ?? '');
      page = factsOf(heard).next_page;
    }
    expect(pages.join('\n').split('\n').filter(Boolean)).toHaveLength(400);
    for (const [kind, id] of [
      ['entry', lent.anna.entries[0]],
      ['bookmark', lent.anna.bookmark],
      ['annotation', lent.anna.annotation],
    ] as const) {
      const heard = await call(anna, 'get_text', { kind, id: String(id) });
      expect(factsOf(heard)).toMatchObject({ untrusted: true, kind, total_pages: 1, next_page: null });
      expect(heard.content[2]?.text).toContain('anna');
    }
  });

  it('answer every call in the table of the clients', async () => {
    const names = callsOf(lent.ben, 'ben').map(({ name }) => name);
    expect(names).toEqual(libraryTools.map(({ name }) => name));
  });
});
