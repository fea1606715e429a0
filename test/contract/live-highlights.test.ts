// Whoever looks at highlights finds the same whether deleted ones are beside them or not. Two indexes with one history, one of
// them with a deleted replica of every row: everything that can be asked is asked of both. A method or a route that is new
// fails here until it is asked, too.
import { beforeAll, expect, it } from 'vitest';
import { searchSources } from '../../src/cli/search-sources.ts';
import { hashAnnotation } from '../../src/highlights/hash.ts';
import { makeHighlight, makeResource, makeWords, pageWork } from '../../src/highlights/make.ts';
import { pageOf } from '../../src/highlights/prepare.ts';
import { saveItem } from '../../src/items/save-item.ts';
import { type HighlightKind, highlightKinds } from '../../src/model/highlight.ts';
import { createIndexer, indexEverything } from '../../src/search/index-pending.ts';
import { notePending } from '../../src/store/search/pending.ts';
import type { UserRows } from '../../src/store/store.ts';
import { answerOf, type Client, openApi, type TestApi } from '../support/api.ts';
import { onEachEngine } from '../support/engines.ts';
import { nothing } from '../support/highlights.ts';
import { fill, listAll, newFeed, published } from '../support/reader.ts';
import {
  type AnyRow,
  allRows,
  lightRequest,
  pages,
  researchRequest,
  sync,
} from '../support/sync-histories.ts';

const record = (id: number, page = 0, text = `passage ${id}`) => ({
  id,
  page,
  spelling: 0,
  text,
  color: id % 2 === 0 ? null : 'red',
  boundary: 0,
  madeAt: id,
});
const words = (id: number, parent: number) => ({ id, parent, text: `said ${id}`, madeAt: id });
const research = (over: object = {}) =>
  researchRequest('research', {
    resources: [0, 1, 2].map((id) => ({ id, title: `paper ${id}`, author: '' })),
    annotations: [0, 1, 2].map((id) => ({ ...record(id), parent: id })),
    comments: [words(0, 0), words(1, 1)],
    notes: [words(0, 0), words(1, 2)],
    ...over,
  });

interface World {
  readonly api: TestApi;
  readonly rows: UserRows;
  readonly userId: number;
  readonly client: Client;
  /** Of each kind, in the order in which they were made. */
  readonly ids: Record<HighlightKind, number[]>;
  readonly entryId: number;
  readonly randomText: (bytes: number) => string;
}

