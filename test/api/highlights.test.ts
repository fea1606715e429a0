// What people make, read, change, delete and have back of their highlights.
import fc from 'fast-check';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { pageWork } from '../../src/highlights/make.ts';
import { reconcile } from '../../src/highlights/reconcile.ts';
import { highlightKinds, type Snapshot } from '../../src/model/highlight.ts';
import type { UserRows } from '../../src/store/store.ts';
import { answerOf, type Client, jsonOf, openApi, type TestApi } from '../support/api.ts';
import { propertyRuns } from '../support/depth.ts';
import { onEachEngine } from '../support/engines.ts';
import { nothing } from '../support/highlights.ts';
import { fill, listAll, newFeed, published } from '../support/reader.ts';

const url = 'https://example.com/article';
const boundary = {
  quote: { exact: 'a passage', prefix: 'before ', suffix: ' after' },
  position: { start: 7, end: 16 },
};

interface Row {
  readonly id: number;
  readonly external_id: string;
  readonly made_at: string;
  readonly updated_at: string;
  readonly deleted_at: string | null;
  readonly resource_id: number;
  readonly annotation_id: number;
  readonly item_id: number;
  readonly comments: Row[];
  readonly [field: string]: unknown;
}
interface Page {
  readonly data: Row[];
  readonly next_cursor: string | null;
}