onEachEngine('live highlights', (engine) => {
  let plain: World;
  let haunted: World;

  beforeAll(async () => {
    plain = await makeWorld();
    haunted = await makeWorld();
    expect(haunted.ids).toEqual(plain.ids);
    await haunt(haunted);
    for (const world of [plain, haunted]) await index(world);
    return async () => {
      await plain.api.close();
      await haunted.api.close();
    };
  });

  /** With rows of every kind and every source. */
  async function makeWorld(): Promise<World> {
    const api = await openApi(engine);
    const { id: userId } = await api.addUser('anna');
    const rows = api.opened.store.forUser(userId);
    let n = 0;
    const randomText = () => `random ${n++}`;
    await rows.feeds.create(newFeed('https://example.org/feed'));
    await fill(api.opened.store, 'https://example.org/feed', [
      published('e', { link: 'https://example.org/0' }),
    ]);
    await sync(rows, lightRequest('a', [record(1), record(2), record(3, 1), record(4, 2)]));
    await sync(rows, research());
    await sync(rows, { ...research(), source: 'kindle', kind: 'kindle', extent: 'some' });
    const own = { url: pages[0]?.[0] as string, text: 'my passage', boundary: null, madeAt: 7 };
    const { id: annotationId, resourceId } = await makeHighlight(
      { rows, randomText },
      { ...own, color: 'blue', comment: 'my words' },
    );
    await makeWords({ rows, randomText }, 'notes', { parentId: resourceId, content: 'my note' });
    await makeWords({ rows, randomText }, 'comments', { parentId: annotationId, content: 'more words' });
    const gone = await makeHighlight({ rows, randomText }, { ...own, color: null });
    await rows.highlights.delete('annotations', gone.id);
    await rows.replicas.restore('annotations', gone.id, pageWork);
    await saveItem(rows, { url: 'https://example.org/saved' });
    const all = await allRows(api.opened.database, userId);
    const ids = Object.fromEntries(
      highlightKinds.map((kind) => [
        kind,
        live(all)
          .filter((row) => row.kind === kind)
          .map(({ id }) => id),
      ]),
    ) as World['ids'];
    const entryId = (await listAll(rows))[0]?.id ?? 0;
    return { api, rows, userId, client: await api.program('anna', 'admin'), ids, entryId, randomText };
  }

  /** Beside each row one that was deleted and is otherwise the same, as if a query could tell them by that alone. */
  async function haunt({ api, userId, rows }: World): Promise<void> {
    const all = live(await allRows(api.opened.database, userId));
    const page = all.find((row) => row.kind === 'resources' && row.source === 'web');
    const saved = (await rows.items.list({ limit: 100 })).find(({ url }) => url.endsWith('/saved'));
    await api.opened.database.write(async (trx) => {
      // And one of a page on which nothing is highlighted any longer.
      const { kind: _, ...bare } = page as AnyRow;
      const gone = {
        id: -1_000,
        item_id: saved?.id,
        original_id: 'gone',
        deleted_at: 1,
        deleted_by: 'person',
      };
      await trx
        .insertInto('resources')
        .values({ ...bare, ...gone } as never)
        .execute();
      for (const { kind, ...row } of all) {
        // Below zero, so that rows that are made later have the same ids in both.
        const replica = { ...row, id: -row.id, deleted_at: row.updated_at, deleted_by: 'source' };
        await trx
          .insertInto(kind as 'annotations')
          .values(replica as never)
          .execute();
        if (kind === 'annotations') await notePending(trx, 'annotation', [-row.id, row.id]);
      }
    });
  }

  const live = (rows: readonly AnyRow[]) => rows.filter((row) => row.deleted_at === null);

  async function index({ api }: World): Promise<void> {
    const { store, files } = api.opened;
    const sources = Object.values(searchSources(store, files));
    const { searchIndex, leases } = store;
    await indexEverything(createIndexer({ searchIndex, leases, sources }, 'test'));
  }

  /** What a method answers or refuses, and what is there afterwards. */
  async function outcome(world: World, work: (world: World) => Promise<unknown>) {
    const answer = await work(world).catch((error: unknown) => `${error}`);
    return {
      answer: JSON.parse(JSON.stringify(answer instanceof Map ? [...answer] : (answer ?? null))),
      live: live(await allRows(world.api.opened.database, world.userId)),
    };
  }

  async function expectSame(work: (world: World) => Promise<unknown>) {
    expect(await outcome(haunted, work)).toEqual(await outcome(plain, work));
  }

  const filters = ({ ids, entryId: _ }: World) => [
    {},
    { source: 'a' },
    { source: 'web' },
    { type: 'pdf' as const },
    { color: null },
    { color: 'red' },
    { parentId: ids.resources[0] },
    { itemId: 1 },
    { page: pageOf('https://example.org/0', '').saved },
    { from: 2, to: 4 },
    { before: { at: 3, id: 1_000 } },
  ];
  const everyKind = async (ask: (kind: HighlightKind) => Promise<unknown>) => {
    const answers: unknown[] = [];
    for (const kind of highlightKinds) answers.push(await ask(kind));
    return answers;
  };

  /** Each several times, where there are several ways to ask. The first ones only look. */
  const methods: Record<'highlights' | 'syncs', Record<string, ((world: World) => Promise<unknown>)[]>> = {
    highlights: {
      list: [
        async (world) => {
          const answers: unknown[] = [];
          for (const filter of filters(world))
            for (const kind of highlightKinds) {
              const { type, color, ...rest } = filter as { type?: 'pdf'; color?: null };
              const own = {
                ...rest,
                ...(kind === 'resources' && type && { type }),
                ...(kind === 'annotations' && color !== undefined && { color }),
                ...(kind === 'comments' && { itemId: undefined, page: undefined }),
              };
              answers.push(await world.rows.highlights.list(kind, { ...own, limit: 100 }));
            }
          return answers;
        },
      ],
      get: [
        ({ rows, ids }) =>
          everyKind(async (kind) => Promise.all(ids[kind].map((id) => rows.highlights.get(kind, id)))),
      ],
      describe: [
        async ({ rows }) =>
          rows.highlights.describe(await rows.highlights.list('annotations', { limit: 100 })),
      ],
      named: [({ rows, ids }) => rows.highlights.named(ids.resources)],
      countParts: [({ rows, ids }) => rows.highlights.countParts(ids.resources)],
      summary: [({ rows }) => rows.highlights.summary()],
      createResource: [
        (world) => makeResource(world, { type: 'pdf', title: 'new', author: '', url: '', config: null }),
        (world) =>
          makeResource(world, {
            type: 'website',
            title: '',
            author: '',
            url: 'https://example.org/0',
            config: null,
          }),
      ],
      createAnnotation: [
        (world) =>
          makeHighlight(world, {
            url: 'https://example.org/0',
            text: 'new',
            color: null,
            boundary: null,
            madeAt: 1,
          }),
        // A name that only a deleted one has had is free, and one that a live one has is taken.
        ({ rows, ids, randomText }) =>
          makeHighlight(
            { rows, randomText } as never,
            {
              resourceId: ids.resources[0],
              text: 'new',
              color: null,
              boundary: null,
              madeAt: 1,
              externalId: 'a:1',
            } as never,
          ),
      ],
      createWords: [
        (world) => makeWords(world, 'comments', { parentId: world.ids.annotations[0] ?? 0, content: 'x' }),
        (world) => makeWords(world, 'notes', { parentId: world.ids.resources[0] ?? 0, content: 'x' }),
      ],
      changeResource: [
        ({ rows, ids }) => rows.highlights.changeResource(ids.resources[0] ?? 0, { author: 'x' }),
      ],
      changeAnnotation: [
        ({ rows, ids }) =>
          rows.highlights.changeAnnotation(ids.annotations.at(-1) ?? 0, { text: 'x', hash: hashAnnotation }),
        ({ rows, ids }) =>
          rows.highlights.changeAnnotation(ids.annotations[0] ?? 0, { text: 'x', hash: hashAnnotation }),
      ],
      changeWords: [
        ({ rows, ids }) =>
          rows.highlights.changeWords('comments', ids.comments.at(-1) ?? 0, {
            content: 'x',
            contentHash: 'x',
          }),
        ({ rows, ids }) =>
          rows.highlights.changeWords('notes', ids.notes.at(-1) ?? 0, { content: 'x', contentHash: 'x' }),
      ],
      delete: [
        ({ rows, ids }) => rows.highlights.delete('comments', ids.comments[0] ?? 0),
        ({ rows, ids }) => rows.highlights.delete('notes', ids.notes[0] ?? 0),
        // The last one on its page.
        ({ rows, ids }) => rows.highlights.delete('annotations', ids.annotations[2] ?? 0),
        ({ rows, ids }) => rows.highlights.delete('resources', ids.resources[3] ?? 0),
      ],
    },
    syncs: {
      sync: [
        ({ rows }) => sync(rows, { ...research(), dryRun: true }),
        ({ rows }) => sync(rows, research()),
        ({ rows }) => sync(rows, { ...research(), source: 'kindle', kind: 'kindle', extent: 'some' }),
        ({ rows }) => sync(rows, lightRequest('a', [record(1), record(5)], 0)),
        ({ rows }) => sync(rows, lightRequest('a', [record(1, 1), record(3, 1, 'changed'), record(6, 3)])),
        ({ rows }) => sync(rows, research({ comments: [], notes: [words(5, 0)] })),
        ({ rows }) => sync(rows, { ...research(), snapshot: nothing }),
        ({ rows }) => sync(rows, research()),
      ],
      noteFailure: [({ rows }) => rows.syncs.noteFailure({ source: 'a', kind: 'light' }, 'why')],
      sources: [({ rows }) => rows.syncs.sources()],
      findSource: [({ rows }) => rows.syncs.findSource('a')],
      configure: [({ rows }) => rows.syncs.configure({ source: 'a', kind: 'light' }, { x: 1 })],
    },
  };

  /** How each route is asked that has no parameter, or one that is not the id of a highlight. */
  const routes: Record<string, (world: World) => string[]> = {
    ...Object.fromEntries(
      highlightKinds.map((kind) => [
        `/api/${kind}`,
        ({ ids, entryId }: World) =>
          [
            'limit=200',
            'limit=2',
            'source=a',
            'color=none',
            'color=red',
            `resource_id=${ids.resources[0]}`,
            `annotation_id=${ids.annotations[0]}`,
            'item_id=1',
            `entry_id=${entryId}`,
            'from=1970-01-01T00:00:00.002Z',
            'updated_after=1970-01-01',
          ].map((query) => `/api/${kind}?${query}`),
      ]),
    ),
    '/api/highlights/summary': () => ['/api/highlights/summary'],
    '/api/highlights/export': () =>
      ['markdown', 'json', 'w3c'].map((format) => `/api/highlights/export?format=${format}`),
    '/api/sync/sources': () => ['/api/sync/sources'],
    '/api/research/config': () => ['/api/research/config'],
    '/api/v1/items': () => [
      '/api/v1/items?include=details',
      ...['manual', 'bookmark', 'highlight'].map((origin) => `/api/v1/items?origin=${origin}`),
    ],
    '/api/v1/items/counts': () => ['/api/v1/items/counts'],
    '/api/v1/items/{id}': () => [1, 2, 3].map((id) => `/api/v1/items/${id}?include=details`),
    '/api/v1/items/{id}/similar': () => [1, 2, 3].map((id) => `/api/v1/items/${id}/similar`),
    '/api/v1/search': () =>
      ['passage', 'words', 'said', 'paper', 'my'].map((word) => `/api/v1/search?q=${word}`),
    '/api/search': () => ['/api/search?q=passage'],
  };
  /** Not about highlights, or not to be asked in passing. */
  const otherRoutes: Record<string, string> = {
    '/api/v1/items/events': 'it does not end',
    '/api/v1/search/meaning': 'it has no highlights in it',
    '/api/v1/items/{id}/thumbnail': 'it has no highlights in it',
    '/api/v1/items/{id}/content': 'it has no highlights in it',
    '/api/v1/items/{id}/permacopy': 'it has no highlights in it',
    '/api/v1/items/{id}/icon': 'it has no highlights in it',
  };
  const aboutHighlights = new RegExp(
    `^/api/(${highlightKinds.join('|')}|highlights|sync|research|search|v1/items|v1/search)(/|$)`,
  );

  it('are what there is to see by every route', async () => {
    const paths = plain.api.entries
      .filter(({ method, path }) => method === 'get' && aboutHighlights.test(path))
      .map(({ path }) => path);
    expect(paths.length).toBeGreaterThan(25);
    for (const path of paths.filter((one) => otherRoutes[one] === undefined)) {
      const kind = path.split('/')[2] as HighlightKind;
      // The history of a row is that of its replicas.
      if (path.endsWith('/{id}/history')) continue;
      const isOfOne = highlightKinds.includes(kind) && path.includes('{id}');
      const asked = isOfOne
        ? (world: World) => world.ids[kind].map((id) => path.replace('{id}', String(id)))
        : routes[path];
      if (!asked) throw new Error(`${path} is not asked here: add a line`);
      expect(asked(haunted)).toEqual(asked(plain));
      for (const query of asked(plain)) {
        const [before, after] = [await answer(plain, query), await answer(haunted, query)];
        expect(before.status, query).toBe(query.includes('items/') && before.status === 404 ? 404 : 200);
        expect(after, query).toEqual(before);
      }
    }
  });

  /** Ids that can be asked for of rows that were deleted: what is below zero is none. */
  async function gone(kind: HighlightKind): Promise<number[]> {
    const { database } = haunted.api.opened;
    const [row] = (await allRows(database, haunted.userId)).filter((one) => one.kind === kind && one.id < 0);
    const { kind: _, ...columns } = row as AnyRow;
    const id = 900_000;
    await database.write(async (trx) => {
      await trx
        .deleteFrom(kind as 'annotations')
        .where('id', '=', id)
        .execute();
      await trx
        .insertInto(kind as 'annotations')
        .values({ ...columns, id } as never)
        .execute();
    });
    return [id];
  }

  async function answer({ client }: World, path: string) {
    const response = await client.get(path);
    if (!response.headers.get('content-type')?.startsWith('application/json'))
      return { status: response.status, text: await response.text() };
    const { status, body } = await answerOf(response);
    // How many were deleted is what this one says of them.
    const { deleted: _, ...data } = (body as { data?: { deleted?: number } }).data ?? {};
    return { status, body: path.endsWith('/summary') ? { data } : body };
  }

  it.each(Object.keys(methods) as (keyof typeof methods)[])(
    'are what every method of %s sees and changes',
    async (name) => {
      const there = Object.keys(plain.rows[name]);
      expect(there.sort()).toEqual(Object.keys(methods[name]).sort());
      const ghosts = async () =>
        (await allRows(haunted.api.opened.database, haunted.userId)).filter(({ id }) => id < 0);
      const before = await ghosts();
      for (const cases of Object.values(methods[name])) for (const one of cases) await expectSame(one);
      expect(await ghosts()).toEqual(before);
    },
  );

  // Last, since its rows take the ids of later ones.
  it('are all that can be asked for by its id', async () => {
    for (const { method, path } of haunted.api.entries) {
      const kind = path.split('/')[2] as HighlightKind;
      const isOfOne = highlightKinds.includes(kind) && path.includes('{id}');
      if (!isOfOne || /\/(history|restore)$/.test(path)) continue;
      const [id] = await gone(kind);
      const response = await haunted.client.send(method.toUpperCase(), path.replace('{id}', String(id)), {
        ...(method === 'patch' && { json: { title: 'x', text: 'x', content: 'x' } }),
      });
      expect({ method, path, status: response.status }).toEqual({ method, path, status: 404 });
    }
  });
});