onEachEngine('highlights', (engine) => {
  let api: TestApi;
  let people = 0;
  let client: Client;
  let other: Client;
  let rows: UserRows;

  beforeAll(async () => {
    api = await openApi(engine);
    await api.addUser('owner');
    await api.addUser('other');
    other = await api.program('other', 'write');
    return () => api.close();
  });

  beforeEach(async () => {
    const name = `person${people++}`;
    const { id } = await api.addUser(name);
    client = await api.program(name, 'write');
    rows = api.opened.store.forUser(id);
  });

  const post = async (path: string, body: object) => {
    const { status, body: answer } = await answerOf(await client.post(path, body));
    expect({ path, status, answer }).toEqual({ path, status: 201, answer: { data: expect.anything() } });
    return (answer as { data: Row }).data;
  };
  const get = async (path: string) => {
    const { status, body } = await answerOf(await client.get(path));
    expect({ path, status }).toEqual({ path, status: 200 });
    return (body as { data: Row }).data;
  };
  const page = async (path: string) => (await answerOf(await client.get(path))).body as Page;
  const list = async (path: string) => (await page(path)).data;
  const ids = async (path: string) => (await list(path)).map(({ id }) => id);
  const remove = async (path: string) => expect((await client.delete(path)).status).toBe(204);
  const statusOf = async (path: string) => (await client.get(path)).status;
  const restore = async (kind: string, id: number) => {
    const { status, body } = await answerOf(await client.post(`/api/${kind}/${id}/restore`, {}));
    return { status, data: (body as { data: Row }).data };
  };
  const highlight = (over: object = {}) =>
    post('/api/annotations', { ...('resource_id' in over ? {} : { url }), text: 'a passage', ...over });
  const pdf = (over: object = {}) => post('/api/resources', { type: 'pdf', title: 'A paper', ...over });
  const sync = (snapshot: Partial<Snapshot>, over: object = {}) =>
    reconcile(rows, {
      source: 'research',
      kind: 'research',
      snapshot: { ...nothing, ...snapshot },
      extent: 'all',
      onMove: 'update',
      dryRun: false,
      ...over,
    });
  const aPaper = {
    resources: [{ originalId: 'r', type: 'pdf', title: 'Synced' }],
    annotations: [{ originalId: 'a', resource: 'r', text: 'synced', color: null, boundary: null, madeAt: 1 }],
    comments: [{ originalId: 'c', annotation: 'a', content: 'synced', madeAt: 1 }],
    notes: [{ originalId: 'n', resource: 'r', content: 'synced', madeAt: 1 }],
  } as const satisfies Snapshot;

  describe('are made', () => {
    it('on a page, in one envelope of everything that there is to know', async () => {
      const made = await highlight({ color: 'yellow', boundary, comment: 'said at once' });
      const now = new Date(api.clock.now()).toISOString();
      const times = { created_at: made.created_at, updated_at: made.updated_at, deleted_at: null };
      expect(made).toEqual({
        id: expect.any(Number),
        source: 'lectern',
        external_id: expect.stringMatching(/^lectern:./),
        content_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
        resource_id: expect.any(Number),
        text: 'a passage',
        color: 'yellow',
        boundary,
        made_at: now,
        in_step: false,
        ...times,
        resource: {
          id: made.resource_id,
          type: 'website',
          title: url,
          author: '',
          url,
          item_id: expect.any(Number),
        },
        comments: [
          {
            id: expect.any(Number),
            source: 'lectern',
            external_id: expect.stringMatching(/^lectern:./),
            content_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
            annotation_id: made.id,
            content: 'said at once',
            made_at: now,
            ...times,
          },
        ],
      });
      expect(await get(`/api/annotations/${made.id}`)).toEqual(made);
      expect(await list('/api/annotations')).toEqual([made]);
    });

    it('as resources, comments and notes, each in its envelope', async () => {
      const resource = await pdf({ author: 'Somebody', config: { any: ['thing'] } });
      const common = {
        id: expect.any(Number),
        source: 'lectern',
        external_id: expect.stringMatching(/^lectern:./),
        content_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
        created_at: expect.any(String),
        updated_at: expect.any(String),
        deleted_at: null,
      };
      expect(resource).toEqual({
        ...common,
        type: 'pdf',
        title: 'A paper',
        author: 'Somebody',
        url: '',
        config: { any: ['thing'] },
        item_id: null,
        annotation_count: 0,
        note_count: 0,
      });
      const annotation = await highlight({ resource_id: resource.id });
      const note = await post('/api/notes', { resource_id: resource.id, content: 'noted' });
      const comment = await post('/api/comments', { annotation_id: annotation.id, content: 'said' });
      const said = { ...common, made_at: expect.any(String) };
      expect(note).toEqual({ ...said, resource_id: resource.id, content: 'noted' });
      expect(comment).toEqual({ ...said, annotation_id: annotation.id, content: 'said' });
      const counted = { ...resource, annotation_count: 1, note_count: 1 };
      expect(await get(`/api/resources/${resource.id}`)).toEqual(counted);
      expect(await get(`/api/resources/${resource.id}/full`)).toEqual({
        ...counted,
        annotations: [{ ...annotation, comments: [comment] }],
        notes: [note],
      });
      expect(await page(`/api/resources/${resource.id}/notes`)).toEqual({ data: [note], next_cursor: null });
      expect(await page(`/api/annotations/${annotation.id}/comments`)).toEqual({
        data: [comment],
        next_cursor: null,
      });
      expect(await ids(`/api/resources/${resource.id}/annotations`)).toEqual([annotation.id]);
    });

    it('on one resource for each page, by its address, its item and its entry', async () => {
      const first = await highlight({ url: `${url}/?utm_source=x` });
      const itemId = (await get(`/api/resources/${first.resource_id}`)).item_id;
      const byItem = await highlight({ url: undefined, item_id: itemId });
      await rows.feeds.create(newFeed('https://example.com/feed'));
      await fill(api.opened.store, 'https://example.com/feed', [
        published('e', { link: url }),
        published('f', { link: '' }),
      ]);
      const entries = await listAll(rows);
      const entryId = entries.find(({ guid }) => guid === 'e')?.id;
      const linklessId = entries.find(({ guid }) => guid === 'f')?.id;
      const byEntry = await highlight({ url: undefined, entry_id: entryId });
      const linkless = await highlight({ url: undefined, entry_id: linklessId });
      const website = await post('/api/resources', { type: 'website', title: 'Mine', url });
      for (const made of [byItem, byEntry]) expect(made.resource_id).toBe(first.resource_id);
      expect(website.id).toBe(first.resource_id);
      expect(linkless.resource_id).not.toBe(first.resource_id);
      const three = [byEntry.id, byItem.id, first.id];
      expect(await ids(`/api/annotations?item_id=${itemId}`)).toEqual(three);
      expect(await ids(`/api/annotations?entry_id=${entryId}`)).toEqual(three);
      expect(await ids(`/api/annotations?entry_id=${linklessId}`)).toEqual([linkless.id]);
      expect(await ids(`/api/resources?item_id=${itemId}`)).toEqual([first.resource_id]);
      expect(await ids(`/api/resources?entry_id=${entryId}`)).toEqual([first.resource_id]);
    });

    it('keeps the author and the config of a page that is new', async () => {
      const made = await post('/api/resources', {
        type: 'website',
        title: 'Mine',
        author: 'Somebody',
        url,
        config: { a: 1 },
      });
      expect(made).toMatchObject({ title: 'Mine', author: 'Somebody', config: { a: 1 } });
    });

    it('under a name of somebody else, once', async () => {
      const made = await highlight({ external_id: 'kindle:B08XYZ_loc:123' });
      expect(made).toMatchObject({ source: 'kindle', external_id: 'kindle:B08XYZ_loc:123' });
      expect(
        (await client.post('/api/annotations', { url, text: 'x', external_id: made.external_id })).status,
      ).toBe(409);
      for (const external_id of ['x', ':x', 'x:', '', 7, 'restored:1', 'web:1'])
        expect((await client.post('/api/annotations', { url, text: 'x', external_id })).status).toBe(400);
    });

    it.each([
      ['/api/annotations', { text: 'x' }],
      ['/api/annotations', { text: 'x', url, resource_id: 1 }],
      ['/api/annotations', { text: ' ', url }],
      ['/api/annotations', { text: '\u0000', url }],
      ['/api/annotations', { text: 'x', url, color: '' }],
      ['/api/annotations', { text: 'x', url, made_at: 'yesterday' }],
      ['/api/annotations', { text: 'x'.repeat(200_001), url }],
      ['/api/annotations', { text: 'x', url, boundary: 'x'.repeat(100_001) }],
      ['/api/resources', { type: 'cd', title: 'x' }],
      ['/api/resources', { type: 'pdf', title: ' ' }],
      ['/api/comments', { content: 'x' }],
      ['/api/notes', { content: 'x' }],
    ] as const)('only as they can be: %# %s', async (path, body) => {
      const answer = await answerOf(await client.post(path, body));
      expect(answer).toEqual({ status: 400, body: { error: expect.any(String) } });
    });

    it('only on what is there', async () => {
      const { id, resource_id } = await highlight();
      await remove(`/api/resources/${resource_id}`);
      for (const [path, body] of [
        ['/api/annotations', { text: 'x', resource_id }],
        ['/api/annotations', { text: 'x', item_id: 999_999 }],
        ['/api/annotations', { text: 'x', entry_id: 999_999 }],
        ['/api/comments', { content: 'x', annotation_id: id }],
        ['/api/notes', { content: 'x', resource_id }],
      ] as const)
        expect((await client.post(path, body)).status).toBe(404);
    });

    it('with a boundary and a config that come back as they were given', async () => {
      const values = [
        null,
        0,
        '',
        'null',
        [],
        {},
        { a: [{ b: null }] },
        // Not a character that cannot be kept, but how it is written.
        'C:\\u0000',
        { '\\u0000': '\\\\u0000"' },
        '\u{1f468}\u200d\u{1f469} \u202e',
      ];
      for (const value of values) {
        const made = await highlight({ boundary: value });
        expect((await get(`/api/annotations/${made.id}`)).boundary).toEqual(value);
        expect((await pdf({ config: value })).config).toEqual(value);
      }
      expect((await highlight({ boundary: { a: 'x\u0000y' } })).boundary).toEqual({ a: 'xy' });
    });
  });

  describe('are changed', () => {
    it('field by field, and the others stay', async () => {
      const made = await highlight({ color: 'red', boundary, comment: 'said' });
      api.clock.advance(1_000);
      const path = `/api/annotations/${made.id}`;
      const patch = async (body: object) => {
        const answer = await answerOf(await client.patch(path, body));
        expect(answer.status).toBe(200);
        return (answer.body as { data: Row }).data;
      };
      const text = await patch({ text: 'other' });
      expect(text).toEqual({
        ...made,
        text: 'other',
        content_hash: expect.not.stringContaining(String(made.content_hash)),
        updated_at: new Date(api.clock.now()).toISOString(),
      });
      expect(await patch({ color: null })).toMatchObject({ text: 'other', color: null, boundary });
      expect(await patch({ boundary: null })).toMatchObject({ text: 'other', boundary: null });
      expect(await patch({})).toMatchObject({ text: 'other', color: null, boundary: null });

      const resource = await pdf({ author: 'Somebody', config: { a: 1 } });
      await client.patch(`/api/resources/${resource.id}`, { title: 'Another' });
      expect(await get(`/api/resources/${resource.id}`)).toMatchObject({
        title: 'Another',
        author: 'Somebody',
        config: { a: 1 },
      });
      const [comment] = made.comments;
      await client.patch(`/api/comments/${comment?.id}`, { content: 'said otherwise' });
      expect((await get(path)).comments[0]).toMatchObject({ content: 'said otherwise' });
      const note = await post('/api/notes', { resource_id: resource.id, content: 'noted' });
      await client.patch(`/api/notes/${note.id}`, { content: 'noted otherwise' });
      expect(await get(`/api/notes/${note.id}`)).toMatchObject({ content: 'noted otherwise' });
    });

    it('only at their source, as long as it keeps them in step: 409, and nothing is changed', async () => {
      await sync(aPaper);
      const changes = {
        resources: { title: 'x' },
        annotations: { text: 'x' },
        comments: { content: 'x' },
        notes: { content: 'x' },
      };
      for (const kind of highlightKinds) {
        const [row] = await list(`/api/${kind}`);
        const answer = await answerOf(await client.patch(`/api/${kind}/${row?.id}`, changes[kind]));
        expect(answer).toEqual({ status: 409, body: { error: expect.stringContaining('"research"') } });
        expect(await list(`/api/${kind}`)).toEqual([row]);
      }
    });
  });

  describe('are listed', () => {
    it('page by page, the newest first, also when many are of one moment and some go meanwhile', async () => {
      const resource = await pdf();
      const made: Row[] = [];
      for (let n = 0; n < 12; n++)
        made.push(
          await highlight({
            resource_id: resource.id,
            text: `${n}`,
            made_at: new Date(Date.UTC(2026, 0, 1) + Math.floor(n / 5)).toISOString(),
          }),
        );
      const expected = made
        .toSorted((a, b) => (a.made_at === b.made_at ? b.id - a.id : a.made_at < b.made_at ? 1 : -1))
        .map(({ id }) => id);
      const walk = async (base: string, between?: (seen: number[]) => Promise<void>) => {
        const seen: number[] = [];
        for (let cursor: string | null = ''; cursor !== null; ) {
          const { data, next_cursor }: Page = await page(
            `${base}limit=3${cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`}`,
          );
          expect(data.length).toBeLessThanOrEqual(3);
          seen.push(...data.map(({ id }) => id));
          await between?.(seen);
          cursor = next_cursor;
        }
        return seen;
      };
      expect(await walk('/api/annotations?')).toEqual(expected);
      expect(await walk(`/api/resources/${resource.id}/annotations?`)).toEqual(expected);
      expect((await walk('/api/annotations?include_deleted=true&')).toSorted()).toEqual(expected.toSorted());
      const gone = new Set<number>();
      const seen = await walk('/api/annotations?', async (sofar) => {
        // The last one that was shown, and the one that is next.
        for (const id of [sofar.at(-1), expected[sofar.length]])
          if (id !== undefined && !gone.has(id)) {
            await remove(`/api/annotations/${id}`);
            gone.add(id);
          }
      });
      expect(new Set(seen).size).toBe(seen.length);
      for (const id of expected) if (!gone.has(id)) expect(seen).toContain(id);
      expect(await walk('/api/annotations?deleted=true&')).toHaveLength(gone.size);
      for (const kind of highlightKinds)
        for (const cursor of ['x', '1', '1_', '_1', '1_2_3', 'null'])
          expect(await statusOf(`/api/${kind}?cursor=${cursor}`)).toBe(400);
      for (const limit of ['0', '-1', 'x']) expect(await statusOf(`/api/notes?limit=${limit}`)).toBe(400);
    });

    it('by source, colour, resource, type and time', async () => {
      await sync(aPaper);
      const [synced] = await list('/api/annotations');
      const red = await highlight({ color: 'red', made_at: '2026-01-01T00:00:00Z' });
      const plain = await highlight({ made_at: '2026-01-02T00:00:00Z' });
      const all: Record<string, (number | undefined)[]> = {
        'source=lectern': [plain.id, red.id],
        'source=research': [synced?.id],
        'source=Research': [],
        'source=%25': [],
        'color=red': [red.id],
        'color=Red': [],
        'color=none': [plain.id, synced?.id],
        'color=none&source=lectern': [plain.id],
        [`resource_id=${red.resource_id}`]: [plain.id, red.id],
        'resource_id=999999': [],
        'item_id=999999': [],
        'from=2026-01-02T00:00:00Z': [plain.id],
        'to=2026-01-02T00:00:00Z': [red.id, synced?.id],
        'from=2026-01-01T00:00:00Z&to=2026-01-02T00:00:00Z': [red.id],
      };
      for (const [query, expected] of Object.entries(all))
        expect({ query, found: await ids(`/api/annotations?${query}`) }).toEqual({ query, found: expected });
      expect((await list('/api/resources?type=pdf')).map(({ title }) => title)).toEqual(['Synced']);
      expect(await ids('/api/resources?type=website')).toEqual([red.resource_id]);
      expect(await statusOf('/api/resources?type=cd')).toBe(400);
      expect(await statusOf('/api/annotations?from=yesterday')).toBe(400);
      expect(await statusOf('/api/annotations?entry_id=999999')).toBe(404);
      const comment = await post('/api/comments', { annotation_id: red.id, content: 'x' });
      expect(await ids(`/api/comments?annotation_id=${red.id}`)).toEqual([comment.id]);
      const note = await post('/api/notes', { resource_id: red.resource_id, content: 'x' });
      expect(await ids(`/api/notes?resource_id=${red.resource_id}`)).toEqual([note.id]);
    });

    it('with how many there are', async () => {
      await sync(aPaper);
      await highlight({ color: 'red' });
      const { id } = await highlight({ color: 'blue' });
      await remove(`/api/annotations/${id}`);
      expect(await get('/api/highlights/summary')).toEqual({
        total: 2,
        deleted: 1,
        sources: [
          { source: 'lectern', count: 1 },
          { source: 'research', count: 1 },
        ],
        colors: expect.arrayContaining([
          { color: null, count: 1 },
          { color: 'red', count: 1 },
        ]),
      });
    });
  });

  it('of somebody else are not found, by any route', async () => {
    const { id: annotationId, resource_id, comments } = await highlight({ comment: 'x' });
    const note = await post('/api/notes', { resource_id, content: 'x' });
    const rowIds = {
      resources: resource_id,
      annotations: annotationId,
      comments: comments[0]?.id,
      notes: note.id,
    };
    const itemId = (await get(`/api/resources/${resource_id}`)).item_id;
    const routes = api.entries.filter(({ path }) =>
      /^\/api\/(resources|annotations|comments|notes)\/\{id\}/.test(path),
    );
    expect(routes.length).toBeGreaterThan(20);
    const bodies = { title: 'x', text: 'x', content: 'x' };
    for (const { method, path } of routes) {
      const kind = path.split('/')[2] as keyof typeof rowIds;
      const response = await other.send(method.toUpperCase(), path.replace('{id}', String(rowIds[kind])), {
        ...(method === 'get' || method === 'delete' ? {} : { json: bodies }),
      });
      expect({ method, path, status: response.status }).toEqual({ method, path, status: 404 });
    }
    for (const [path, body] of [
      ['/api/annotations', { resource_id, text: 'x' }],
      ['/api/annotations', { item_id: itemId, text: 'x' }],
      ['/api/comments', { annotation_id: annotationId, content: 'x' }],
      ['/api/notes', { resource_id, content: 'x' }],
    ] as const)
      expect((await other.post(path, body)).status).toBe(404);
    for (const kind of highlightKinds)
      for (const query of [
        '',
        `?item_id=${itemId}`,
        '?include_deleted=true',
        '?deleted=true',
        `?resource_id=${resource_id}`,
      ])
        expect(await jsonOf(await other.get(`/api/${kind}${query}`))).toEqual({
          data: [],
          next_cursor: null,
        });
    for (const kind of highlightKinds) await remove(`/api/${kind}/${rowIds[kind]}`).catch(() => {});
    for (const kind of highlightKinds) {
      expect((await other.post(`/api/${kind}/${rowIds[kind]}/restore`, {})).status).toBe(404);
      expect((await other.get(`/api/${kind}/${rowIds[kind]}/history`)).status).toBe(404);
    }
  });

  describe('that were deleted', () => {
    it('are found nowhere but among the deleted, in their history and in the feed of changes', async () => {
      const { id, resource_id, comments } = await highlight({ comment: 'said' });
      await highlight({ text: 'stays' });
      await remove(`/api/annotations/${id}`);
      expect(await statusOf(`/api/annotations/${id}`)).toBe(404);
      expect(await statusOf(`/api/annotations/${id}/comments`)).toBe(404);
      expect(await statusOf(`/api/comments/${comments[0]?.id}`)).toBe(404);
      expect((await client.delete(`/api/annotations/${id}`)).status).toBe(404);
      expect((await client.patch(`/api/annotations/${id}`, { text: 'x' })).status).toBe(404);
      expect(await ids(`/api/resources/${resource_id}/annotations`)).not.toContain(id);
      const [gone] = await list('/api/annotations?deleted=true');
      expect(gone).toMatchObject({ id, text: 'a passage', deleted_at: expect.any(String) });
      expect(await ids('/api/comments?deleted=true')).toEqual([comments[0]?.id]);
      expect((await list(`/api/annotations/${id}/history`)).map((row) => row.id)).toEqual([id]);
      expect(await ids('/api/annotations?include_deleted=true')).toContain(id);
      expect(await ids('/api/annotations?updated_after=2000-01-01')).not.toContain(id);
    });

    it('come back as a copy that no sync deletes, once, with what was said about them', async () => {
      await sync(aPaper);
      const [synced] = await list('/api/annotations');
      const own = await post('/api/comments', { annotation_id: synced?.id, content: 'mine' });
      await sync({});
      expect(await list('/api/annotations')).toEqual([]);
      // What a person said has not gone.
      expect(await ids('/api/comments')).toEqual([own.id]);
      const { status, data } = await restore('annotations', synced?.id ?? 0);
      expect(status).toBe(201);
      expect(data).toMatchObject({
        source: 'restored',
        external_id: `restored:${synced?.id}`,
        text: 'synced',
      });
      expect(data.comments.map(({ content }) => content).sort()).toEqual(['mine', 'synced']);
      expect(data.resource).toMatchObject({ type: 'pdf', title: 'Synced' });
      expect(await statusOf(`/api/resources/${data.resource_id}`)).toBe(200);
      expect(await restore('annotations', synced?.id ?? 0)).toEqual({ status: 200, data });
      await sync({});
      await sync(aPaper);
      await sync({});
      expect(await get(`/api/annotations/${data.id}`)).toEqual(data);
      // It is not among the deleted any longer; a later replica of the same passage is.
      expect(await ids('/api/annotations?deleted=true')).not.toContain(synced?.id);
    });

    it.each(['annotations', 'comments', 'notes'] as const)(
      'with all they were part of come back with it: %s',
      async (kind) => {
        const resource = await pdf();
        const annotation = await highlight({ resource_id: resource.id, comment: 'said' });
        const note = await post('/api/notes', { resource_id: resource.id, content: 'noted' });
        const rowIds = { annotations: annotation.id, comments: annotation.comments[0]?.id, notes: note.id };
        await remove(`/api/resources/${resource.id}`);
        for (const each of highlightKinds) expect(await list(`/api/${each}`)).toEqual([]);
        expect((await restore(kind, rowIds[kind] ?? 0)).status).toBe(201);
        const full = await get(`/api/resources/${(await ids('/api/resources'))[0]}/full`);
        expect(full).toMatchObject({
          source: 'restored',
          annotations: [{ text: 'a passage', comments: [{ content: 'said' }] }],
          notes: [{ content: 'noted' }],
        });
        for (const each of highlightKinds) expect(await list(`/api/${each}`)).toHaveLength(1);
        expect((await restore('resources', resource.id)).status).toBe(200);
      },
    );

    it('that were deleted again are among the deleted once, as the copy', async () => {
      const { id } = await highlight({ resource_id: (await pdf()).id });
      await remove(`/api/annotations/${id}`);
      const { data } = await restore('annotations', id);
      await remove(`/api/annotations/${data.id}`);
      expect(await ids('/api/annotations?deleted=true')).toEqual([data.id]);
    });

    it('come back to what they were part of, if that is there', async () => {
      const resource = await pdf();
      const kept = await highlight({ resource_id: resource.id });
      const gone = await highlight({ resource_id: resource.id, comment: 'said' });
      const comment = gone.comments[0];
      await remove(`/api/annotations/${gone.id}`);
      const { data } = await restore('comments', comment?.id ?? 0);
      const back = await get(`/api/annotations/${data.annotation_id}`);
      expect(back).toMatchObject({ source: 'restored', resource_id: resource.id });
      expect(await ids('/api/annotations')).toEqual([back.id, kept.id]);
    });

    it('were pages come back as the one resource of the page, and bring its item', async () => {
      const first = await highlight({ comment: 'said' });
      const second = await highlight({ text: 'another' });
      const itemId = (await get(`/api/resources/${first.resource_id}`)).item_id;
      await remove(`/api/resources/${first.resource_id}`);
      expect(await statusOf(`/api/v1/items/${itemId}`)).toBe(404);
      const { status, data } = await restore('resources', first.resource_id);
      expect(status).toBe(201);
      expect(data).toMatchObject({ source: 'web', url, item_id: itemId, annotation_count: 2 });
      expect(await statusOf(`/api/v1/items/${itemId}`)).toBe(200);
      expect((await restore('resources', first.resource_id)).status).toBe(200);
      expect((await list('/api/annotations')).map(({ text }) => text).sort()).toEqual([
        'a passage',
        'another',
      ]);
      expect((await highlight({ text: 'new' })).resource_id).toBe(data.id);
      expect((await restore('annotations', second.id)).status).toBe(200);
      expect(await ids('/api/resources')).toEqual([data.id]);
    });

    it('were the last of their page come back with the page and its item', async () => {
      const made = await highlight({ comment: 'said' });
      const itemId = (await get(`/api/resources/${made.resource_id}`)).item_id;
      await remove(`/api/annotations/${made.id}`);
      // A person who has nothing left on a page has no way to it either.
      expect(await statusOf(`/api/resources/${made.resource_id}`)).toBe(404);
      expect(await statusOf(`/api/v1/items/${itemId}`)).toBe(404);
      const { status, data } = await restore('annotations', made.id);
      expect(status).toBe(201);
      expect(data).toMatchObject({
        text: 'a passage',
        comments: [{ content: 'said' }],
        resource: { item_id: itemId },
      });
      expect(await statusOf(`/api/v1/items/${itemId}`)).toBe(200);
      expect(await list('/api/annotations')).toHaveLength(1);
      expect(await list('/api/comments')).toHaveLength(1);
    });

    it('can be had back only once they are deleted', async () => {
      const { id } = await highlight();
      expect((await client.post(`/api/annotations/${id}/restore`, {})).status).toBe(400);
      expect((await client.post('/api/annotations/999999/restore', {})).status).toBe(404);
    });

    it('by a person come back with their source, which still has them; a file does not bring them back', async () => {
      await sync(aPaper);
      const [synced] = await list('/api/annotations');
      await remove(`/api/annotations/${synced?.id}`);
      await sync(aPaper);
      expect(await list('/api/annotations')).toHaveLength(1);

      const file = {
        resources: [{ originalId: 'p', type: 'website', title: 'Page', url }],
        annotations: [{ originalId: 'x', resource: 'p', text: 'x', color: null, boundary: null, madeAt: 1 }],
      } as const satisfies Partial<Snapshot>;
      const bring = () => sync(file, { source: 'hypothesis', kind: 'hypothesis', extent: 'some' });
      await bring();
      const [brought] = await list('/api/annotations?source=hypothesis');
      const itemId = (await get(`/api/resources/${brought?.resource_id}`)).item_id;
      await remove(`/api/annotations/${brought?.id}`);
      const { leftOut, counts } = await bring();
      expect(leftOut).toBe(1);
      expect(counts.annotations).toEqual({ created: 0, updated: 0, deleted: 0, unchanged: 0 });
      expect(await list('/api/annotations?source=hypothesis')).toEqual([]);
      // Nor the page, on which there is nothing.
      expect(await statusOf(`/api/v1/items/${itemId}`)).toBe(404);
      expect(await list(`/api/resources?source=web`)).toEqual([]);
      // With something new on it, the page is there for that alone.
      const [x] = file.annotations;
      await sync(
        { ...file, annotations: [x, { ...x, originalId: 'y', text: 'y' }] },
        { source: 'hypothesis', kind: 'hypothesis', extent: 'some' },
      );
      expect((await list('/api/annotations?source=hypothesis')).map(({ text }) => text)).toEqual(['y']);
      expect(await statusOf(`/api/v1/items/${itemId}`)).toBe(200);
    });
  });

  it('keep what people said about them when their source deletes them and has them again', async () => {
    await sync(aPaper);
    const [before] = await list('/api/annotations');
    const [paper] = await list('/api/resources');
    const comment = await post('/api/comments', { annotation_id: before?.id, content: 'mine' });
    const note = await post('/api/notes', { resource_id: paper?.id, content: 'mine' });
    const own = await highlight({ resource_id: paper?.id, text: 'mine' });
    await sync({});
    for (const path of [`/api/comments/${comment.id}`, `/api/notes/${note.id}`, `/api/annotations/${own.id}`])
      expect(await get(path)).toMatchObject({ source: 'lectern' });
    // They are shown with what they stood in.
    expect(await get(`/api/annotations/${own.id}`)).toMatchObject({ resource: { title: 'Synced' } });
    await sync(aPaper);
    const [after] = await list('/api/annotations?source=research');
    const [again] = await list('/api/resources');
    expect(after?.id).not.toBe(before?.id);
    expect(after?.comments.map(({ content }) => content).sort()).toEqual(['mine', 'synced']);
    expect(await get(`/api/notes/${note.id}`)).toMatchObject({ resource_id: again?.id });
    expect(await get(`/api/annotations/${own.id}`)).toMatchObject({ resource_id: again?.id });
  });

  it('are a way to the item of their page until the last one goes', async () => {
    const [one, two] = [await highlight(), await highlight({ text: 'another' })];
    const note = await post('/api/notes', { resource_id: one.resource_id, content: 'noted' });
    const itemId = (await get(`/api/resources/${one.resource_id}`)).item_id;
    const isThere = async () => (await statusOf(`/api/v1/items/${itemId}`)) === 200;
    for (const path of [`/api/annotations/${one.id}`, `/api/notes/${note.id}`]) {
      await remove(path);
      expect(await isThere()).toBe(true);
    }
    await remove(`/api/annotations/${two.id}`);
    expect(await isThere()).toBe(false);
    expect(await statusOf(`/api/resources/${one.resource_id}`)).toBe(404);
  });

  it('that changed are told to whoever asks again and again, and end as they are, whatever the clock does', async () => {
    const feed = (kind: string, after: string, cursor: string | null) =>
      page(
        `/api/${kind}?include_deleted=true&limit=2&updated_after=${encodeURIComponent(after)}${cursor === null ? '' : `&cursor=${cursor}`}`,
      );
    const step = fc.record({
      do: fc.constantFrom('make', 'say', 'change', 'delete', 'restore', 'sync', 'sync nothing', 'poll'),
      which: fc.nat(1000),
      waitMs: fc.constantFrom(0, 0, 1, 1_000, -1_000_000),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 8, maxLength: 16, size: 'max' }), async (steps) => {
        const name = `person${people++}`;
        const { id: userId } = await api.addUser(name);
        client = await api.program(name, 'write');
        rows = api.opened.store.forUser(userId);
        const mirror = new Map(highlightKinds.map((kind) => [kind, new Map<number, Row>()]));
        const seen = new Map(highlightKinds.map((kind) => [kind, '1970-01-01T00:00:00.000Z']));
        const poll = async () => {
          for (const kind of highlightKinds) {
            const after = seen.get(kind) ?? '';
            for (let cursor: string | null = null; ; ) {
              const { data, next_cursor }: Page = await feed(kind, after, cursor);
              for (const row of data) {
                expect(row.updated_at > after).toBe(true);
                if (row.deleted_at === null) mirror.get(kind)?.set(row.id, row);
                else mirror.get(kind)?.delete(row.id);
                seen.set(kind, row.updated_at);
              }
              if (next_cursor === null) break;
              cursor = next_cursor;
            }
          }
        };
        for (const { do: what, which, waitMs } of steps) {
          api.clock.advance(waitMs);
          const live = await rows.highlights.list('annotations', { limit: 100 });
          const one = live[which % Math.max(1, live.length)];
          const gone = await rows.replicas.deleted('annotations', undefined, 100);
          const lost = gone[which % Math.max(1, gone.length)];
          if (what === 'make') await highlight({ text: `${which}` });
          if (what === 'say' && one) await post('/api/comments', { annotation_id: one.id, content: 'x' });
          if (what === 'change' && one)
            await client.patch(`/api/annotations/${one.id}`, { text: `${which}` });
          if (what === 'delete' && one) await remove(`/api/annotations/${one.id}`);
          if (what === 'restore' && lost) await rows.replicas.restore('annotations', lost.id, pageWork);
          if (what === 'sync') await sync(aPaper);
          if (what === 'sync nothing') await sync({});
          if (what === 'poll') await poll();
        }
        await poll();
        for (const kind of highlightKinds) {
          const own = ({ comments: _, resource: __, annotation_count: ___, note_count: ____, ...row }: Row) =>
            row;
          const now = (await list(`/api/${kind}?limit=200`))
            .map(own)
            .toSorted((a, b) => Number(a.id) - Number(b.id));
          const kept = [...(mirror.get(kind)?.values() ?? [])]
            .map(own)
            .toSorted((a, b) => Number(a.id) - Number(b.id));
          expect(kept).toEqual(now);
        }
      }),
      propertyRuns(6),
    );
  });
});
